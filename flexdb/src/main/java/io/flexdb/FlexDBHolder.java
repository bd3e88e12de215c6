package io.flexdb;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An open snapshot, cursor or other object that keeps old versions of a store, as {@link FlexDBStats#holders} lists it.
 *
 * <p>Later releases may add figures and kinds. Only the library implements this interface.
 */
public sealed interface FlexDBHolder permits Figures.Holder {
    /** The kind of object. */
    Kind kind();

    /** How long it has kept the version that it shows, by the store's clock. A cursor in a snapshot is as old as that. */
    Duration age();

    /** The name of the thread that opened it. */
    String thread();

    /** The sequence number of the last write that it shows. */
    long sequence();

    /** Bytes of memory of old versions that it keeps, alone or with others. */
    long keptBytes();

    /** The stack where it was opened; null unless {@link FlexDBOptions#withHolderTraces} asks for it. */
    @Nullable
    Throwable openedAt();

    /** The kinds of objects that keep old versions. */
    enum Kind {
        /** A {@link Snapshot}. */
        SNAPSHOT,
        /** A {@link Transaction}. */
        TRANSACTION,
        /** A {@link FlexCursor}, which an export has, too. */
        CURSOR,
        /** A {@link ValueReader}. */
        VALUE,
        /** A {@link ReadView#multiGet} under way. */
        LOOKUP,
        /** A checkpoint or backup under way. */
        COPY,
        /** A {@link FlexDB#check} under way. */
        CHECK,
        /** A {@link BulkLoad}, or the commit of a large transaction, at its end. */
        LOAD
    }
}
