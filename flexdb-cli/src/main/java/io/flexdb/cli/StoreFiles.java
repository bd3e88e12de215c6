package io.flexdb.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a store by name, length and content of the one that says what the store is; damage does not matter. */
final class StoreFiles {
    private static final int MAX_OPTIONS_BYTES = 4096;

    private StoreFiles() {}

    /** Bytes of each file, by its name from the store's directory on. */
    static Map<String, Long> sizes(Path directory) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory, 3)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                sizes.put(directory.relativize(file).toString(), Files.size(file));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return sizes;
    }

    /** The lines of flexdb.options that set something, as they are in the file; empty if it can't be read. */
    static List<String> storedOptions(Path directory) throws IOException {
        Path file = directory.resolve("flexdb.options");
        if (!Files.isRegularFile(file) || Files.size(file) > MAX_OPTIONS_BYTES) {
            return List.of();
        }
        return Files.readString(file, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.matches("[a-z]+ = [\\x20-\\x7E]*"))
                .toList();
    }
}
