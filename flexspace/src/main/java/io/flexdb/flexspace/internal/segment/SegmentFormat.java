package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SegmentSizes;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Where the bytes of a segment are.
 *
 * <pre>
 * data file   OFFSET                     SIZE          FIELD
 *             0                          4096          file preamble, see FilePreamble
 *             4096 + n * segmentBytes    segmentBytes  segment n
 *
 * segment     OFFSET                     SIZE          FIELD
 *             0                          dataBytes     data frames
 *             dataBytes                  4 * frames    checksum of each data frame
 *             segmentBytes - 4           4             checksum of the footer before it
 * </pre>
 *
 * <p>An address is {@code segment * segmentBytes + position in the segment}. A frame's checksum is the CRC32C of its
 * bytes, combined with a hash of store, segment, generation and frame number, so that stale and misplaced frames fail
 * too. The footer exists once the segment is sealed. Bytes between the last checksum and the footer's own are zero.
 */
public final class SegmentFormat {
    /** Position of segment 0 in the data file. */
    public static final int FIRST_SEGMENT_POSITION = FilePreamble.BLOCK_BYTES;

    /** A checksum in a footer where there is nothing to verify; see {@link StagedBytes}. */
    public static final int NO_CHECKSUM = 0;

    public final int segmentBytes;
    public final int frameBytes;
    public final int segmentShift;
    public final int frameShift;
    public final int footerBytes;
    public final int dataBytes;
    public final int dataFrames;
    public final int maxExtentBytes;
    /** How many segments addresses of 48 bits can name, the last address being that of holes. */
    public final int maxSegments;

    public final long storeId;

    public SegmentFormat(SegmentSizes sizes, long storeId) {
        this(sizes.segmentBytes(), sizes.frameBytes(), storeId);
    }

    public SegmentFormat(int segmentBytes, int frameBytes, long storeId) {
        this(segmentBytes, frameBytes, storeId, FlexTree.HOLE);
    }

    /** @param lastAddress that no segment may have */
    public SegmentFormat(int segmentBytes, int frameBytes, long storeId, long lastAddress) {
        this.segmentBytes = segmentBytes;
        this.frameBytes = frameBytes;
        this.segmentShift = Integer.numberOfTrailingZeros(segmentBytes);
        this.frameShift = Integer.numberOfTrailingZeros(frameBytes);
        this.storeId = storeId;
        int frames = segmentBytes / frameBytes;
        int footerFrames = 1;
        while ((frames - footerFrames) * Integer.BYTES + Integer.BYTES > footerFrames * frameBytes) {
            footerFrames++;
        }
        this.footerBytes = footerFrames * frameBytes;
        this.dataFrames = frames - footerFrames;
        this.dataBytes = dataFrames * frameBytes;
        this.maxExtentBytes = segmentBytes / 32;
        this.maxSegments = (int) Math.min(Integer.MAX_VALUE - 8, lastAddress >>> segmentShift);
    }

    public SegmentSizes sizes() {
        return new SegmentSizes(segmentBytes, frameBytes);
    }

    /** The data file's position of a byte of a segment. */
    public long filePosition(int segment, int positionInSegment) {
        return FIRST_SEGMENT_POSITION + ((long) segment << segmentShift) + positionInSegment;
    }

    public int segmentOf(long address) {
        return (int) (address >>> segmentShift);
    }

    public int positionOf(long address) {
        return (int) address & (segmentBytes - 1);
    }

    public long address(int segment, int positionInSegment) {
        return ((long) segment << segmentShift) + positionInSegment;
    }

    /** Turns the CRC32C of a frame's bytes into its checksum; the footer counts as frame {@code dataFrames}. */
    public int seal(int crc, int segment, int generation, int frame) {
        long mixed = storeId ^ ((long) segment << 32 | frame & 0xFFFFFFFFL) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L + generation * 0x94D049BB133111EBL;
        return crc ^ (int) (mixed ^ mixed >>> 32);
    }

    /** The checksum of a frame that lies in a buffer at a position. Moves the buffer's position and limit. */
    public int checksum(int segment, int generation, int frame, ByteBuffer buffer, int position, CRC32C crc) {
        buffer.limit(position + frameBytes).position(position);
        crc.reset();
        crc.update(buffer);
        return seal((int) crc.getValue(), segment, generation, frame);
    }

    /** The checksums in a footer that a buffer has at a position; null if it is damaged. */
    public int[] footerSums(int segment, int generation, ByteBuffer buffer, int position) {
        int last = footerBytes - Integer.BYTES;
        int crc = FilePreamble.crc(buffer, position, last);
        if (buffer.getInt(position + last) != seal(crc, segment, generation, dataFrames)) {
            return null;
        }
        int[] sums = new int[dataFrames];
        for (int frame = 0; frame < dataFrames; frame++) {
            sums[frame] = buffer.getInt(position + frame * Integer.BYTES);
        }
        return sums;
    }

    /** Puts the footer into a buffer, which has zeros from a position on. */
    public void putFooter(int segment, int generation, int[] sums, ByteBuffer buffer, int position) {
        int at = position;
        for (int sum : sums) {
            buffer.putInt(at, sum);
            at += Integer.BYTES;
        }
        int last = footerBytes - Integer.BYTES;
        int crc = FilePreamble.crc(buffer, position, last);
        buffer.putInt(position + last, seal(crc, segment, generation, dataFrames));
    }
}
