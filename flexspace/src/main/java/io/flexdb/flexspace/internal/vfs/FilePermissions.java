package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The permissions of what a store makes, on file systems that have such. */
public enum FilePermissions {
    /** The owner may read and write, and nobody else anything. */
    OWNER("rw-------", "rwx------"),

    /** Those of the file's group may read, besides. */
    GROUP_READS("rw-r-----", "rwxr-x---");

    private static final int DIRECTORY_BITS = 0750;

    private final Set<PosixFilePermission> file;
    private final Set<PosixFilePermission> directory;

    FilePermissions(String file, String directory) {
        this.file = PosixFilePermissions.fromString(file);
        this.directory = PosixFilePermissions.fromString(directory);
    }

    /** The attributes that a new file gets; the process's mask takes some away. */
    FileAttribute<?>[] toCreateFile(Path path) {
        return attributes(path, file);
    }

    /** The attributes of a new directory. */
    FileAttribute<?>[] toCreateDirectory(Path path) {
        return attributes(path, directory);
    }

    private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
        return isKnownTo(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }

    /** Sees that a file has at least these. */
    void grantFile(Path path) throws IOException {
        if (this != OWNER && isKnownTo(path)) {
            grantFile(Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
        }
    }

    /** @param view of a file; null if its system has no permissions like these */
    void grantFile(PosixFileAttributeView view) throws IOException {
        if (this == OWNER || view == null) {
            return;
        }
        Set<PosixFilePermission> granted = view.readAttributes().permissions();
        if (!granted.containsAll(file)) {
            granted.addAll(file);
            view.setPermissions(granted);
        }
    }

    /** Sees that a directory has at least these. It keeps its other bits, of which setgid gives its files their group. */
    void grantDirectory(Path path) throws IOException {
        if (this != OWNER
                && path.getFileSystem().supportedFileAttributeViews().contains("unix")
                && !Files.getPosixFilePermissions(path).containsAll(directory)) {
            int mode = (int) Files.getAttribute(path, "unix:mode");
            Files.setAttribute(path, "unix:mode", mode | DIRECTORY_BITS);
        }
    }

    /** Whether the system of a path's files has permissions like these. */
    static boolean isKnownTo(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
