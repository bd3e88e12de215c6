package io.flexdb.testing;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The files of a store that is open: some are renamed or deleted while they are looked at, and are left out then. */
public final class FilesInUse {
    private FilesInUse() {}

    /** The directory itself, and all below it; a directory comes before what is in it. */
    public static List<Path> below(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                found.add(path);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                found.add(path);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return found;
    }

    /** How many bytes all files below a directory have. */
    public static long bytesBelow(Path directory) throws IOException {
        long bytes = 0;
        for (Path path : below(directory)) {
            if (!Files.isDirectory(path)) {
                bytes += path.toFile().length(); // 0 for a file that has gone
            }
        }
        return bytes;
    }

    /** Copies the files below a directory for which {@code isWanted} is true to a directory that is not there yet. */
    public static void copy(Path from, Path to, Predicate<Path> isWanted) throws IOException {
        for (Path path : below(from)) {
            if (isWanted.test(path)) {
                try {
                    Files.copy(path, to.resolve(from.relativize(path).toString()));
                } catch (NoSuchFileException e) {
                    if (Files.exists(path)) {
                        throw e;
                    }
                }
            }
        }
    }
}
