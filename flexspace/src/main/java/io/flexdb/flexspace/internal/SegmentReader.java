package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads segments, and lets out no byte of the file that was not verified. Any number of threads. */
final class SegmentReader {
    private final VfsFile file;
    private final SegmentFormat format;
    private final StripedPool<ReadScratch> scratches;

    SegmentReader(VfsFile file, SegmentFormat format) {
        this.file = file;
        this.format = format;
        int scratchBytes = Math.max(format.maxExtentBytes, 16 * 1024) / format.frameBytes * format.frameBytes
                + 2 * format.frameBytes;
        this.scratches = new StripedPool<>(() -> new ReadScratch(scratchBytes));
    }

    /** Copies bytes of one extent, each verified. Inside an epoch that holds a version with the extent. */
    void read(Segment segment, int from, ByteBuffer destination, int destinationPosition, int length) {
        ByteBuffer memory = segment.memory;
        if (memory == null) {
            readFromFile(segment, from, destination, destinationPosition, length);
            return;
        }
        int inFile = Math.min(length, Math.max(0, segment.memoryStart - from));
        if (inFile > 0) {
            readFromFile(segment, from, destination, destinationPosition, inFile);
        }
        if (inFile < length) {
            destination.put(destinationPosition + inFile, memory, from + inFile, length - inFile);
        }
    }

    private void readFromFile(Segment segment, int from, ByteBuffer destination, int destinationPosition, int length) {
        int[] sums = segment.checksums;
        if (sums == null) {
            sums = loadFooter(segment);
        }
        ReadScratch scratch = scratches.borrow();
        try {
            ByteBuffer buffer = scratch.buffer;
            int done = 0;
            while (done < length) {
                int first = (from + done) >>> format.frameShift;
                int inFrame = from + done - (first << format.frameShift);
                int frames = Math.min(
                        buffer.capacity() >>> format.frameShift,
                        (inFrame + length - done + format.frameBytes - 1) >>> format.frameShift);
                readFrames(segment, first, frames, buffer);
                int damaged = firstDamaged(segment, sums, first, frames, buffer, 0, scratch.crc);
                if (damaged < first + frames) {
                    int position = (damaged - first) << format.frameShift;
                    int found = checksum(segment, damaged, buffer, position, scratch.crc);
                    throw damage(segment, damaged, sums[damaged], found);
                }
                int piece = Math.min(length - done, (frames << format.frameShift) - inFrame);
                buffer.clear();
                destination.put(destinationPosition + done, buffer, inFrame, piece);
                done += piece;
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    /** Reads frames to the beginning of a buffer, unverified. */
    void readFrames(Segment segment, int first, int frames, ByteBuffer buffer) {
        buffer.clear().limit(frames << format.frameShift);
        file.readFully(buffer, format.filePosition(segment.number, first << format.frameShift));
    }

    /**
     * Verifies frames that lie in a buffer from a position on. Moves the buffer's position and limit.
     *
     * @return the first damaged one, or the one behind the last
     */
    int firstDamaged(Segment segment, int[] sums, int first, int frames, ByteBuffer buffer, int position, CRC32C crc) {
        for (int i = 0; i < frames; i++) {
            int found = checksum(segment, first + i, buffer, position + (i << format.frameShift), crc);
            if (found != sums[first + i]) {
                return first + i;
            }
        }
        return first + frames;
    }

    /** The checksum of a frame that lies in a buffer at a position. Moves the buffer's position and limit. */
    int checksum(Segment segment, int frame, ByteBuffer buffer, int position, CRC32C crc) {
        buffer.limit(position + format.frameBytes).position(position);
        crc.reset();
        crc.update(buffer);
        return format.seal((int) crc.getValue(), segment.number, segment.generation, frame);
    }

    /** What is to be said of a damaged frame. */
    CorruptionException damage(Segment segment, int frame, int expected, int found) {
        return new CorruptionException(
                file.path(),
                format.filePosition(segment.number, frame << format.frameShift),
                "checksum " + Integer.toHexString(expected) + " of frame " + frame + " of segment " + segment.number
                        + ", generation " + segment.generation,
                Integer.toHexString(found));
    }

    private int[] loadFooter(Segment segment) {
        int[] sums = readFooter(segment);
        segment.checksums = sums; // several readers may load it at once: the same values
        return sums;
    }

    /** The checksums in the footer of a sealed segment. While the segment can't be used again. */
    int[] readFooter(Segment segment) {
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        long position = format.filePosition(segment.number, format.dataBytes);
        file.readFully(footer, position);
        int end = format.footerBytes - Integer.BYTES;
        int found =
                format.seal(FilePreamble.crc(footer, 0, end), segment.number, segment.generation, format.dataFrames);
        if (found != footer.getInt(end)) {
            throw new CorruptionException(
                    file.path(),
                    position,
                    "checksum " + Integer.toHexString(footer.getInt(end)) + " of the footer of segment "
                            + segment.number + ", generation " + segment.generation,
                    Integer.toHexString(found));
        }
        int[] sums = new int[format.dataFrames];
        for (int frame = 0; frame < sums.length; frame++) {
            sums[frame] = footer.getInt(frame * Integer.BYTES);
        }
        return sums;
    }
}
