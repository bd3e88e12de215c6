package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.util.List;

/** The user's merge function, as the store calls it. */
public interface Merger {
    /** The value that operands, the oldest first, make of another one, which is null if there is none. */
    byte[] merge(byte[] key, byte[] value, List<byte[]> operands);

    /**
     * Throws unless it can merge an operand into a key.
     *
     * @param key read-only, as its user knows it
     * @param operand read-only
     */
    void checkOperand(ByteBuffer key, ByteBuffer operand);
}
