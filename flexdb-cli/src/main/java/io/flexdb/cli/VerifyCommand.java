package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBCheckReport;
import io.flexdb.storage.CorruptionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Verifies every byte of a store. */
@Command(
        name = "verify",
        description = "Read and verify everything: files, logs, index and pairs; print all damage."
                + " Needs the store closed elsewhere; recovers it first if it was not closed.")
final class VerifyCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Override
    int run() throws Exception {
        try (FlexDB db = store.open(cli().options())) {
            FlexDBCheckReport report = withProgress("verify", db::check);
            out().line(report.toString());
            return report.isSound() ? ExitCode.DONE : ExitCode.NOT_FOUND;
        } catch (CorruptionException e) {
            out().line(e.getMessage());
            return ExitCode.NOT_FOUND;
        }
    }
}
