package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The events of files and of the space for the flight recorder. Thread-safe. */
public final class SpaceEvents {
    /*
     * The module jdk.jfr may be missing, so nothing that needs it is touched then. Until somebody records for the first
     * time in this JVM, no event is made. An event that there is no memory for is left out: the work goes on.
     */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private SpaceEvents() {}

    /** Whether somebody records, or has done so: else events need not be made. */
    public static boolean areWanted() {
        return PRESENT && FlightRecorder.isInitialized();
    }

    /** A file is about to be forced. */
    static EventSpan force(Path file) {
        return begin("Force", file);
    }

    /** A checkpoint of the FlexTree of a space begins; with how many bytes of its file. */
    public static EventSpan checkpoint(Path directory) {
        return begin("Checkpoint", directory);
    }

    /** A garbage collection begins; with how many segments it has emptied, and bytes moved. */
    public static EventSpan collection(Path dataFile) {
        return begin("SpaceCollection", dataFile);
    }

    // No lambda or method reference: to make the first one takes memory, and a reference links the event's class. No
    // switch that is an expression: its type would be the class that all events have in common, which the verifier
    // loads.
    private static EventSpan begin(String name, Path of) {
        if (!areWanted()) {
            return EventSpan.NONE;
        }
        try {
            switch (name) {
                case "Force":
                    return new Force(of);
                case "Checkpoint":
                    return new Checkpoint(of);
                default:
                    return new SpaceCollection(of);
            }
        } catch (OutOfMemoryError | LinkageError e) {
            return EventSpan.NONE;
        }
    }

    @Name("io.flexdb.Force")
    @Label("Force")
    @Category("FlexDB")
    @Description("A file was forced to disk (fsync)")
    private static final class Force extends RecordedSpan {
        @Label("File")
        private final String file;

        Force(Path file) {
            this.file = file.toString();
        }
    }

    @Name("io.flexdb.Checkpoint")
    @Label("Checkpoint")
    @Category("FlexDB")
    @Description("The FlexTree was written to its file, so that the logical log begins anew")
    private static final class Checkpoint extends RecordedSpan {
        @Label("Directory")
        private final String directory;

        @Label("Bytes Written")
        @DataAmount
        private long bytesWritten;

        Checkpoint(Path directory) {
            this.directory = directory.toString();
        }

        @Override
        protected void note(long count, long bytes) {
            bytesWritten = bytes;
        }
    }

    @Name("io.flexdb.SpaceCollection")
    @Label("Space Collection")
    @Category("FlexDB")
    @Description("Garbage collection of the space: live bytes were moved out of segments, in slices, so that these "
            + "become free")
    private static final class SpaceCollection extends RecordedSpan {
        @Label("File")
        private final String file;

        @Label("Segments Emptied")
        private long segmentsEmptied;

        @Label("Bytes Moved")
        @DataAmount
        private long bytesMoved;

        SpaceCollection(Path file) {
            this.file = file.toString();
        }

        @Override
        protected void note(long count, long bytes) {
            segmentsEmptied = count;
            bytesMoved = bytes;
        }
    }
}
