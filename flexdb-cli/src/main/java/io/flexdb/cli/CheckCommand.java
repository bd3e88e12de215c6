package io.flexdb.cli;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDBReader;
import io.flexdb.KeyspaceReader;
import io.flexdb.ReadOptions;
import io.flexdb.storage.CorruptionException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Checks what an opening needs, and both ends of each keyspace. */
@Command(
        name = "check",
        description = "Check quickly, also beside the writer: the index, the logs and both ends of each keyspace."
                + " \"verify\" reads everything.")
final class CheckCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Override
    int run() {
        try (FlexDBReader reader = store.openReadOnly(cli())) {
            List<String> names = reader.keyspaces();
            checkEnds(reader);
            names.forEach(name -> checkEnds(reader.keyspace(name)));
            out().line("sound at a quick check: " + (names.size() + 1) + " keyspaces, sequence " + reader.sequence());
            return ExitCode.DONE;
        } catch (CorruptionException e) {
            out().line(e.getMessage());
            return ExitCode.NOT_FOUND;
        }
    }

    private static void checkEnds(KeyspaceReader keyspace) {
        try (FlexCursor cursor = keyspace.cursor(ReadOptions.defaults().withExpectedPairs(1))) {
            cursor.seekToFirst();
            read(cursor);
            cursor.seekToLast();
            read(cursor);
        }
    }

    private static void read(FlexCursor cursor) {
        if (cursor.isValid()) {
            cursor.value();
        }
    }
}
