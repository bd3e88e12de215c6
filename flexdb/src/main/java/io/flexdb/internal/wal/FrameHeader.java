package io.flexdb.internal.wal;

import io.flexdb.flexspace.internal.vfs.MappedFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Makes and checks the headers of frames of one file; for one thread at a time, without garbage. */
final class FrameHeader {
    // The header stands behind what its checksum covers besides, so that one call computes it.
    private static final int STORE_ID = 0;
    private static final int POSITION = 8;
    private static final int HEADER = 16;

    private final long generation;
    private final ByteBuffer scratch =
            ByteBuffer.allocate(HEADER + WalFormat.FRAME_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    FrameHeader(long storeId, long generation) {
        this.generation = generation;
        scratch.putLong(STORE_ID, storeId);
    }

    void encode(long position, int payloadBytes, int entries, long firstSequence, int payloadChecksum) {
        scratch.putInt(HEADER + WalFormat.FRAME_LENGTH, payloadBytes);
        scratch.putInt(HEADER + WalFormat.FRAME_ENTRIES, entries);
        scratch.putLong(HEADER + WalFormat.FRAME_GENERATION, generation);
        scratch.putLong(HEADER + WalFormat.FRAME_SEQUENCE, firstSequence);
        scratch.putInt(HEADER + WalFormat.FRAME_PAYLOAD_CHECKSUM, payloadChecksum);
        scratch.putInt(HEADER + WalFormat.FRAME_CHECKSUM, checksum(position));
    }

    /** Takes a header from a file and returns whether a frame of this file was written with it. */
    boolean decode(long position, ByteBuffer source, int index) {
        source.get(index, scratch.array(), HEADER, WalFormat.FRAME_HEADER_BYTES);
        return scratch.getLong(HEADER + WalFormat.FRAME_GENERATION) == generation
                && scratch.getInt(HEADER + WalFormat.FRAME_CHECKSUM) == checksum(position);
    }

    private int checksum(long position) {
        scratch.putLong(POSITION, position);
        crc.reset();
        crc.update(scratch.array(), 0, HEADER + WalFormat.FRAME_CHECKSUM);
        return (int) crc.getValue();
    }

    /** Writes the header and the payload behind it. */
    void writeTo(MappedFile target, int position, byte[] payload, int offset, int length) {
        target.write(position, scratch.array(), HEADER, WalFormat.FRAME_HEADER_BYTES, payload, offset, length);
    }

    void copyTo(ByteBuffer target, int index) {
        target.put(index, scratch.array(), HEADER, WalFormat.FRAME_HEADER_BYTES);
    }

    int payloadBytes() {
        return scratch.getInt(HEADER + WalFormat.FRAME_LENGTH);
    }

    int entries() {
        return scratch.getInt(HEADER + WalFormat.FRAME_ENTRIES);
    }

    long firstSequence() {
        return scratch.getLong(HEADER + WalFormat.FRAME_SEQUENCE);
    }

    int payloadChecksum() {
        return scratch.getInt(HEADER + WalFormat.FRAME_PAYLOAD_CHECKSUM);
    }
}
