package io.flexdb.internal.log;

/** Tells whether what a frame refers to is there. */
@FunctionalInterface
public interface FrameCheck {
    /** Whether all is there, as it was written. Frames that a durable commit covers are not asked for. */
    boolean isWhole(byte[] payload, int length);
}
