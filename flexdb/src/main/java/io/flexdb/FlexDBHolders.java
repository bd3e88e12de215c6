package io.flexdb;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All objects that were open in a store at one moment and keep old versions of it, as {@link FlexDBStats#holders} gives
 * them.
 *
 * <p>Later releases may add figures. Only the library implements this interface.
 */
public sealed interface FlexDBHolders permits Figures.Holders {
    /** The open objects, those that show the oldest version first; the list can't be changed. */
    List<FlexDBHolder> open();

    /**
     * Bytes of memory of old versions that the open objects keep together; {@link FlexDBOptions#withMaxPinnedBytes}
     * limits it.
     */
    long keptBytes();

    /** Bytes of old versions that were moved to a file; {@link FlexDBOptions#withMaxPinnedFileBytes} limits it. */
    long keptFileBytes();

    /** The number of open objects of a kind. */
    default int count(FlexDBHolder.Kind kind) {
        Limits.notNull(kind, "kind");
        return (int) open().stream().filter(one -> one.kind() == kind).count();
    }

    /** The age of the oldest open object of a kind; empty if there is none. */
    default Optional<Duration> oldest(FlexDBHolder.Kind kind) {
        Limits.notNull(kind, "kind");
        return open().stream()
                .filter(one -> one.kind() == kind)
                .map(FlexDBHolder::age)
                .max(Duration::compareTo);
    }
}
