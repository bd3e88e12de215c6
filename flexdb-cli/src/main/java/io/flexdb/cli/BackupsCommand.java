package io.flexdb.cli;

import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBCheckReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists backups, and verifies them if asked to. */
@Command(
        name = "backups",
        description = "List backups: number, time, sequence, size, new bytes. Exit code 1 if one is damaged.")
final class BackupsCommand extends ToolCommand {
    @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of backups.")
    private Path directory;

    @Option(names = "--verify", description = "Read and verify all of them.")
    private boolean verify;

    @Override
    int run() throws Exception {
        boolean isSound = true;
        try (FlexDBBackups backups = open(directory)) {
            for (FlexDBBackups.Backup backup : backups.list()) {
                out().line(line(backup));
                List<FlexDBCheckReport.Finding> damage = damage(backups, backup);
                damage.forEach(finding -> out().line("  " + finding));
                isSound &= damage.isEmpty();
            }
        }
        return isSound ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }

    private List<FlexDBCheckReport.Finding> damage(FlexDBBackups backups, FlexDBBackups.Backup backup)
            throws Exception {
        List<FlexDBCheckReport.Finding> damage = new ArrayList<>();
        if (backup.isDamaged()) {
            damage.add(backup.damage());
        } else if (verify) {
            damage.addAll(withProgress("verify", progress -> backups.verify(backup.id(), progress)));
        }
        return damage;
    }

    /** Opens backups that are there; none are made. */
    static FlexDBBackups open(Path directory) {
        if (!Files.isRegularFile(directory.resolve("flexdb.backups"))) {
            throw new CommandFailure(ExitCode.CANNOT_OPEN, directory + " is no directory of backups");
        }
        return FlexDBBackups.open(directory);
    }

    static String line(FlexDBBackups.Backup backup) {
        return "backup " + backup.id() + ", " + backup.time() + ", sequence " + backup.sequence() + ", "
                + Sizes.text(backup.bytes()) + ", " + Sizes.text(backup.newBytes()) + " new"
                + (backup.isDamaged() ? ", damaged" : "");
    }
}
