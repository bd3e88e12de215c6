package io.flexdb;

import io.flexdb.internal.base.Merger;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A user's merge function, as the store calls it. */
record Merging(MergeFunction function) implements Merger {
    static @Nullable Merger of(@Nullable MergeFunction function) {
        return function == null ? null : new Merging(function);
    }

    static @Nullable MergeFunction functionOf(@Nullable Merger merger) {
        return merger == null ? null : ((Merging) merger).function;
    }

    @Override
    public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
        return function.merge(key, value, operands);
    }

    @Override
    public void checkOperand(ByteBuffer key, ByteBuffer operand) {
        function.checkOperand(key, operand);
    }

    @Override
    public String toString() {
        return function.toString();
    }
}
