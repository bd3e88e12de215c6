package io.flexdb;

/**
 * Is told how far a long operation is, in the thread that runs it, after each mebibyte or so. It may take its time,
 * which makes the operation slower; and throw, which ends it. It may close the store, which ends it, too.
 */
@FunctionalInterface
public interface Progress {
    /** Does nothing. */
    Progress NONE = (bytes, ofBytes) -> {};

    /**
     * Takes a step.
     *
     * @param bytes that have been read or copied so far
     * @param ofBytes how many there are in all, as far as that is known; never less than {@code bytes}
     */
    void done(long bytes, long ofBytes);
}
