package io.flexdb.storage;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tells which calls a store still serves, and why not more. From one state it goes to a later one, never back: to begin
 * anew it is closed and opened again.
 *
 * @param state what it does
 * @param cause what made it read-only or failed, also after it was closed; null if nothing did
 */
public record StoreHealth(State state, @Nullable Throwable cause) {
    /** The states of a store, from all to nothing. */
    public enum State {
        /** It takes writes and reads. A write that it refuses for want of space does not change that. */
        USABLE("usable"),

        /**
         * It takes reads, and {@code sync}. A commit needed bytes that are damaged or can't be read; what does not lie
         * there is read as before. Writes throw {@link StoreReadOnlyException}.
         */
        READ_ONLY("read-only"),

        /** It takes {@code close} only. A write or a force failed, so what is on disk is unknown. */
        FAILED("failed"),

        /** It is closed, or being closed. */
        CLOSED("closed");

        private final String label;

        State(String label) {
            this.label = label;
        }

        /** The state in a message. */
        public String label() {
            return label;
        }
    }

    /** No state is null, and only what is usable or closed may have no cause. */
    public StoreHealth {
        Objects.requireNonNull(state, "state");
        if (cause == null && (state == State.READ_ONLY || state == State.FAILED)) {
            throw new IllegalArgumentException("cause must not be null in state " + state);
        }
    }

    /** Whether it takes writes. */
    public boolean isUsable() {
        return state == State.USABLE;
    }

    /** Whether it can be read. */
    public boolean isReadable() {
        return state == State.USABLE || state == State.READ_ONLY;
    }
}
