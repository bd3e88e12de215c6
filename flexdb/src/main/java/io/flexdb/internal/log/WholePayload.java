package io.flexdb.internal.log;

/** Puts the values that a frame refers to into its payload. */
@FunctionalInterface
public interface WholePayload {
    /** A payload that refers to nothing; the array itself, with more bytes than these perhaps, if it does not now. */
    byte[] of(byte[] payload, int length);
}
