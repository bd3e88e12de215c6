package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Which files there were at some moment, and what was in them. Lock files don't count: to look may make them. */
public final class FilesBefore {
    private final SimulatedVfs files;
    private final Predicate<Path> which;
    private final Map<Path, byte[]> contents;

    /** All files there are now. */
    public static FilesBefore of(SimulatedVfs files) {
        return of(files, path -> true);
    }

    /** Some of the files there are now. */
    public static FilesBefore of(SimulatedVfs files, Predicate<Path> which) {
        return new FilesBefore(files, which);
    }

    private FilesBefore(SimulatedVfs files, Predicate<Path> which) {
        this.files = files;
        this.which = which;
        this.contents = contents();
    }

    private Map<Path, byte[]> contents() {
        Map<Path, byte[]> found = new TreeMap<>();
        for (Path path : files.files()) {
            if (!path.endsWith("LOCK") && which.test(path)) {
                found.put(path, files.content(path));
            }
        }
        return found;
    }

    /** Fails if one of them has changed, is missing or is new. */
    public void assertUnchanged(String at) {
        Map<Path, byte[]> after = contents();
        assertEquals(contents.keySet(), after.keySet(), at);
        contents.forEach((path, was) -> assertArrayEquals(was, after.get(path), () -> at + ": " + path));
    }
}
