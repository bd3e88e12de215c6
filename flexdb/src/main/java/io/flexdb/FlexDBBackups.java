package io.flexdb;

import static io.flexdb.Limits.localPath;
import static io.flexdb.Limits.notNull;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.tools.BackupDirectory;
import io.flexdb.internal.tools.Manifest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
 * <p><b>Durability.</b> Each method returns when its work is durable. A backup that fails or is cut short is none, and
 * leaves the others as they are; the next one deletes its files.
 *
 * <p><b>What is deleted.</b> A directory is deleted only if a file of ours in it proves that it is a backup of this
 * store, made here, and of its content only files with our names; nothing behind a symbolic link. Other things with a
 * number as their name stay, and that number is not used.
 *
 * <p><b>Errors.</b> A bad argument gives an {@link IllegalArgumentException}. Damage is a
 * {@link io.flexdb.storage.CorruptionException} with the file, and never restored. After {@link #close} all methods
 * throw {@link io.flexdb.storage.StoreClosedException}.
 */
public final class FlexDBBackups implements AutoCloseable {
    /** The check of a segment before a new backup shares it with older ones, or a kept one counts as sound. */
    public enum SegmentCheck {
        /** All of it is read and compared with its checksums. The default; takes as long as reading it. */
        CONTENT,
        /**
         * Only its length and its footer, 4 KiB of 4 MiB, are read, which tell whether it is there, whole in length and
         * the right one. For storage that is slow to read. Bits that have rotted are found by {@link #verify} alone.
         */
        FOOTER
    }

    private final BackupDirectory backups;

    private FlexDBBackups(BackupDirectory backups) {
        this.backups = backups;
    }

    /**
     * A backup, as {@link #create} and {@link #list} give it. Later releases may add figures. Only the library
     * implements this interface.
     */
    public sealed interface Backup permits Reports.Backup {
        /** Its number, above 0. Later backups have higher ones, and none is given twice. */
        long id();

        /** When it was begun; {@link Instant#EPOCH} if its manifest can't be read. */
        Instant time();

        /** The sequence number of the last write that it has; 0 if its manifest can't be read. */
        long sequence();

        /** About how many bytes a store restored from it has; 0 if its manifest can't be read. */
        long bytes();

        /** Bytes that were written for it and are not shared with earlier backups; 0 if its manifest can't be read. */
        long newBytes();

        /** The damage that {@link FlexDBBackups#list} saw; null if it saw none. */
        FlexDBCheckReport.Finding damage();

        /** Whether {@link FlexDBBackups#list} saw damage. */
        default boolean isDamaged() {
            return damage() != null;
        }
    }

    /**
     * The result of {@link #retain}. Later releases may add figures. Only the library implements this interface.
     */
    public sealed interface Retention permits Reports.Retention {
        /**
         * The ids of all backups that there are now, ascending. A directory with a number as its name that could not be
         * looked at counts as one. The list can't be changed.
         */
        List<Long> kept();

        /** The ids of the backups that were deleted, ascending. The list can't be changed. */
        List<Long> deleted();

        /**
         * The ids of backups that were met and are not sound, or could not be read, with the damage found in each. Those
         * of them that are in {@link #deleted} are gone. The map can't be changed.
         */
        Map<Long, List<FlexDBCheckReport.Finding>> damaged();
    }

    /**
     * Opens a directory of backups, or makes one if it is missing or empty.
     *
     * @throws io.flexdb.storage.TargetNotEmptyException if it has something else in it; nothing is changed
     * @throws io.flexdb.storage.StoreLockedException if it is open already, here or in another process
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release made it
     */
    public static FlexDBBackups open(Path directory) {
        return open(directory, SegmentCheck.CONTENT);
    }

    /**
     * Opens a directory of backups as {@link #open(Path)} does.
     *
     * @param check how segments are checked that backups share
     */
    public static FlexDBBackups open(Path directory, SegmentCheck check) {
        return open(new RealVfs(), localPath(directory, "directory"), notNull(check, "check"));
    }

    static FlexDBBackups open(Vfs vfs, Path directory) {
        return open(vfs, directory, SegmentCheck.CONTENT);
    }

    static FlexDBBackups open(Vfs vfs, Path directory, SegmentCheck check) {
        return new FlexDBBackups(BackupDirectory.open(vfs, directory, check == SegmentCheck.CONTENT));
    }

    /**
     * Backs a store up, while reads and writes go on. The backup has every write that was visible when the call
     * began, and is durable when this returns. Every byte is verified on its way. See {@link #create(FlexDB,
     * Progress)} for the errors.
     *
     * @param db the open store; earlier backups here have to be of the same one
     */
    public Backup create(FlexDB db) {
        return create(db, Progress.NONE);
    }

    /**
     * Backs a store up, while reads and writes go on: with every write that was visible when the call began, as
     * {@link FlexDB#checkpoint(Path)} does. Every byte is verified on its way. A segment that an earlier backup has is
     * checked first, as {@link SegmentCheck} says; one that is damaged or missing is copied once more, which mends the
     * earlier backups, too.
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
        return backup(manifest, null);
    }

    private static Backup backup(Manifest manifest, FlexDBCheckReport.Finding damage) {
        Manifest.Summary of = manifest.summary();
        return new Reports.Backup(of.id(), of.time(), of.sequence(), manifest.bytes(), of.newBytes(), damage);
    }

    /**
     * All backups, the oldest first, damaged ones included. Only manifests are read: {@link Backup#damage} tells of one
     * that can't be read, and of files that are missing. {@link #verify} finds all damage.
     */
    public synchronized List<Backup> list() {
        List<Backup> list = new ArrayList<>();
        for (BackupDirectory.Entry entry : backups.list()) {
            FlexDBCheckReport.Finding damage = entry.problem() == null ? null : Reports.finding(entry.problem());
            list.add(
                    entry.manifest() == null
                            ? new Reports.Backup(entry.id(), Instant.EPOCH, 0, 0, 0, damage)
                            : backup(entry.manifest(), damage));
        }
        return list;
    }

    /**
     * Reads all of a backup and compares it with its checksums.
     *
     * @param id the number of the backup
     * @return what is not as it should be; empty if the backup is sound
     * @throws IllegalArgumentException if there is no such backup
     */
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
        return Reports.findings(backups.verify(id, progress::done));
    }

    /**
     * Makes a store of a backup, in one step, and verifies every byte on its way. A directory in which that was cut
     * short is refused by {@link FlexDB#open(Path)}.
     *
     * @param id the number of the backup
     * @param target an empty or missing directory
     * @throws IllegalArgumentException if there is no such backup
     * @throws io.flexdb.storage.TargetNotEmptyException if the target has something in it; nothing is changed
     * @throws io.flexdb.storage.CorruptionException if the backup is damaged; the part that was made is deleted
     */
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
     * @throws io.flexdb.storage.CorruptionException if the backup is damaged, or lacks a write that it should have; the
     *     part that was made is deleted
     */
    public synchronized void restore(long id, Path target, Progress progress) {
        localPath(target, "target");
        notNull(progress, "progress");
        Limits.requireOutside(target, "target", backups.path(), "the directory of backups");
        backups.restore(id, target, progress::done);
    }

    /**
     * Deletes a backup, damaged or not, and frees what no other one shares with it.
     *
     * @throws IllegalArgumentException if there is no such backup, or nothing in its directory proves that it is one
     */
    public synchronized void delete(long id) {
        backups.delete(id);
    }

    /**
     * Deletes all backups that are older than the newest sound ones of a number. Damaged backups do not count. Those
     * that are kept are verified if there is something to delete. {@link #retain} also tells which are damaged.
     *
     * @param count how many sound ones to keep, at least 1
     * @return how many were deleted
     */
    public synchronized int keepLast(int count) {
        return retain(count, Progress.NONE).deleted().size();
    }

    /**
     * Deletes all backups that are older than the newest sound ones of that number. Damaged backups do not count, and
     * only those go that are older than the sound ones that are kept; where there are fewer sound ones, nothing is
     * deleted. A backup that can't be read does not count either.
     *
     * <p>So that no sound backup goes in favour of a damaged one, those that are kept are verified, if there is something
     * to delete: their segments as {@link SegmentCheck} says, each once however many backups share it, and all else
     * whole.
     *
     * @param count how many sound ones to keep, at least 1
     * @param progress is told how far each of them is, and may end it
     */
    public synchronized Retention retain(int count, Progress progress) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1: " + count);
        }
        notNull(progress, "progress");
        BackupDirectory.Retention done = backups.keepLast(count, progress::done);
        Map<Long, List<FlexDBCheckReport.Finding>> damaged = new TreeMap<>();
        done.damaged().forEach((id, problems) -> damaged.put(id, Reports.findings(problems)));
        return new Reports.Retention(
                List.copyOf(done.kept()), List.copyOf(done.deleted()), Collections.unmodifiableMap(damaged));
    }

    /** Lets the directory go. Closing again does nothing. */
    @Override
    public synchronized void close() {
        backups.close();
    }
}
