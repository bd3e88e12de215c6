package io.flexdb.internal.txn;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Names of keyspaces as bytes. */
final class KeyspaceNames {
    static final int MAX_BYTES = 255;

    private KeyspaceNames() {}

    /** The bytes of a name; throws if it is none. */
    static byte[] encode(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty; the default keyspace is the FlexDB itself");
        }
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            if (bytes.length > MAX_BYTES) {
                throw new IllegalArgumentException(
                        "name must have at most " + MAX_BYTES + " bytes in UTF-8: " + bytes.length);
            }
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("name must have no half of a surrogate pair: " + e.getMessage(), e);
        }
    }

    /** The name that bytes stand for, or null if they are those of none. */
    static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
