package io.flexdb.typed;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Forms of bytes that several codecs share, with strict checks. */
final class ByteForms {
    private static final int SHOWN_BYTES = 64;

    private ByteForms() {}

    static IllegalArgumentException unexpected(String expected, String found) {
        return new IllegalArgumentException("expected " + expected + ", found " + found);
    }

    /** A buffer of the bytes, of which there must be as many as given. */
    static ByteBuffer ofLength(byte[] bytes, int length) {
        if (bytes.length != length) {
            throw unexpected(length + " bytes", bytes.length + " bytes");
        }
        return ByteBuffer.wrap(bytes);
    }

    static byte[] ofInt(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    static byte[] ofLong(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "a string with half of a surrogate pair has no UTF-8; its length is " + text.length(), e);
        }
    }

    static String text(byte[] utf8) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("expected UTF-8, found other bytes", e);
        }
    }

    static boolean flag(byte found) {
        if (found != 0 && found != 1) {
            throw unexpected("a byte 0 or 1", String.valueOf(found));
        }
        return found == 1;
    }

    static String hex(byte[] bytes) {
        String shown = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES));
        return "0x" + shown + (bytes.length > SHOWN_BYTES ? "... (" + bytes.length + " bytes)" : "");
    }
}
