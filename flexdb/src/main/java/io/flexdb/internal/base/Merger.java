package io.flexdb.internal.base;

import java.util.List;

/** What the user's merge function is to the store. */
@FunctionalInterface
public interface Merger {
    /** The value that operands, the oldest first, make of another one, which is null if there is none. */
    byte[] merge(byte[] key, byte[] value, List<byte[]> operands);
}
