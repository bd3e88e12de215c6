package io.flexdb.typed;

import io.flexdb.storage.StorageException;

/**
 * A keyspace was to be opened with codecs that are not those it was written with. The message names both. Nothing was
 * changed: open it with the stored codecs, or copy its pairs to a keyspace of another name.
 */
public final class CodecMismatchException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String keyspace;

    CodecMismatchException(String keyspace, String expected, String found, String remedy) {
        super("keyspace " + PairCodec.shownName(keyspace) + " is stored with " + expected
                + ", but was to be opened with " + found + "; nothing was changed. " + remedy);
        this.keyspace = keyspace;
    }

    /** The name of the keyspace; empty for the default one. */
    public String keyspace() {
        return keyspace;
    }
}
