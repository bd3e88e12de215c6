package io.flexdb.typed;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A key within other bytes, whose end can be found.
 *
 * <p>A key of fixed length stands as it is. In others a byte 0 becomes 0, 0xFF, and 0, 1 stands behind the last byte. So
 * no key begins another one, and the order stays: the end is below each byte that could stand there instead.
 */
record Component<T>(KeyCodec<T> codec) {
    private static final byte ESCAPED = (byte) 0xFF;
    private static final byte END = 1;

    byte[] encode(T key) {
        byte[] bytes = codec.encode(key);
        int fixed = codec.fixedBytes();
        if (fixed == KeyCodec.VARIABLE) {
            byte[] escaped = escaped(bytes, 2);
            escaped[escaped.length - 1] = END;
            return escaped;
        }
        if (bytes.length != fixed) {
            throw new IllegalArgumentException("codec " + codec.name() + " has keys of " + fixed
                    + " bytes, but has encoded one in " + bytes.length);
        }
        return bytes;
    }

    /** The bytes that all keys begin with whose own bytes begin with these. */
    byte[] prefix(byte[] bytes) {
        return codec.fixedBytes() == KeyCodec.VARIABLE ? escaped(bytes, 0) : bytes;
    }

    /** Escapes bytes, and leaves some room behind them. */
    private static byte[] escaped(byte[] bytes, int room) {
        int zeros = 0;
        for (byte each : bytes) {
            zeros += each == 0 ? 1 : 0;
        }
        byte[] escaped = new byte[bytes.length + zeros + room];
        int at = 0;
        for (byte each : bytes) {
            escaped[at++] = each;
            if (each == 0) {
                escaped[at++] = ESCAPED;
            }
        }
        return escaped;
    }

    /** Decodes the key that stands at a buffer's position, which moves behind it. */
    T decode(ByteBuffer bytes) {
        int fixed = codec.fixedBytes();
        if (fixed == KeyCodec.VARIABLE) {
            return codec.decode(unescaped(bytes));
        }
        if (bytes.remaining() < fixed) {
            throw ByteForms.unexpected(fixed + " bytes of " + codec.name(), bytes.remaining() + " bytes");
        }
        byte[] own = new byte[fixed];
        bytes.get(own);
        return codec.decode(own);
    }

    /** Decodes a key behind which nothing else may stand. */
    T decodeAll(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        T key = decode(rest);
        if (rest.hasRemaining()) {
            throw ByteForms.unexpected("nothing behind " + codec.name(), rest.remaining() + " bytes");
        }
        return key;
    }

    private byte[] unescaped(ByteBuffer bytes) {
        byte[] key = new byte[bytes.remaining()];
        int length = 0;
        while (bytes.remaining() >= 2) {
            byte each = bytes.get();
            if (each == 0) {
                byte mark = bytes.get();
                if (mark == END) {
                    return Arrays.copyOf(key, length);
                }
                if (mark != ESCAPED) {
                    throw ByteForms.unexpected("1 or 0xff behind a byte 0 of " + codec.name(), String.valueOf(mark));
                }
            }
            key[length++] = each;
        }
        throw ByteForms.unexpected("bytes 0, 1 at the end of " + codec.name(), "the end of the key");
    }
}
