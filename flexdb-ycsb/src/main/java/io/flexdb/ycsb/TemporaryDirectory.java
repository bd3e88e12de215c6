package io.flexdb.ycsb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that is removed with all it contains: when closed, or at the latest when the process is told to end. */
final class TemporaryDirectory implements AutoCloseable {
    private final Path path;
    private final Thread hook;

    private TemporaryDirectory(Path path) {
        this.path = path;
        this.hook = new Thread(this::remove, "remove-temporary-directory");
    }

    static TemporaryDirectory create(String prefix) throws IOException {
        TemporaryDirectory directory = new TemporaryDirectory(Files.createTempDirectory(prefix));
        Runtime.getRuntime().addShutdownHook(directory.hook);
        return directory;
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs, and finds nothing.
            return;
        }
    }

    private void remove() {
        try (Stream<Path> tree = Files.walk(path)) {
            for (Path entry : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException e) {
            return; // removed already
        } catch (IOException | UncheckedIOException e) {
            System.err.println("Could not remove " + path + ": " + e);
        }
    }
}
