package io.flexdb;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.IoFailures;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Lets calls of files fail from some moment on, questions whether there is something included. Over files of any kind.
 * For one thread at a time; calls fail until that is cleared.
 */
final class TroubledVfs extends ForwardingVfs {
    /** The kinds of trouble. */
    enum Trouble {
        /** Calls that may need a descriptor find none. */
        NO_DESCRIPTORS("Too many open files"),
        /** Calls that take space find none. */
        NO_SPACE("No space left on device"),
        /** Everything may fail. */
        ERRORS("Input/output error"),
        /** Nothing is done any more: the process is being killed. */
        CUT(null);

        private final String text;

        Trouble(String text) {
            this.text = text;
        }
    }

    /** The process was killed. */
    static final class Cut extends Error {
        private static final long serialVersionUID = 1L;

        Cut() {
            super("killed", null, false, false);
        }
    }

    private Trouble trouble; // null: none
    private long from;
    private double share;
    private Random random;
    private long asked;
    private long fired;

    TroubledVfs(Vfs vfs) {
        super(vfs);
    }

    /**
     * Has things go wrong.
     *
     * @param after so many more calls to which it applies
     * @param shareThatFails of the calls from then on, from 0 to 1
     */
    void arm(Trouble what, long after, double shareThatFails, long seed) {
        trouble = what;
        from = after;
        share = shareThatFails;
        random = new Random(seed);
        asked = 0;
        fired = 0;
    }

    /** Nothing goes wrong any more. */
    void clear() {
        trouble = null;
    }

    /** The number of calls that have failed since it was armed. */
    long fired() {
        return fired;
    }

    private void trouble(String operation, Path path, Trouble... those) {
        if (trouble == null
                || trouble != Trouble.CUT
                        && trouble != Trouble.ERRORS
                        && !List.of(those).contains(trouble)) {
            return;
        }
        asked++;
        if (asked < from || asked > from && trouble != Trouble.CUT && random.nextDouble() >= share) {
            return;
        }
        fired++;
        if (trouble == Trouble.CUT) {
            throw new Cut();
        }
        throw IoFailures.wrap(operation, path, new IOException(trouble.text));
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode == OpenMode.CREATE) {
            trouble("create", file, Trouble.NO_DESCRIPTORS, Trouble.NO_SPACE);
        } else {
            trouble("open", file, Trouble.NO_DESCRIPTORS);
        }
        return new TroubledFile(super.open(file, mode));
    }

    @Override
    public boolean exists(Path path) {
        trouble("inspection", path, Trouble.NO_DESCRIPTORS);
        return super.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        trouble("inspection", path, Trouble.NO_DESCRIPTORS);
        return super.isDirectory(path);
    }

    @Override
    public boolean isPlainDirectory(Path path) {
        trouble("inspection", path, Trouble.NO_DESCRIPTORS);
        return super.isPlainDirectory(path);
    }

    @Override
    public boolean isPlainFile(Path path) {
        trouble("inspection", path, Trouble.NO_DESCRIPTORS);
        return super.isPlainFile(path);
    }

    @Override
    public List<String> list(Path directory) {
        trouble("list", directory, Trouble.NO_DESCRIPTORS);
        return super.list(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        trouble("create", directory, Trouble.NO_DESCRIPTORS, Trouble.NO_SPACE);
        super.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        trouble("rename", from, Trouble.NO_DESCRIPTORS, Trouble.NO_SPACE);
        super.rename(from, to);
    }

    @Override
    public boolean link(Path file, Path name) {
        trouble("link", name, Trouble.NO_SPACE);
        return super.link(file, name);
    }

    @Override
    public void delete(Path path) {
        trouble("delete", path, Trouble.NO_DESCRIPTORS);
        super.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        trouble("delete", path, Trouble.NO_DESCRIPTORS);
        return super.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        trouble("sync", directory, Trouble.NO_DESCRIPTORS);
        super.syncDirectory(directory);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        trouble("lock", lockFile, Trouble.NO_DESCRIPTORS);
        return super.lock(lockFile);
    }

    /** At once, so that everything is done in one order. */
    @Override
    public BackgroundTask start(String name, Runnable task) {
        task.run();
        return new BackgroundTask() {
            @Override
            public boolean isDone() {
                return true;
            }

            @Override
            public void await() {}
        };
    }

    @Override
    public BackgroundWorker worker(String name) {
        return new BackgroundWorker() {
            @Override
            public BackgroundTask start(Runnable task) {
                return TroubledVfs.this.start(name, task);
            }

            @Override
            public void close() {}
        };
    }

    /** Writes that go through mappings would not fail. */
    @Override
    public boolean mapsSafely(Path directory) {
        return false;
    }

    private final class TroubledFile extends ForwardingVfsFile {
        TroubledFile(VfsFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            trouble("read", path());
            return super.read(dst, position);
        }

        @Override
        public void write(ByteBuffer src, long position) {
            trouble("write", path(), Trouble.NO_SPACE);
            super.write(src, position);
        }

        @Override
        public void truncate(long bytes) {
            trouble("truncate", path(), Trouble.NO_SPACE);
            super.truncate(bytes);
        }

        @Override
        public void force() {
            trouble("force", path(), Trouble.NO_SPACE);
            super.force();
        }
    }
}
