package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Map;
import java.util.Set;

/**
 * A name in a directory that is open, or where none is, a path. Operations here act on the file with that name in that
 * directory, whatever the directory is called by now. Thread-safe; to be closed, with which the directory is released.
 */
final class Place implements AutoCloseable {
    private final Path path;
    private final OpenDirectories.Held directory; // null: by path

    private Place(Path path, OpenDirectories.Held directory) {
        this.path = path;
        this.directory = directory;
    }

    /** By path alone. */
    static Place of(Path path) {
        return new Place(path, null);
    }

    /** The meaning of a path. */
    static Place meantBy(Path path, OpenDirectories directories) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        return new Place(path, parent == null ? null : directories.meantBy(parent));
    }

    /** The place of a file to be opened. Its directory is kept open in any case where that is possible. */
    static Place held(Path file, OpenDirectories directories) throws IOException {
        return new Place(file, directories.hold(file.toAbsolutePath().getParent()));
    }

    /** The path that was asked for. */
    Path path() {
        return path;
    }

    /** This place after we renamed a directory above it. Use it instead of this one. */
    Place renamed(Path newPath) {
        return new Place(newPath, directory);
    }

    /** Another name in the same directory. Only as long as this one is not closed; not to be closed itself. */
    Place sibling(String name) {
        return new Place(path.resolveSibling(name), directory);
    }

    BasicFileAttributes attributes(LinkOption... links) throws IOException {
        return directory == null
                ? Files.readAttributes(path, BasicFileAttributes.class, links)
                : directory.attributes(path.getFileName(), links);
    }

    FileChannel open(Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return directory == null
                ? FileChannel.open(path, options, attributes)
                : directory.open(path.getFileName(), options, attributes);
    }

    /** Gives a new file the permissions that the mask of the process has kept from it. */
    void grant(FilePermissions permissions) throws IOException {
        if (permissions == FilePermissions.OWNER) {
            return;
        }
        if (directory == null) {
            permissions.grantFile(path);
        } else {
            permissions.grantFile(directory.permissions(path.getFileName()));
        }
    }

    /** Deletes a file or an empty directory, which must exist. */
    void delete() throws IOException {
        if (directory == null) {
            Files.delete(path);
        } else {
            directory.delete(path.getFileName());
        }
    }

    /** Gives what is here another name, in one step, replacing a file of that name. */
    void move(Place target) throws IOException {
        if (directory == null || target.directory == null) {
            Files.move(path, target.path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } else {
            directory.move(path.getFileName(), target.directory, target.path.getFileName());
        }
    }

    /**
     * Gives the file here one more name, where there is nothing. The JDK does that by paths alone: so they must lead to
     * the directories that are meant.
     *
     * @return false if that can't be done; nothing has changed then
     */
    boolean link(Place target) throws IOException {
        BasicFileAttributes meant = attributes(LinkOption.NOFOLLOW_LINKS);
        Object identity = meant.fileKey();
        if (!meant.isRegularFile() || identity == null || !isAt(identity) || !target.isDirectoryAtPath()) {
            return false;
        }
        try {
            Files.createLink(target.path, path);
        } catch (UnsupportedOperationException e) {
            return false;
        }
        if (identity.equals(target.attributes(LinkOption.NOFOLLOW_LINKS).fileKey())) {
            return true;
        }
        Files.deleteIfExists(target.path); // a directory was renamed at this very moment
        return false;
    }

    private boolean isAt(Object identity) throws IOException {
        return identity.equals(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey());
    }

    private boolean isDirectoryAtPath() throws IOException {
        return directory == null || directory.isAt(path.toAbsolutePath().getParent());
    }

    /**
     * How many names the file here has; 0 where the file system does not tell, {@link Integer#MAX_VALUE} where that
     * can't be known, as after a rename of a directory above it.
     *
     * @param identity of the file
     */
    int linkCount(Object identity) {
        if (identity == null
                || !path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return 0;
        }
        try {
            Map<String, Object> found = Files.readAttributes(path, "unix:nlink,fileKey", LinkOption.NOFOLLOW_LINKS);
            return identity.equals(found.get("fileKey")) ? (Integer) found.get("nlink") : Integer.MAX_VALUE;
        } catch (IOException e) {
            return Integer.MAX_VALUE;
        }
    }

    /** The type of the file system. */
    String fileSystem() throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        return directory == null ? Files.getFileStore(parent).type() : directory.fileSystem(parent);
    }

    /**
     * Takes disk space for a range of the file here, or gives it back, by {@link NativeIo}.
     *
     * @param identity of the file
     * @return 0, the number of the error, or -1 if that can't be done
     */
    int change(NativeIo.Change change, Object identity, long position, long bytes) throws IOException {
        if (hasNativeDirectory()) {
            return directory.descriptor().change(change, path.getFileName(), position, bytes);
        }
        Object found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
        return identity != null && identity.equals(found)
                ? NativeIo.change(change, NativeIo.NO_DIRECTORY, path, position, bytes)
                : -1;
    }

    /** Does the same to have it share a range of another file. */
    int share(Object identity, NativeDescriptor source, long sourcePosition, long bytes, long position)
            throws IOException {
        if (hasNativeDirectory()) {
            return directory.descriptor().share(path.getFileName(), source, sourcePosition, bytes, position);
        }
        Object found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
        return identity != null && identity.equals(found)
                ? source.shareWith(NativeIo.NO_DIRECTORY, path, sourcePosition, bytes, position)
                : -1;
    }

    /** Opens the file for hints, or nothing. */
    NativeDescriptor openNatively() {
        return hasNativeDirectory()
                ? directory.descriptor().open(path.getFileName())
                : NativeDescriptor.open(NativeIo.NO_DIRECTORY, path);
    }

    private boolean hasNativeDirectory() {
        return directory != null && directory.descriptor() != NativeDescriptor.NONE;
    }

    @Override
    public void close() {
        if (directory != null) {
            directory.close();
        }
    }

    @Override
    public String toString() {
        return "Place[" + path + (directory == null ? ", by path]" : "]");
    }
}
