package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Varints;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Writes a file of pairs in key order. For one thread at a time. */
public final class RunFileWriter {
    private final VfsFile file;
    private final long id;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer block = ByteBuffer.allocateDirect(
                    RunFileFormat.BLOCK_HEADER_BYTES + RunFileFormat.MAX_BLOCK_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] header = new byte[32];
    private long position = RunFileFormat.BLOCKS_OFFSET;
    private long pairs;
    private long bytes;

    /**
     * Begins a file that is empty.
     *
     * @param storeId of the store that the pairs come from
     * @param id at random
     */
    public RunFileWriter(VfsFile file, long storeId, long id) {
        this.file = file;
        this.id = id;
        ByteBuffer preamble = FilePreamble.begin(FormatVersion.RUN, storeId).putLong(id);
        file.write(FilePreamble.finish(preamble), 0);
        beginBlock();
    }

    private void beginBlock() {
        block.clear().position(RunFileFormat.BLOCK_HEADER_BYTES);
    }

    /** Pairs so far. */
    public long pairs() {
        return pairs;
    }

    /** Bytes of them so far. */
    public long bytes() {
        return bytes;
    }

    /**
     * Begins a pair, the value of which is added by parts then.
     *
     * @param expiry in milliseconds since 1970, or {@link RecordFormat#NEVER}
     */
    public void begin(byte[] key, int valueLength, long expiry) {
        boolean expires = expiry != RecordFormat.NEVER;
        int at = 0;
        header[at++] = (byte) (expires ? RunFileFormat.EXPIRES : 0);
        at = Varints.write(header, at, key.length);
        at = Varints.write(header, at, valueLength);
        for (int shift = 0; expires && shift < Long.SIZE; shift += Byte.SIZE) {
            header[at++] = (byte) (expiry >>> shift);
        }
        put(header, at);
        put(key, key.length);
        pairs++;
        bytes += (long) at + key.length + valueLength;
    }

    /** Adds the first bytes of an array to the value of the pair that was begun last. */
    public void addToValue(byte[] part, int length) {
        put(part, length);
    }

    private void put(byte[] source, int length) {
        for (int done = 0; done < length; ) {
            if (!block.hasRemaining()) {
                writeBlock();
            }
            int some = Math.min(block.remaining(), length - done);
            block.put(source, done, some);
            done += some;
        }
    }

    private void writeBlock() {
        int end = block.position();
        write(end, end - RunFileFormat.BLOCK_HEADER_BYTES);
        file.startWriting(position - end, end);
    }

    private void write(int end, int length) {
        block.putInt(0, length);
        block.putInt(RunFileFormat.CHECKSUM_OFFSET, RunFileFormat.checksum(crc, id, position, block, end));
        file.write(block.flip(), position);
        position += end;
        beginBlock();
    }

    /** Ends the file, and forces it. */
    public void finish() {
        if (block.position() > RunFileFormat.BLOCK_HEADER_BYTES) {
            writeBlock();
        }
        block.putLong(pairs).putLong(bytes);
        write(RunFileFormat.TRAILER_BYTES, 0);
        file.force();
    }
}
