package io.flexdb.flexspace.internal.check;

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
import java.util.zip.CRC32C;

/** Verifies a logical log, and goes on behind what is damaged. For one thread; the log may be appended to meanwhile. */
final class LogChecker {
    /*
     * A frame whose payload is damaged still says how long it is, so the next one is where it should be. One whose
     * header is damaged does not. Then the next is looked for at every multiple of 8: its header has a checksum of its
     * own, the generation of the log, and a sequence that is not below the one that is expected. All between is one
     * finding, which says how many frames that were. If none is found, nothing behind the damage can be told apart, up
     * to the end.
     */
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int BLOCK_BYTES = 4096;
    private static final int TRIES = 100;

    private final VfsFile file;
    private final long storeId;
    private final long generation;
    private final Findings findings;
    private final LongConsumer bytesRead;
    private final ByteBuffer window = ByteBuffer.allocateDirect(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private final ReadAhead frames;
    private long windowStart;
    private long windowEnd;
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
        windowStart = LogFormat.FRAMES_OFFSET;
        windowEnd = LogFormat.FRAMES_OFFSET;
        frames.add(windowEnd, Math.max(0, end - windowEnd));
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
        int at = load(position, LogFormat.FRAME_HEADER_BYTES);
        if (!LogFormat.isFrameHeader(window, at, generation, end - position - LogFormat.FRAME_HEADER_BYTES)) {
            return false;
        }
        payloadBytes = window.getInt(at + LogFormat.FRAME_PAYLOAD_BYTES_OFFSET);
        sequence = window.getLong(at + LogFormat.FRAME_SEQUENCE_OFFSET);
        return sequence >= leastSequence;
    }

    private void checkPayload(long position) {
        int at = load(position, LogFormat.FRAME_HEADER_BYTES);
        int expected = window.getInt(at + LogFormat.FRAME_PAYLOAD_CRC_OFFSET);
        crc.reset();
        for (int done = 0; done < payloadBytes; ) {
            int piece = Math.min(payloadBytes - done, BLOCK_BYTES);
            int from = load(position + LogFormat.FRAME_HEADER_BYTES + done, piece);
            crc.update(window.duplicate().limit(from + piece).position(from));
            done += piece;
        }
        if ((int) crc.getValue() != expected) {
            findings.add(
                    file.path(),
                    position,
                    "checksum " + Integer.toHexString(expected) + " of frame " + sequence,
                    Integer.toHexString((int) crc.getValue()));
        }
    }

    /** Sees to it that some bytes before the end are in the window, and returns where. Never goes back. */
    private int load(long position, int bytes) {
        if (position < windowStart || position + bytes > windowEnd) {
            int length = (int) Math.min(WINDOW_BYTES, end - position);
            frames.beforeRead(position + length - windowEnd);
            windowStart = position;
            windowEnd = position + length;
            try {
                file.readFully(window.clear().limit(length), position);
            } catch (StoreIoException e) {
                readBlocks(length);
            }
            window.clear();
            bytesRead.accept(length);
        }
        return (int) (position - windowStart);
    }

    /** A part of the window can't be read: finds out which, and leaves zeros there. */
    private void readBlocks(int length) {
        for (int at = 0; at < length; at += BLOCK_BYTES) {
            int block = Math.min(BLOCK_BYTES, length - at);
            try {
                file.readFully(window.clear().limit(at + block).position(at), windowStart + at);
            } catch (StoreIoException e) {
                findings.add(file.path(), windowStart + at, block + " bytes of log that can be read", e);
                window.clear().position(at).put(new byte[block]);
            }
        }
    }
}
