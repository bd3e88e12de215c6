package io.flexdb.flexspace.simulation;

import java.util.SplittableRandom;

/** How much of what was not synced a power cut leaves. */
enum Survival {
    NOTHING,
    EVERYTHING,
    SOME;

    private static final double[] SHARES = {0.1, 0.5, 0.9};

    static Survival of(long seed) {
        return seed == 0 ? NOTHING : seed == 1 ? EVERYTHING : SOME;
    }

    /**
     * The survival of one file or of the names, in a cut that leaves {@code overall}. The extremes are frequent, so
     * that one file is often all new while another is all old.
     */
    static Survival within(Survival overall, SplittableRandom random) {
        if (overall != SOME) {
            return overall;
        }
        int dice = random.nextInt(4);
        return dice == 0 ? NOTHING : dice == 1 ? EVERYTHING : SOME;
    }

    /** The probability with which each sector or name survives. */
    static double share(SplittableRandom random) {
        return SHARES[random.nextInt(SHARES.length)];
    }
}
