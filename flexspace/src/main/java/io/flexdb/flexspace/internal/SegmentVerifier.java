package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Verifies whole segments by large reads. For one thread; the writer may go on, as long as a pinned view keeps the
 * segments from being used again.
 */
final class SegmentVerifier {
    private final SegmentReader reader;
    private final SegmentFormat format;
    private final VfsFile file;
    private final Findings findings;
    private final ByteBuffer buffer;
    private final CRC32C crc = new CRC32C();
    private long bytesRead;

    /** @param readBytes how much to read at once, if the segments are as large */
    SegmentVerifier(SegmentStore store, Findings findings, int readBytes) {
        this.reader = store.reader();
        this.format = store.format();
        this.file = store.file();
        this.findings = findings;
        int bytes = Math.min(format.segmentBytes, Math.max(readBytes, format.frameBytes));
        this.buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Verifies the footer and all frames of a sealed segment. */
    void verifySealed(Segment segment) {
        int[] sums = readChecksums(segment);
        if (sums != null) {
            verifyFrames(segment, sums, 0, format.dataFrames);
        }
    }

    /** Verifies the footer of a sealed segment. Returns the checksums of its frames, or null if nobody knows them. */
    int[] readChecksums(Segment segment) {
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
        int most = buffer.capacity() >>> format.frameShift;
        for (int first = from; first < end; first += most) {
            int count = Math.min(most, end - first);
            try {
                verifyRun(segment, sums, first, count);
            } catch (StoreIoException e) {
                verifyEach(segment, sums, first, count);
            } catch (CorruptionException e) {
                findings.add(e); // the file is too short
            }
        }
    }

    /** Some of these frames can't be read: finds out which. */
    private void verifyEach(Segment segment, int[] sums, int first, int count) {
        for (int frame = first; frame < first + count; frame++) {
            try {
                verifyRun(segment, sums, frame, 1);
            } catch (StoreIoException e) {
                long position = format.filePosition(segment.number, frame << format.frameShift);
                unreadable(position, "frame " + frame + " of " + segment, e);
            }
        }
    }

    private void unreadable(long position, String what, StoreIoException e) {
        findings.add(file.path(), position, what, String.valueOf(e.getMessage()));
    }

    private void verifyRun(Segment segment, int[] sums, int first, int count) {
        reader.readFrames(segment, first, count, buffer);
        int end = first + count;
        for (int from = first; from < end; from++) {
            from = reader.firstDamaged(
                    segment, sums, from, end - from, buffer, (from - first) << format.frameShift, crc);
            if (from < end) {
                findings.add(reader.damage(segment, sums, from, buffer, (from - first) << format.frameShift, crc));
            }
        }
        bytesRead += (long) count << format.frameShift;
    }

    long bytesRead() {
        return bytesRead;
    }
}
