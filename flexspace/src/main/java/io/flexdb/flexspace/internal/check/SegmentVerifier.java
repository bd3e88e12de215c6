package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentReader;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/**
 * Verifies whole segments by large reads. For one thread; the writer may go on, as long as a pinned view keeps the
 * segments from being used again.
 */
public final class SegmentVerifier {
    private final SegmentReader reader;
    private final SegmentFormat format;
    private final VfsFile file;
    private final Findings findings;
    private final LongConsumer asksFor;
    private final ByteBuffer buffer;
    private final CRC32C crc = new CRC32C();
    private final int[] found; // checksums of frames of the segment at hand
    private final BitSet unread = new BitSet(); // frames without one
    private long bytesRead;

    /**
     * @param file the data file, the store's or opened anew
     * @param readBytes how much to read at once, if the segments are as large
     * @param asksFor is told how many bytes are to be read, each time before that is tried
     */
    public SegmentVerifier(VfsFile file, SegmentFormat format, Findings findings, int readBytes, LongConsumer asksFor) {
        this.reader = new SegmentReader(file, format);
        this.format = format;
        this.file = file;
        this.findings = findings;
        this.asksFor = asksFor;
        this.found = new int[format.dataFrames];
        int bytes = Math.min(format.segmentBytes, Math.max(readBytes, format.frameBytes));
        this.buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Verifies all frames and the footer of a sealed segment, in the order of the file: so the disk reads ahead. */
    public void verifySealed(Segment segment) {
        readFrames(segment, 0, format.dataFrames);
        int[] sums = readChecksums(segment);
        if (sums != null) {
            compare(segment, sums, 0, format.dataFrames);
        }
    }

    /** Verifies the footer of a sealed segment. Returns the checksums of its frames, or null if nobody knows them. */
    int[] readChecksums(Segment segment) {
        asksFor.accept(format.footerBytes);
        try {
            int[] sums = reader.readFooter(segment);
            bytesRead += format.footerBytes;
            return sums;
        } catch (CorruptionException e) {
            findings.add(e);
        } catch (StoreIoException e) {
            unreadable(format.filePosition(segment.number, format.dataBytes), "the footer of " + segment, e);
        }
        return segment.checksums;
    }

    /** Verifies the frames of a segment from one to before another. */
    void verifyFrames(Segment segment, int[] sums, int from, int end) {
        readFrames(segment, from, end);
        compare(segment, sums, from, end);
    }

    private void compare(Segment segment, int[] sums, int from, int end) {
        for (int frame = from; frame < end; frame++) {
            boolean differs = found[frame] != sums[frame] && sums[frame] != SegmentFormat.NO_CHECKSUM;
            if (differs && !unread.get(frame)) {
                findings.add(reader.damage(segment, frame, sums[frame], found[frame]));
            }
        }
    }

    private void readFrames(Segment segment, int from, int end) {
        unread.clear();
        int most = buffer.capacity() >>> format.frameShift;
        for (int first = from; first < end; first += most) {
            int count = Math.min(most, end - first);
            asksFor.accept((long) count << format.frameShift);
            try {
                readRun(segment, first, count);
            } catch (StoreIoException e) {
                readEach(segment, first, count);
            } catch (CorruptionException e) {
                findings.add(e); // the file is too short
                unread.set(first, first + count);
            }
        }
    }

    /** Some of these frames can't be read: finds out which. */
    private void readEach(Segment segment, int first, int count) {
        for (int frame = first; frame < first + count; frame++) {
            try {
                readRun(segment, frame, 1);
            } catch (StoreIoException e) {
                long position = format.filePosition(segment.number, frame << format.frameShift);
                unreadable(position, "frame " + frame + " of " + segment, e);
                unread.set(frame);
            }
        }
    }

    private void unreadable(long position, String what, StoreIoException e) {
        findings.add(file.path(), position, what, String.valueOf(e.getMessage()));
    }

    private void readRun(Segment segment, int first, int count) {
        reader.readFrames(segment, first, count, buffer, 0);
        for (int i = 0; i < count; i++) {
            found[first + i] =
                    format.checksum(segment.number, segment.generation, first + i, buffer, i << format.frameShift, crc);
        }
        bytesRead += (long) count << format.frameShift;
    }

    long bytesRead() {
        return bytesRead;
    }
}
