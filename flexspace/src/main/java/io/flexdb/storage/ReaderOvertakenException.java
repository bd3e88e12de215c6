package io.flexdb.storage;

/**
 * A cursor or snapshot of a reader beside a writer has come to disk space that the writer has used again since. The
 * data it has shown so far is right; the rest of that state is gone. Open another one, after a refresh of the reader.
 */
public final class ReaderOvertakenException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param sequence the number of the last write that the state has
     * @param cause what was found where the state was
     */
    public ReaderOvertakenException(long sequence, StorageException cause) {
        super(
                "the state up to sequence number " + sequence + " is no longer on the disk: the writer has gone on, and"
                        + " has used its space again; refresh the reader, and open another cursor or snapshot",
                cause);
    }
}
