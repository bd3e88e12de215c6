package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flexspace.internal.vfs.DiskReads;
import java.util.function.LongSupplier;

/** Whether reads have to expect that what they bring is on a disk. For all lookups and cursors of a store. */
public final class DiskWaits {
    /*
     * The problem: a short walk brings pairs from several pieces of the data file, and through a mapping it waits for the
     * disk at each in turn. When it knows that it waits, it is over.
     * The choice: where walks of late have waited, the next ones tell the kernel of all pieces that they are going to
     * need, and wait once. It takes two slow reads near each other, for any one may have waited for a processor, and
     * the kernel's word that it has read from a disk meanwhile: in a young JVM all reads are slow.
     * The cost: a system call for each piece as long as waits are expected, and the time of each of those reads.
     *
     * Without a lock, and not volatile: who sees an old value prefetches a little longer, or begins a little later.
     */
    private static final int SUSPICIOUS_READS = 16; // behind a slow one
    private static final int EXPECTING_READS = 64; // behind a second one
    private static final int REMEMBERING_READS = 1024;

    private final LongSupplier diskReads; // counted so far, or DiskReads.UNKNOWN
    final LongSupplier nanoClock;
    private long seenDiskReads;
    private int suspicious;
    private int expecting;
    private int remembering;

    /**
     * @param diskReads counts reads from disks, as {@link DiskReads} does
     * @param nanoClock tells how long reads take
     */
    public DiskWaits(LongSupplier diskReads, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.diskReads = diskReads;
        this.seenDiskReads = diskReads.getAsLong();
    }

    /** Reads of this process from disks so far, or {@link DiskReads#UNKNOWN}: a system call. */
    public long diskReads() {
        return diskReads.getAsLong();
    }

    /** Whether what is read next had better be prefetched. */
    boolean areExpected() {
        return expecting > 0;
    }

    /**
     * Whether waits are expected, for a commit, which asks now and then: where nobody reads any more, they are not expected
     * for ever.
     */
    public boolean areStillExpected() {
        int left = expecting;
        if (left == 0) {
            return false;
        }
        expecting = left - 1; // once read: others may count at the same time, and it must not fall below 0
        return true;
    }

    /** Whether waits were expected of late, so that something may have been kept because of them. */
    boolean were() {
        return (remembering | suspicious) > 0;
    }

    /** Whether the time that the next read takes is wanted in any case. */
    boolean look() {
        return (suspicious | expecting) > 0;
    }

    /**
     * Notes how long a read took.
     *
     * @return whether it has waited for a disk
     */
    boolean took(long nanos, long bytes) {
        if (SpaceReads.isOfDisk(nanos, bytes) && isOfKernel()) {
            if ((suspicious | expecting) > 0) {
                expecting = EXPECTING_READS;
                remembering = REMEMBERING_READS;
            }
            suspicious = SUSPICIOUS_READS;
            return true;
        }
        // Each is read once, as above, and written only if it changes: threads share it.
        int suspiciousLeft = suspicious;
        if (suspiciousLeft > 0) {
            suspicious = suspiciousLeft - 1;
        }
        int expectingLeft = expecting;
        if (expectingLeft > 0) {
            expecting = expectingLeft - 1;
        }
        int rememberingLeft = remembering;
        if (rememberingLeft > 0) {
            remembering = rememberingLeft - 1;
        }
        return false;
    }

    /** Whether the kernel may have read from a disk since it was asked last. */
    private boolean isOfKernel() {
        long now = diskReads.getAsLong();
        boolean read = now != seenDiskReads || now == DiskReads.UNKNOWN;
        seenDiskReads = now;
        return read;
    }
}
