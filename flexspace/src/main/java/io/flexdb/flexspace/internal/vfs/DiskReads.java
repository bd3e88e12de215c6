package io.flexdb.flexspace.internal.vfs;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The kernel's count of this process's reads from disks: major page faults, and blocks of files that were asked for.
 * Pages that were in the page cache count nothing. Thread-safe.
 */
public final class DiskReads {
    /*
     * The problem: a clock tells that a read was slow, but not why. In a young JVM slow code looks like a slow disk, and
     * on a busy machine so does each wait for a processor.
     * The choice: after slow reads the kernel is asked whether it has counted a read from a disk meanwhile. Of the whole
     * process and not of the thread: prefetches are read by one thread for another, and virtual threads change theirs.
     * The cost: one system call a slow read. Where others of the process read from disks, the clock has the last word.
     */
    public static final long UNKNOWN = -1;

    private static final AtomicBoolean ASKING = new AtomicBoolean();
    private static volatile long last;

    private DiskReads() {}

    /** Reads counted since the process began, or {@link #UNKNOWN} where nobody can be asked. Never waits. */
    public static long count() {
        if (!NativeIo.isAvailable()) {
            return UNKNOWN;
        }
        if (ASKING.compareAndSet(false, true)) {
            try {
                last = NativeIo.diskReads();
            } finally {
                ASKING.set(false);
            }
        }
        return last; // what another thread is told at this moment is not missed by the next one
    }
}
