package io.flexdb.internal.log;

import io.flexdb.internal.mem.Payload;

/** Puts the values that a frame refers to into its payload. */
@FunctionalInterface
public interface WholePayload {
    /** The bytes of a payload that refers to nothing; the array itself, with more bytes perhaps, if it does not now. */
    byte[] of(Payload payload);
}
