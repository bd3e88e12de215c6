package io.flexdb.cli;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDBReader;
import io.flexdb.ReadOptions;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Counts pairs by reading their keys. */
@Command(name = "count", description = "Count the pairs of a keyspace or of a range of it.")
final class CountCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Mixin
    private KeyspaceOption keyspace;

    @Mixin
    private RangeOptions range;

    @Override
    int run() throws IOException {
        ReadOptions options = range.readOptions(cli()).withKeysOnly(true);
        long pairs = 0;
        try (FlexDBReader reader = store.openReadOnly(cli());
                FlexCursor cursor =
                        StoreDirectory.keyspace(reader, keyspace.name()).cursor(options)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                pairs++;
            }
        }
        out().line(Long.toString(pairs));
        return ExitCode.DONE;
    }
}
