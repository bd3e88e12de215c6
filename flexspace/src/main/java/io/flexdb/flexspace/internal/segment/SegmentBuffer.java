package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a segment in memory, until all of them are in the file (the paper's segment buffer). For one thread at a
 * time: the writer, until it hands the full segment over to {@link SegmentSealer}.
 */
final class SegmentBuffer {
    /*
     * Readers copy from the segment's memory meanwhile. The bytes that they know of lie before those still written
     * here.
     *
     * A frame gets its checksum as soon as it is full: its bytes are in the processor's caches then, and whoever has it
     * written has less to do, which takes the longer of the two.
     *
     * A large segment is written in parts: whoever reads the file, or takes space for it, waits for one part at most.
     * Parts end at round positions of the file, so that the page cache can hold them in large pieces.
     */
    private static final int PART_BYTES = 512 << 10;

    private final VfsFile file;
    private final SegmentFormat format;
    private final Segment segment;
    private final ByteBuffer memory;
    private final ByteBuffer bytes; // a private view: readers must not see positions move
    private final CRC32C crc = new CRC32C();
    private int framesInFile;
    private int framesChecked; // have their checksums
    private int end; // of what was appended

    /**
     * @param segment an open one, which has frames in the file up to its used bytes
     * @param memory for all of it
     */
    SegmentBuffer(VfsFile file, SegmentFormat format, Segment segment, ByteBuffer memory) {
        this.file = file;
        this.format = format;
        this.segment = segment;
        this.memory = memory;
        this.bytes = memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.framesInFile = segment.usedBytes >>> format.frameShift;
        this.framesChecked = framesInFile;
        segment.memory = memory;
    }

    Segment segment() {
        return segment;
    }

    /** The memory that it was given. */
    ByteBuffer memory() {
        return memory;
    }

    int framesInFile() {
        return framesInFile;
    }

    /** Bytes of the segment that are not in the file yet, footer included. */
    int bytesToSeal() {
        return format.segmentBytes - (framesInFile << format.frameShift);
    }

    /** Appends bytes, for which there is room, and returns their position in the segment. */
    int append(ByteBuffer source, int sourcePosition, int length) {
        int at = segment.usedBytes;
        bytes.put(at, source, sourcePosition, length);
        segment.usedBytes = at + length;
        checksumTo(at + length >>> format.frameShift);
        return at;
    }

    /** Writes what was appended and is not in the file, padded to whole frames, and returns how many bytes that was. */
    int writeAppended() {
        int from = framesInFile << format.frameShift;
        int used = segment.usedBytes;
        if (used <= from) {
            return 0;
        }
        int frames = (used + format.frameBytes - 1) >>> format.frameShift;
        int to = frames << format.frameShift;
        zero(used, to);
        checksumTo(frames);
        write(from, to);
        segment.usedBytes = to;
        framesInFile = frames;
        return to - from;
    }

    /** Ends appending. The rest will be zeros. */
    void end() {
        end = segment.usedBytes;
        segment.usedBytes = format.dataBytes;
    }

    /** Once {@linkplain #end ended}: writes all that is not in the file yet, footer included. Readers go there then. */
    void seal() {
        zero(end, format.segmentBytes);
        checksumTo(format.dataFrames);
        format.putFooter(segment.number, segment.generation, segment.checksums, bytes, format.dataBytes);
        int first = framesInFile;
        do {
            int behind = Math.min(endOfPart(first), format.dataFrames);
            boolean last = behind == format.dataFrames;
            write(first << format.frameShift, last ? format.segmentBytes : behind << format.frameShift);
            first = behind;
        } while (first < format.dataFrames);
        // Or the disk would have nothing to do until the next force, and everything then.
        file.startWriting(format.filePosition(segment.number, 0), format.segmentBytes);
        // The volatile write makes checksums and bytes in the file visible before the memory goes away.
        segment.memory = null;
    }

    /** The first frame behind the part that begins with a frame. */
    private int endOfPart(int frame) {
        long position = format.filePosition(segment.number, frame << format.frameShift);
        int part = (int) (PART_BYTES - position % PART_BYTES);
        return frame + (part + format.frameBytes - 1 >>> format.frameShift);
    }

    private void zero(int from, int to) {
        for (int i = from; i < to; ) {
            if ((i & 7) == 0 && to - i >= 8) {
                bytes.putLong(i, 0);
                i += 8;
            } else {
                bytes.put(i++, (byte) 0);
            }
        }
    }

    private void checksumTo(int behind) {
        if (framesChecked < behind) {
            int[] sums = segment.checksums;
            for (int frame = framesChecked; frame < behind; frame++) {
                sums[frame] = format.checksum(
                        segment.number, segment.generation, frame, bytes, frame << format.frameShift, crc);
            }
            framesChecked = behind;
            bytes.clear();
        }
    }

    private void write(int from, int to) {
        bytes.limit(to).position(from);
        file.write(bytes, format.filePosition(segment.number, from));
        bytes.clear();
    }
}
