package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLogReader;
import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

/** Verifies a logical log, and goes on behind what is damaged. For one thread; the log may be appended to meanwhile. */
final class LogChecker {
    /*
     * A frame whose payload is damaged still says how long it is, so the next one is where it should be. One whose
     * header is damaged does not. Then the next is looked for at every multiple of 8: its header has a checksum of its
     * own, the generation of the log, and a sequence that is not below the one that is expected. All between is one
     * finding, which says how many frames that were. If none is found, nothing behind the damage can be told apart, up
     * to the end.
     */
    private static final int PIECE_BYTES = 1 << 20;
    private static final int BLOCK_BYTES = 4096;
    private static final int TRIES = 100;

    private final VfsFile file;
    private final long storeId;
    private final long generation;
    private final Findings findings;
    private final LongConsumer bytesRead;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final SlidingReader reader = new SlidingReader(this::read, buffer, PIECE_BYTES);
    private final ReadAhead frames;
    private long readUpTo = LogFormat.FRAMES_OFFSET;
    private long end; // of what is checked
    private int payloadBytes; // of the header found last
    private long sequence; // of the header found last

    /** @param bytesRead is told of each number of bytes that were read */
    LogChecker(VfsFile file, long storeId, long generation, Findings findings, LongConsumer bytesRead) {
        this.file = file;
        this.storeId = storeId;
        this.generation = generation;
        this.findings = findings;
        this.bytesRead = bytesRead;
        this.frames = new ReadAhead(file);
    }

    /** Checks a log up to the end of a frame that was forced. */
    void check(long bytes) {
        end = Math.min(bytes, file.size());
        if (end < bytes) {
            findings.add(file.path(), end, bytes + " bytes of log", end + " bytes");
        }
        try {
            new LogicalLogReader(file, storeId, generation);
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            findings.add(file.path(), 0, "the header of log " + generation, e);
        }
        checkMark(bytes);
        checkFrames();
    }

    /** The mark is written over again and again, so that it may be met half written. */
    private void checkMark(long bytes) {
        StorageException problem = null;
        long syncedUpTo = 0;
        for (int i = 0; i < TRIES && syncedUpTo < bytes; i++) {
            try {
                syncedUpTo = LogicalLogReader.syncedUpTo(file, generation);
                problem = null;
            } catch (CorruptionException | StoreIoException e) {
                problem = e;
            }
        }
        String expected = "a synced-up-to mark of " + bytes + " at least";
        if (problem != null) {
            findings.add(file.path(), LogFormat.MARK_OFFSET, expected, problem);
        } else if (syncedUpTo < bytes) {
            String found = syncedUpTo == 0 ? "a damaged one" : Long.toString(syncedUpTo);
            findings.add(file.path(), LogFormat.MARK_OFFSET, expected, found);
        }
    }

    private void checkFrames() {
        reader.begin(end);
        frames.add(readUpTo, Math.max(0, end - readUpTo));
        long position = LogFormat.FRAMES_OFFSET;
        long expected = 1;
        while (position < end) {
            long found = nextHeader(position, expected);
            if (found > position || found < end && sequence > expected) {
                String next = found < end
                        ? "frame " + sequence + " at " + found + " is the next that can be told"
                        : "no other can be told from there to the end at " + end;
                findings.add(file.path(), position, "frame " + expected, "a damaged header; " + next);
            }
            if (found >= end) {
                return;
            }
            checkPayload(found);
            position = found + LogFormat.frameBytes(payloadBytes);
            expected = sequence + 1;
        }
    }

    /** Finds the first header of a frame of this log, from a position on; the end if there is none. */
    private long nextHeader(long from, long leastSequence) {
        for (long position = from; position + LogFormat.FRAME_HEADER_BYTES <= end; position += 8) {
            if (isHeader(position, leastSequence)) {
                return position;
            }
        }
        return end;
    }

    private boolean isHeader(long position, long leastSequence) {
        int at = reader.load(position, LogFormat.FRAME_HEADER_BYTES);
        if (!LogFormat.isFrameHeader(buffer, at, generation, end - position - LogFormat.FRAME_HEADER_BYTES)) {
            return false;
        }
        payloadBytes = buffer.getInt(at + LogFormat.FRAME_PAYLOAD_BYTES_OFFSET);
        sequence = buffer.getLong(at + LogFormat.FRAME_SEQUENCE_OFFSET);
        return sequence >= leastSequence;
    }

    private void checkPayload(long position) {
        int at = reader.load(position, LogFormat.FRAME_HEADER_BYTES);
        int expected = buffer.getInt(at + LogFormat.FRAME_PAYLOAD_CRC_OFFSET);
        int found = reader.checksum(position + LogFormat.FRAME_HEADER_BYTES, payloadBytes);
        if (found != expected) {
            findings.add(
                    file.path(),
                    position,
                    "checksum " + Integer.toHexString(expected) + " of frame " + sequence,
                    Integer.toHexString(found));
        }
    }

    /** Reads frames; never goes back. */
    private void read(ByteBuffer destination, long position) {
        int length = destination.limit();
        frames.beforeRead(position + length - readUpTo);
        readUpTo = position + length;
        try {
            file.readFully(destination, position);
        } catch (StoreIoException e) {
            readBlocks(destination, position, length);
        }
        bytesRead.accept(length);
    }

    /** A part of a piece can't be read: finds out which, and leaves zeros there. */
    private void readBlocks(ByteBuffer destination, long position, int length) {
        for (int at = 0; at < length; at += BLOCK_BYTES) {
            int block = Math.min(BLOCK_BYTES, length - at);
            try {
                file.readFully(destination.limit(at + block).position(at), position + at);
            } catch (StoreIoException e) {
                findings.add(file.path(), position + at, block + " bytes of log that can be read", e);
                destination.position(at).put(new byte[block]);
            }
        }
    }
}
