package io.flexdb;

import io.flexdb.internal.log.RetiredTables.Kept;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.Holders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All that was open in a store at one moment and keeps old versions of it.
 *
 * @param open each of them, those that show the oldest first
 * @param keptBytes memory of old versions that they keep together; {@link FlexDBOptions#withMaxPinnedBytes} limits it
 * @param keptFileBytes bytes of old versions that were moved to a file; {@link FlexDBOptions#withMaxPinnedFileBytes}
 *     limits it
 */
public record FlexDBHolders(List<FlexDBHolder> open, long keptBytes, long keptFileBytes) {
    /** Keeps a copy of the list. */
    public FlexDBHolders {
        open = List.copyOf(open);
    }

    static FlexDBHolders of(Store store) {
        long now = store.time();
        List<Holders.Open> found = store.holders().open();
        List<Kept> tables = store.keptTables();
        List<FlexDBHolder> open = new ArrayList<>(found.size());
        for (Holders.Open one : found) {
            open.add(new FlexDBHolder(
                    FlexDBHolder.Kind.valueOf(one.kind().name()),
                    one.age(now),
                    one.thread(),
                    one.sequence(),
                    store.keptBytes(List.of(one), tables),
                    one.openedAt()));
        }
        return new FlexDBHolders(open, store.keptBytes(found, tables), store.keptFileBytes());
    }

    /** The number of those of a kind. */
    public int count(FlexDBHolder.Kind kind) {
        return (int) open.stream().filter(one -> one.kind() == kind).count();
    }

    /** The age of the oldest of a kind; empty if there was none. */
    public Optional<Duration> oldest(FlexDBHolder.Kind kind) {
        return open.stream()
                .filter(one -> one.kind() == kind)
                .map(FlexDBHolder::age)
                .max(Duration::compareTo);
    }
}
