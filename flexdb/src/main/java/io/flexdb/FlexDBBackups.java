package io.flexdb;

import static io.flexdb.Limits.localPath;
import static io.flexdb.Limits.notNull;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.backup.BackupDirectory;
import io.flexdb.internal.backup.Manifest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A directory with backups of one store, each of one moment. Segments of data that several of them have are kept once,
 * so each further backup costs what has changed, and the index.
 *
 * <pre>{@code
 * try (FlexDBBackups backups = FlexDBBackups.open(Path.of("/backups/data"))) {
 *     backups.create(db);
 *     backups.keepLast(7);
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> Any thread may call any method; they run one after the other. The directory is locked until it is
 * closed, against other processes, too.
 *
 * <p><b>Durability.</b> What has returned is durable. A backup that fails or is cut short is none, and leaves the others
 * as they are; what it has left is deleted by the next one.
 *
 * <p><b>Errors.</b> A bad argument gives an {@link IllegalArgumentException}. Damage is a
 * {@link io.flexdb.storage.CorruptionException} with the file, and never restored. After {@link #close} all methods
 * throw {@link io.flexdb.storage.StoreClosedException}.
 */
public final class FlexDBBackups implements AutoCloseable {
    private final BackupDirectory backups;

    private FlexDBBackups(BackupDirectory backups) {
        this.backups = backups;
    }

    /**
     * A backup.
     *
     * @param id its number; later ones have higher ones
     * @param time when it was begun
     * @param sequence the number of the last write that it has
     * @param bytes of a store restored from it, about
     * @param newBytes that were written for it, and are not shared with earlier ones
     */
    public record Backup(long id, Instant time, long sequence, long bytes, long newBytes) {}

    /**
     * Opens a directory of backups, or makes one if it is missing or empty.
     *
     * @throws io.flexdb.storage.TargetNotEmptyException if it has something else in it; nothing is changed
     * @throws io.flexdb.storage.StoreLockedException if it is open already, here or in another process
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release made it
     */
    public static FlexDBBackups open(Path directory) {
        return open(new RealVfs(), localPath(directory, "directory"));
    }

    static FlexDBBackups open(Vfs vfs, Path directory) {
        return new FlexDBBackups(BackupDirectory.open(vfs, directory));
    }

    /** Backs a store up, as {@link #create(FlexDB, Progress)} does. */
    public Backup create(FlexDB db) {
        return create(db, Progress.NONE);
    }

    /**
     * Backs a store up, while reads and writes go on: with every write that was visible when the call began, as
     * {@link FlexDB#checkpoint(Path)} does. Every byte is verified on its way.
     *
     * @param progress is told how far it is, and may end it
     * @throws IllegalArgumentException if the backups here are of another store; one that was restored from them, or is a
     *     checkpoint of theirs, counts as the same; or if they are in the store's own directory
     * @throws io.flexdb.storage.CorruptionException if data of the store is damaged; the store goes on
     * @throws io.flexdb.storage.StoreFullException if this disk is full; the store goes on
     * @throws io.flexdb.storage.StoreClosedException if the store is closed before the backup has ended
     */
    public synchronized Backup create(FlexDB db, Progress progress) {
        notNull(progress, "progress");
        Limits.requireOutside(
                backups.path(), "backups", notNull(db, "db").access.directory, "the store's own directory");
        return backup(backups.create(db.openStore(), progress::done));
    }

    private static Backup backup(Manifest manifest) {
        return new Backup(manifest.id(), manifest.time(), manifest.sequence(), manifest.bytes(), manifest.newBytes());
    }

    /** All backups, the oldest first. */
    public synchronized List<Backup> list() {
        List<Backup> list = new ArrayList<>();
        for (long id : backups.ids()) {
            list.add(backup(backups.manifest(id)));
        }
        return list;
    }

    /** Verifies a backup, as {@link #verify(long, Progress)} does. */
    public List<FlexDBCheckReport.Finding> verify(long id) {
        return verify(id, Progress.NONE);
    }

    /**
     * Reads all of a backup and compares it with its checksums.
     *
     * @param progress is told how far it is, and may end it
     * @return what is not as it should be; nothing if it is sound
     * @throws IllegalArgumentException if there is no such backup
     */
    public synchronized List<FlexDBCheckReport.Finding> verify(long id, Progress progress) {
        notNull(progress, "progress");
        return backups.verify(id, progress::done).stream()
                .map(problem -> new FlexDBCheckReport.Finding(
                        problem.file(), problem.position(), problem.expected(), problem.found(), null))
                .toList();
    }

    /** Restores a backup, as {@link #restore(long, Path, Progress)} does. */
    public void restore(long id, Path target) {
        restore(id, target, Progress.NONE);
    }

    /**
     * Makes a store of a backup, in one step: a directory in which that was cut short is refused by
     * {@link FlexDB#open(Path)}. Every byte is verified on its way.
     *
     * @param target an empty or missing directory
     * @param progress is told how far it is, and may end it
     * @throws IllegalArgumentException if there is no such backup
     * @throws io.flexdb.storage.TargetNotEmptyException if the target has something in it; nothing is changed
     * @throws io.flexdb.storage.CorruptionException if the backup is damaged; what was made is deleted
     */
    public synchronized void restore(long id, Path target, Progress progress) {
        localPath(target, "target");
        notNull(progress, "progress");
        Limits.requireOutside(target, "target", backups.path(), "the directory of backups");
        backups.restore(id, target, progress::done);
    }

    /**
     * Deletes a backup, and frees what no other one shares with it.
     *
     * @throws IllegalArgumentException if there is no such backup
     */
    public synchronized void delete(long id) {
        backups.delete(id);
    }

    /**
     * Deletes all backups but the newest.
     *
     * @param count how many to keep, at least 1
     * @return how many were deleted
     */
    public synchronized int keepLast(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1: " + count);
        }
        TreeSet<Long> ids = backups.ids();
        int deleted = 0;
        for (; ids.size() > count; deleted++) {
            backups.delete(ids.pollFirst());
        }
        return deleted;
    }

    /** Lets the directory go. Closing again does nothing. */
    @Override
    public synchronized void close() {
        backups.close();
    }
}
