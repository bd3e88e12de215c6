package io.flexdb.files.internal;

import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The pairs of a file system. Numbers are big-endian; a file, directory or link has a number of 8 bytes that is never
 * used again, and a name is 1 to 255 bytes of UTF-8 without a slash or a zero. Times are nanoseconds since 1970.
 *
 * <pre>
 * KEYSPACE  KEY                        VALUE
 * entries   0                          "FlexFile", version (4), bytes of a block (4)
 * entries   0, "next"                  the next number that nobody has reserved (8)
 * entries   0, "lost", a salvage (8)   the first number that was given after it (8)
 * entries   directory                  its parent (8), created (8), modified (8), accessed (8)
 * entries   directory, name            1, number of a directory (8)
 * entries   directory, name            2, number (8), created, modified, accessed, length (8): a file in blocks
 * entries   directory, name            3, number (8), created, modified, accessed, content: a small file
 * entries   directory, name            4, number (8), created, modified, accessed, target in UTF-8: a symbolic link
 * blocks    file, number of block (4)  its bytes, without those behind the end of the file; zeros at its end may be left
 *                                      out, and a block of zeros as a whole
 * </pre>
 *
 * <p>Directory 1 is the root, its own parent. Directory 2, whose parent is 0, has what no path leads to: files that were
 * deleted while they are open, copies that are not complete, and trees that are being deleted. Names there are numbers
 * in hexadecimal digits. What is in it when a file system is opened is left from a crash, and goes.
 *
 * <p>The invariants, which {@link TreeChecker} looks after:
 *
 * <ul>
 *   <li>I1: each entry's directory has a pair of its own, unless it is being deleted, below directory 2.
 *   <li>I2: each directory but the root has one entry, in the directory that it names as its parent.
 *   <li>I3: each number stands in one entry.
 *   <li>I4: each block is of a file in blocks, and has no byte behind the end of the file.
 * </ul>
 */
final class TreeFormat {
    static final int VERSION = 1;
    static final long SUPERBLOCK = 0;
    static final long ROOT = 1;
    static final long REMOVED = 2;
    static final long FIRST_FREE = 3;

    static final byte DIRECTORY = 1;
    static final byte BLOCKS = 2;
    static final byte SMALL = 3;
    static final byte LINK = 4;

    static final int ID_BYTES = Long.BYTES;
    static final int BLOCK_KEY_BYTES = ID_BYTES + Integer.BYTES;
    static final int MAX_NAME_BYTES = 255;
    static final int DIRECTORY_ENTRY_BYTES = 1 + ID_BYTES;
    static final int TIMES_BYTES = 3 * Long.BYTES;
    static final int HEAD_BYTES = 1 + ID_BYTES + TIMES_BYTES;
    static final int BLOCKS_BYTES = HEAD_BYTES + Long.BYTES;
    static final int DIRECTORY_BYTES = ID_BYTES + TIMES_BYTES;
    static final int SUPERBLOCK_BYTES = Long.BYTES + 2 * Integer.BYTES;
    static final long MAGIC = 0x466c657846696c65L; // "FlexFile"

    private static final byte[] NEXT = {'n', 'e', 'x', 't'};
    private static final byte[] LOST = {'l', 'o', 's', 't'};

    private TreeFormat() {}

    /** The key of a directory's own pair, which stands before all its entries; also the begin of a file's blocks. */
    static byte[] key(long id) {
        return ByteBuffer.allocate(ID_BYTES).putLong(id).array();
    }

    /** Before the first entry of a directory, and behind its own pair. */
    static byte[] firstEntry(long directory) {
        return ByteBuffer.allocate(ID_BYTES + 1).putLong(directory).array();
    }

    static byte[] counterKey() {
        return ByteBuffer.allocate(ID_BYTES + NEXT.length)
                .putLong(SUPERBLOCK)
                .put(NEXT)
                .array();
    }

    static byte[] salvageKey(long salvage) {
        return ByteBuffer.allocate(2 * ID_BYTES + LOST.length)
                .putLong(SUPERBLOCK)
                .put(LOST)
                .putLong(salvage)
                .array();
    }

    static byte[] blockKey(long file, int block) {
        return ByteBuffer.allocate(BLOCK_KEY_BYTES).putLong(file).putInt(block).array();
    }

    static byte[] superblock(int blockBytes) {
        return ByteBuffer.allocate(SUPERBLOCK_BYTES)
                .putLong(MAGIC)
                .putInt(VERSION)
                .putInt(blockBytes)
                .array();
    }

    /** What a pair has that is not what it should be. */
    static CorruptionException damaged(String keyspace, int position, String expected, String found) {
        return new CorruptionException(Path.of("keyspace " + keyspace), position, expected, found);
    }
}
