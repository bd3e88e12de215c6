package io.flexdb.internal.base;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.RecordedSpan;
import io.flexdb.flexspace.internal.vfs.SpaceEvents;
import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The events of stores for the flight recorder. Thread-safe. */
public final class StoreEvents {
    private StoreEvents() {}

    /** An opening begins; with the number of intervals, and bytes of the space. */
    public static EventSpan open(Path directory) {
        return begin("Open", directory);
    }

    /** The recovery from a crash begins; with the number of writes from logs, and their bytes. */
    public static EventSpan recovery(Path directory) {
        return begin("Recovery", directory);
    }

    /** The commit of a memtable begins; with the number of its keys, and bytes. */
    public static EventSpan commit() {
        return begin("Commit", null);
    }

    /** A write is held back; with its bytes. */
    public static EventSpan writeStall() {
        return begin("WriteStall", null);
    }

    /** A slice of defragmentation begins; with the number of its intervals, and bytes written. */
    public static EventSpan defragmentation() {
        return begin("Defragmentation", null);
    }

    /** An operation of a user begins, which may be slow. */
    public static EventSpan operation(String name) {
        return SpaceEvents.areWanted() && isOperationRecorded() ? begin("SlowOperation", name) : EventSpan.NONE;
    }

    /** Whether somebody records slow operations now: after a recording has ended they make no garbage any more. */
    private static boolean isOperationRecorded() {
        try {
            return SlowOperation.TYPE.isEnabled();
        } catch (OutOfMemoryError | LinkageError e) {
            return false;
        }
    }

    /** A transaction could not be committed. */
    public static void transactionConflict(String reason) {
        begin("TransactionConflict", reason).finish();
    }

    // No lambda or method reference, as in SpaceEvents.
    private static EventSpan begin(String name, Object of) {
        if (!SpaceEvents.areWanted()) {
            return EventSpan.NONE;
        }
        try {
            switch (name) {
                case "Open":
                    return new Open((Path) of);
                case "Recovery":
                    return new Recovery((Path) of);
                case "Commit":
                    return new Commit();
                case "WriteStall":
                    return new WriteStall();
                case "Defragmentation":
                    return new Defragmentation();
                case "SlowOperation":
                    return new SlowOperation((String) of);
                default:
                    return new TransactionConflict((String) of);
            }
        } catch (OutOfMemoryError | LinkageError e) {
            return EventSpan.NONE;
        }
    }

    @Name("io.flexdb.Open")
    @Label("Open")
    @Category("FlexDB")
    @Description("A store was opened")
    private static final class Open extends RecordedSpan {
        @Label("Directory")
        private final String directory;

        @Label("Intervals")
        private long intervals;

        @Label("Bytes of the Space")
        @DataAmount
        private long spaceBytes;

        Open(Path directory) {
            this.directory = directory.toString();
        }

        @Override
        protected void note(long count, long bytes) {
            intervals = count;
            spaceBytes = bytes;
        }
    }

    @Name("io.flexdb.Recovery")
    @Label("Recovery")
    @Category("FlexDB")
    @Description("A store that had not been closed was recovered, as a part of its opening")
    private static final class Recovery extends RecordedSpan {
        @Label("Directory")
        private final String directory;

        @Label("Writes Replayed")
        private long writesReplayed;

        @Label("Bytes Replayed")
        @DataAmount
        private long bytesReplayed;

        Recovery(Path directory) {
            this.directory = directory.toString();
        }

        @Override
        protected void note(long count, long bytes) {
            writesReplayed = count;
            bytesReplayed = bytes;
        }
    }

    @Name("io.flexdb.Commit")
    @Label("Commit")
    @Category("FlexDB")
    @Description("A memtable was committed (flushed) to the space, or several at once")
    private static final class Commit extends RecordedSpan {
        @Label("Keys")
        private long keys;

        @Label("Bytes of Memtables")
        @DataAmount
        private long memtableBytes;

        @Override
        protected void note(long count, long bytes) {
            keys = count;
            memtableBytes = bytes;
        }
    }

    @Name("io.flexdb.WriteStall")
    @Label("Write Stall")
    @Category("FlexDB")
    @Description("A write was held back, since commits are slower than writes")
    private static final class WriteStall extends RecordedSpan {
        @Label("Bytes of the Write")
        @DataAmount
        private long writeBytes;

        @Override
        protected void note(long count, long bytes) {
            writeBytes = bytes;
        }
    }

    @Name("io.flexdb.Defragmentation")
    @Label("Defragmentation")
    @Category("FlexDB")
    @Description("Intervals in many pieces were written again in one")
    private static final class Defragmentation extends RecordedSpan {
        @Label("Intervals")
        private long intervals;

        @Label("Bytes Written")
        @DataAmount
        private long bytesWritten;

        @Override
        protected void note(long count, long bytes) {
            intervals = count;
            bytesWritten = bytes;
        }
    }

    @Name("io.flexdb.SlowOperation")
    @Label("Slow Operation")
    @Category("FlexDB")
    @Description("An operation of the application that took longer than the threshold of the recording")
    @Threshold("20 ms")
    private static final class SlowOperation extends RecordedSpan {
        private static final EventType TYPE = EventType.getEventType(SlowOperation.class);

        @Label("Operation")
        private final String operation;

        SlowOperation(String operation) {
            this.operation = operation;
        }
    }

    @Name("io.flexdb.TransactionConflict")
    @Label("Transaction Conflict")
    @Category("FlexDB")
    @Description("A transaction could not be committed, since another write had changed what it read or wrote")
    private static final class TransactionConflict extends RecordedSpan {
        @Label("Reason")
        private final String reason;

        TransactionConflict(String reason) {
            this.reason = reason;
        }
    }
}
