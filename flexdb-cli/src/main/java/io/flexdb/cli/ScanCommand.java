package io.flexdb.cli;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDBReader;
import io.flexdb.ReadOptions;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints pairs in the order of their keys. */
@Command(name = "scan", description = "Print pairs in the order of their keys, one a line.")
final class ScanCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Mixin
    private KeyspaceOption keyspace;

    @Mixin
    private RangeOptions range;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many pairs.")
    private long limit = Long.MAX_VALUE;

    @Option(names = "--reverse", description = "From the last key to the first.")
    private boolean reverse;

    @Option(names = "--keys-only", description = "Leave values out.")
    private boolean keysOnly;

    @Option(
            names = "--format",
            paramLabel = "text|hex|json",
            defaultValue = "text",
            description = "text: key, tab, value; bytes that are no text as \\xNN. hex: the same in digits."
                    + " json: an object a line; base64 for what is not UTF-8. Default: ${DEFAULT-VALUE}.")
    private PairFormat format;

    @Override
    int run() throws IOException {
        ReadOptions options = range.readOptions(cli()).withKeysOnly(keysOnly);
        if (limit < 0) {
            throw usage("--limit must not be negative: " + limit);
        }
        try (FlexDBReader reader = store.openReadOnly(cli());
                FlexCursor cursor =
                        StoreDirectory.keyspace(reader, keyspace.name()).cursor(options)) {
            if (reverse) {
                cursor.seekToLast();
            } else {
                cursor.seekToFirst();
            }
            for (long left = limit; left > 0 && cursor.isValid(); left--) {
                print(cursor);
                step(cursor);
            }
        }
        return ExitCode.DONE;
    }

    private void print(FlexCursor cursor) {
        byte[] value = keysOnly ? null : cursor.value();
        out().line(format.pair(cursor.key(), value, cursor.expiresAt()));
    }

    private void step(FlexCursor cursor) {
        if (reverse) {
            cursor.prev();
        } else {
            cursor.next();
        }
    }
}
