package io.flexdb.cli;

import io.flexdb.FlexDB;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Gives free disk space back. */
@Command(
        name = "compact",
        description = "Remove expired pairs, put the others in order, and give free disk space back.")
final class CompactCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Override
    int run() throws Exception {
        long before = bytes();
        try (FlexDB db = store.open(cli().options())) {
            compact(db);
        }
        out().line(Sizes.text(before) + " before, " + Sizes.text(bytes()) + " now");
        return ExitCode.DONE;
    }

    private void compact(FlexDB db) throws Exception {
        withProgress("compact", progress -> {
            db.compact(null, null, progress);
            for (String name : db.keyspaces()) {
                db.keyspace(name).compact(null, null, progress);
            }
            return null;
        });
    }

    private long bytes() throws IOException {
        store.requireStore();
        return StoreFiles.sizes(store.path()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
