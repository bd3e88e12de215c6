package io.flexdb.cli;

import io.flexdb.FlexDB;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Copies a store. */
@Command(
        name = "copy",
        description = "Copy a store; on the same file system the copy may share data with it, see docs/backup.md.")
final class CopyCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "TARGET", description = "An empty or missing directory.")
    private Path target;

    @Override
    int run() throws Exception {
        StoreDirectory.requireParent(target);
        try (FlexDB db = store.open(cli().options())) {
            long sequence = withProgress("copy", progress -> db.checkpoint(target, progress));
            out().line("copied to " + target + ", sequence " + sequence);
        }
        return ExitCode.DONE;
    }
}
