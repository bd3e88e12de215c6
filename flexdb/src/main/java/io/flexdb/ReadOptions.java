package io.flexdb;

/** What a cursor shows. Immutable; each {@code with…} method returns a changed copy. */
public final class ReadOptions {
    private static final ReadOptions DEFAULTS = new ReadOptions(null, null);

    private final Snapshot snapshot;
    private final byte[] upperBound;

    private ReadOptions(Snapshot snapshot, byte[] upperBound) {
        this.snapshot = snapshot;
        this.upperBound = upperBound;
    }

    /** All keys, as they are when the cursor is opened. */
    public static ReadOptions defaults() {
        return DEFAULTS;
    }

    /** Shows the store as it was when the snapshot was taken; the snapshot may be closed before the cursor. */
    public ReadOptions withSnapshot(Snapshot newSnapshot) {
        return new ReadOptions(newSnapshot, upperBound);
    }

    /** Shows only keys below this one, which is copied; null for all. */
    public ReadOptions withUpperBound(byte[] exclusive) {
        return new ReadOptions(snapshot, exclusive == null ? null : exclusive.clone());
    }

    /** The snapshot to read, or null. */
    public Snapshot snapshot() {
        return snapshot;
    }

    byte[] bound() {
        return upperBound;
    }

    @Override
    public String toString() {
        return "ReadOptions[snapshot=" + snapshot + ", upperBound="
                + (upperBound == null ? "none" : upperBound.length + " bytes") + "]";
    }
}
