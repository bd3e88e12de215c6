package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists, makes and drops named keyspaces. */
@Command(
        name = "keyspaces",
        description = "List, create or drop named keyspaces.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            KeyspacesCommand.ListCommand.class,
            KeyspacesCommand.CreateCommand.class,
            KeyspacesCommand.DropCommand.class
        })
final class KeyspacesCommand extends ToolCommand {
    @Override
    int run() {
        throw usage("no command given: list, create or drop");
    }

    /** Prints their names. */
    @Command(name = "list", description = "Print the names, one a line, without that of the default keyspace.")
    static final class ListCommand extends ToolCommand {
        @Mixin
        private StoreDirectory store;

        @Override
        int run() {
            try (FlexDBReader reader = store.openReadOnly(cli())) {
                reader.keyspaces().forEach(name -> out().line(Text.escaped(name)));
            }
            return ExitCode.DONE;
        }
    }

    /** Makes one. */
    @Command(name = "create", description = "Make a keyspace.")
    static final class CreateCommand extends ToolCommand {
        @Mixin
        private StoreDirectory store;

        @Parameters(index = "1", paramLabel = "NAME", description = "Its name.")
        private String name;

        @Override
        int run() {
            try (FlexDB db = store.open(cli().options())) {
                db.createKeyspace(name);
            }
            return ExitCode.DONE;
        }
    }

    /** Drops one. */
    @Command(name = "drop", description = "Drop a keyspace with all its pairs; exit code 1 if there is none.")
    static final class DropCommand extends ToolCommand {
        @Mixin
        private StoreDirectory store;

        @Parameters(index = "1", paramLabel = "NAME", description = "Its name.")
        private String name;

        @Override
        int run() {
            try (FlexDB db = store.open(cli().options())) {
                db.dropKeyspace(name);
            }
            return ExitCode.DONE;
        }
    }
}
