package io.flexdb.jmh.suite;

/** How much is measured. */
enum Scale {
    /** Shows within minutes that everything works; its figures mean nothing. */
    SMOKE,
    /** Sizes for a machine with two processors and 8 GiB: little more than an hour. */
    LAPTOP,
    /** The sizes of the paper, for a machine like its own: days. */
    PAPER;

    /** The value for this scale. */
    <T> T of(T smoke, T laptop, T paper) {
        return switch (this) {
            case SMOKE -> smoke;
            case LAPTOP -> laptop;
            case PAPER -> paper;
        };
    }
}
