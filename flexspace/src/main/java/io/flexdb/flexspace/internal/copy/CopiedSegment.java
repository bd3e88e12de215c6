package io.flexdb.flexspace.internal.copy;

import io.flexdb.flexspace.internal.segment.SegmentFormat;

/**
 * A segment, or what is in the file of the one that was open.
 *
 * @param number of the segment
 * @param generation of this use of it
 * @param checksums of its frames that are copied, which tell its whole content
 * @param sealed whether a footer follows them
 */
public record CopiedSegment(int number, int generation, int[] checksums, boolean sealed) {
    /** Its bytes in the copy. */
    public int bytes(SegmentFormat format) {
        return sealed ? format.segmentBytes : checksums.length << format.frameShift;
    }
}
