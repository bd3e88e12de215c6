package io.flexdb.flexspace.internal.check;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.Uninterruptibly;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks for damage before anybody meets it: reads all sealed segments that hold live data, at a given rate, again and
 * again, on a thread of its own. It logs and counts its findings; it changes nothing. Any thread may ask for figures.
 */
public final class Scrubber implements AutoCloseable {
    /*
     * The problem: what it reads must not be written meanwhile, and no space may be held back for long, however low the
     * rate is.
     * The choice: it pins a version for one read at a time, and never while it waits. A segment that has not been
     * released when a version is pinned that is as old as the segment, or younger, is released in a later epoch, so the
     * pin keeps it. Each read asks for that again, and a segment released in between is left alone. No lock of the
     * writer's is needed.
     * The cost: the open segment, segments opened after the last publication, and those whose footer does not count
     * wait for the next pass. Segments without live data are read until the log that emptied them is durable.
     *
     * The thread is not one of Vfs.start, which is for work that ends, and which a simulation may do on the spot.
     *
     * S1  Between a pin and its end nobody writes to the part of the file that is read.
     * S2  Nothing is pinned while it waits.
     */
    static final long PASS_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final int READ_BYTES = 256 << 10;
    private static final System.Logger LOG = System.getLogger("io.flexdb.flexspace");

    /** The clock, and how to wait for it. */
    interface Time {
        long nanoTime();

        /** Waits until the clock shows this, and returns whether to go on. */
        boolean waitUntil(long nanoTime);
    }

    private final SegmentStore store;
    private final Epochs epochs;
    private final long bytesPerSecond;
    private final Time time;
    private final Findings findings = new Findings();
    private LongSupplier pinNewest;
    private long due; // when the next read may be
    private Thread thread;
    private boolean ending; // guarded by this
    private volatile long bytesRead;
    private volatile long passes;
    private volatile long findingCount;

    public Scrubber(SegmentStore store, Epochs epochs, long bytesPerSecond) {
        this.store = store;
        this.epochs = epochs;
        this.bytesPerSecond = bytesPerSecond;
        this.time = new Time() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public boolean waitUntil(long nanoTime) {
                return waitUntilEnding(nanoTime);
            }
        };
    }

    public Scrubber(SegmentStore store, Epochs epochs, long bytesPerSecond, Time time) {
        this.store = store;
        this.epochs = epochs;
        this.bytesPerSecond = bytesPerSecond;
        this.time = time;
    }

    /**
     * Begins, if there is a rate. Once.
     *
     * @param newPin pins the newest version that was published and returns it, or throws {@link StoreClosedException}
     *     or {@link StoreFailedException} if nothing is to be read any more
     */
    public void start(LongSupplier newPin) {
        if (bytesPerSecond > 0) {
            thread = new Thread(() -> run(newPin), "flexdb-scrub");
            thread.setDaemon(true);
            thread.setPriority(Thread.MIN_PRIORITY);
            thread.start();
        }
    }

    /** Goes on until it is closed. */
    void run(LongSupplier newPin) {
        pinNewest = newPin;
        due = time.nanoTime();
        SegmentVerifier verifier = new SegmentVerifier(store.file(), store.format(), findings, READ_BYTES, bytes -> {});
        // A space that is opened for a short time, again and again, should not always have the same segments read.
        int first = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        try {
            while (pass(verifier, first)) {
                first = 0;
            }
        } catch (StoreClosedException | StoreFailedException e) {
            // The owner has ended, and tells everybody.
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "The scrub of " + store.file().path() + " has ended", e);
        }
    }

    private boolean pass(SegmentVerifier verifier, int first) {
        long began = time.nanoTime();
        int count = store.segmentLimit();
        for (int i = 0; i < count; i++) {
            Segment segment = store.segmentIfAny((int) ((first + (long) i) % count));
            if (segment != null && !read(verifier, segment)) {
                return false;
            }
        }
        passes++; // nobody else writes it
        return time.waitUntil(began + PASS_NANOS);
    }

    /** Reads a segment as long as it is in use; returns whether to go on with others. */
    private boolean read(SegmentVerifier verifier, Segment segment) {
        SegmentFormat format = store.format();
        int framesOfRead = Math.max(1, READ_BYTES >>> format.frameShift);
        int[] sums = null;
        for (int frame = 0; frame < format.dataFrames; frame += framesOfRead) {
            if (!time.waitUntil(due)) {
                return false;
            }
            int end = Math.min(frame + framesOfRead, format.dataFrames);
            long pinned = pinNewest.getAsLong();
            try {
                if (!isInUse(segment, pinned)) {
                    return true;
                }
                if (frame == 0) {
                    sums = verifier.readChecksums(segment);
                }
                if (sums != null) {
                    verifier.verifyFrames(segment, sums, frame, end);
                }
            } finally {
                epochs.unpin(pinned);
            }
            bytesRead = verifier.bytesRead();
            report();
            if (sums == null) {
                return true;
            }
            spend((long) (end - frame) * format.frameBytes + (frame == 0 ? format.footerBytes : 0));
        }
        return true;
    }

    /** Whether all of it is in the file, and the version that was pinned before keeps it (S1). */
    private static boolean isInUse(Segment segment, long pinned) {
        return segment.birth <= pinned
                && segment.memory == null // what the writer did to it until then is visible
                && segment.isSealed()
                && !segment.isAbandoned()
                && !segment.isReleased();
    }

    /** Bytes that can't be read count too: asking for them is work for the disk. */
    private void spend(long bytes) {
        long now = time.nanoTime();
        due = (now - due > 0 ? now : due) + bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    private void report() {
        List<Finding> found = findings.take();
        if (!found.isEmpty()) {
            findingCount += found.size(); // nobody else writes it
            String more = found.size() > 1 ? ", and " + (found.size() - 1) + " more behind it" : "";
            LOG.log(System.Logger.Level.ERROR, "Damage found by the scrub: " + found.get(0) + more);
        }
    }

    private synchronized boolean waitUntilEnding(long nanoTime) {
        while (!ending) {
            long left = nanoTime - System.nanoTime();
            if (left <= 0) {
                return true;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                // nobody has this thread, so this can be no wish of anybody's
            }
        }
        return false;
    }

    /** Ends the thread, at once but for a read under way. Closing again does nothing. */
    @Override
    public void close() {
        synchronized (this) {
            ending = true;
            notifyAll();
        }
        if (thread != null) {
            Uninterruptibly.run(thread::join);
        }
    }

    /** Bytes read and verified, or found damaged. */
    public long bytesRead() {
        return bytesRead;
    }

    /** How often everything was read. */
    public long passes() {
        return passes;
    }

    /** Findings, those of each pass. */
    public long findingCount() {
        return findingCount;
    }
}
