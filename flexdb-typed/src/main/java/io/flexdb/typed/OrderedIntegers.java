package io.flexdb.typed;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Integers of any size in bytes that keep their order.
 *
 * <p>Two's complement keeps the order of numbers that have one sign and one length. So sign and length come before it, in
 * a byte: 0x80 and the length of up to 126 bytes; 0xFF and 4 bytes of length for more. For negative numbers these bits
 * are turned round, as the longer ones are smaller.
 */
final class OrderedIntegers {
    private static final int SHORT = 126;
    private static final int LONG = 0xFF;

    private OrderedIntegers() {}

    static byte[] encode(BigInteger number) {
        byte[] digits = number.toByteArray();
        int flip = number.signum() < 0 ? -1 : 0;
        boolean isShort = digits.length <= SHORT;
        ByteBuffer bytes = ByteBuffer.allocate((isShort ? 1 : 1 + Integer.BYTES) + digits.length);
        bytes.put((byte) ((isShort ? 0x80 + digits.length : LONG) ^ flip));
        if (!isShort) {
            bytes.putInt(digits.length ^ flip);
        }
        return bytes.put(digits).array();
    }

    static BigInteger decode(byte[] bytes) {
        if (bytes.length < 2) {
            throw ByteForms.unexpected("at least 2 bytes", bytes.length + " bytes");
        }
        boolean isNegative = bytes[0] >= 0;
        int flip = isNegative ? -1 : 0;
        int head = (bytes[0] ^ flip) & 0xFF;
        int from = head == LONG ? 1 + Integer.BYTES : 1;
        if (bytes.length <= from) {
            throw ByteForms.unexpected("more than " + from + " bytes", bytes.length + " bytes");
        }
        int length = head == LONG ? ByteBuffer.wrap(bytes).getInt(1) ^ flip : head - 0x80;
        if (length != bytes.length - from || (head == LONG && length <= SHORT)) {
            throw ByteForms.unexpected("a number of " + length + " bytes", bytes.length - from + " bytes");
        }
        BigInteger number = ValueCodecs.toBigInteger(Arrays.copyOfRange(bytes, from, bytes.length));
        if (number.signum() < 0 != isNegative) {
            throw ByteForms.unexpected(isNegative ? "a negative number" : "no negative number", number.toString());
        }
        return number;
    }
}
