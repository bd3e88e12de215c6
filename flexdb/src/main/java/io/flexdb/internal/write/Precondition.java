package io.flexdb.internal.write;

/** What must be true for a write to happen. */
public interface Precondition {
    /**
     * Whether it is true of the store as of a sequence number, up to which everything is visible. Called by the writer's
     * thread, once or more often, with numbers that do not fall. Others may wait, but the first time; so from the second
     * time on it should take no longer than little has been written in between.
     */
    boolean holds(long through);
}
