package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The files of the operating system. */
public final class RealVfs implements Vfs {
    /*
     * A file whose channel an interrupt has closed is opened again by its name in its directory (see RealVfsFile), so
     * open files are known here and follow renames. Names are looked up in directories that are kept open (see
     * OpenDirectories), so that a store goes on when its directory is renamed, and touches nothing that gets the old
     * name.
     */
    private static final Set<String> SAFELY_MAPPED = Set.of("ext4", "xfs", "tmpfs");

    private final Object names = new Object(); // held while names of open files change or are used to open again
    private final Set<RealVfsFile> openFiles = new HashSet<>();
    private final OpenDirectories directories = new OpenDirectories();
    private final StagingBuffers staging = new StagingBuffers();

    private final FilePermissions permissions;
    private final WantOfSpace wantOfSpace; // null: with the texts of this process, which most processes never need
    private final boolean isPosix;

    /** Makes one for this process, whose files are for their owner only. */
    public RealVfs() {
        this(FilePermissions.OWNER);
    }

    /** Makes one whose new files and directories have these permissions. */
    public RealVfs(FilePermissions permissions) {
        this(permissions, null);
    }

    /** Makes one that takes other texts for those of a want of space. */
    RealVfs(WantOfSpace wantOfSpace) {
        this(FilePermissions.OWNER, wantOfSpace);
    }

    private RealVfs(FilePermissions permissions, WantOfSpace wantOfSpace) {
        this(permissions, wantOfSpace, !System.getProperty("os.name").startsWith("Windows"));
    }

    /**
     * Files with the rules of another kind of system.
     *
     * @param isPosix whether a directory can be opened to be forced, and an open file be replaced. On Windows neither
     *     can be. Directories need not be forced there: NTFS writes changes of names to its journal, in their order, and
     *     forces that with the next file that is forced
     */
    RealVfs(FilePermissions permissions, WantOfSpace wantOfSpace, boolean isPosix) {
        this.permissions = permissions;
        this.wantOfSpace = wantOfSpace;
        this.isPosix = isPosix;
    }

    WantOfSpace wantOfSpace() {
        return wantOfSpace == null ? WantOfSpace.ofProcess() : wantOfSpace;
    }

    /** The buffers through which bytes of the heap are written. */
    StagingBuffers staging() {
        return staging;
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        FileLocks.refuseToOpen(file);
        synchronized (names) {
            Place place = null;
            try {
                place = held(file);
                RealVfsFile opened = new RealVfsFile(this, place, mode);
                place = null; // the file's
                openFiles.add(opened);
                return opened;
            } catch (IOException e) {
                throw IoFailures.wrap(mode == OpenMode.CREATE ? "create" : "open", file, e);
            } finally {
                if (place != null) {
                    place.close();
                }
            }
        }
    }

    /** The lock under which names of open files change. */
    Object names() {
        return names;
    }

    /** The place of a file that is to be opened. */
    Place held(Path file) throws IOException {
        return Place.held(file, directories);
    }

    /** Forgets a file that is being closed. Under {@link #names()}. */
    void closing(RealVfsFile file) {
        openFiles.remove(file);
    }

    @Override
    public boolean exists(Path path) {
        return directories.keeps(path.toAbsolutePath()) || attributes(path, LinkOption.NOFOLLOW_LINKS) != null;
    }

    /** The attributes of what has a name; null if it is certain that there is nothing. */
    private BasicFileAttributes attributes(Path path, LinkOption... links) {
        try {
            return at(path, place -> place.attributes(links));
        } catch (IOException e) {
            if (isCertainlyMissing(path, e)) {
                return null;
            }
            throw IoFailures.wrap("inspection", path, e);
        }
    }

    /**
     * Whether a failure to look at a path proves that there is nothing: it was not found, or it would be in something
     * that is no directory. The texts by which operating systems say the latter differ, so we look ourselves.
     */
    private boolean isCertainlyMissing(Path path, IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return true;
        }
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || failure instanceof AccessDeniedException) {
            return false;
        }
        try {
            return !at(parent, Place::attributes).isDirectory();
        } catch (IOException e) {
            return isCertainlyMissing(parent, e);
        }
    }

    @Override
    public boolean isReadOnly(Path path) {
        try {
            return Files.getFileStore(path).isReadOnly();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public boolean isDirectory(Path path) {
        if (directories.keeps(path.toAbsolutePath())) {
            return true;
        }
        BasicFileAttributes found = attributes(path);
        return found != null && found.isDirectory();
    }

    @Override
    public boolean isPlainDirectory(Path path) {
        BasicFileAttributes found = attributes(path, LinkOption.NOFOLLOW_LINKS);
        return found != null && found.isDirectory();
    }

    @Override
    public boolean isPlainFile(Path path) {
        BasicFileAttributes found = attributes(path, LinkOption.NOFOLLOW_LINKS);
        return found != null && found.isRegularFile();
    }

    /** Does something to what a path means. */
    private <T> T at(Path path, IoOperation<Place, T> operation) throws IOException {
        try (Place place = Place.meantBy(path, directories)) {
            return operation.apply(place);
        }
    }

    private interface IoOperation<A, T> {
        T apply(A argument) throws IOException;
    }

    @Override
    public List<String> list(Path directory) {
        try (OpenDirectories.Held open = directories.meantBy(directory.toAbsolutePath())) {
            List<String> found = open == null ? listByPath(directory) : open.list();
            Collections.sort(found);
            return found;
        } catch (IOException e) {
            throw IoFailures.wrap("list", directory, e);
        }
    }

    private static List<String> listByPath(Path directory) throws IOException {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                found.add(entry.getFileName().toString());
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    @Override
    public void createDirectories(Path directory) {
        if (isDirectory(directory)) {
            return; // a symbolic link to a directory, too, which the JDK's own check refuses
        }
        Path parent = directory.toAbsolutePath().getParent();
        createDirectories(parent);
        try (OpenDirectories.Held above = directories.meantBy(parent)) {
            if (above != null && !above.isAt(parent)) {
                throw new IOException("the directory above was renamed"); // and the JDK makes directories by path only
            }
            Files.createDirectories(directory, permissions.toCreateDirectory(directory));
            permissions.grantDirectory(directory);
        } catch (IOException e) {
            throw IoFailures.wrap("create", directory, e);
        }
    }

    @Override
    public void grant(Path directory) {
        if (permissions == FilePermissions.OWNER || !isDirectory(directory)) {
            return;
        }
        try {
            permissions.grantDirectory(directory);
            for (String name : list(directory)) {
                Path file = directory.resolve(name);
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    permissions.grantFile(file);
                }
            }
        } catch (IOException e) {
            throw IoFailures.wrap("change of permissions", directory, e);
        }
    }

    @Override
    public void rename(Path from, Path to) {
        synchronized (names) {
            try (Place source = Place.meantBy(from, directories);
                    Place target = Place.meantBy(to, directories)) {
                source.move(target);
                directories.forget(from.toAbsolutePath());
                for (RealVfsFile file : openFiles) {
                    file.renamed(from, to);
                }
            } catch (IOException e) {
                throw IoFailures.wrap("rename to " + to.getFileName(), from, e);
            }
        }
    }

    @Override
    public boolean link(Path file, Path name) {
        synchronized (names) {
            try (Place source = Place.meantBy(file, directories);
                    Place target = Place.meantBy(name, directories)) {
                return source.link(target);
            } catch (IOException e) {
                return false; // whoever copies instead meets what is the matter
            }
        }
    }

    @Override
    public boolean replacesOpenFiles() {
        return isPosix;
    }

    @Override
    public void delete(Path path) {
        try {
            deletePlace(path);
        } catch (IOException e) {
            throw IoFailures.wrap("delete", path, e);
        }
    }

    @Override
    public boolean deleteIfExists(Path path) {
        try {
            deletePlace(path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw IoFailures.wrap("delete", path, e);
        }
    }

    private void deletePlace(Path path) throws IOException {
        at(path, place -> {
            place.delete();
            return null;
        });
        directories.forget(path.toAbsolutePath());
    }

    @Override
    public void syncDirectory(Path directory) {
        if (!isPosix) {
            requireDirectory(directory);
            return;
        }
        try (OpenDirectories.Held open = directories.meantBy(directory.toAbsolutePath())) {
            if (!forceNatively(directory, open)) {
                forceByChannel(directory, open);
            }
        } catch (IOException e) {
            throw IoFailures.wrap("sync", directory, e);
        }
    }

    /**
     * Forces a directory on this thread, if native calls serve: an interrupt does not reach them.
     *
     * @param open the same if it is open, else null
     */
    private static boolean forceNatively(Path directory, OpenDirectories.Held open) throws IOException {
        if (open != null) {
            return open.descriptor().force();
        }
        try (NativeDescriptor opened = NativeDescriptor.openDirectory(directory)) {
            return opened.force();
        }
    }

    private static void forceByChannel(Path directory, OpenDirectories.Held open) throws IOException {
        try (FileChannel channel =
                open == null ? FileChannel.open(directory, StandardOpenOption.READ) : open.openItself()) {
            forceUninterrupted(channel);
        }
    }

    private void requireDirectory(Path directory) {
        if (!isDirectory(directory)) {
            throw IoFailures.wrap("sync", directory, new NotDirectoryException(directory.toString()));
        }
    }

    /**
     * Forces in a thread of its own. An interrupt during a force of ours would hide the error that the force met, and
     * forcing once more would not meet it again. Only channels can force a directory, and only threads that nobody
     * knows are never interrupted.
     *
     * @throws OutOfMemoryError if there was no memory to begin: then nothing was forced, and no error of a force is lost
     */
    static void forceUninterrupted(FileChannel channel) throws IOException {
        // To ask for the size makes what the channel makes for its first operation. From then on it needs memory only
        // to tell of an error.
        forceUninterrupted(channel::size, () -> channel.force(true));
    }

    /**
     * Does that by these two. Whatever ends the thread, nothing counts as forced unless the force has returned; and once
     * it has begun, nothing but a failed force is told.
     */
    static void forceUninterrupted(Forcing preparation, Forcing force) throws IOException {
        ForcingThread thread = new ForcingThread(preparation, force);
        thread.start();
        Uninterruptibly.run(thread::join);
        thread.throwUnlessForced();
    }

    /** Something that forces, or prepares that. */
    interface Forcing {
        void run() throws IOException;
    }

    private static final class ForcingThread extends Thread {
        private final Forcing preparation;
        private final Forcing force;
        private boolean begun;
        private boolean forced;
        private Throwable failure;

        ForcingThread(Forcing preparation, Forcing force) {
            super("flexdb-sync-directory");
            this.preparation = preparation;
            this.force = force;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                preparation.run();
                begun = true;
                force.run();
                forced = true;
            } catch (Throwable e) {
                failure = e;
            }
        }

        /** When it has ended. */
        void throwUnlessForced() throws IOException {
            if (failure instanceof IOException e) {
                throw e;
            } else if (failure instanceof OutOfMemoryError e && !begun) {
                throw e;
            } else if (!forced) {
                throw new IOException("the thread that was to force has ended before", failure);
            }
        }
    }

    @Override
    public VfsLock lock(Path lockFile) {
        Path directory = lockFile.toAbsolutePath().getParent();
        VfsLock lock = FileLocks.lock(lockFile, permissions);
        boolean kept = false;
        try {
            kept = directories.keep(directory);
            requireInDirectory(lockFile);
            return kept ? new LockInDirectory(lock, directory) : lock;
        } catch (IOException e) {
            if (kept) {
                directories.forget(directory);
            }
            lock.close();
            throw IoFailures.wrap("lock", lockFile, e);
        }
    }

    @Override
    public void letGo(Path directory) {
        directories.forget(directory.toAbsolutePath());
    }

    /** The lock file was found by its path, which may have changed its meaning since the directory was opened. */
    private void requireInDirectory(Path lockFile) throws IOException {
        Object byPath = Place.of(lockFile).attributes(LinkOption.NOFOLLOW_LINKS).fileKey();
        Object inDirectory = at(lockFile, place -> place.attributes(LinkOption.NOFOLLOW_LINKS))
                .fileKey();
        if (!Objects.equals(byPath, inDirectory)) {
            throw new IOException("the directory was renamed meanwhile");
        }
    }

    /** A lock, and what paths below its directory mean as long as it is held. */
    private final class LockInDirectory implements VfsLock {
        private final VfsLock lock;
        private final Path directory;
        private final AtomicBoolean closed = new AtomicBoolean();

        LockInDirectory(VfsLock lock, Path directory) {
            this.lock = lock;
            this.directory = directory;
        }

        @Override
        public Path path() {
            return lock.path();
        }

        @Override
        public void requireHeld() {
            lock.requireHeld();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                directories.forget(directory); // before another may take the lock
                lock.close();
            }
        }
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
                Uninterruptibly.run(
                        new Uninterruptibly.Wait() { // no lambda: in a full heap it may fail to be made, for good
                            @Override
                            public void run() throws InterruptedException {
                                thread.join();
                            }
                        });
            }
        };
    }

    @Override
    public BackgroundWorker worker(String name) {
        return new WorkerThread(name);
    }

    @Override
    public boolean mapsSafely(Path directory) {
        try (OpenDirectories.Held open = directories.meantBy(directory.toAbsolutePath())) {
            return isSafelyMapped(open == null ? Files.getFileStore(directory).type() : open.fileSystem(directory));
        } catch (IOException e) {
            throw IoFailures.wrap("inspection", directory, e);
        }
    }

    static boolean isSafelyMapped(String fileSystem) {
        return SAFELY_MAPPED.contains(fileSystem);
    }

    /** The permissions of new files. */
    FilePermissions permissions() {
        return permissions;
    }

    @Override
    public String toString() {
        return "RealVfs";
    }
}
