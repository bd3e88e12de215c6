package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds the logs that an earlier process left and replays what no durable commit covers. For one thread.
 *
 * <p>The order of opening, which the caller keeps: {@link #open}; {@link #replay}, during which each frame is inserted
 * and also appended to fresh writers with numbers and generations above {@link #highest}; force these; {@link #deleteReplayed}; only then serve. Until the last step no old file is
 * changed, so a failure or a crash anywhere leaves the store as it was, to be recovered again; but on a full disk those
 * that hold nothing {@linkplain #deleteEmpty make room}.
 */
public final class WalRecovery {
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    /*
     * R1 Recovery accepts a prefix: numbers from coveredSequence + 1 on without a gap, whole frames only.
     * R2 A crash during recovery leaves old files beside copies of them. Copies hold the same frames under the same
     *    numbers, so a frame whose numbers were replayed already is passed over. They can't hold anything else, since
     *    new numbers are given out only after old files that have frames with such numbers are durably gone.
     * R3 A frame behind a gap was never acknowledged as durable, because files are forced in order. If its file's mark
     *    says that it was forced all the same, then what is missing was durable too: that is damage, not a crash.
     * R4 Nothing that may be a log is passed over because of its name: it is refused.
     */
    private static final char UNDECODABLE = '\uFFFD'; // stands for bytes that the JVM's file names can't express

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final List<Path> files = new ArrayList<>(); // all, the unfinished ones too
    private final List<Start> starts = new ArrayList<>(); // those with frames, in the order of their first frames
    private final Set<Path> behindGap = new LinkedHashSet<>(); // those with frames that are not replayed, see R2
    private WalId highest;
    private Predicate<Payload> check = payload -> true;
    private final Set<Path> adopted = new LinkedHashSet<>(); // those that serve on
    private Start current; // the one that is being replayed, and the writer that it has got; or null
    private WalWriter currentWriter;

    private WalRecovery(Vfs vfs, Path directory, long storeId) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.highest = new WalId(storeId, 0, 0);
    }

    /**
     * Lists the logs in a directory and checks their headers. Files that are no logs are left alone. A directory that is
     * missing has no logs; the caller says whether that can be.
     *
     * @throws CorruptionException if a log is damaged, or is there under another name than a log's
     * @throws io.flexdb.storage.UnsupportedFormatException if a log has a format version that can't be read
     */
    public static WalRecovery open(Vfs vfs, Path directory, long storeId) {
        WalRecovery recovery = new WalRecovery(vfs, directory, storeId);
        if (!vfs.exists(directory)) {
            return recovery;
        }
        for (String name : vfs.list(directory)) {
            if (WalFormat.isFileName(name)) {
                recovery.inspect(directory.resolve(name));
            } else if (WalFormat.isUnfinishedName(name)) {
                recovery.files.add(directory.resolve(name));
            } else {
                recovery.requireStranger(name);
            }
        }
        recovery.starts.sort(Comparator.comparingLong(Start::firstSequence).thenComparingLong(Start::number));
        return recovery;
    }

    private void inspect(Path path) {
        files.add(path);
        try (WalReader reader = new WalReader(vfs, path, storeId)) {
            highest = new WalId(
                    storeId,
                    Math.max(highest.number(), reader.number()),
                    Math.max(highest.generation(), reader.generation()));
            if (reader.next()) {
                starts.add(new Start(path, reader.number(), reader.firstSequence()));
            }
        }
    }

    private void requireStranger(String name) {
        if (name.indexOf(UNDECODABLE) >= 0) {
            throw new CorruptionException(
                    directory,
                    0,
                    "names that this JVM can read (sun.jnu.encoding is " + System.getProperty("sun.jnu.encoding")
                            + "; run it under a UTF-8 locale, such as C.UTF-8)",
                    "a file " + name + ", which may be a log");
        }
        Path path = directory.resolve(name);
        if (vfs.isDirectory(path)) {
            return;
        }
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            if (FilePreamble.isOf(FormatVersion.WAL, FilePreamble.read(file, 0))) {
                throw new CorruptionException(
                        path, 0, "a log to be named by its number, in 20 digits from 0 to 9", "a log with this name");
            }
        }
    }

    /**
     * Has a frame count only if what it refers to is there. Before {@link #replay}.
     *
     * @param newCheck whether all records that a frame refers to are there, as they were written; not asked for frames
     *     that a durable commit covers
     */
    public void check(Predicate<Payload> newCheck) {
        check = newCheck;
    }

    /**
     * Hands over every frame behind {@code coveredSequence}, in order, up to the first gap. May be called again, with
     * the same result.
     *
     * @param coveredSequence the last sequence number that a durable commit covers
     * @return the last sequence number handed over, or {@code coveredSequence} if there was none
     * @throws CorruptionException if a log is damaged where no crash can have been the cause
     */
    public long replay(long coveredSequence, FrameConsumer consumer) {
        long last = coveredSequence;
        boolean gap = false;
        behindGap.clear();
        for (Start start : starts) {
            current = start;
            currentWriter = null;
            try (WalReader reader = new WalReader(vfs, start.path, storeId)) {
                reader.check(check, coveredSequence);
                while (reader.next()) {
                    if (reader.lastSequence() <= last) {
                        continue;
                    }
                    if (reader.firstSequence() <= last) {
                        throw new CorruptionException(
                                reader.path(),
                                reader.framePosition(),
                                "a frame that follows sequence number " + last,
                                "one with numbers " + reader.firstSequence() + " to " + reader.lastSequence());
                    }
                    gap |= reader.firstSequence() != last + 1;
                    if (!gap) {
                        last = reader.lastSequence();
                        reader.deliver(consumer);
                        continue;
                    }
                    behindGap.add(start.path);
                    if (reader.position() <= reader.markPosition()) {
                        throw new CorruptionException(
                                reader.path(),
                                reader.framePosition(),
                                "sequence number " + (last + 1) + " in this log or another",
                                "a forced frame with number " + reader.firstSequence());
                    }
                }
                start.found = FoundLog.of(reader);
            }
        }
        current = null;
        currentWriter = null;
        return last;
    }

    /**
     * Deletes the files with frames that {@link #replay} has not handed over, durably: they have numbers that will be
     * given out again. If that fails at once, nothing has changed.
     */
    public void deleteBehindGap() {
        if (!behindGap.isEmpty()) {
            behindGap.forEach(vfs::deleteIfExists);
            vfs.syncDirectory(directory);
            behindGap.clear();
        }
    }

    /**
     * Deletes every file that was there at {@link #open}. All that {@link #replay} has handed over must be durable
     * elsewhere. After {@link #deleteBehindGap} a file that can't be deleted does no harm, since all it holds are
     * copies of that: the next recovery passes over them, and deletes it.
     *
     * @return whether all are gone
     */
    public boolean deleteReplayed() {
        try {
            for (Start start : starts) { // the oldest first, for those who follow them
                deleteUnlessAdopted(start.path);
            }
            for (Path file : files) {
                deleteUnlessAdopted(file);
            }
            vfs.syncDirectory(directory);
            return true;
        } catch (StorageException e) {
            if (!behindGap.isEmpty()) {
                throw e;
            }
            LOG.log(System.Logger.Level.WARNING, "Logs that are not needed stay in " + directory, e);
            return false;
        }
    }

    private void deleteUnlessAdopted(Path file) {
        if (!adopted.contains(file)) {
            vfs.deleteIfExists(file);
        }
    }

    /**
     * Has the log whose frame is being handed over serve on: for a consumer who finds no space to copy it. May be called
     * for each of its frames, and gives the same each time. Only in the second {@link #replay}, or a later one, so that
     * it is known where each log ends, and that none of them is damaged.
     */
    WalWriter adopt(WalMode mode) {
        if (currentWriter == null) {
            currentWriter = WalWriter.adopt(vfs, current.found, mode);
            adopted.add(current.path);
        }
        return currentWriter;
    }

    /** Whether logs that were there at {@link #open} serve on. */
    public boolean hasAdopted() {
        return !adopted.isEmpty();
    }

    /**
     * Deletes the files that were there at {@link #open} and have no frame, which are of use to nobody but for the space
     * that they take.
     *
     * @return whether there were any
     */
    public boolean deleteEmpty() {
        Set<Path> empty = new LinkedHashSet<>(files);
        starts.forEach(start -> empty.remove(start.path));
        boolean deleted = false;
        for (Path file : empty) {
            deleted |= vfs.deleteIfExists(file);
        }
        return deleted;
    }

    /** Deletes the logs that were made since {@link #open}: whoever has made them can't go on. */
    public void deleteCopies() {
        for (String name : vfs.list(directory)) {
            Path path = directory.resolve(name);
            boolean log = WalFormat.isFileName(name) || WalFormat.isUnfinishedName(name);
            if (log && !files.contains(path)) {
                vfs.deleteIfExists(path);
            }
        }
    }

    /** Whether there was no file at {@link #open}. */
    public boolean hasNone() {
        return files.isEmpty();
    }

    /** The files that were there at {@link #open}, unfinished ones included. */
    public List<Path> files() {
        return List.copyOf(files);
    }

    /** The highest number and the highest generation of a file, each 0 if there is none. */
    public WalId highest() {
        return highest;
    }

    /** A file with at least one frame. */
    private static final class Start {
        private final Path path;
        private final long number;
        private final long firstSequence;
        private FoundLog found; // once it was replayed

        Start(Path path, long number, long firstSequence) {
            this.path = path;
            this.number = number;
            this.firstSequence = firstSequence;
        }

        long number() {
            return number;
        }

        long firstSequence() {
            return firstSequence;
        }
    }
}
