package io.flexdb.flexspace.internal.base;

/**
 * The sizes that a space keeps for as long as it is there.
 *
 * @param segmentBytes of each segment of the data file
 * @param frameBytes of each frame of a segment
 */
public record SegmentSizes(int segmentBytes, int frameBytes) {
    private static final int LEAST_FRAMES = 32;

    /** Whether a space can have them: powers of two within the limits, with 32 frames in a segment at least. */
    public boolean areSound() {
        return Integer.bitCount(segmentBytes) == 1
                && Integer.bitCount(frameBytes) == 1
                && frameBytes >= SpaceSettings.MIN_FRAME_BYTES
                && segmentBytes <= SpaceSettings.MAX_SEGMENT_BYTES
                && segmentBytes / frameBytes >= LEAST_FRAMES;
    }
}
