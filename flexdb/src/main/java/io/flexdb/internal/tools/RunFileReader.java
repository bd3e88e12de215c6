package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.ChannelBytes;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Reads a file of pairs in key order, and trusts nothing in it. For one thread at a time. */
public final class RunFileReader {
    /*
     * A block is verified before a byte of it is used, and so is the trailer. The trailer has the number of pairs and
     * bytes, and so shows that a file was cut. The maker of the file may have made the checksums, too. So lengths are
     * compared with the size of the file. A value is read when somebody asks for it, by parts, so a false length takes
     * no memory.
     */
    private static final int MAX_VARINT_BYTES = 5;

    private final VfsFile file;
    private final long size;
    private final long id;
    private final int maxValueBytes;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer block = ByteBuffer.allocateDirect(
                    RunFileFormat.BLOCK_HEADER_BYTES + RunFileFormat.MAX_BLOCK_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private long blockPosition;
    private long position = RunFileFormat.BLOCKS_OFFSET; // of the next block
    private boolean ended;
    private long pairs;
    private long bytes;
    private byte[] key = {};
    private int valueLength;
    private int unread; // bytes of the value
    private long expiry;

    /**
     * Opens a file; the caller closes it.
     *
     * @param maxValueBytes of a value
     */
    public RunFileReader(VfsFile file, int maxValueBytes) {
        this.file = file;
        this.size = file.size();
        this.maxValueBytes = maxValueBytes;
        this.id = FilePreamble.check(
                        file.path(), 0, FilePreamble.read(file, 0), FormatVersion.RUN, RunFileFormat.FIELD_BYTES, 0)
                .getLong();
        block.limit(0);
    }

    /** Pairs read so far. */
    public long pairs() {
        return pairs;
    }

    /**
     * Reads the next pair.
     *
     * @return false at the end of a whole file
     * @throws CorruptionException if it is damaged or was cut, or its keys do not ascend
     */
    public boolean next() {
        while (unread > 0) {
            skipSome();
        }
        if (!block.hasRemaining() && !nextBlock()) {
            return false;
        }
        int flags = readByte();
        if ((flags & ~RunFileFormat.EXPIRES) != 0) {
            throw bad("flags of a pair", "flags " + flags);
        }
        int keyLength = readLength("key", 1, RecordFormat.MAX_KEY_BYTES);
        valueLength = readLength("value", 0, maxValueBytes);
        expiry = RecordFormat.NEVER;
        if (flags != 0) {
            expiry = 0;
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                expiry |= (long) readByte() << shift;
            }
        }
        byte[] before = key;
        key = read(keyLength);
        unread = valueLength;
        if (Arrays.compareUnsigned(before, key) >= 0) {
            throw bad("a key above that of the pair before", "one that is not, of pair " + pairs);
        }
        pairs++;
        return true;
    }

    /** The key; a new array for each pair. */
    public byte[] key() {
        return key;
    }

    /** Bytes of the value. */
    public int valueLength() {
        return valueLength;
    }

    /** Fills a buffer with the next bytes of the value, which has as many. */
    public void readValue(ByteBuffer to) {
        assert to.remaining() <= unread : to + " for " + unread;
        while (to.hasRemaining()) {
            requireMore();
            unread -= ChannelBytes.move(block, to);
        }
    }

    /** When the pair expires, in milliseconds since 1970, or {@link RecordFormat#NEVER}. */
    public long expiry() {
        return expiry;
    }

    // ---- bytes of pairs

    private void skipSome() {
        requireMore();
        int some = Math.min(block.remaining(), unread);
        block.position(block.position() + some);
        unread -= some;
    }

    private void requireMore() {
        if (!block.hasRemaining() && !nextBlock()) {
            throw bad("the rest of a pair", "the end of the pairs");
        }
    }

    private int readByte() {
        requireMore();
        return block.get() & 0xFF;
    }

    private int readLength(String of, int least, int most) {
        long length = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            int next = readByte();
            length |= (next & 0x7FL) << 7 * i;
            if (next < 0x80) {
                if (length < least || length > most || length > size) {
                    throw bad(
                            "a " + of + " of " + least + " to " + most + " bytes that the file has", length + " bytes");
                }
                return (int) length;
            }
        }
        throw bad("the length of a " + of, "a varint without an end");
    }

    private byte[] read(int length) {
        byte[] all = new byte[length];
        for (int done = 0; done < length; ) {
            requireMore();
            int some = Math.min(block.remaining(), length - done);
            block.get(all, done, some);
            done += some;
        }
        return all;
    }

    // ---- blocks

    /** Goes to the next block; false if the trailer comes, and is right. */
    private boolean nextBlock() {
        if (ended) {
            return false;
        }
        blockPosition = position;
        load(RunFileFormat.BLOCK_HEADER_BYTES);
        int length = block.getInt(0);
        if (length == 0) {
            checkTrailer();
            ended = true;
            block.position(0).limit(0);
            return false;
        }
        if (length < 0 || length > RunFileFormat.MAX_BLOCK_BYTES) {
            throw bad("a block of 1 to " + RunFileFormat.MAX_BLOCK_BYTES + " bytes", length + " bytes");
        }
        load(RunFileFormat.BLOCK_HEADER_BYTES + length);
        position += block.limit();
        bytes += length;
        block.position(RunFileFormat.BLOCK_HEADER_BYTES);
        return true;
    }

    /** Reads bytes from the block's position on, and verifies them unless they are a header alone. */
    private void load(int length) {
        if (length > size - blockPosition) {
            throw bad("a block or a trailer of " + length + " bytes", "the end of the file at " + size);
        }
        file.readFully(block.clear().limit(length), blockPosition);
        block.position(0);
        if (length > RunFileFormat.BLOCK_HEADER_BYTES) {
            int expected = block.getInt(RunFileFormat.CHECKSUM_OFFSET);
            int found = RunFileFormat.checksum(crc, id, blockPosition, block, length);
            if (found != expected) {
                throw bad("checksum " + Integer.toHexString(expected), Integer.toHexString(found));
            }
        }
    }

    private void checkTrailer() {
        load(RunFileFormat.TRAILER_BYTES);
        long expectedPairs = block.getLong(RunFileFormat.BLOCK_HEADER_BYTES);
        long expectedBytes = block.getLong(RunFileFormat.BLOCK_HEADER_BYTES + Long.BYTES);
        position += RunFileFormat.TRAILER_BYTES;
        if (expectedPairs != pairs || expectedBytes != bytes) {
            throw bad(expectedPairs + " pairs of " + expectedBytes + " bytes", pairs + " pairs of " + bytes + " bytes");
        }
        if (position != size) {
            throw bad("the end of the file at " + position, "at " + size);
        }
    }

    private CorruptionException bad(String expected, String found) {
        return new CorruptionException(file.path(), blockPosition, expected, found);
    }
}
