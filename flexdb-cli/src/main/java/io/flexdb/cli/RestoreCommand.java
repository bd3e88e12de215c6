package io.flexdb.cli;

import io.flexdb.FlexDBBackups;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a store of a backup. */
@Command(name = "restore", description = "Make a store of a backup; every byte is verified.")
final class RestoreCommand extends ToolCommand {
    @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of backups.")
    private Path directory;

    @Parameters(index = "1", paramLabel = "TARGET", description = "An empty or missing directory.")
    private Path target;

    @Option(names = "--id", paramLabel = "N", description = "The number of the backup. Default: the newest.")
    private Long id;

    @Override
    int run() throws Exception {
        StoreDirectory.requireParent(target);
        try (FlexDBBackups backups = BackupsCommand.open(directory)) {
            long chosen = chosen(backups.list());
            withProgress("restore", progress -> {
                backups.restore(chosen, target, progress);
                return null;
            });
            out().line("restored backup " + chosen + " to " + target);
        }
        return ExitCode.DONE;
    }

    private long chosen(List<FlexDBBackups.Backup> backups) {
        List<Long> ids = backups.stream().map(FlexDBBackups.Backup::id).toList();
        if (ids.isEmpty() || id != null && !ids.contains(id)) {
            throw new CommandFailure(
                    ExitCode.NOT_FOUND,
                    directory + " has no backup" + (id == null ? "" : " " + id) + "; it has these: " + ids);
        }
        return id == null ? ids.get(ids.size() - 1) : id;
    }
}
