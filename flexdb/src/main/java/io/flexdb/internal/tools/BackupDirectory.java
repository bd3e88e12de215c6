package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.LockWatch;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.open.Checkpoints.Progress;
import io.flexdb.internal.open.Problem;
import io.flexdb.internal.open.Steps;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreCopy;
import io.flexdb.internal.open.StoreFiles;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A directory of backups of one store. For one thread at a time. */
public final class BackupDirectory implements AutoCloseable {
    /*
     *   flexdb.backups      the store that they are of, and the last number that was given to a backup
     *   segments/<name>     segments, named by what they hold; written once
     *   <id>/flexdb.backup  proves that the directory is ours
     *   <id>/space, <id>/wal    the other files of the store, as a checkpoint has them
     *   <id>/manifest       what belongs to the backup
     *
     * B1  A backup is there from the moment on at which its manifest is durable, in one step, and until that moment at
     *     which the manifest is durably gone.
     * B2  All files that a manifest names were durable before it.
     * B3  A segment is shared only with backups that are there, and only when it was checked. Other files in segments/
     *     were left by a backup that was cut short and may be torn; they are deleted before the next one begins.
     * B4  A segment is deleted only when all manifests could be read and none names it.
     * B5  Nothing is deleted that is not proved to be ours (see BackupProof). Nothing is deleted either if nobody can
     *     know whether something is there.
     * B6  A number is given to one backup: flexdb.backups says so, durably, before there is a directory for it.
     * B7  A backup that is seen may not be durable yet, if its maker was killed or could not force its manifest's name.
     *     So those that stay are made durable before another one is deleted.
     * B8  Nothing is done, and above all nothing deleted, once another process has the lock.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final String SPACE = StoreFiles.SPACE_NAME;
    private static final String LOGS = StoreFiles.WAL_NAME;

    private final Vfs vfs;
    private final Path directory;
    private final VfsLock lock;
    private final LockWatch lockWatch;
    private final BackupSegments segments;
    private final FoundBackups found;
    private boolean closed;

    private BackupDirectory(Vfs vfs, Path directory, VfsLock lock, boolean byContent) {
        this.vfs = vfs;
        this.directory = directory;
        this.lock = lock;
        this.lockWatch = new LockWatch(lock, System::nanoTime);
        this.segments = new BackupSegments(vfs, directory, byContent);
        this.found = new FoundBackups(vfs, directory);
    }

    /**
     * A backup, as far as can be seen without reading it.
     *
     * @param manifest null if it can't be read
     * @param problem null if all that it consists of is there
     */
    public record Entry(long id, Manifest manifest, Problem problem) {}

    /**
     * Opens a directory of backups, or makes one if it is missing or empty.
     *
     * @param byContent whether segments are read whole before they are shared or counted as kept
     * @throws TargetNotEmptyException if it has something else in it
     */
    public static BackupDirectory open(Vfs vfs, Path path, boolean byContent) {
        Path directory = path.toAbsolutePath().normalize();
        requireOurs(vfs, directory);
        SpaceEngine.createDirectory(vfs, directory);
        VfsLock lock = vfs.lock(directory.resolve(StoreFiles.LOCK_NAME));
        try {
            requireOurs(vfs, directory);
            BackupDirectory opened = new BackupDirectory(vfs, directory, lock, byContent);
            if (opened.found.exists()) {
                opened.found.file(); // or it is damaged, or of a newer release
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
        if (!vfs.exists(directory.resolve(DirectoryFile.NAME))) {
            for (String name : vfs.list(directory)) {
                if (!name.equals(StoreFiles.LOCK_NAME) && !name.equals(DirectoryFile.UNFINISHED_NAME)) {
                    throw new TargetNotEmptyException(directory, name);
                }
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException("the directory of backups");
        }
        lockWatch.requireHeld(); // B8
    }

    /** The directory's path. */
    public Path path() {
        return directory;
    }

    // ---- which there are

    /** The ids of all backups, ascending; also of damaged ones, as far as anything shows that they are one. */
    private TreeSet<Long> ids() {
        requireOpen();
        return found.ids();
    }

    /** All backups, ascending, and what is wrong with each as far as that shows without reading more than manifests. */
    public List<Entry> list() {
        requireOpen();
        return found.list(segments);
    }

    // ---- making one

    /** Backs a store up. */
    public Manifest create(Store store, Progress progress) {
        requireOpen();
        if (found.exists() && found.file().storeId() != store.engine.storeId()) {
            throw new IllegalArgumentException(directory + " has backups of another store, "
                    + Long.toHexString(found.file().storeId()) + ", not of "
                    + Long.toHexString(store.engine.storeId()));
        }
        return store.tasks().run(task -> {
            if (!found.exists()) {
                new DirectoryFile(store.engine.storeId(), 0).write(vfs, directory);
            }
            segments.create();
            Set<String> shared = deleteUnfinished();
            BackupProof proof = begin();
            try (StoreCopy copy = store.beginCopy()) {
                return create(copy, proof, shared, new Steps(task, watching(progress), copy.space()));
            } catch (RuntimeException | Error e) {
                deleteUnfinishedAfter(e);
                throw e;
            } finally {
                found.letGo(proof.id());
            }
        });
    }

    /** Looks now and then whether the directory is ours still. */
    private Progress watching(Progress progress) {
        return (bytes, ofBytes) -> {
            lockWatch.requireHeldNowAndThen();
            progress.done(bytes, ofBytes);
        };
    }

    /** Gives the next backup its number. */
    private BackupProof begin() {
        DirectoryFile file = found.file();
        long id = file.last() + 1;
        while (vfs.exists(found.directoryOf(id))) {
            id++; // something of others
        }
        file = new DirectoryFile(file.storeId(), id);
        file.write(vfs, directory); // B6
        return found.proof(id, file);
    }

    private Manifest create(StoreCopy copy, BackupProof proof, Set<String> shared, Steps steps) {
        Instant time = Instant.now();
        Path own = proof.directory();
        SpaceCopy space = copy.space();
        SpaceEngine.createDirectory(vfs, own);
        proof.write(); // B5, before anything else is in there
        SpaceEngine.createDirectory(vfs, own.resolve(SPACE));
        SpaceEngine.createDirectory(vfs, own.resolve(LOGS));
        copy.copyLogs(vfs, own.resolve(LOGS));
        space.copyTree(vfs, own.resolve(SPACE), steps::step);
        try (BackupSegments.NewSegments target = segments.begin(shared, space)) {
            space.copySegments(target, steps::step);
            target.sync();
            CopiedFiles reader = new CopiedFiles(bytes -> {});
            List<Manifest.CopiedFile> files = describe(own, reader);
            steps.tell();
            long newBytes = target.newBytes() + reader.usedBytes();
            Manifest.Summary summary = new Manifest.Summary(proof.id(), time, copy.sequence(), newBytes);
            Manifest manifest = new Manifest(summary, space.format(), files, target.names());
            lockWatch.requireHeld(); // B8
            writeOrTakeBack(manifest, proof);
            return manifest;
        }
    }

    /** Makes it a backup; or none, also to those who look, if nobody knows whether it would stay one. */
    private void writeOrTakeBack(Manifest manifest, BackupProof proof) {
        try {
            manifest.write(vfs, proof.directory());
        } catch (RuntimeException | Error e) {
            try {
                lockWatch.requireHeld(); // B8
                if (vfs.exists(proof.directory().resolve(Manifest.NAME))) {
                    proof.deleteManifest();
                }
            } catch (StorageException again) {
                e.addSuppressed(again);
            }
            throw e;
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

    // ---- leftovers

    /** Deletes the leftovers of backups that were cut short (B3), and returns the segments that others have. */
    private Set<String> deleteUnfinished() {
        DirectoryFile file = found.file();
        for (long id : found.numbers()) {
            BackupProof proof = found.proof(id, file);
            if (isOfUnfinished(proof)) {
                vfs.syncDirectory(proof.directory()); // B1: a manifest that was taken back may not be gone durably
                deleteFiles(proof);
            } else if (id == file.last()) {
                proof.deleteIfBegun();
            }
            found.letGo(id);
        }
        Set<String> used = new HashSet<>();
        boolean all = true;
        for (long id : ids()) {
            try {
                used.addAll(Manifest.read(vfs, found.manifestOf(id)).segments()); // be it of another backup, moved here
            } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "No segment of backups is deleted, as a manifest can't be read: " + found.manifestOf(id),
                        e);
                all = false;
            } finally {
                found.letGo(id);
            }
        }
        segments.deleteUnused(used, all);
        return used;
    }

    private static boolean isOfUnfinished(BackupProof proof) {
        try {
            return proof.isOfUnfinished();
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.WARNING, "What can't be read is not deleted: " + proof.directory(), e);
            return false;
        }
    }

    private static void deleteFiles(BackupProof proof) {
        if (!proof.deleteFiles()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "A deleted backup's directory stays, as something of others is in it: " + proof.directory());
        }
    }

    private void deleteUnfinishedAfter(Throwable cause) {
        try {
            lockWatch.requireHeld(); // B8
            deleteUnfinished();
        } catch (StorageException e) {
            cause.addSuppressed(e); // the next one does it
        }
    }

    /**
     * Deletes a backup, and segments that no other one shares with it.
     *
     * @throws IllegalArgumentException if there is none, or nothing proves that the directory is ours
     */
    public void delete(long id) {
        requireOpen();
        found.requireBackup(id);
        BackupProof proof = found.proof(id, found.file());
        if (!proof.isThere()) {
            throw new IllegalArgumentException("nothing proves that " + found.directoryOf(id) + " is a backup of store "
                    + Long.toHexString(found.file().storeId()) + " made here: it has no sound " + BackupProof.NAME
                    + ", and no such manifest, or is a symbolic link; if it is not needed, delete it by other means");
        }
        for (long other : found.ids()) {
            if (other != id) {
                makeDurable(other);
            }
        }
        delete(proof);
    }

    /** B7. All else that belongs to a backup was durable before its manifest had its name. */
    private void makeDurable(long id) {
        try {
            vfs.syncDirectory(found.directoryOf(id));
        } finally {
            found.letGo(id);
        }
    }

    private void delete(BackupProof proof) {
        lockWatch.requireHeld(); // B8
        proof.deleteManifest(); // B1, before anything that it names goes
        deleteFiles(proof);
        deleteUnfinished();
    }

    // ---- using one

    /** Reads a backup, and tells what is wrong with it. */
    public List<Problem> verify(long id, Progress progress) {
        requireOpen();
        found.requireBackup(id);
        List<Problem> problems = new ArrayList<>();
        Manifest manifest;
        try {
            manifest = found.read(id);
        } catch (CorruptionException | StoreIoException e) {
            problems.add(Problem.of(e, found.manifestOf(id), null));
            return problems;
        }
        Path proof = found.directoryOf(id).resolve(BackupProof.NAME);
        try {
            if (found.proof(id, found.file()).isDamaged()) {
                problems.add(new Problem(proof, 0, null, "backup " + id + " of the store", "other text"));
            }
        } catch (StoreIoException e) {
            problems.add(Problem.of(e, proof, null));
        }
        try {
            BackupReading reading = read(manifest, progress);
            reading.verifyFiles(problems);
            reading.verifySegments(problems);
        } finally {
            found.letGo(id);
        }
        return problems;
    }

    /**
     * The result of a retention.
     *
     * @param kept all that there are now, ascending
     * @param deleted ascending
     * @param damaged those that are there and not sound, or can't be read, and what is wrong with each
     */
    public record Retention(List<Long> kept, List<Long> deleted, Map<Long, List<Problem>> damaged) {}

    /**
     * Deletes all backups older than the newest {@code count} sound ones, damaged ones included; none if there are
     * fewer sound ones. So a damaged backup never takes the place of a sound one.
     */
    public Retention keepLast(int count, Progress progress) {
        TreeSet<Long> ids = ids();
        Map<Long, List<Problem>> damaged = new TreeMap<>();
        TreeMap<String, List<Problem>> known = new TreeMap<>();
        int sound = 0;
        long oldestKept = 1;
        for (long id : ids.size() > count ? ids.descendingSet() : new TreeSet<Long>()) {
            List<Problem> problems = verifyAsShared(id, known, progress);
            if (!problems.isEmpty()) {
                damaged.put(id, problems);
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Backup " + id + " is not counted as one that is kept: " + problems.get(0));
            } else if (++sound == count) {
                oldestKept = id;
                break;
            }
        }
        List<Long> deleted = new ArrayList<>();
        for (long id : ids.headSet(oldestKept)) {
            BackupProof proof = found.proof(id, found.file());
            if (proof.isThere()) {
                delete(proof);
                deleted.add(id);
            }
        }
        ids.removeAll(deleted);
        return new Retention(List.copyOf(ids), deleted, damaged);
    }

    /**
     * Verifies a backup, its segments as it is done before they are shared, and makes it durable if it is sound.
     *
     * @param known segments that were checked for other backups, with what was found, or an empty list
     */
    private List<Problem> verifyAsShared(long id, TreeMap<String, List<Problem>> known, Progress progress) {
        List<Problem> problems = new ArrayList<>();
        Manifest manifest;
        try {
            manifest = found.read(id);
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            problems.add(Problem.of(e, found.manifestOf(id), null));
            return problems;
        }
        try {
            BackupReading reading = read(manifest, progress);
            reading.verifyFiles(problems);
            reading.checkSegments(known, problems);
            if (problems.isEmpty()) {
                makeDurable(id, problems);
            }
        } finally {
            found.letGo(id);
        }
        return problems;
    }

    private void makeDurable(long id, List<Problem> problems) {
        try {
            makeDurable(id);
        } catch (StoreIoException e) {
            problems.add(Problem.of(e, found.directoryOf(id), null));
        }
    }

    /** Makes a store of a backup. */
    public void restore(long id, Path to, Progress progress) {
        requireOpen();
        found.requireBackup(id);
        try {
            read(found.read(id), progress).restore(to);
        } finally {
            found.letGo(id);
        }
    }

    private BackupReading read(Manifest manifest, Progress progress) {
        return new BackupReading(vfs, found.directoryOf(manifest.summary().id()), manifest, segments, progress);
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
