package io.flexdb.flexspace.internal.check;

import java.nio.file.Path;

/**
 * Something that is not as it should be.
 *
 * @param file the file, or the one from which the structure in memory came
 * @param position the byte in the file at which the damaged unit starts
 * @param expected what should be there
 * @param found what is there
 */
public record Finding(Path file, long position, String expected, String found) {
    @Override
    public String toString() {
        return file + " at " + position + ": expected " + expected + ", found " + found;
    }
}
