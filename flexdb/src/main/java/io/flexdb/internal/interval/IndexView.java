package io.flexdb.internal.interval;

/**
 * A sparse index as it was at one moment, immutable. It stays readable inside the short read, or under the pin, that
 * found it published; nothing has to be closed.
 */
public final class IndexView {
    final int root;
    final int level;
    private final long totalBytes;
    private final long intervalCount;
    private final long epoch;

    IndexView(int root, int level, long totalBytes, long intervalCount, long epoch) {
        this.root = root;
        this.level = level;
        this.totalBytes = totalBytes;
        this.intervalCount = intervalCount;
        this.epoch = epoch;
    }

    /** Bytes of all intervals, which is the size of the FlexSpace. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Intervals, at least one. */
    public long intervalCount() {
        return intervalCount;
    }

    /** The writer's epoch that made this view. */
    public long epoch() {
        return epoch;
    }

    @Override
    public String toString() {
        return "IndexView[epoch=" + epoch + ", intervals=" + intervalCount + ", bytes=" + totalBytes + ", levels="
                + (level + 1) + "]";
    }
}
