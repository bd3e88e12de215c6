package io.flexdb.files.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a directory has under a name. Immutable; arrays are not copied.
 *
 * @param kind of {@link TreeFormat}
 * @param id the number, never used for anything else
 * @param times null for a directory, which has them in its own pair
 * @param length of a file's content or of a link's target, in bytes; 0 for a directory
 * @param content of a small file or the target of a link, else null
 */
public record Entry(byte kind, long id, Times times, long length, byte[] content) {
    static Entry directory(long id) {
        return new Entry(TreeFormat.DIRECTORY, id, null, 0, null);
    }

    static Entry small(long id, Times times, byte[] content) {
        return new Entry(TreeFormat.SMALL, id, times, content.length, content);
    }

    static Entry inBlocks(long id, Times times, long length) {
        return new Entry(TreeFormat.BLOCKS, id, times, length, null);
    }

    static Entry link(long id, Times times, String target) {
        byte[] text = target.getBytes(StandardCharsets.UTF_8);
        return new Entry(TreeFormat.LINK, id, times, text.length, text);
    }

    Entry with(Times newTimes) {
        return new Entry(kind, id, newTimes, length, content);
    }

    Entry withId(long newId) {
        return new Entry(kind, newId, times, length, content);
    }

    /** Whether it is a directory. */
    public boolean isDirectory() {
        return kind == TreeFormat.DIRECTORY;
    }

    /** Whether it is a symbolic link. */
    public boolean isLink() {
        return kind == TreeFormat.LINK;
    }

    /** Whether it is a file. */
    public boolean isFile() {
        return kind == TreeFormat.SMALL || kind == TreeFormat.BLOCKS;
    }

    boolean isSmall() {
        return kind == TreeFormat.SMALL;
    }

    boolean hasBlocks() {
        return kind == TreeFormat.BLOCKS;
    }

    /** What a link leads to. */
    public String target() {
        assert isLink();
        return new String(content, StandardCharsets.UTF_8);
    }

    byte[] encode() {
        if (isDirectory()) {
            return ByteBuffer.allocate(TreeFormat.DIRECTORY_ENTRY_BYTES)
                    .put(kind)
                    .putLong(id)
                    .array();
        }
        int rest = hasBlocks() ? Long.BYTES : content.length;
        ByteBuffer value =
                ByteBuffer.allocate(TreeFormat.HEAD_BYTES + rest).put(kind).putLong(id);
        times.put(value);
        return (hasBlocks() ? value.putLong(length) : value.put(content)).array();
    }

    static Entry decode(String keyspace, byte[] value) {
        ByteBuffer from = ByteBuffer.wrap(value);
        byte kind = value.length == 0 ? 0 : from.get();
        if (kind == TreeFormat.DIRECTORY && value.length == TreeFormat.DIRECTORY_ENTRY_BYTES) {
            return directory(from.getLong());
        }
        boolean fits = kind == TreeFormat.BLOCKS
                ? value.length == TreeFormat.BLOCKS_BYTES
                : (kind == TreeFormat.SMALL || kind == TreeFormat.LINK) && value.length >= TreeFormat.HEAD_BYTES;
        if (!fits) {
            throw TreeFormat.damaged(keyspace, 0, "an entry", "kind " + kind + " in " + value.length + " bytes");
        }
        long id = from.getLong();
        Times times = Times.get(from);
        if (kind == TreeFormat.BLOCKS) {
            long length = from.getLong();
            if (length <= 0) {
                throw TreeFormat.damaged(keyspace, TreeFormat.HEAD_BYTES, "a length above 0", Long.toString(length));
            }
            return inBlocks(id, times, length);
        }
        byte[] content = new byte[from.remaining()];
        from.get(content);
        return new Entry(kind, id, times, content.length, content);
    }
}
