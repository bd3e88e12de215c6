package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The files of the operating system. */
public final class RealVfs implements Vfs {
    /*
     * A file whose channel an interrupt has closed is opened again by its name in its directory (see RealVfsFile), so open
     * files are known here and follow renames, and their directories are kept open.
     */
    private static final Set<String> SAFELY_MAPPED = Set.of("ext4", "xfs", "tmpfs");

    private final Object names = new Object(); // held while names of open files change or are used to open again
    private final Set<RealVfsFile> openFiles = new HashSet<>();
    private final OpenDirectories directories = new OpenDirectories(); // under names

    private final WantOfSpace wantOfSpace; // null: with the texts of this process, which most processes never need

    /** Makes one for this process. */
    public RealVfs() {
        this(null);
    }

    /** Makes one that takes other texts for those of a want of space. */
    RealVfs(WantOfSpace wantOfSpace) {
        this.wantOfSpace = wantOfSpace;
    }

    WantOfSpace wantOfSpace() {
        return wantOfSpace == null ? WantOfSpace.ofProcess() : wantOfSpace;
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        FileLocks.refuseToOpen(file);
        synchronized (names) {
            try {
                RealVfsFile opened = new RealVfsFile(this, file, mode);
                openFiles.add(opened);
                return opened;
            } catch (IOException e) {
                throw IoFailures.wrap(mode == OpenMode.CREATE ? "create" : "open", file, e);
            }
        }
    }

    /** The lock under which names of open files change. */
    Object names() {
        return names;
    }

    /** The directories of open files. Under {@link #names()}. */
    OpenDirectories directories() {
        return directories;
    }

    /** Forgets a file that is being closed. Under {@link #names()}. */
    void closing(RealVfsFile file) {
        openFiles.remove(file);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public List<String> list(Path directory) {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                found.add(entry.getFileName().toString());
            }
        } catch (DirectoryIteratorException e) {
            throw IoFailures.wrap("list", directory, e.getCause());
        } catch (IOException e) {
            throw IoFailures.wrap("list", directory, e);
        }
        Collections.sort(found);
        return found;
    }

    @Override
    public void createDirectories(Path directory) {
        if (isDirectory(directory)) {
            return; // a symbolic link to a directory, too, which the JDK's own check refuses
        }
        try {
            Files.createDirectories(directory, ownerOnly(directory, "rwx------"));
        } catch (IOException e) {
            throw IoFailures.wrap("create", directory, e);
        }
    }

    @Override
    public void rename(Path from, Path to) {
        synchronized (names) {
            try {
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw IoFailures.wrap("rename to " + to.getFileName(), from, e);
            }
            for (RealVfsFile file : openFiles) {
                file.renamed(from, to);
            }
        }
    }

    @Override
    public void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw IoFailures.wrap("delete", path, e);
        }
    }

    @Override
    public boolean deleteIfExists(Path path) {
        try {
            return Files.deleteIfExists(path);
        } catch (IOException e) {
            throw IoFailures.wrap("delete", path, e);
        }
    }

    @Override
    public void syncDirectory(Path directory) {
        /*
         * An interrupt during a force of ours would hide the error that the force met, and forcing once more would not
         * meet it again. Only channels can force a directory, and only threads that nobody knows are never interrupted.
         */
        IOException[] failure = new IOException[1];
        Thread forcing = new Thread(() -> failure[0] = forceDirectory(directory), "flexdb-sync-directory");
        forcing.setDaemon(true);
        forcing.start();
        Uninterruptibly.run(forcing::join);
        if (failure[0] != null) {
            throw IoFailures.wrap("sync", directory, failure[0]);
        }
    }

    private static IOException forceDirectory(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    @Override
    public VfsLock lock(Path lockFile) {
        return FileLocks.lock(lockFile);
    }

    @Override
    public BackgroundTask start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return new BackgroundTask() {
            @Override
            public boolean isDone() {
                return !thread.isAlive();
            }

            @Override
            public void await() {
                Uninterruptibly.run(thread::join);
            }
        };
    }

    @Override
    public BackgroundWorker worker(String name) {
        return new WorkerThread(name);
    }

    @Override
    public boolean mapsSafely(Path directory) {
        try {
            return SAFELY_MAPPED.contains(Files.getFileStore(directory).type());
        } catch (IOException e) {
            throw IoFailures.wrap("inspection", directory, e);
        }
    }

    /** The attributes that keep a new file or directory from everybody but its owner, where the file system has such. */
    static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    @Override
    public String toString() {
        return "RealVfs";
    }
}
