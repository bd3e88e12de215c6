package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The directories that are kept open. Thread-safe. */
final class OpenDirectories {
    /*
     * The problem: a directory may get another name while a store uses it, and another directory its old one. The
     * choice: a directory is opened once, and all that is done to its files is done relative to what is open. As long
     * as a lock file is held, the path of its directory and all paths below it mean the directories that were found
     * there first. Elsewhere a directory is open as long as a file in it is, for the sake of that file alone, and a
     * path means what it leads to at the moment. Where the JDK can't do this, and in a directory that may be searched
     * but not read, everything goes by path.
     */
    private final Map<Object, Held> held = new HashMap<>(); // by the identity of the directory
    private final Map<Path, Held> meant = new HashMap<>(); // by path, at and below the directories of lock files

    /** A directory that is open as long as somebody uses it, which each user says at its end. */
    final class Held implements AutoCloseable {
        private final Object key;
        private final SecureDirectoryStream<Path> stream;
        private final NativeDescriptor descriptor; // for the calls that the JDK lacks; may be none
        private int users; // under the monitor of OpenDirectories
        private volatile String fileSystem; // null before it is asked for
        private final Forgotten watched;

        private Held(Object key, SecureDirectoryStream<Path> stream, NativeDescriptor descriptor) {
            this.key = key;
            this.stream = stream;
            this.descriptor = descriptor;
            this.watched = Forgotten.watch(this, stream);
        }

        NativeDescriptor descriptor() {
            return descriptor;
        }

        BasicFileAttributes attributes(Path name, LinkOption... links) throws IOException {
            return stream.getFileAttributeView(name, BasicFileAttributeView.class, links)
                    .readAttributes();
        }

        FileChannel open(Path name, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            SeekableByteChannel opened = stream.newByteChannel(name, options, attributes);
            if (opened instanceof FileChannel channel) {
                return channel;
            }
            opened.close();
            throw new IOException("not opened as a file");
        }

        /** The view of a file's permissions; null if there are none here. */
        PosixFileAttributeView permissions(Path name) {
            return stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        }

        void delete(Path name) throws IOException {
            if (attributes(name, LinkOption.NOFOLLOW_LINKS).isDirectory()) {
                stream.deleteDirectory(name);
            } else {
                stream.deleteFile(name);
            }
        }

        void move(Path name, Held target, Path targetName) throws IOException {
            stream.move(name, target.stream, targetName);
        }

        /** The names of what it holds. */
        List<String> list() throws IOException {
            List<String> found = new ArrayList<>();
            // Opened again, because a stream lists what it holds once.
            try (DirectoryStream<Path> entries =
                    stream.newDirectoryStream(FileSystems.getDefault().getPath("."))) {
                for (Path entry : entries) {
                    found.add(entry.getFileName().toString());
                }
                return found;
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }

        /** Opens the directory itself, to be forced. */
        FileChannel openItself() throws IOException {
            return open(FileSystems.getDefault().getPath("."), Set.of(StandardOpenOption.READ));
        }

        /** Whether a path leads here at the moment. */
        boolean isAt(Path path) throws IOException {
            return key.equals(
                    Files.readAttributes(path, BasicFileAttributes.class).fileKey());
        }

        /**
         * The type of its file system.
         *
         * @param path that it has, or had; where that is not known to lead here the type is "", which is none
         */
        String fileSystem(Path path) throws IOException {
            String found = fileSystem;
            if (found == null) {
                String type = Files.getFileStore(path).type();
                found = isAt(path) ? type : "";
                fileSystem = found;
            }
            return found;
        }

        @Override
        public void close() {
            synchronized (OpenDirectories.this) {
                if (--users > 0) {
                    return;
                }
                held.remove(key);
            }
            watched.release();
            descriptor.close();
            try {
                stream.close();
            } catch (IOException e) {
                // it was only read
            }
        }
    }

    /**
     * Makes a path, and all below it, mean from now on what it leads to. Returns false where that can't be done, or is
     * done already.
     */
    synchronized boolean keep(Path directory) throws IOException {
        Held opened = meant.containsKey(directory) ? null : openAt(directory);
        if (opened != null) {
            meant.put(directory, opened);
        }
        return opened != null;
    }

    /** Whether a path means a directory that is open, whatever it leads to. */
    synchronized boolean keeps(Path directory) {
        return meant.containsKey(directory);
    }

    /** Has a path and all below it mean nothing any more but what they lead to. */
    void forget(Path directory) {
        List<Held> forgotten = new ArrayList<>();
        synchronized (this) {
            meant.entrySet().removeIf(entry -> entry.getKey().startsWith(directory) && forgotten.add(entry.getValue()));
        }
        forgotten.forEach(Held::close);
    }

    /** The directory that a path means, to be closed; null if everything there goes by path. */
    synchronized Held meantBy(Path directory) throws IOException {
        Held found = meant.isEmpty() ? null : find(directory);
        if (found != null) {
            found.users++;
        }
        return found;
    }

    private Held find(Path directory) throws IOException {
        Held found = meant.get(directory);
        Path parent = directory.getParent();
        if (found != null || parent == null) {
            return found;
        }
        Held above = find(parent);
        if (above == null) {
            return null;
        }
        Path name = directory.getFileName();
        try {
            // Asked first, because JDK 25 leaves a descriptor open where it refuses to list a file that is no
            // directory.
            if (!above.stream
                    .getFileAttributeView(name, BasicFileAttributeView.class)
                    .readAttributes()
                    .isDirectory()) {
                throw new NotDirectoryException(directory.toString());
            }
            Held opened = hold(above.stream.newDirectoryStream(name), directory);
            if (opened != null) {
                meant.put(directory, opened);
            }
            return opened;
        } catch (AccessDeniedException e) {
            return null;
        }
    }

    /** The directory that a path means, or else the one that it leads to; null if it can't be kept open. */
    Held hold(Path directory) throws IOException {
        Held found = meantBy(directory);
        return found != null ? found : openAt(directory);
    }

    private Held openAt(Path directory) throws IOException {
        try {
            return hold(Files.newDirectoryStream(directory), directory);
        } catch (AccessDeniedException e) {
            return null;
        }
    }

    /** Uses a directory that has just been opened, or the one that is open already. */
    private synchronized Held hold(DirectoryStream<Path> opened, Path path) throws IOException {
        Held found = null;
        try {
            Object key = opened instanceof SecureDirectoryStream<Path> secure
                    ? secure.getFileAttributeView(BasicFileAttributeView.class)
                            .readAttributes()
                            .fileKey()
                    : null;
            if (key == null || path.getFileSystem() != FileSystems.getDefault()) {
                return null;
            }
            found = held.get(key);
            if (found == null) {
                SecureDirectoryStream<Path> stream = (SecureDirectoryStream<Path>) opened;
                found = new Held(key, stream, NativeDescriptor.openDirectory(path, key));
                held.put(key, found);
            }
            found.users++;
            return found;
        } finally {
            if (found == null || found.stream != opened) {
                opened.close();
            }
        }
    }
}
