package io.flexdb.flexspace.internal.base;

/**
 * The steps of the format of a FlexSpace: segments, FlexTree file and logical log. The headers of these files have the
 * number. Numbers below the first were those of builds that were never released.
 */
public enum SpaceFormatVersion implements FormatStep {
    /** Segments with checksums of frames, a FlexTree file with two headers, logical logs that continue each other. */
    FIRST_RELEASE(2, "0.1.0");

    /** Writes the last step. */
    public static final FormatLadder LADDER = new FormatLadder(values(), FIRST_RELEASE);

    private final int number;
    private final String release;

    SpaceFormatVersion(int number, String release) {
        this.number = number;
        this.release = release;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public String release() {
        return release;
    }
}
