package io.flexdb.internal.backup;

import io.flexdb.flexspace.internal.copy.CopiedSegment;
import io.flexdb.flexspace.internal.copy.SegmentCopier;
import io.flexdb.flexspace.internal.copy.SegmentTarget;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.copy.Checkpoints.Progress;
import io.flexdb.internal.copy.DataFileTarget;
import io.flexdb.internal.copy.NewStoreDirectory;
import io.flexdb.internal.copy.Steps;
import io.flexdb.internal.copy.StoreCopy;
import io.flexdb.internal.files.StoreFiles;
import io.flexdb.internal.store.Store;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.TargetNotEmptyException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/** A directory of backups of one store. For one thread at a time. */
public final class BackupDirectory implements AutoCloseable {
    /*
     *   flexdb.backups      the store that they are of
     *   segments/<name>     segments, named by what they hold; written once
     *   <id>/space, <id>/wal    the other files of the store, as a checkpoint has them
     *   <id>/manifest       what belongs to the backup
     *
     * B1  A backup is there from the moment on at which its manifest is durable, in one step, and until that moment at
     *     which the manifest is durably gone.
     * B2  Whatever a manifest names was durable before it.
     * B3  A segment is shared only with backups that are there. What else lies in segments/ was left by one that was cut
     *     short, may be torn, and is deleted before the next one begins.
     * B4  A segment is deleted only when all manifests could be read and none names it.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final String NAME = "flexdb.backups";
    private static final String UNFINISHED_NAME = NAME + ".new";
    private static final String SEGMENTS = "segments";
    private static final String UNFINISHED = ".new"; // what the name of a segment ends with that is being written
    private static final String SPACE = StoreFiles.SPACE_NAME;
    private static final String LOGS = StoreFiles.WAL_NAME;

    private final Vfs vfs;
    private final Path directory;
    private final VfsLock lock;
    private boolean closed;

    private BackupDirectory(Vfs vfs, Path directory, VfsLock lock) {
        this.vfs = vfs;
        this.directory = directory;
        this.lock = lock;
    }

    /** Something that is not as it should be. */
    public record Problem(Path file, long position, String expected, String found) {}

    /**
     * Opens a directory of backups, or makes one if it is missing or empty.
     *
     * @throws TargetNotEmptyException if it has something else in it
     */
    public static BackupDirectory open(Vfs vfs, Path path) {
        Path directory = path.toAbsolutePath().normalize();
        requireOurs(vfs, directory);
        SpaceEngine.createDirectory(vfs, directory);
        VfsLock lock = vfs.lock(directory.resolve(StoreFiles.LOCK_NAME));
        try {
            requireOurs(vfs, directory);
            BackupDirectory opened = new BackupDirectory(vfs, directory, lock);
            if (opened.exists()) {
                opened.storeId(); // or it is damaged, or of a newer release
            }
            return opened;
        } catch (RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private static void requireOurs(Vfs vfs, Path directory) {
        if (!vfs.exists(directory)) {
            return;
        }
        if (!vfs.isDirectory(directory)) {
            throw new TargetNotEmptyException(directory, "a file");
        }
        if (!vfs.exists(directory.resolve(NAME))) {
            for (String name : vfs.list(directory)) {
                if (!name.equals(StoreFiles.LOCK_NAME) && !name.equals(UNFINISHED_NAME)) {
                    throw new TargetNotEmptyException(directory, name);
                }
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException("the directory of backups");
        }
    }

    private boolean exists() {
        return vfs.exists(directory.resolve(NAME));
    }

    private long storeId() {
        Path path = directory.resolve(NAME);
        List<String> lines = CheckedText.read(vfs, path);
        if (lines.size() != 1 || !lines.get(0).matches("store = [0-9a-f]{1,16}")) {
            throw new CorruptionException(path, 0, "a line store", lines.toString());
        }
        return Long.parseUnsignedLong(lines.get(0).substring("store = ".length()), 16);
    }

    /** Where it is. */
    public Path path() {
        return directory;
    }

    private Path directoryOf(long id) {
        return directory.resolve(Long.toString(id));
    }

    // ---- which there are

    /** The ids of all backups, ascending. */
    public TreeSet<Long> ids() {
        requireOpen();
        TreeSet<Long> ids = new TreeSet<>();
        for (long id : begun()) {
            if (vfs.exists(directoryOf(id).resolve(Manifest.NAME))) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** The ids of all that have a directory. */
    private TreeSet<Long> begun() {
        TreeSet<Long> ids = new TreeSet<>();
        for (String name : vfs.list(directory)) {
            if (name.matches("[1-9][0-9]{0,17}")) {
                ids.add(Long.parseLong(name));
            }
        }
        return ids;
    }

    /** What a backup consists of. */
    public Manifest manifest(long id) {
        if (!ids().contains(id)) {
            throw new IllegalArgumentException("no backup " + id + " in " + directory + "; there are " + ids());
        }
        Manifest manifest = Manifest.read(vfs, directoryOf(id));
        if (manifest.id() != id || manifest.storeId() != storeId()) {
            throw new CorruptionException(
                    directoryOf(id).resolve(Manifest.NAME),
                    0,
                    "backup " + id + " of store " + Long.toHexString(storeId()),
                    "backup " + manifest.id() + " of store " + Long.toHexString(manifest.storeId()));
        }
        return manifest;
    }

    // ---- making one

    /** Backs a store up. */
    public Manifest create(Store store, Progress progress) {
        requireOpen();
        if (exists() && storeId() != store.engine.storeId()) {
            throw new IllegalArgumentException(directory + " has backups of another store, "
                    + Long.toHexString(storeId()) + ", not of " + Long.toHexString(store.engine.storeId()));
        }
        return store.tasks().run(task -> {
            if (!exists()) {
                List<String> line = List.of("store = " + Long.toHexString(store.engine.storeId()));
                CheckedText.write(vfs, directory.resolve(NAME), "Backups of a FlexDB store.", line);
                SpaceEngine.createDirectory(vfs, directory.resolve(SEGMENTS));
            }
            Set<String> shared = deleteUnfinished();
            long id = begun().isEmpty() ? 1 : begun().last() + 1;
            try (StoreCopy copy = store.beginCopy()) {
                return create(copy, id, shared, new Steps(task, progress, copy.space()));
            } catch (RuntimeException | Error e) {
                deleteUnfinishedAfter(e);
                throw e;
            }
        });
    }

    private Manifest create(StoreCopy copy, long id, Set<String> shared, Steps steps) {
        Instant time = Instant.now();
        Path own = directoryOf(id);
        SpaceCopy space = copy.space();
        SpaceEngine.createDirectory(vfs, directory.resolve(SEGMENTS));
        SpaceEngine.createDirectory(vfs, own.resolve(SPACE));
        SpaceEngine.createDirectory(vfs, own.resolve(LOGS));
        copy.copyLogs(vfs, own.resolve(LOGS));
        space.copyTree(vfs, own.resolve(SPACE), steps::step);
        try (NewSegments target = new NewSegments(shared, space)) {
            space.copySegments(target, steps::step);
            vfs.syncDirectory(directory.resolve(SEGMENTS));
            CopiedFiles reader = new CopiedFiles(bytes -> {});
            List<Manifest.CopiedFile> files = describe(own, reader);
            steps.tell();
            Manifest manifest = new Manifest(
                    id,
                    space.storeId(),
                    time,
                    copy.sequence(),
                    space.format().segmentBytes,
                    space.format().frameBytes,
                    target.newBytes + reader.usedBytes(),
                    files,
                    target.names);
            manifest.write(vfs, own);
            return manifest;
        }
    }

    private List<Manifest.CopiedFile> describe(Path own, CopiedFiles reader) {
        List<Manifest.CopiedFile> files = new ArrayList<>();
        for (String below : List.of(SPACE, LOGS)) {
            vfs.syncDirectory(own.resolve(below));
            for (String name : vfs.list(own.resolve(below))) {
                files.add(reader.describe(vfs, own, below + "/" + name));
            }
        }
        return files;
    }

    /** Takes the segments that no backup has yet. */
    private final class NewSegments implements SegmentTarget, AutoCloseable {
        private final Set<String> shared;
        private final SpaceCopy space;
        private final List<String> names = new ArrayList<>();
        private long newBytes;
        private VfsFile file; // the one that is being written, or null
        private Path path; // its name once it is whole

        NewSegments(Set<String> shared, SpaceCopy space) {
            this.shared = shared;
            this.space = space;
        }

        @Override
        public VfsFile begin(CopiedSegment segment) {
            String name = SegmentName.of(segment, space.storeId()).toString();
            names.add(name);
            if (shared.contains(name)) {
                return null;
            }
            newBytes += segment.bytes(space.format());
            path = directory.resolve(SEGMENTS).resolve(name);
            // A file of this name may be there, of a backup that can't be read: it stays until there is another.
            Path unfinished = path.resolveSibling(name + UNFINISHED);
            vfs.deleteIfExists(unfinished);
            file = vfs.open(unfinished, OpenMode.CREATE);
            return file;
        }

        @Override
        public long position(CopiedSegment segment) {
            return 0;
        }

        @Override
        public void end(CopiedSegment segment) {
            file.force();
            close();
            vfs.rename(path.resolveSibling(path.getFileName() + UNFINISHED), path);
        }

        @Override
        public boolean verifies() {
            return true;
        }

        @Override
        public void close() {
            VfsFile open = file;
            file = null;
            if (open != null) {
                open.close();
            }
        }
    }

    // ---- what is left over

    /** Deletes what backups that were cut short have left (B3), and returns the segments that others have. */
    private Set<String> deleteUnfinished() {
        for (long id : begun()) {
            if (!vfs.exists(directoryOf(id).resolve(Manifest.NAME))) {
                deleteAll(directoryOf(id));
            }
        }
        Set<String> used = new HashSet<>();
        boolean all = true;
        for (long id : ids()) {
            try {
                used.addAll(manifest(id).segments());
            } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "No segment of backups is deleted, as a manifest can't be read",
                        e);
                all = false;
            }
        }
        Path segments = directory.resolve(SEGMENTS);
        if (vfs.isDirectory(segments)) {
            for (String name : vfs.list(segments)) {
                if (!used.contains(name) && (all || name.endsWith(UNFINISHED))) { // B4
                    vfs.delete(segments.resolve(name));
                }
            }
        }
        return used;
    }

    private void deleteUnfinishedAfter(Throwable cause) {
        try {
            deleteUnfinished();
        } catch (StorageException e) {
            cause.addSuppressed(e); // the next one does it
        }
    }

    private void deleteAll(Path below) {
        if (!vfs.isDirectory(below)) {
            vfs.delete(below);
            return;
        }
        vfs.list(below).forEach(name -> deleteAll(below.resolve(name)));
        vfs.delete(below);
    }

    /** Deletes a backup, and what no other one shares with it. */
    public void delete(long id) {
        if (!ids().contains(id)) {
            throw new IllegalArgumentException("no backup " + id + " in " + directory + "; there are " + ids());
        }
        vfs.delete(directoryOf(id).resolve(Manifest.NAME));
        vfs.syncDirectory(directoryOf(id)); // B1, before anything that it names goes
        deleteUnfinished();
    }

    // ---- using one

    /** Reads a backup, and tells what is wrong with it. */
    public List<Problem> verify(long id, Progress progress) {
        List<Problem> problems = new ArrayList<>();
        Manifest manifest;
        try {
            manifest = manifest(id);
        } catch (CorruptionException | StoreIoException e) {
            add(problems, directoryOf(id).resolve(Manifest.NAME), e);
            return problems;
        }
        Reading reading = new Reading(manifest, progress);
        for (Manifest.CopiedFile file : manifest.files()) {
            try {
                reading.files.copy(vfs, directoryOf(id), file, null);
            } catch (CorruptionException | StoreIoException e) {
                add(problems, directoryOf(id).resolve(file.name()), e);
            }
        }
        for (String name : manifest.segments()) {
            try {
                reading.segment(name, null);
            } catch (CorruptionException | StoreIoException e) {
                add(problems, directory.resolve(SEGMENTS).resolve(name), e);
            }
        }
        return problems;
    }

    private static void add(List<Problem> problems, Path path, StorageException e) {
        problems.add(
                e instanceof CorruptionException damage
                        ? new Problem(damage.file(), damage.position(), damage.expected(), damage.found())
                        : new Problem(path, 0, "a file that can be read", String.valueOf(e.getMessage())));
    }

    /** Makes a store of a backup. */
    public void restore(long id, Path to, Progress progress) {
        Manifest manifest = manifest(id);
        try (NewStoreDirectory target = NewStoreDirectory.begin(vfs, to)) {
            Reading reading = new Reading(manifest, progress);
            for (Manifest.CopiedFile file : manifest.files()) {
                reading.files.copy(vfs, directoryOf(id), file, target.space().getParent());
            }
            try (DataFileTarget data = new DataFileTarget(vfs, target.space(), manifest.format(), manifest.storeId())) {
                for (String name : manifest.segments()) {
                    reading.segment(name, data);
                }
                data.force();
            }
            target.finish(manifest.storeId());
        }
    }

    /** Reads what a manifest names, and counts. */
    private final class Reading {
        private final Manifest manifest;
        private final Progress progress;
        private final long ofBytes;
        private final SegmentFormat format;
        private final CopiedFiles files;
        private final SegmentCopier copier;
        private long bytes;

        Reading(Manifest manifest, Progress progress) {
            this.manifest = manifest;
            this.progress = progress;
            this.ofBytes = manifest.bytes();
            this.format = manifest.format();
            IntConsumer step = this::step;
            this.files = new CopiedFiles(step);
            this.copier = new SegmentCopier(format, step);
        }

        private void step(int more) {
            bytes += more;
            progress.done(bytes, Math.max(bytes, ofBytes));
        }

        /** Verifies a segment, and copies it if there is somewhere to copy it to. */
        void segment(String text, DataFileTarget target) {
            SegmentName name = SegmentName.parse(text);
            Path path = directory.resolve(SEGMENTS).resolve(text);
            if (name.frames() > format.dataFrames || name.sealed() && name.frames() < format.dataFrames) {
                throw new CorruptionException(path, 0, format.dataFrames + " frames of a segment", text);
            }
            try (VfsFile file = vfs.open(path, OpenMode.READ)) {
                int[] sums = copier.checksums(name.with(new int[name.frames()]), file, 0);
                CopiedSegment segment = name.with(sums);
                if (!name.isOf(sums, manifest.storeId())) {
                    throw new CorruptionException(path, 0, "frames with the digest " + name.digest(), "others");
                }
                if (target != null) {
                    copier.copy(segment, file, 0, target.begin(segment), target.position(segment), true);
                    target.end(segment);
                }
            }
        }
    }

    /** Lets the directory go. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            lock.close();
        }
    }
}
