package io.flexdb.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Sources and documents of the project. */
final class Sources {
    private static final Path ROOT = Path.of("..");
    private static final List<String> MODULES = List.of(
            "flextree",
            "flexspace",
            "flexdb",
            "flexdb-ycsb",
            "flexdb-files",
            "flexdb-micrometer",
            "flexdb-cli",
            "flexdb-typed",
            "flexdb-kafka-streams",
            "jmh",
            "it",
            "site");

    private Sources() {}

    /** The text of a class, of any package; behind a part of its package and a slash if others have that name. */
    static String of(String className) throws IOException {
        List<Path> found =
                files().filter(path -> path.endsWith(className + ".java")).toList();
        if (found.size() != 1) {
            throw new AssertionError("one source of " + className + ", but there are " + found);
        }
        return Files.readString(found.get(0));
    }

    /** All sources. */
    static Stream<Path> files() {
        return MODULES.stream()
                .map(module -> ROOT.resolve(module).resolve("src"))
                .flatMap(Sources::walk);
    }

    private static Stream<Path> walk(Path directory) {
        try {
            return Files.walk(directory).filter(path -> path.toString().endsWith(".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a page in {@code docs}. */
    static String document(String name) throws IOException {
        return Files.readString(ROOT.resolve("docs").resolve(name));
    }
}
