package io.flexdb.cli;

import io.flexdb.FlexDBSalvage;
import io.flexdb.FlexDBSalvageReport;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Brings what can be read of a damaged store into a new one. */
@Command(
        name = "salvage",
        description = "Bring everything readable of a damaged store into a new one, and print what is lost;"
                + " exit code 1 if anything is. The damaged store is not changed.")
final class SalvageCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "TARGET", description = "An empty or missing directory.")
    private Path target;

    @Override
    int run() throws Exception {
        store.requireStore();
        StoreDirectory.requireParent(target);
        FlexDBSalvageReport report = withProgress(
                "salvage", progress -> FlexDBSalvage.salvage(store.path(), target, cli().options(), progress));
        out().line(report.toString());
        return report.isComplete() ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }
}
