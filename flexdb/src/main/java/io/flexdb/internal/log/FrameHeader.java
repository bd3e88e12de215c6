package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.MappedFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Makes and checks the start and the frame headers of one file; for one thread at a time, without garbage. */
final class FrameHeader {
    /*
     * Problem: a recycled file is full of whole frames of its earlier uses, mostly at the very places where those of
     * this use would stand; a generation and a sequence number in each frame cost 16 bytes. Choice: neither is stored.
     * The numbers of a use follow from its first one, in the start, and the generation is part of each check: its low
     * half by exclusive or, the rest under the checksum.
     *
     * C1 A start or a frame of an earlier use, in its own place and as it was written, is refused for certain, whatever
     *    it holds. If the generations differ in the low half alone, the checksum is the one that it was written with,
     *    and what is combined with it another one; if in the high half alone, the checksum is another one, since CRC32C
     *    tells apart any two texts that differ in 32 bits in a row. For both to differ a store must make 2^32 logs.
     * C2 Bytes that are no frame of any use in its own place pass once in 2^32, as a torn payload does under any
     *    checksum of 32 bits.
     * C3 A frame of this use in its place has the number that is counted for it: a use has one start, and each place
     *    is written once in it. The checks therefore need not cover the numbers. With numbers in them, C1 would hold by
     *    chance only.
     */
    private static final int STORE_ID = 0;
    private static final int POSITION = 8;
    private static final int GENERATION_HIGH = 16;
    private static final int CONTENT = 20;
    private static final int COVERED_BYTES = 28;
    private static final int START = 32; // a multiple of 8, so that fields are aligned
    private static final int FRAME = START + WalFormat.START_BYTES; // right behind it, as in the file

    private final int generationLow;
    private final ByteBuffer scratch =
            ByteBuffer.allocate(FRAME + WalFormat.FRAME_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private int startBytes; // that go before the frame's header

    FrameHeader(long storeId, long generation) {
        this.generationLow = (int) generation;
        scratch.putLong(STORE_ID, storeId);
        scratch.putInt(GENERATION_HIGH, (int) (generation >>> Integer.SIZE));
    }

    /** The check behind the first sequence number in the start. */
    int startCheck(long firstSequence) {
        return check(WalFormat.START, firstSequence);
    }

    /**
     * The check behind the length in the header of a frame.
     *
     * @param length as it stands there, with {@link WalFormat#BEHIND_LOAD} or without
     */
    int frameCheck(long position, int length, int payloadChecksum) {
        return check(position, Integer.toUnsignedLong(length) | (long) payloadChecksum << Integer.SIZE);
    }

    private int check(long position, long content) {
        scratch.putLong(POSITION, position);
        scratch.putLong(CONTENT, content);
        crc.reset();
        crc.update(scratch.array(), 0, COVERED_BYTES);
        return (int) crc.getValue() ^ generationLow;
    }

    /** Makes the header of a frame, and the start if it is the first one. */
    void encode(long position, int length, long firstSequence, int payloadChecksum) {
        scratch.putInt(FRAME + WalFormat.FRAME_LENGTH, length);
        scratch.putInt(FRAME + WalFormat.FRAME_CHECK, frameCheck(position, length, payloadChecksum));
        startBytes = 0;
        if (position == WalFormat.FIRST_FRAME) {
            startBytes = WalFormat.START_BYTES;
            scratch.putLong(START, firstSequence);
            scratch.putInt(START + WalFormat.START_CHECK - WalFormat.START, startCheck(firstSequence));
        }
    }

    /** Bytes of what was made. They end where the payload begins. */
    int bytes() {
        return startBytes + WalFormat.FRAME_HEADER_BYTES;
    }

    /** Writes what was made for a frame, and its payload. */
    void writeTo(MappedFile target, int payloadPosition, byte[] payload, int length) {
        target.write(payloadPosition - bytes(), scratch.array(), FRAME - startBytes, bytes(), payload, 0, length);
    }

    /** Puts what was made at the buffer's position. */
    void putTo(ByteBuffer target) {
        target.put(scratch.array(), FRAME - startBytes, bytes());
    }
}
