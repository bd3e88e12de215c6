package io.flexdb;

import io.flexdb.internal.mem.OperandFold;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A merge function that fails for two in three calls by commits, and works for all reads: so operands wait in the
 * space, and their value must be right all the same.
 */
final class FailsInCommits implements MergeFunction {
    private static final String OPERAND_MERGER = "io.flexdb.internal.write.OperandMerger"; // which is not public

    private final MergeFunction function;
    private final AtomicInteger calls = new AtomicInteger();

    FailsInCommits(MergeFunction function) {
        this.function = function;
    }

    @Override
    public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
        if (calls.incrementAndGet() % 3 != 0 && isInCommit()) {
            operands.forEach(operand -> Arrays.fill(operand, (byte) -1)); // they are its own
            throw new IllegalStateException("by intent");
        }
        return function.merge(key, value, operands);
    }

    /** By whoever folds: a test may read what a crash in the middle of a commit leaves. */
    private static boolean isInCommit() {
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(FailsInCommits::isBelowFold)
                        .skip(1)
                        .findFirst()
                        .filter(frame -> frame.getClassName().equals(OPERAND_MERGER)
                                || frame.getMethodName().equals("mergedOrWaiting"))
                        .isPresent());
    }

    private static boolean isBelowFold(StackWalker.StackFrame frame) {
        return !frame.getClassName().equals(OperandFold.class.getName());
    }

    @Override
    public void checkOperand(ByteBuffer key, ByteBuffer operand) {
        function.checkOperand(key, operand);
    }
}
