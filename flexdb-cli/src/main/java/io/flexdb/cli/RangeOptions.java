package io.flexdb.cli;

import io.flexdb.ReadOptions;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The options that choose keys. */
final class RangeOptions {
    @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys that begin so.")
    private String prefix;

    @Option(names = "--from", paramLabel = "KEY", description = "Only keys from this one on.")
    private String from;

    @Option(names = "--to", paramLabel = "KEY", description = "Only keys below this one.")
    private String to;

    /** The keys chosen. */
    ReadOptions readOptions(FlexDBCli cli) throws IOException {
        if (prefix != null && (from != null || to != null)) {
            throw new IllegalArgumentException("--prefix does not go together with --from and --to");
        }
        if (prefix != null) {
            return ReadOptions.defaults().withPrefix(ByteArgument.bytes(cli, prefix));
        }
        return ReadOptions.defaults()
                .withLowerBound(ByteArgument.optional(cli, from))
                .withUpperBound(ByteArgument.optional(cli, to));
    }
}
