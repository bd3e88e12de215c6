package io.flexdb.jmh.files;

import io.flexdb.files.FlexFileSystem;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Files by {@code java.nio.file}, below a directory of whatever file system. */
final class NioFiles implements FileTarget {
    private final Path root;
    private final AutoCloseable owned;

    /**
     * @param root exists
     * @param owned closed with this
     */
    NioFiles(Path root, AutoCloseable owned) {
        this.root = root;
        this.owned = owned;
    }

    private Path path(String path) {
        return root.resolve(path.substring(1));
    }

    @Override
    public void createDirectory(String path) throws IOException {
        Files.createDirectory(path(path));
    }

    @Override
    public void createFile(String path, byte[] content) throws IOException {
        Files.write(path(path), content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public long find(String path) throws IOException {
        long[] count = {0};
        Files.walkFileTree(path(path), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                count[0]++;
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                count[0]++;
                return FileVisitResult.CONTINUE;
            }
        });
        return count[0] - 1;
    }

    @Override
    public long list(String path) throws IOException {
        long count = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(path))) {
            for (Path entry : entries) {
                count += entry.getNameCount() > 0 ? 1 : 0;
            }
        }
        return count;
    }

    /** By the scan that our own file system has for it; elsewhere, by asking for each. */
    @Override
    public long listLong(String path) throws IOException {
        long[] bytes = {0};
        Path directory = path(path);
        if (directory.getFileSystem() instanceof FlexFileSystem own) {
            own.forEachEntry(directory, (entry, attributes) -> bytes[0] += lengthOf(attributes));
            return bytes[0];
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                bytes[0] += lengthOf(Files.readAttributes(entry, BasicFileAttributes.class));
            }
        }
        return bytes[0];
    }

    private static long lengthOf(BasicFileAttributes attributes) {
        assert attributes.lastModifiedTime() != null;
        return attributes.isDirectory() ? 0 : attributes.size();
    }

    @Override
    public long stat(String path) throws IOException {
        return Files.readAttributes(path(path), BasicFileAttributes.class).size();
    }

    @Override
    public void readTree(String path, Reader reader) throws IOException {
        Files.walkFileTree(path(path), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                reader.accept(file.getFileName().toString(), Files.readAllBytes(file));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Override
    public byte[] read(String path) throws IOException {
        return Files.readAllBytes(path(path));
    }

    @Override
    public Content open(String path) throws IOException {
        SeekableByteChannel channel = Files.newByteChannel(
                path(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
        return new Content() {
            @Override
            public void write(long position, byte[] bytes) throws IOException {
                channel.position(position).write(ByteBuffer.wrap(bytes));
            }

            @Override
            public void read(long position, byte[] bytes) throws IOException {
                ByteBuffer to = ByteBuffer.wrap(bytes);
                channel.position(position);
                while (to.hasRemaining()) {
                    if (channel.read(to) < 0) {
                        throw new EOFException(path);
                    }
                }
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path(from), path(to));
    }

    @Override
    public void deleteTree(String path) throws IOException {
        Path tree = path(path);
        if (tree.getFileSystem() instanceof FlexFileSystem own) {
            own.deleteRecursively(tree);
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Override
    public void close() throws IOException {
        try {
            owned.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
