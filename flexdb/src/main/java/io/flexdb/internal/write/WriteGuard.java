package io.flexdb.internal.write;

/** Lets a write through, or refuses it, at the moment when it gets its place in the order of all writes. */
public interface WriteGuard {
    /**
     * Called under the write lock, right before the write gets its sequence numbers, perhaps more than once. Any
     * exception refuses the write. It must not wait.
     */
    void check();

    /** Called under the write lock when the write has its sequence numbers, of which this is the last. Can't fail. */
    default void numbered(long last) {}
}
