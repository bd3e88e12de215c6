package io.flexdb.flexspace.simulation;

/** How an operation fails. */
public enum Fault {
    /** Any operation fails and has no effect; a force fails as {@link #FORCE_FAILS} says. */
    EIO,
    /** A write, force, rename or the making of a file or directory finds no space and has no effect. */
    ENOSPC,
    /** A write writes the first part of its bytes and fails. */
    SHORT_WRITE,
    /**
     * A force of a file or directory fails. The file's unforced sectors count as clean from then on: a later force
     * leaves them alone and succeeds, reads find what was written, and after a power cut each holds either that or what
     * it held before. The unsynced names of a directory stay unsynced.
     */
    FORCE_FAILS;

    boolean appliesTo(Operation operation) {
        return switch (this) {
            case EIO -> true;
            case ENOSPC -> operation.takesSpace;
            case SHORT_WRITE -> operation == Operation.WRITE;
            case FORCE_FAILS -> operation == Operation.FORCE || operation == Operation.SYNC;
        };
    }
}
