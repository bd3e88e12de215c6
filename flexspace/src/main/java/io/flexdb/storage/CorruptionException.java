package io.flexdb.storage;

import java.nio.file.Path;

/**
 * Bytes of a store are not what was written there. Nothing of what they held is returned, and no file is changed.
 */
public final class CorruptionException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final long position;
    private final String expected;
    private final String found;

    /**
     * @param file the damaged file
     * @param position the byte in the file at which the damaged unit starts
     * @param expected what should be there
     * @param found what is there
     */
    public CorruptionException(Path file, long position, String expected, String found) {
        super("damage in " + file + " at position " + position + ": expected " + expected + ", found " + found
                + "; keep a copy of the store, then restore it from a backup or salvage what is readable");
        this.file = file.toString();
        this.position = position;
        this.expected = expected;
        this.found = found;
    }

    /** The damaged file. */
    public Path file() {
        return Path.of(file);
    }

    /** The byte in the file at which the damaged unit starts. */
    public long position() {
        return position;
    }

    /** The value that should be there. */
    public String expected() {
        return expected;
    }

    /** The value that is there. */
    public String found() {
        return found;
    }
}
