package io.flexdb.files.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Where an entry is: the number of its directory, and its name. Immutable. */
public final class EntryKey {
    private final byte[] bytes;

    private EntryKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * @param name has no surrogate without the other one, no slash and no zero
     * @throws NameTooLongException if it has more than 255 bytes in UTF-8
     */
    public static EntryKey of(long directory, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        assert text.length > 0;
        if (text.length > TreeFormat.MAX_NAME_BYTES) {
            throw new NameTooLongException();
        }
        return new EntryKey(ByteBuffer.allocate(TreeFormat.ID_BYTES + text.length)
                .putLong(directory)
                .put(text)
                .array());
    }

    static EntryKey of(byte[] key) {
        return new EntryKey(key);
    }

    /** Where something is that no path leads to. */
    static EntryKey removed(long id) {
        return of(TreeFormat.REMOVED, HexFormat.of().toHexDigits(id));
    }

    /** The number of the directory. */
    public long directory() {
        return ByteBuffer.wrap(bytes).getLong();
    }

    /** The name. */
    public String name() {
        return new String(bytes, TreeFormat.ID_BYTES, bytes.length - TreeFormat.ID_BYTES, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EntryKey key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return directory() + "/" + name();
    }

    /** A name has more bytes than it may have. */
    public static final class NameTooLongException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
