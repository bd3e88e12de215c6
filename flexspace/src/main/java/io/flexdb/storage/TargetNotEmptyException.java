package io.flexdb.storage;

import java.nio.file.Path;

/**
 * The directory that a copy or a restored store was to go to is neither missing nor empty, or there is something of the
 * name that a file was to get. Nothing is changed.
 */
public final class TargetNotEmptyException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path where the copy was to go
     * @param found what is there
     */
    public TargetNotEmptyException(Path path, String found) {
        super(path + " is not an empty directory: found " + found + "; give the path of an empty or missing directory");
        this.path = path.toString();
    }

    /** @param file whose name is taken */
    public TargetNotEmptyException(Path file) {
        super("there is something at " + file + " already; give the path of a file that is not there yet");
        this.path = file.toString();
    }

    /** Where the copy was to go. */
    public Path path() {
        return Path.of(path);
    }
}
