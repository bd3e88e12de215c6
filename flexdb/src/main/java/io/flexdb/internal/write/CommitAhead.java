package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.WalkAhead;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.read.DiskWaits;

/** Has the kernel bring what a commit, or the walk of a resting store, reads of intervals. For one thread. */
final class CommitAhead {
    /*
     * Where all is in the page cache, to look at each extent would cost a commit a twentieth of its time. So the kernel
     * is asked now and then whether the process reads from a disk at all, which what is told in advance makes it do,
     * too.
     */
    static final int INTERVALS_PER_LOOK = 256;

    private final WalkAhead ahead;
    private final DiskWaits waits;
    private long seenDiskReads;
    private int sinceLook = INTERVALS_PER_LOOK; // intervals; the first one asks what the opening has read
    private boolean isDiskRead;

    CommitAhead(WalkAhead ahead, DiskWaits waits) {
        this.ahead = ahead;
        this.waits = waits;
        this.seenDiskReads = waits.diskReads();
    }

    /** Begins a commit. */
    void begin() {
        ahead.begin();
    }

    /** Whether the process read from a disk when that was asked last. */
    boolean isDiskRead() {
        return isDiskRead;
    }

    /** Says that much of an interval, or all of it, is read now, and of the next ones soon. By the writer. */
    void willRead(FlexTreeView space, long logicalOffset, long lengthBytes) {
        if (++sinceLook >= INTERVALS_PER_LOOK) {
            sinceLook = 0;
            long now = waits.diskReads();
            isDiskRead = now != seenDiskReads;
            seenDiskReads = now;
        }
        if (isDiskRead) {
            ahead.willRead(space, logicalOffset, lengthBytes);
        }
    }
}
