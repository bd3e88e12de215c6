package io.flexdb.internal.log;

/**
 * Tells a log from all others, and from other uses of its file.
 *
 * @param number of the file, which is its name
 * @param generation of this use of the file
 */
public record WalId(long storeId, long number, long generation) {
    /** That of the next log to be made. */
    WalId next() {
        return new WalId(storeId, number + 1, generation + 1);
    }
}
