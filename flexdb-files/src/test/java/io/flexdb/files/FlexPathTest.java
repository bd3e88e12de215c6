package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths are as those of the default file system, where that is one of Unix. */
class FlexPathTest {
    private static final int TRIES = Effort.times(30_000);
    private static final String[] PARTS = {"a", "b", "a", "ab", "..", ".", "", "ä", "\uD83C\uDF50", "\uFF5E", "a-b"};

    @TempDir
    private Path directory;

    private FilesFixture fixture;
    private FileSystem theirs;

    @BeforeEach
    void open() throws IOException {
        fixture = new FilesFixture(directory.resolve("store"));
        theirs = FileSystems.getDefault();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "/" : "");
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(PARTS[random.nextInt(PARTS.length)]).append(random.nextInt(4) == 0 ? "" : "/");
        }
        return text.toString();
    }

    private void compare(String text, Function<Path, Object> asked) {
        assertEquals(
                result(() -> asked.apply(theirs.getPath(text))),
                result(() -> asked.apply(fixture.path(text))),
                () -> "of \"" + text + "\"");
    }

    private void compare(String text, String other, BiFunction<Path, Path, Object> asked) {
        assertEquals(
                result(() -> asked.apply(theirs.getPath(text), theirs.getPath(other))),
                result(() -> asked.apply(fixture.path(text), fixture.path(other))),
                () -> "of \"" + text + "\" and \"" + other + "\"");
    }

    private interface Question {
        Object ask();
    }

    private static String result(Question question) {
        try {
            return String.valueOf(question.ask());
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    @Test
    void aPathHasTheSamePartsAsThatOfUnix() {
        Assumptions.assumeTrue(theirs.getSeparator().equals("/"));
        Random random = new Random(1);
        for (int i = 0; i < TRIES; i++) {
            String text = text(random);
            int from = random.nextInt(4) - 1;
            int to = random.nextInt(5);
            compare(text, Path::toString);
            compare(text, Path::getNameCount);
            compare(text, Path::getFileName);
            compare(text, Path::getParent);
            compare(text, Path::getRoot);
            compare(text, Path::isAbsolute);
            compare(text, Path::normalize);
            compare(text, path -> path.getName(from));
            compare(text, path -> path.subpath(from, to));
            compare(text, path -> {
                List<String> names = new ArrayList<>();
                path.forEach(name -> names.add(name + "/" + name.isAbsolute()));
                return names;
            });
        }
    }

    @Test
    void twoPathsAreTheSameToEachOtherAsThoseOfUnix() {
        Assumptions.assumeTrue(theirs.getSeparator().equals("/"));
        Random random = new Random(2);
        for (int i = 0; i < TRIES; i++) {
            String text = text(random);
            String other = random.nextInt(3) == 0 ? text + text(random) : text(random);
            compare(text, other, Path::resolve);
            compare(text, other, Path::resolveSibling);
            compare(text, other, Path::relativize);
            compare(text, other, Path::startsWith);
            compare(text, other, Path::endsWith);
            compare(text, other, Path::equals);
            compare(text, other, (path, second) -> Integer.signum(path.compareTo(second)));
            compare(text, other, (path, second) -> path.equals(second) == (path.hashCode() == second.hashCode()));
            compare(text, path -> path.resolve(other));
            compare(text, path -> path.startsWith(other));
        }
    }

    @Test
    void partsOfAPathAreJoined() {
        assertEquals("a/b/c", fixture.files().getPath("a", "", "b/", "/c").toString());
        assertEquals("/a", fixture.files().getPath("", "/a").toString());
        assertEquals("", fixture.files().getPath("", "").toString());
        assertEquals(fixture.path("/a"), fixture.path("a").toAbsolutePath());
    }

    @Test
    void whatCanBeNoNameIsRefused() {
        assertThrows(InvalidPathException.class, () -> fixture.path("a\0b"));
        assertThrows(InvalidPathException.class, () -> fixture.path("\uD83C"));
    }

    @Test
    void pathsOfOtherFileSystemsAreNotMixedIn() throws IOException {
        Path own = fixture.path("/a");
        assertThrows(ProviderMismatchException.class, () -> own.resolve(directory));
        assertThrows(ProviderMismatchException.class, () -> own.relativize(directory));
        assertFalse(own.startsWith(directory));
        assertFalse(own.endsWith(directory));
        assertFalse(own.equals(directory));
        assertThrows(ClassCastException.class, () -> own.compareTo(directory));
        assertThrows(
                UnsupportedOperationException.class,
                () -> own.register(null, java.nio.file.StandardWatchEventKinds.ENTRY_CREATE));
        try (FlexFileSystem other =
                FlexFileSystem.open(fixture.db(), FlexFilesOptions.defaults().withName("other"))) {
            assertFalse(own.equals(other.getPath("/a")));
            assertThrows(ProviderMismatchException.class, () -> own.resolve(other.getPath("b")));
        }
    }
}
