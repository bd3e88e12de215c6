package io.flexdb;

import java.time.Duration;

/**
 * Something open that keeps old versions of a store, as {@link FlexDBStats#holders} tells of it.
 *
 * @param kind what it is
 * @param age for how long it has kept what it shows, by the store's clock; a cursor in a snapshot is as old as that
 * @param thread the name of the thread that has opened it
 * @param sequence the number of the last write that it shows
 * @param keptBytes memory of old versions that it keeps, alone or with others
 * @param openedAt the stack where it was opened, or null: only if {@link FlexDBOptions#withHolderTraces} asks for it
 */
public record FlexDBHolder(Kind kind, Duration age, String thread, long sequence, long keptBytes, Throwable openedAt) {
    /** The kinds of things that may be open. */
    public enum Kind {
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
