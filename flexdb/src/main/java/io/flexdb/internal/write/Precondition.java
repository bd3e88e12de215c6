package io.flexdb.internal.write;

/** A condition for a write to happen. */
public interface Precondition {
    /**
     * Whether it is true of the store as of a sequence number, up to which everything is visible. Called by the
     * writer's thread, once or more often, with numbers that do not fall. From the second call on other writers may
     * wait, so it should then look only at the few writes in between.
     */
    boolean holds(long through);
}
