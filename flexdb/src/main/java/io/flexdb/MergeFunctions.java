package io.flexdb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The functions that {@link MergeFunction} offers. */
final class MergeFunctions {
    private MergeFunctions() {}

    static final class Add implements MergeFunction {
        @Override
        public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
            long sum = value == null ? 0 : number(value, "the value");
            for (byte[] operand : operands) {
                sum += number(operand, "an operand");
            }
            return ByteBuffer.allocate(Long.BYTES).putLong(sum).array();
        }

        @Override
        public void checkOperand(ByteBuffer key, ByteBuffer operand) {
            if (operand.remaining() != Long.BYTES) {
                throw new IllegalArgumentException("what is added to a counter has 8 bytes");
            }
        }

        private static long number(byte[] bytes, String what) {
            if (bytes.length != Long.BYTES) {
                throw new IllegalArgumentException(what + " has " + bytes.length + " bytes, and a counter 8");
            }
            return ByteBuffer.wrap(bytes).getLong();
        }

        @Override
        public String toString() {
            return "ADD";
        }
    }

    static final class Append implements MergeFunction {
        @Override
        public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
            long length = value == null ? 0 : value.length;
            int at = (int) length;
            for (byte[] operand : operands) {
                length += operand.length;
            }
            if (length > FlexDB.MAX_VALUE_BYTES) {
                throw new IllegalArgumentException(
                        "the value would have " + length + " bytes, and may have " + FlexDB.MAX_VALUE_BYTES);
            }
            byte[] all = value == null ? new byte[(int) length] : Arrays.copyOf(value, (int) length);
            for (byte[] operand : operands) {
                System.arraycopy(operand, 0, all, at, operand.length);
                at += operand.length;
            }
            return all;
        }

        @Override
        public String toString() {
            return "APPEND";
        }
    }
}
