package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Sealed segments whose footers do not count, as a recovery may find them: early builds wrote new extents into dead
 * frames of sealed segments, and one was cut while it did. Their footers are written anew. Writer only.
 */
final class FoundRefills {
    /*
     * F1  The log, or the segment table of the checkpoint that it extends, has the checksums of all frames of these
     *     segments in which anything lives, until the log says that a segment is sealed.
     * F2  The log says that only after a force that followed the writing of the footer.
     */
    private final List<Segment> segments = new ArrayList<>();

    /** Takes what a log or a checkpoint says of frames of such a segment. */
    void restore(Segment segment, int firstFrame, ByteBuffer sums, int frames, SegmentFormat format) {
        if (segment.footerCounts) {
            segment.footerCounts = false;
            segment.checksums = new int[format.dataFrames];
            segments.add(segment);
        }
        for (int i = 0; i < frames; i++) {
            segment.checksums[firstFrame + i] = sums.getInt();
        }
    }

    /** Forgets one of which the log says that it is sealed, or in which nothing lives any more. */
    void forget(Segment segment) {
        if (!segment.footerCounts) {
            segments.remove(segment);
        }
    }

    /** Ends a recovery: those that are free or used again are forgotten. */
    void recovered(Predicate<Segment> isInUse) {
        segments.removeIf(isInUse.negate());
    }

    /** Writes their footers, and returns how many bytes that were. When what the recovery found is durable. */
    int writeFooters(VfsFile file, SegmentFormat format) {
        for (Segment segment : segments) {
            ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
            format.putFooter(segment.number, segment.generation, segment.checksums, footer, 0);
            file.write(footer, format.filePosition(segment.number, format.dataBytes));
        }
        return segments.size() * format.footerBytes;
    }

    /** Whether a log batch has something to say of them. */
    boolean areThere() {
        return !segments.isEmpty();
    }

    /** Bytes that the notes of that batch take. */
    long noteBytes() {
        return (long) segments.size() * LogBatch.NOTE_BYTES;
    }

    /** Hands over what it must say. Call after a force (F2). */
    void note(LogBatch batch) {
        for (Segment segment : segments) {
            batch.segmentNote(segment.number, segment.generation, LogBatch.SEALED, 0, null, 0);
        }
    }

    /** Makes them segments as any other. Call when that batch is durable. */
    void batchDurable(ChecksumCache checksums) {
        for (Segment segment : segments) {
            segment.footerCounts = true;
            checksums.sealed(segment);
        }
        segments.clear();
    }
}
