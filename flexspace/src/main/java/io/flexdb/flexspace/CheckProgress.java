package io.flexdb.flexspace;

/** Is told how far a long check is. */
@FunctionalInterface
public interface CheckProgress {
    /**
     * Takes a step of the check, in the thread that runs it.
     *
     * @param bytes bytes read so far
     * @param ofBytes bytes to be read in all, as far as that is known
     */
    void checked(long bytes, long ofBytes);
}
