package io.flexdb.internal.merge;

/**
 * What operands have made of a value.
 *
 * @param bytes not to be changed
 * @param expiry when it expires, in milliseconds since 1970
 * @param through the sequence number of the newest operand in it
 */
public record MergedValue(byte[] bytes, long expiry, long through) {}
