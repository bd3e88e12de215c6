package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Looks for frames behind one that is damaged, or behind the end of a log. For one thread. */
final class FrameSearch {
    /*
     * A frame has no sign by which it is known, but its check covers its place, its length and all that it holds. Bytes
     * at a multiple of 8 that have the right check are therefore a frame of the log, but once in 2^32. Each place is
     * tried. The bytes there are mostly no length. Where it could be one, the checksum of so many bytes costs no more
     * than two pages (RangeChecksums), whatever the length.
     *
     * The generation is a part of the check by exclusive or. A check therefore also tells the use that a frame of an
     * earlier use is of, as long as the high halves of both generations are equal.
     *
     * Where the log ends, with no frame behind it, there may be
     *   zeros               the log ends there
     *   bytes of an earlier use   likewise
     *   a frame that was being written when the power failed, or the process was killed, and was never acknowledged
     *   a frame that was whole, and is damaged now
     * The last two can't be told from each other. They can be told from an earlier use where a length stands that can be
     * one. A frame of that length would have overwritten all earlier ones up to its end: if one begins there that is
     * whole, nothing was written. Its payload would also begin with entries, unless the damage is there; then it is a
     * frame if one other bit gives it the right check.
     */
    private static final int LONGEST_TO_REPAIR = 4096; // each bit is tried
    private static final int PIECE_BYTES = 1 << 16;

    private final VfsFile file;
    private final FrameHeader header;
    private final int generationLow;
    private final long end;
    private final RangeChecksums checksums;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final SlidingReader reader;

    /** @param from before which nothing is asked for, a multiple of 8 */
    FrameSearch(VfsFile file, FrameHeader header, long generation, long from) {
        this.file = file;
        this.header = header;
        this.generationLow = (int) generation;
        this.end = file.size();
        this.checksums = new RangeChecksums(file, from);
        this.reader = new SlidingReader(file::readFully, piece, PIECE_BYTES).begin(end);
    }

    /** Where the first frame of the log begins from a position on; -1 if there is none. */
    long next(long from) {
        for (long position = from; position + WalFormat.FRAME_HEADER_BYTES < end; position += Long.BYTES) {
            if (lengthAt(position) > 0 && generationAt(position) == generationLow) {
                return position;
            }
        }
        return -1;
    }

    /** The low half of the generation that a frame is of; 0 if there is none. */
    int generation(long position) {
        return lengthAt(position) == 0 ? 0 : generationAt(position);
    }

    /** Whether a frame may have been begun at the log's end that is not whole. */
    boolean mayBeBegun(long position) {
        if (position + WalFormat.FRAME_HEADER_BYTES >= end) {
            return false;
        }
        int length = lengthAt(position);
        if (length == 0) {
            return isLengthDamaged(position);
        }
        long frameEnd = position + WalFormat.frameBytes(length);
        for (long at = position; at < frameEnd; at += Long.BYTES) {
            if (at + WalFormat.FRAME_HEADER_BYTES < end && lengthAt(at) > 0 && isOfEarlierUse(generationAt(at))) {
                return false;
            }
        }
        return beginsWithEntries(position + WalFormat.FRAME_HEADER_BYTES, length) || isOneBitWrong(position, length);
    }

    /** Whether so many bytes are an entry, or begin with one behind which another may begin. */
    private boolean beginsWithEntries(long position, int length) {
        byte[] payload = new byte[Math.min(length, PIECE_BYTES)];
        file.readFully(ByteBuffer.wrap(payload), position);
        PayloadReader entries = new PayloadReader().reset(payload, 0, payload.length);
        int found = 0;
        try {
            while (found < 2 && entries.next()) {
                found++;
            }
            return true;
        } catch (IllegalArgumentException e) {
            return length > payload.length; // an entry may go on behind what was read
        }
    }

    /** Whether one bit of the check or the payload is wrong, and nothing else. */
    private boolean isOneBitWrong(long position, int length) {
        if (Integer.bitCount(generationAt(position) ^ generationLow) == 1) {
            return true;
        }
        byte[] payload = new byte[Math.min(length, LONGEST_TO_REPAIR)];
        if (payload.length < length) {
            return false;
        }
        int at = load(position);
        int field = piece.getInt(at + WalFormat.FRAME_LENGTH);
        int check = piece.getInt(at + WalFormat.FRAME_CHECK);
        file.readFully(ByteBuffer.wrap(payload), position + WalFormat.FRAME_HEADER_BYTES);
        for (int bit = 0; bit < length * Byte.SIZE; bit++) {
            byte mask = (byte) (1 << bit % Byte.SIZE);
            payload[bit / Byte.SIZE] ^= mask;
            if (header.frameCheck(position, field, WritePayload.checksum(payload, 0, length)) == check) {
                return true;
            }
            payload[bit / Byte.SIZE] ^= mask;
        }
        return false;
    }

    /** Whether one bit of the length is wrong, and nothing else. */
    private boolean isLengthDamaged(long position) {
        int at = load(position);
        int field = piece.getInt(at + WalFormat.FRAME_LENGTH);
        int check = piece.getInt(at + WalFormat.FRAME_CHECK);
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int right = field ^ 1 << bit;
            int length = right & ~WalFormat.BEHIND_LOAD;
            if (isPossible(position, length) && generationOf(position, right, length, check) == generationLow) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfEarlierUse(int generation) {
        return Integer.compareUnsigned(generation, generationLow) < 0 && generation != 0;
    }

    /** The length of the frame that may be there, or 0. */
    private int lengthAt(long position) {
        int length = piece.getInt(load(position) + WalFormat.FRAME_LENGTH) & ~WalFormat.BEHIND_LOAD;
        return isPossible(position, length) ? length : 0;
    }

    private boolean isPossible(long position, int length) {
        return length > 0 && WalFormat.frameBytes(length) <= end - position;
    }

    /** The low half of the generation that a frame would be of. */
    private int generationAt(long position) {
        int at = load(position);
        int field = piece.getInt(at + WalFormat.FRAME_LENGTH);
        int check = piece.getInt(at + WalFormat.FRAME_CHECK);
        return generationOf(position, field, field & ~WalFormat.BEHIND_LOAD, check);
    }

    private int generationOf(long position, int field, int length, int check) {
        int payload = checksums.of(position + WalFormat.FRAME_HEADER_BYTES, length);
        return header.frameCheck(position, field, payload) ^ check ^ generationLow;
    }

    /** Has the piece hold the header that a frame would have, and returns where. */
    private int load(long position) {
        return reader.load(position, WalFormat.FRAME_HEADER_BYTES);
    }
}
