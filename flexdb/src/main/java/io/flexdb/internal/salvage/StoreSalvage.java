package io.flexdb.internal.salvage;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceSalvage;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.check.Problem;
import io.flexdb.internal.files.StoreFiles;
import io.flexdb.internal.keys.KeyHeads;
import io.flexdb.internal.large.KeptRecords;
import io.flexdb.internal.large.WholeEntries;
import io.flexdb.internal.wal.WalFormat;
import io.flexdb.internal.wal.WalReader;
import io.flexdb.internal.walk.PairWalk;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Brings what can be read of a damaged store that nobody has open into another one. For one thread. */
public final class StoreSalvage {
    /*
     * First the space, by SpaceSalvage and a walk over its pairs that goes on behind what is damaged; then the writes of
     * all logs that no commit of it covers, in the order of their numbers. Where some are missing, later ones count all
     * the same: what they say is newer than what the space has.
     *
     * S1  Each operand counts once. A commit that was cut short may have left values in the space with operands in them
     *     that the logs have, too: those are passed over as long as they go into that value. What a log has as a base
     *     comes over anew, without them, and so have all operands behind it to come.
     * S2  An operand of a key that the space has lost is lost, too, unless a log has a base for it: without it the value
     *     would be one that never was.
     * S3  What has expired comes over, too, with its time: an operand from before may go into it. So the store that it
     *     comes to must not know what time it is until all of it is there.
     *
     * No file of the store is written.
     */
    private static final int MAX_PROBLEMS = 10_000;
    private static final byte[] NO_KEY = {}; // before a range that begins with the first key, behind one up to the last

    /** Is told how far it is. */
    @FunctionalInterface
    public interface Progress {
        /** Takes a step; may throw to end it. */
        void done(long bytes, long ofBytes);
    }

    /** What was found. */
    public record Result(
            List<Problem> problems,
            long problemCount,
            long pairs,
            long lostBytes,
            long writes,
            boolean mayHoldRemoved) {}

    private record Log(Path path, long firstSequence) {}

    private final Vfs vfs;
    private final Path directory;
    private final Path space;
    private final boolean canMerge;
    private final Progress progress;
    private final List<Problem> problems = new ArrayList<>();
    private final TreeMap<byte[], Long> mergedThrough =
            new TreeMap<>(Arrays::compareUnsigned); // beyond the tag, by key (S1)
    private final TreeMap<byte[], byte[]> lostRanges =
            new TreeMap<>(Arrays::compareUnsigned); // both ends excluded (S2)
    private final TreeSet<byte[]> basesInLogs = new TreeSet<>(Arrays::compareUnsigned); // of keys in lost ranges
    private PairWriter target;
    private KeptRecords large; // null if the space can't be read
    private long problemCount;
    private long tag;
    private long pairs;
    private long lostBytes;
    private long writes;
    private boolean mayHoldRemoved;
    private long bytes;
    private long ofBytes;
    private long bytesTold;

    private StoreSalvage(Vfs vfs, Path directory, boolean canMerge, Progress progress) {
        this.vfs = vfs;
        this.canMerge = canMerge;
        this.directory = directory;
        this.space = directory.resolve(StoreFiles.SPACE_NAME);
        this.progress = progress;
    }

    /** Whether a directory looks like a store, or what is left of one. */
    public static void requireStore(Vfs vfs, Path directory) {
        if (!vfs.isDirectory(directory)) {
            throw new NotAStoreException(directory, vfs.exists(directory) ? "a file" : "nothing");
        }
        if (!vfs.isDirectory(directory.resolve(StoreFiles.SPACE_NAME))
                && !vfs.isDirectory(directory.resolve(StoreFiles.WAL_NAME))) {
            throw new NotAStoreException(directory, "neither " + StoreFiles.SPACE_NAME + " nor " + StoreFiles.WAL_NAME);
        }
    }

    /**
     * Takes the lock of the store, so that nobody opens it meanwhile. Nothing if it has no lock file any more, or if
     * nobody can open it anyway: a system that finds its disk failing makes it read-only.
     *
     * @throws io.flexdb.storage.StoreLockedException if somebody has it open
     */
    public static VfsLock lock(Vfs vfs, Path directory) {
        Path lock = directory.resolve(StoreFiles.LOCK_NAME);
        return vfs.exists(lock) && !vfs.isReadOnly(lock) ? vfs.lock(lock) : null;
    }

    /**
     * Brings all over.
     *
     * @param writer of the store to write to, for which time stands still (S3)
     * @param settings of that store
     * @throws MergeException if there are operands, and no function
     */
    public static Result run(Vfs vfs, Path directory, StoreWriter writer, StoreSettings settings, Progress progress) {
        StoreSalvage salvage = new StoreSalvage(vfs, directory, settings.merger != null, progress);
        return salvage.run(new PairWriter(writer, settings.memtableBytes));
    }

    private Result run(PairWriter writer) {
        target = writer;
        long storeId = 0;
        try (SpaceSalvage found = SpaceSalvage.open(vfs, space)) {
            storeId = found.storeId();
            tag = found.tag();
            found.problems().forEach(problem -> add(problem, space, null, null, false));
            mayHoldRemoved = !found.isComplete();
            ofBytes = found.view().size();
            new Pairs(found).run();
            large = new KeptRecords(found.maxExtentBytes(), found::readUnverified);
            replayLogs(storeId);
        } catch (CorruptionException | StoreIoException e) {
            add(e, space, null, null, false); // all of it is lost
            mayHoldRemoved = true;
            lostRanges.clear();
            lostRanges.put(NO_KEY, NO_KEY);
        }
        if (large == null) {
            replayLogs(storeId != 0 ? storeId : storeIdOfOptions());
        }
        target.flush();
        progress.done(bytes, Math.max(bytes, ofBytes));
        return new Result(List.copyOf(problems), problemCount, pairs, lostBytes, writes, mayHoldRemoved);
    }

    private void add(StorageException e, Path path, byte[] before, byte[] after, boolean ofPairs) {
        Problem problem = e instanceof CorruptionException damage
                ? new Problem(
                        damage.file(), damage.position(), before, after, ofPairs, damage.expected(), damage.found())
                : new Problem(
                        path, 0, before, after, ofPairs, "a file that can be read", String.valueOf(e.getMessage()));
        problemCount++;
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }

    private void addTooLong(IllegalArgumentException e, Path path, byte[] key) {
        problemCount++;
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(
                    new Problem(path, 0, key, key, true, "a pair that the new store's memtables hold", e.getMessage()));
        }
    }

    private long storeIdOfOptions() {
        Path path = StoreFiles.optionsFile(directory);
        try {
            return StoreFiles.readStoreId(vfs, path);
        } catch (StorageException e) {
            add(e, path, null, null, false);
            return 0;
        }
    }

    private void step(long more) {
        bytes += more;
        if (bytes - bytesTold >= 1 << 20) {
            bytesTold = bytes;
            progress.done(bytes, Math.max(bytes, ofBytes));
        }
    }

    /** Brings the pairs of the space over. */
    private final class Pairs implements PairWalk.Visitor {
        private final PairWalk walk;

        Pairs(SpaceSalvage found) {
            this.walk = new PairWalk(found.reads(), found.view(), space.resolve("data"), this);
        }

        void run() {
            walk.run();
        }

        @Override
        public void pair() {
            if (walk.mergedThrough() > tag) {
                mergedThrough.put(keyOfWalk(), walk.mergedThrough());
            }
            try {
                target.put(walk);
                pairs++;
            } catch (IllegalArgumentException e) {
                lostBytes += walk.keyLength() + walk.valueLength();
                addTooLong(e, space.resolve("data"), keyOfWalk());
            }
        }

        private byte[] keyOfWalk() {
            return Arrays.copyOf(walk.key(), walk.keyLength());
        }

        @Override
        public void lost(long from, long to, byte[] keyBefore, byte[] keyAfter, StorageException cause) {
            lostBytes += to - from;
            lostRanges.put(keyBefore == null ? NO_KEY : keyBefore, keyAfter == null ? NO_KEY : keyAfter);
            add(cause, space, keyBefore, keyAfter, true);
        }

        @Override
        public void passed(long more) {
            step(more);
        }
    }

    // ---- logs

    private void replayLogs(long storeId) {
        Path logs = directory.resolve(StoreFiles.WAL_NAME);
        if (!vfs.isDirectory(logs)) {
            return;
        }
        List<Log> found = new ArrayList<>();
        for (String name : vfs.list(logs)) {
            if (WalFormat.isFileName(name)) {
                inspect(logs.resolve(name), storeId, found);
            }
        }
        found.sort(Comparator.comparingLong(Log::firstSequence));
        long last = tag;
        for (Log log : found) {
            last = replay(log.path(), storeId, last);
        }
    }

    private void inspect(Path path, long storeId, List<Log> found) {
        try (WalReader reader = new WalReader(vfs, path, storeIdOf(path, storeId))) {
            if (reader.next()) {
                found.add(new Log(path, reader.firstSequence()));
            }
        } catch (StorageException e) {
            add(e, path, null, null, false);
            mayHoldRemoved = true;
        }
    }

    /** That of the file itself where no other is known. */
    private long storeIdOf(Path path, long storeId) {
        if (storeId != 0) {
            return storeId;
        }
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            return FilePreamble.storeId(FilePreamble.read(file, 0));
        }
    }

    private long replay(Path path, long storeId, long lastBefore) {
        long last = lastBefore;
        try (WalReader reader = new WalReader(vfs, path, storeIdOf(path, storeId))) {
            while (reader.next()) {
                if (reader.firstSequence() <= last) {
                    continue; // covered, or a copy that a recovery has left
                }
                if (reader.firstSequence() > last + 1) {
                    mayHoldRemoved = true;
                    add(
                            new CorruptionException(
                                    path,
                                    reader.framePosition(),
                                    "the write with sequence number " + (last + 1),
                                    String.valueOf(reader.firstSequence())),
                            path,
                            null,
                            null,
                            false);
                }
                write(reader);
                last = reader.lastSequence();
                writes++;
            }
        } catch (CorruptionException | StoreIoException e) {
            add(e, path, null, null, false);
            mayHoldRemoved = true;
        }
        return last;
    }

    private void write(WalReader frame) {
        PayloadReader entries = new PayloadReader().reset(frame.payload(), 0, frame.payloadBytes());
        long sequence = frame.firstSequence();
        int start = 0;
        while (entries.next()) {
            int end = entries.keyIndex() + entries.keyLength() + entries.tailLength();
            try {
                write(frame, entries, sequence, start, end);
            } catch (IllegalArgumentException e) {
                addTooLong(e, frame.path(), keyOf(entries, frame.payload()));
            }
            start = end;
            sequence++;
        }
    }

    private static byte[] keyOf(PayloadReader entry, byte[] payload) {
        return Arrays.copyOfRange(payload, entry.keyIndex(), entry.keyIndex() + entry.keyLength());
    }

    /** Writes the entry from an index to another, unless it is an operand that is there already, or that is lost. */
    private void write(WalReader frame, PayloadReader entry, long sequence, int start, int end) {
        boolean isOperand = entry.type() == WritePayload.MERGE;
        if (isOperand) {
            byte[] key = keyOf(entry, frame.payload());
            if (sequence <= mergedThrough.getOrDefault(key, 0L)) {
                return;
            }
            if (!canMerge) {
                throw new MergeException(
                        KeyHeads.withoutHead(key), "the write-ahead log has merges, and there is no function", null);
            }
            if (isLost(key)) {
                add(
                        new CorruptionException(
                                frame.path(), frame.framePosition(), "an operand of a value that is there", "none"),
                        frame.path(),
                        key,
                        key,
                        true);
                return;
            }
        }
        boolean done = true;
        if (entry.type() == WritePayload.PUT_LARGE) {
            done = writeLarge(frame, start, end);
        } else {
            target.add(entry, frame.payload(), start, end);
        }
        if (done && !isOperand) {
            hasBase(entry, frame.payload());
        }
    }

    /** Whether the space may have had a value of a key that did not come over, and no log has had another one. */
    private boolean isLost(byte[] key) {
        Map.Entry<byte[], byte[]> range = lostRanges.lowerEntry(key);
        boolean isWithin =
                range != null && (range.getValue().length == 0 || Arrays.compareUnsigned(key, range.getValue()) < 0);
        return isWithin && !basesInLogs.contains(key);
    }

    /** Follows that an entry has come over which is no operand: what the space had below is of no more use. */
    private void hasBase(PayloadReader entry, byte[] payload) {
        if (mergedThrough.isEmpty() && lostRanges.isEmpty()) {
            return;
        }
        byte[] key = keyOf(entry, payload);
        if (entry.type() != WritePayload.DELETE_RANGE) {
            mergedThrough.remove(key);
            if (isLost(key)) {
                basesInLogs.add(key);
            }
            return;
        }
        int to = entry.keyIndex() + entry.keyLength();
        byte[] end = Arrays.copyOfRange(payload, to, to + entry.valueLength());
        (end.length == 0 ? mergedThrough.tailMap(key) : mergedThrough.subMap(key, end)).clear();
    }

    /** Writes the entry from an index to another, the value of which is in the data file; false if it is lost. */
    private boolean writeLarge(WalReader frame, int start, int end) {
        byte[] alone = Arrays.copyOfRange(frame.payload(), start, end);
        PayloadReader entry = new PayloadReader().reset(alone, 0, alone.length);
        entry.next();
        byte[] whole = null;
        try {
            if (large != null && large.isWhole(alone, entry)) {
                whole = WholeEntries.whole(
                        alone, alone.length, (reader, to, index) -> large.copyValue(alone, reader, to, index));
            }
        } catch (StoreIoException e) {
            add(e, frame.path(), null, null, false);
        }
        if (whole == null) {
            byte[] key = Arrays.copyOfRange(alone, entry.keyIndex(), entry.keyIndex() + entry.keyLength());
            CorruptionException lost = new CorruptionException(
                    frame.path(), frame.framePosition(), "a large value in the data file", "none with its checksum");
            add(lost, frame.path(), key, key, true);
            mayHoldRemoved = true;
            return false;
        }
        entry.reset(whole, 0, whole.length).next();
        target.add(entry, whole, 0, whole.length);
        return true;
    }
}
