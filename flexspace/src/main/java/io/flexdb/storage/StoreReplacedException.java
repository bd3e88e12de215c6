package io.flexdb.storage;

import java.nio.file.Path;

/**
 * The directory that a reader follows has another store than when it was opened, or an earlier state of it, as after a
 * restore from a backup. The reader shows what it had. Close it, and open another one.
 */
public final class StoreReplacedException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String directory;

    /**
     * @param directory of the store
     * @param expected what the reader has
     * @param found what is there now
     */
    public StoreReplacedException(Path directory, String expected, String found) {
        super(directory + " is not the store that the reader was opened with: expected " + expected + ", found " + found
                + "; close the reader and open another one");
        this.directory = directory.toString();
    }

    /** The directory. */
    public Path directory() {
        return Path.of(directory);
    }
}
