package io.flexdb.storage;

import java.nio.file.Path;

/**
 * A file has a format version that this release can't read. No file is changed. The message says what to do.
 */
public final class UnsupportedFormatException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int found;
    private final int oldestSupported;
    private final int newestSupported;

    /**
     * @param file the file
     * @param kind what kind of file it is, such as "logical log"
     * @param found the version in the file
     * @param oldestSupported the oldest version that can be read
     * @param newestSupported the newest version that can be read
     * @param advice what to do
     */
    public UnsupportedFormatException(
            Path file, String kind, int found, int oldestSupported, int newestSupported, String advice) {
        super(kind + " " + file + " has format version " + found + ", but this release reads versions "
                + oldestSupported + " to " + newestSupported + "; " + advice);
        this.file = file.toString();
        this.found = found;
        this.oldestSupported = oldestSupported;
        this.newestSupported = newestSupported;
    }

    /** The file. */
    public Path file() {
        return Path.of(file);
    }

    /** The version in the file. */
    public int found() {
        return found;
    }

    /** The oldest version that this release reads. */
    public int oldestSupported() {
        return oldestSupported;
    }

    /** The newest version that this release reads. */
    public int newestSupported() {
        return newestSupported;
    }
}
