package io.flexdb.internal.log;

import io.flexdb.internal.mem.Payload;

/** Tells whether the records that a frame refers to are there. */
@FunctionalInterface
public interface FrameCheck {
    /** Whether all of them are there, as they were written. It is not asked for frames that a durable commit covers. */
    boolean isWhole(Payload payload);
}
