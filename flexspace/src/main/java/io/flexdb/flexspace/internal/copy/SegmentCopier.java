package io.flexdb.flexspace.internal.copy;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

/** Copies segments from one file to another, and lets no frame through that was not verified. For one thread. */
public final class SegmentCopier {
    private static final int PIECE_BYTES = 1 << 20;

    private final SegmentFormat format;
    private final IntConsumer read;
    private final ByteBuffer piece;
    private final CRC32C crc = new CRC32C();

    /** @param read is told of the bytes of each piece */
    public SegmentCopier(SegmentFormat format, IntConsumer read) {
        this.format = format;
        this.read = read;
        int bytes = Math.min(format.segmentBytes, Math.max(PIECE_BYTES, format.frameBytes));
        this.piece = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Copies a segment.
     *
     * @param to null to verify it only
     * @param shared whether the file system may share the bytes once they are verified
     * @throws CorruptionException if a frame does not have its checksum
     */
    public void copy(
            CopiedSegment segment, VfsFile from, long fromPosition, VfsFile to, long toPosition, boolean shared) {
        int frames = segment.checksums().length;
        int most = piece.capacity() >>> format.frameShift;
        boolean share = shared;
        for (int first = 0; first < frames; first += most) {
            int count = Math.min(most, frames - first);
            int bytes = count << format.frameShift;
            long at = (long) first << format.frameShift;
            piece.clear().limit(bytes);
            from.readFully(piece, fromPosition + at);
            verify(segment, first, count, from, fromPosition);
            if (to != null) {
                share = share && to.shareFrom(from, fromPosition + at, bytes, toPosition + at);
                if (!share) {
                    piece.clear().limit(bytes);
                    to.write(piece, toPosition + at);
                    to.startWriting(toPosition + at, bytes);
                }
            }
            read.accept(bytes);
        }
        if (segment.sealed() && to != null) {
            writeFooter(segment, to, toPosition + format.dataBytes);
        }
    }

    /**
     * The checksums of what a file has in the place of a segment, whether they are right or not; none of a frame of
     * which a sound footer says that nothing is there.
     */
    public int[] checksums(CopiedSegment segment, VfsFile from, long fromPosition) {
        int[] found = new int[segment.checksums().length];
        int most = piece.capacity() >>> format.frameShift;
        for (int first = 0; first < found.length; first += most) {
            int count = Math.min(most, found.length - first);
            piece.clear().limit(count << format.frameShift);
            from.readFully(piece, fromPosition + ((long) first << format.frameShift));
            for (int i = 0; i < count; i++) {
                found[first + i] = checksum(segment, first + i, i);
            }
            read.accept(count << format.frameShift);
        }
        if (segment.sealed()) {
            leaveOutEmpty(segment, from, fromPosition + format.dataBytes, found);
        }
        return found;
    }

    private void leaveOutEmpty(CopiedSegment segment, VfsFile from, long footerPosition, int[] found) {
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        from.readFully(footer, footerPosition);
        int[] sums = format.footerSums(segment.number(), segment.generation(), footer, 0);
        for (int frame = 0; sums != null && frame < found.length; frame++) {
            if (sums[frame] == SegmentFormat.NO_CHECKSUM) {
                found[frame] = SegmentFormat.NO_CHECKSUM;
            }
        }
    }

    private int checksum(CopiedSegment segment, int frame, int inPiece) {
        return format.checksum(segment.number(), segment.generation(), frame, piece, inPiece << format.frameShift, crc);
    }

    private void verify(CopiedSegment segment, int first, int count, VfsFile from, long fromPosition) {
        for (int i = 0; i < count; i++) {
            int expected = segment.checksums()[first + i];
            int found = checksum(segment, first + i, i);
            if (found != expected && expected != SegmentFormat.NO_CHECKSUM) {
                throw new CorruptionException(
                        from.path(),
                        fromPosition + ((long) (first + i) << format.frameShift),
                        "checksum " + Integer.toHexString(expected) + " of frame " + (first + i) + " of segment "
                                + segment.number() + ", generation " + segment.generation(),
                        Integer.toHexString(found));
            }
        }
    }

    private void writeFooter(CopiedSegment segment, VfsFile to, long position) {
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        format.putFooter(segment.number(), segment.generation(), segment.checksums(), footer, 0);
        to.write(footer, position);
    }
}
