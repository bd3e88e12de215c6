package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Globs that the default file system takes match the same there. */
class GlobTest {
    private static final int TRIES = Effort.times(100_000);
    private static final String GLOBS = "ab.-*?[]{}!,\\/^$+(|&";
    private static final String PATHS = "aab.-/!,^$+(|&[]";

    private static String random(Random random, String characters, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most); i >= 0; i--) {
            text.append(characters.charAt(random.nextInt(characters.length())));
        }
        return text.toString();
    }

    private static String result(FileSystem files, String glob, String path) {
        try {
            return Boolean.toString(files.getPathMatcher("glob:" + glob).matches(files.getPath(path)));
        } catch (PatternSyntaxException e) {
            return "no pattern";
        }
    }

    @Test
    void globsMatchTheSamePathsAsThoseOfUnix(@TempDir Path directory) throws IOException {
        FileSystem theirs = FileSystems.getDefault();
        Assumptions.assumeTrue(theirs.getSeparator().equals("/"));
        int matches = 0;
        try (FilesFixture fixture = new FilesFixture(directory.resolve("store"))) {
            Random random = new Random(3);
            for (int i = 0; i < TRIES; i++) {
                String glob = random(random, GLOBS, 6);
                String path = random(random, PATHS, 4);
                String expected = result(theirs, glob, path);
                if (!expected.equals("no pattern")) {
                    assertEquals(expected, result(fixture.files(), glob, path), () -> glob + " and " + path);
                }
                matches += expected.equals("true") ? 1 : 0;
            }
            assertTrue(matches > TRIES / 200, "matches: " + matches);
            FileSystem ours = fixture.files();
            assertTrue(ours.getPathMatcher("regex:/a.*").matches(ours.getPath("/ab")));
            assertThrows(IllegalArgumentException.class, () -> ours.getPathMatcher("a"));
            assertThrows(UnsupportedOperationException.class, () -> ours.getPathMatcher("other:a"));
        }
    }
}
