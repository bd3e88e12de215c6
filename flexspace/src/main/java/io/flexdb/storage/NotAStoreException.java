package io.flexdb.storage;

import java.nio.file.Path;

/**
 * The path given to open is neither a store nor an empty or missing directory, in which one could be made. No file is
 * changed.
 */
public final class NotAStoreException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path what was to be opened
     * @param found what is there instead of a store
     */
    public NotAStoreException(Path path, String found) {
        super(path + " is not a store: expected the files of a store or an empty directory, found " + found
                + "; give the path of a store, or of an empty or missing directory");
        this.path = path.toString();
    }

    /** The path that was to be opened. */
    public Path path() {
        return Path.of(path);
    }
}
