package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Backs a store up. */
@Command(name = "backup", description = "Add a backup to a directory of backups, which is made if it is missing.")
final class BackupCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "BACKUPS", description = "The directory of backups.")
    private Path directory;

    @Option(names = "--keep", paramLabel = "N", description = "Then delete all but the newest N sound ones.")
    private int keep;

    @Override
    int run() throws Exception {
        StoreDirectory.requireParent(directory);
        try (FlexDB db = store.open(cli().options());
                FlexDBBackups backups = FlexDBBackups.open(directory)) {
            FlexDBBackups.Backup made = withProgress("backup", progress -> backups.create(db, progress));
            out().line(BackupsCommand.line(made));
            if (keep > 0) {
                List<Long> deleted = withProgress("keep", progress -> backups.retain(keep, progress))
                        .deleted();
                deleted.forEach(id -> out().line("deleted " + id));
            }
        }
        return ExitCode.DONE;
    }
}
