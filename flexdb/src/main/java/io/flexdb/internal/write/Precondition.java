package io.flexdb.internal.write;

/** What must be true for a write to happen. */
public interface Precondition {
    /**
     * Whether it is true of the store as of a sequence number, up to which everything is visible. Called by the writer's
     * thread, once or more often, with numbers that do not fall; it should take no longer than it has to, since others
     * may wait.
     */
    boolean holds(long through);
}
