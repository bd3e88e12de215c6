package io.flexdb;

import io.flexdb.internal.base.Force;

/**
 * What has happened to a write when the call that made it returns. In every mode, what survives a crash is a prefix of
 * the writes in the order of their sequence numbers, and a batch survives whole or not at all.
 */
public enum Durability {
    /** On disk: it survives a power cut. Writers that wait at the same time share one force. */
    SYNC(Force.BEFORE_RETURN),

    /**
     * Handed to the operating system: it survives the death of the process at once, and a power cut after the next
     * periodic force, see {@link FlexDBOptions#withSyncInterval}, or the next {@link FlexDB#sync()}.
     */
    OS(Force.PERIODICALLY),

    /** In memory and in the log, which nobody forces: durable after the next {@link FlexDB#sync()} or close. */
    NONE(Force.WHEN_ASKED);

    private final Force force;

    Durability(Force force) {
        this.force = force;
    }

    /** This one, or the other if that is stronger. */
    Durability orStronger(Durability other) {
        return compareTo(other) < 0 ? this : other;
    }

    /** When its log is forced. */
    Force force() {
        return force;
    }

    /** The one with this force. */
    static Durability of(Force force) {
        for (Durability durability : values()) {
            if (durability.force == force) {
                return durability;
            }
        }
        throw new AssertionError(force);
    }
}
