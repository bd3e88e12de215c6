package io.flexdb.cli;

import picocli.CommandLine.Option;

/** The option that names a keyspace. */
final class KeyspaceOption {
    @Option(
            names = {"-k", "--keyspace"},
            paramLabel = "NAME",
            description = "The keyspace. Default: the default one.")
    private String name;

    /** The name, or null for the default keyspace. */
    String name() {
        return name;
    }
}
