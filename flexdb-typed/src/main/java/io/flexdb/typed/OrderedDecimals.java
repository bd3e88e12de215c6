package io.flexdb.typed;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Decimal numbers in bytes that keep their order.
 *
 * <p>A number is written as 0.d1d2d3… × 10^e with d1 not 0 and without zeros at the end, so that numbers that compare as
 * equal have one form. Its bytes are the sign, e as {@link OrderedIntegers} has it, which ends where its head says, and
 * two digits in each byte, plus 1. A longer row of digits that begins with another is larger. Negative numbers have all
 * bytes behind the sign turned round, and a byte 0 before that as an end: without it the longer row would still be the
 * larger one.
 */
final class OrderedDecimals {
    private static final byte NEGATIVE = 0x7F;
    private static final byte ZERO = (byte) 0x80;
    private static final byte POSITIVE = (byte) 0x81;
    private static final int MAX_EXPONENT_BYTES = 6;

    private OrderedDecimals() {}

    static byte[] encode(BigDecimal number) {
        if (number.signum() == 0) {
            return new byte[] {ZERO};
        }
        BigDecimal shortest = withoutZeros(number);
        boolean isNegative = shortest.signum() < 0;
        String digits = shortest.unscaledValue().abs().toString();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(POSITIVE);
        bytes.writeBytes(OrderedIntegers.encode(BigInteger.valueOf(digits.length() - (long) shortest.scale())));
        for (int i = 0; i < digits.length(); i += 2) {
            bytes.write(10 * digit(digits, i) + digit(digits, i + 1) + 1);
        }
        if (!isNegative) {
            return bytes.toByteArray();
        }
        bytes.write(0);
        byte[] turned = bytes.toByteArray();
        turnRound(turned);
        turned[0] = NEGATIVE;
        return turned;
    }

    private static int digit(String digits, int index) {
        return index < digits.length() ? digits.charAt(index) - '0' : 0;
    }

    private static BigDecimal withoutZeros(BigDecimal number) {
        try {
            return number.stripTrailingZeros();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("a decimal key must not be beyond 10^2147483648: " + number, e);
        }
    }

    private static void turnRound(byte[] bytes) {
        for (int i = 1; i < bytes.length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
    }

    static BigDecimal decode(byte[] bytes) {
        if (bytes.length == 1 && bytes[0] == ZERO) {
            return BigDecimal.ZERO;
        }
        if (bytes.length < 4 || (bytes[0] != NEGATIVE && bytes[0] != POSITIVE)) {
            throw ByteForms.unexpected("the bytes of a decimal number", ByteForms.hex(bytes));
        }
        byte[] positive = bytes.clone();
        boolean isNegative = bytes[0] == NEGATIVE;
        if (isNegative) {
            turnRound(positive);
        }
        int from = 2 + Math.abs(Byte.toUnsignedInt(positive[1]) - (positive[1] < 0 ? 0x80 : 0x7F));
        int to = isNegative ? positive.length - 1 : positive.length;
        if (from >= to || from > 2 + MAX_EXPONENT_BYTES) {
            throw ByteForms.unexpected("exponent and digits of a decimal number", ByteForms.hex(bytes));
        }
        BigDecimal number = decode(positive, from, to);
        BigDecimal signed = isNegative ? number.negate() : number;
        if (!Arrays.equals(encode(signed), bytes)) { // a sign, a digit or an end that no number has
            throw ByteForms.unexpected(ByteForms.hex(encode(signed)), ByteForms.hex(bytes));
        }
        return signed;
    }

    private static BigDecimal decode(byte[] bytes, int from, int to) {
        BigInteger exponent = OrderedIntegers.decode(Arrays.copyOfRange(bytes, 1, from));
        StringBuilder digits = new StringBuilder(2 * (to - from));
        for (int i = from; i < to; i++) {
            int two = bytes[i] - 1;
            if (two < 0 || two > 99) {
                throw ByteForms.unexpected("two digits, 1 to 100", String.valueOf(bytes[i]));
            }
            digits.append((char) ('0' + two / 10)).append((char) ('0' + two % 10));
        }
        while (digits.length() > 1 && digits.charAt(digits.length() - 1) == '0') {
            digits.setLength(digits.length() - 1);
        }
        BigInteger scale = BigInteger.valueOf(digits.length()).subtract(exponent);
        if (scale.bitLength() >= Integer.SIZE) {
            throw ByteForms.unexpected("a scale of 32 bits", scale.toString());
        }
        return new BigDecimal(new BigInteger(digits.toString()), scale.intValue());
    }
}
