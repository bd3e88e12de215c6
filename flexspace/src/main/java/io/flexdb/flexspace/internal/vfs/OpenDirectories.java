package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The directories of open files, kept open too, so that a file is found again in its directory whatever name that has got
 * meanwhile. Not thread-safe.
 */
final class OpenDirectories {
    private final Map<Object, Held> held = new HashMap<>(); // by the identity of the directory

    /** A directory that is open as long as a file in it is. */
    static final class Held {
        private final Object key;
        private final SecureDirectoryStream<Path> stream;
        private int files;

        private Held(Object key, SecureDirectoryStream<Path> stream) {
            this.key = key;
            this.stream = stream;
        }

        /** What is found by a name in the directory, without following a link. */
        BasicFileAttributes attributes(Path name) throws IOException {
            return stream.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
        }

        /** Opens a file in the directory. */
        FileChannel open(Path name, Set<OpenOption> options) throws IOException {
            SeekableByteChannel opened = stream.newByteChannel(name, options);
            if (opened instanceof FileChannel channel) {
                return channel;
            }
            opened.close();
            throw new IOException("not opened as a file");
        }
    }

    /** Keeps the directory of a file open; to be {@linkplain #release released}. Returns null where that can't be done. */
    Held hold(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        try {
            Object key =
                    Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
            Held found = key == null ? null : held.get(key);
            if (found == null) {
                found = key == null ? null : open(key, directory);
            }
            if (found != null) {
                found.files++;
            }
            return found;
        } catch (IOException e) {
            return null; // a directory that may be searched but not read: its files are found by name alone
        }
    }

    private Held open(Object key, Path directory) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            Held opened = new Held(key, secure);
            held.put(key, opened);
            return opened;
        }
        stream.close();
        return null;
    }

    /** Closes a directory, if no other file needs it. Null is nothing. */
    void release(Held directory) {
        if (directory != null && --directory.files == 0) {
            held.remove(directory.key);
            try {
                directory.stream.close();
            } catch (IOException e) {
                // it was only read
            }
        }
    }
}
