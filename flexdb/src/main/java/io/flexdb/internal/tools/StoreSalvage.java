package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceSalvage;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.PairWalk;
import io.flexdb.internal.log.WalFormat;
import io.flexdb.internal.log.WalReader;
import io.flexdb.internal.mem.KeptRecords;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WaitingOperands;
import io.flexdb.internal.mem.WholeEntries;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.open.Checkpoints;
import io.flexdb.internal.open.Problem;
import io.flexdb.internal.open.Problems;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreFiles;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.internal.txn.UnnamedKeyspaces;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Brings all readable pairs of a damaged store that nobody has open into another one. For one thread. */
public final class StoreSalvage {
    /*
     * First comes the space, by SpaceSalvage and a walk over its pairs that goes on behind damage. Then come the writes
     * of all logs that no commit covers, in the order of their numbers. If some are missing, later ones count all the
     * same: they are newer than the space.
     *
     * S1  Each operand counts once. A commit that was cut short may have left values in the space with operands in them
     *     that the logs have, too: those are passed over as long as they go into that value. A base in a log comes over
     *     anew, without them, so all operands behind it come over, too.
     * S2  An operand of a key that the space has lost is lost, too, unless a log has a base for it: without a base it
     *     would make a value that never was.
     * S3  Expired pairs come over, too, with their time: an older operand may go into one. So time stands still for the
     *     new store until all is there.
     * S4  The new store lists the keys that may be missing, for users to whom a missing pair means something. If only
     *     the last writes are missing, the store is as it was before them, and lists nothing.
     * S5  Behind a damaged frame of a log the next whole one is looked for. How many writes lie between is not known,
     *     so numbers are too low from there on: a write with a higher number is surely newer.
     * S6  A number of a keyspace is never given again as long as it has a pair or a name. Pairs whose keyspace has lost
     *     its name get one for it.
     *
     * No file of the store is written.
     */

    /** The keyspace of the new store that says which keys may be missing, if any may; see {@link LostKeys#of}. */
    public static final String LOST_KEYSPACE = "lost-in-salvage";

    /** The result of a salvage. */
    public record Result(
            Problems problems,
            long pairs,
            long lostBytes,
            long writes,
            boolean mayHoldRemoved,
            List<String> recoveredKeyspaces) {}

    private static final class Log {
        private final Path path;
        private final long number;
        private final long firstSequence; // 0 if it is not known
        private final boolean isBroken;
        private final long entries; // up to where it is broken; if the first number is not known, of all that it has
        private long place; // among the logs

        Log(Path path, long number, long firstSequence, boolean isBroken, long entries) {
            this.path = path;
            this.number = number;
            this.firstSequence = firstSequence;
            this.isBroken = isBroken;
            this.entries = entries;
        }
    }

    private final Vfs vfs;
    private final Vfs logFiles;
    private final Path directory;
    private final Path space;
    private final KeyspaceRegistry registry; // of the new store
    private final Map<Integer, String> names = new HashMap<>(); // of keyspaces that were met, by number
    private final Checkpoints.Progress progress;
    private final Problems problems = new Problems();
    private final TreeMap<byte[], Long> mergedThrough =
            new TreeMap<>(Arrays::compareUnsigned); // beyond the tag, by key (S1)
    private final LostKeys lostKeys = new LostKeys(); // S2
    private final TreeSet<byte[]> basesInLogs = new TreeSet<>(Arrays::compareUnsigned); // of keys in lost ranges
    private final TreeSet<Long> logNumbers = new TreeSet<>();
    private PairWriter target;
    private KeptRecords large; // null if the space can't be read
    private long tag;
    private long pairs;
    private long lostBytes;
    private long writes;
    private boolean mayHoldRemoved;
    private boolean lacksUnknown; // writes are missing, nobody knows of which keys, and later ones are there (S4)
    private boolean gapTold; // the numbers missing before the frame to come were reported
    private TreeSet<byte[]>
            basesOfLog; // keys that a log of unknown numbers has no operand of first; null if they are known
    private boolean goesOnFromSpace; // the logs have the very next write behind the space
    private boolean behindLoad; // one of the writes came right behind a bulk load
    private long bytes;
    private long ofBytes;
    private long bytesTold;

    private StoreSalvage(Vfs vfs, Path directory, KeyspaceRegistry registry, Checkpoints.Progress progress) {
        this.vfs = vfs;
        this.logFiles = new PatchedVfs(vfs, e -> doubt(e, e.file()));
        this.registry = registry;
        this.directory = directory;
        this.space = directory.resolve(StoreFiles.SPACE_NAME);
        this.progress = progress;
    }

    /** Throws if a directory looks neither like a store nor like the rest of one. */
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
     * @param target to write to, for which time stands still (S3), and which has nothing
     * @throws MergeException if there are operands, and no function for them
     */
    public static Result run(Vfs vfs, Path directory, Store target, Checkpoints.Progress progress) {
        KeyspaceRegistry registry = target.keyspaceRegistry();
        registry.namesMayBeMissing();
        StoreSalvage salvage = new StoreSalvage(vfs, directory, registry, progress);
        try {
            return salvage.run(target);
        } catch (PairWriter.TargetException e) {
            throw e.storage();
        }
    }

    private Result run(Store fresh) {
        target = new PairWriter(fresh.writer(), fresh.settings().memtableBytes);
        CorruptionException cutLog = null;
        long storeId = 0;
        try (SpaceSalvage found = SpaceSalvage.open(vfs, space)) {
            storeId = found.storeId();
            tag = found.tag();
            cutLog = found.cutLog();
            found.problems().forEach(problem -> problems.add(problem, space, null));
            mayHoldRemoved = !found.isComplete();
            lacksUnknown = mayHoldRemoved;
            ofBytes = found.view().size();
            new Pairs(found).run();
            large = new KeptRecords(found.maxExtentBytes(), found::readUnverified);
            replayLogs(storeId);
        } catch (CorruptionException | StoreIoException e) {
            doubt(e, space); // all of it is lost
            lostKeys.addAll();
        }
        if (large == null) {
            replayLogs(storeId != 0 ? storeId : storeIdOfOptions());
        }
        if (cutLog != null && (!goesOnFromSpace || behindLoad)) { // else the logs have all that it had
            doubt(cutLog, space);
            lacksUnknown |= writes > 0;
        }
        target.flush();
        List<String> recovered = nameKeyspaces(fresh);
        noteLostKeys(fresh.keyspaces(), fresh.engine.storeId());
        target.flush();
        progress.done(bytes, Math.max(bytes, ofBytes));
        return new Result(problems, pairs, lostBytes, writes, mayHoldRemoved, List.copyOf(recovered));
    }

    /** S6. */
    private List<String> nameKeyspaces(Store fresh) {
        List<String> names = new ArrayList<>();
        for (UnnamedKeyspaces.Named named : UnnamedKeyspaces.giveNames(fresh.reader(), fresh.writer())) {
            registry.hasLostName(named.number());
            names.add(named.name());
            byte[] begin = KeyHeads.named(named.number()).begin();
            CorruptionException lost = new CorruptionException(
                    space.resolve("data"),
                    0,
                    "a name of keyspace number " + named.number(),
                    "none; its " + named.pairs() + " pairs are in keyspace \"" + named.name() + "\"");
            problems.add(lost, space, new Problem.Keys(begin, KeyHeads.behind(begin)));
        }
        return names;
    }

    /** S4. */
    private void noteLostKeys(KeyspaceDirectory keyspaces, long storeId) {
        if (lacksUnknown) {
            lostKeys.addAll();
        }
        if (lostKeys.isEmpty()) {
            return;
        }
        List<byte[]> ranges = new ArrayList<>(lostKeys.of("", KeyHeads.DEFAULT));
        for (String name : keyspaces.names()) {
            if (!name.equals(LOST_KEYSPACE)) {
                ranges.addAll(lostKeys.of(name, keyspaces.get(name).heads()));
            }
        }
        KeyHeads heads = keyspaces.create(LOST_KEYSPACE, true, Force.WHEN_ASKED).heads();
        byte[] salvaged = ByteBuffer.allocate(Long.BYTES).putLong(storeId).array();
        for (int i = 0; i < ranges.size(); i++) {
            byte[] key = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                    .put(salvaged)
                    .putInt(i)
                    .array();
            target.put(heads.stored(key), ranges.get(i));
        }
    }

    /** Follows that a pair of the directory of keyspaces has come over. */
    private void hasName(byte[] key, byte[] number) {
        KeyspaceDirectory.tellName(KeyHeads.withoutHead(key), number, registry, names);
    }

    /** Throws unless the keyspace of a key has a function for operands, or may have one that nobody knows (S6). */
    private void requireFunction(byte[] key, String what) {
        int number = KeyHeads.numberOf(key);
        if (registry.mergerOf(number) == null && !registry.isMergerUnknown(number)) {
            String name = names.get(number);
            throw new MergeException(
                    KeyHeads.withoutHead(key),
                    what
                            + (name == null
                                    ? ", and there is no function"
                                    : " of keyspace \"" + name + "\", and there is no function for it"),
                    null);
        }
    }

    private static Problem tooLong(IllegalArgumentException e, Path path, byte[] key) {
        String expected = "a pair that the new store's memtables hold";
        return new Problem(path, 0, Problem.Keys.of(key), expected, e.getMessage());
    }

    private long storeIdOfOptions() {
        Path path = StoreFiles.optionsFile(directory);
        try {
            return StoreFiles.readStoreId(vfs, path);
        } catch (StorageException e) {
            problems.add(e, path, null);
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
        private final Path dataFile;
        private final PairWalk walk;

        Pairs(SpaceSalvage found) {
            this.dataFile = found.dataFile();
            this.walk = new PairWalk(found.reads(), found.view(), dataFile, this);
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
                if (walk.hasWaiting()) {
                    putWaiting();
                } else {
                    if (KeyHeads.isOfDirectory(walk.key(), 0, walk.keyLength())
                            && walk.valueLength() == Integer.BYTES) {
                        byte[] number = new byte[Integer.BYTES];
                        walk.copyValue(number, 0);
                        hasName(keyOfWalk(), number);
                    }
                    target.put(walk);
                }
                pairs++;
            } catch (IllegalArgumentException e) {
                lose(tooLong(e, dataFile, keyOfWalk()));
            } catch (CorruptionException | StoreIoException e) { // it was read once already
                lose(Problem.of(e, space, Problem.Keys.of(keyOfWalk())));
            } catch (BadRecordException e) {
                String expected = e.expected() + " (the position is a logical offset)";
                Problem.Keys keys = Problem.Keys.of(keyOfWalk());
                lose(new Problem(dataFile, walk.pairOffset(), keys, expected, e.found()));
            }
        }

        private void lose(Problem problem) {
            lostBytes += walk.keyLength() + walk.valueLength();
            lostKeys.add(keyOfWalk());
            problems.add(problem);
        }

        private void putWaiting() {
            requireFunction(keyOfWalk(), "operands wait in the store");
            if (target.isByParts(walk.valueLength())) {
                target.putWaitingByParts(walk);
                return;
            }
            byte[] list = new byte[walk.valueLength()];
            walk.copyValue(list, 0);
            target.putWaiting(walk, WaitingOperands.of(list));
        }

        private byte[] keyOfWalk() {
            return Arrays.copyOf(walk.key(), walk.keyLength());
        }

        @Override
        public void lost(long from, long to, byte[] keyBefore, byte[] keyAfter, StorageException cause) {
            lostBytes += to - from;
            lostKeys.addBetween(keyBefore, keyAfter);
            problems.add(cause, space, new Problem.Keys(keyBefore, keyAfter));
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
            if (!vfs.exists(directory.resolve(StoreFiles.INTERVALS_NAME))) { // which stands for a store that was closed
                doubt(new CorruptionException(logs, 0, "the directory of write-ahead logs", "none"), logs);
            }
            return;
        }
        List<Log> found = new ArrayList<>();
        for (String name : namesIn(logs)) {
            if (WalFormat.isFileName(name)) {
                inspect(logs.resolve(name), storeId, found);
            } else if (!WalFormat.isUnfinishedName(name)) {
                inspectStranger(logs.resolve(name));
            }
        }
        sort(found);
        requireLogBehind(found, logs);
        long last = tag;
        for (int i = 0; i < found.size(); i++) {
            long nextLog = i + 1 < found.size() ? found.get(i + 1).firstSequence : 0;
            boolean followsAnother = i > 0 && !found.get(i - 1).isBroken;
            last = replay(found.get(i), storeId, last, nextLog, followsAnother);
        }
    }

    private List<String> namesIn(Path logs) {
        try {
            return vfs.list(logs);
        } catch (StorageException e) {
            doubt(e, logs);
            return List.of();
        }
    }

    /** Reports something that the salvage can't be sure of, or knows to be missing without knowing which pairs. */
    private void doubt(StorageException e, Path path) {
        problems.add(e, path, null);
        mayHoldRemoved = true;
    }

    private void inspect(Path path, long storeId, List<Log> found) {
        try (WalReader reader = WalReader.tolerant(logFiles, path, storeIdOf(path, storeId))) {
            logNumbers.add(reader.number());
            if (reader.tolerated() != null) {
                doubt(reader.tolerated(), path);
            }
            boolean isBroken = !isWhole(reader);
            long sequence = reader.startSequence();
            long entries = reader.nextSequence() - sequence;
            boolean hasMore = reader.skip(1);
            if (sequence == 0 && hasMore && isWhole(reader)) {
                entries = reader.nextSequence() - 1;
            }
            if (entries > 0 || hasMore || reader.mayLackFrame()) {
                found.add(new Log(path, reader.number(), sequence, isBroken || hasMore, entries));
            }
        } catch (StorageException e) {
            doubt(e, path);
        }
    }

    /** Reads to where the log ends, or is damaged. */
    private static boolean isWhole(WalReader reader) {
        try {
            while (reader.next()) {
                // goes on
            }
            return true;
        } catch (CorruptionException e) {
            return false;
        }
    }

    /** A file without a log's name does not belong here; but it may be a log that somebody has renamed. */
    private void inspectStranger(Path path) {
        if (vfs.isDirectory(path)) {
            return;
        }
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            if (FilePreamble.isOf(FormatVersion.WAL, FilePreamble.read(file, 0))) {
                doubt(
                        new CorruptionException(
                                path,
                                0,
                                "a log to be named by its number, in 20 digits from 0 to 9",
                                "a log with this name"),
                        path);
            }
        } catch (StorageException e) {
            doubt(e, path);
        }
    }

    /**
     * Logs have consecutive numbers and lose their names in this order, so one is missing if there is none with the
     * next number behind the last that has writes, but one with a higher; or its making had failed.
     */
    private void requireLogBehind(List<Log> sorted, Path logs) {
        if (sorted.isEmpty()) {
            return;
        }
        long last = sorted.get(sorted.size() - 1).number;
        Long next = logNumbers.higher(last);
        if (next != null && next > last + 1) {
            doubt(
                    new CorruptionException(
                            logs.resolve(WalFormat.fileName(last + 1)), 0, "a log", "none, but log " + next),
                    logs);
        }
    }

    /** Sorts by first numbers; a log without one goes behind the log made before it. Whole copies come first. */
    private static void sort(List<Log> logs) {
        logs.sort(Comparator.comparingLong(log -> log.number));
        long last = 0;
        for (Log log : logs) {
            last = Math.max(last, log.firstSequence);
            log.place = log.firstSequence == 0 ? last : log.firstSequence;
        }
        logs.sort(Comparator.<Log>comparingLong(log -> log.place)
                .thenComparing(log -> log.isBroken)
                .thenComparingLong(log -> log.number));
    }

    /** The store's id if it is known, else the one in the file. */
    private long storeIdOf(Path path, long storeId) {
        if (storeId != 0) {
            return storeId;
        }
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            return FilePreamble.storeId(FilePreamble.read(file, 0));
        }
    }

    /**
     * Brings the writes of a log over that are not there yet.
     *
     * @param lastBefore the last number that is there
     * @param nextLog the first number of the log behind it; 0 if that is not known
     * @param followsAnother whether it goes on where another one ended, all of which was there
     */
    private long replay(Log log, long storeId, long lastBefore, long nextLog, boolean followsAnother) {
        long last = lastBefore;
        boolean isExact = true; // the numbers of the frames
        long first = nextLog > 0 ? nextLog - log.entries : last + 1; // if its start is damaged
        boolean isFirstKnown = log.firstSequence > 0 || nextLog > 0 || followsAnother;
        basesOfLog = isFirstKnown ? null : new TreeSet<>(Arrays::compareUnsigned);
        try (WalReader reader = WalReader.tolerant(logFiles, log.path, storeIdOf(log.path, storeId))) {
            while (true) {
                CorruptionException damage = null;
                try {
                    while (reader.next()) {
                        last = replayFrame(reader, last, isExact);
                    }
                } catch (CorruptionException e) {
                    damage = e;
                }
                long position = reader.position();
                long missing = reader.nextSequence();
                boolean isThere = isExact && missing > 0 && nextLog > 0 && nextLog <= missing;
                if (isThere) {
                    return last; // the log behind it has the rest
                }
                boolean hasMore = reader.skip(first);
                boolean isCopy = isExact && missing > 0 && missing <= last && !hasMore;
                if (isCopy) {
                    return last; // another log has had it
                }
                if (hasMore || damage != null || reader.mayLackFrame()) {
                    doubt(damage != null ? damage : lacksFrame(reader, position, missing, isExact, hasMore), log.path);
                    gapTold = true;
                }
                if (!hasMore) {
                    return last;
                }
                isExact = isFirstKnown && missing == 0 && reader.position() == WalFormat.FIRST_FRAME;
                lacksUnknown |= !isExact;
            }
        } catch (CorruptionException | StoreIoException e) {
            doubt(e, log.path);
            gapTold = true;
        }
        return last;
    }

    private static CorruptionException lacksFrame(
            WalReader reader, long position, long missing, boolean isExact, boolean hasMore) {
        String which = missing == 0
                ? "the number of the first write"
                : "the write " + (isExact ? "" : "behind that ") + "with number " + missing;
        return new CorruptionException(
                reader.path(),
                position,
                hasMore ? which : which + ", or the end of the log",
                hasMore
                        ? "what is none; the next whole one is at " + reader.position()
                        : "other bytes: a write that a crash has cut, or one that is damaged");
    }

    /** Returns the last number that is there now, or a lower one if numbers are not exact. */
    private long replayFrame(WalReader reader, long last, boolean isExact) {
        if (reader.firstSequence() <= last) {
            return last; // covered, or a copy that a recovery has left
        }
        if (reader.firstSequence() > last + 1 && isExact) {
            lacksUnknown = true;
        }
        if (reader.firstSequence() > last + 1 && isExact && !gapTold) {
            doubt(
                    new CorruptionException(
                            reader.path(),
                            reader.framePosition(),
                            "the write with sequence number " + (last + 1),
                            String.valueOf(reader.firstSequence())),
                    reader.path());
        }
        gapTold = gapTold && !isExact;
        goesOnFromSpace |= isExact && reader.firstSequence() == tag + 1 && !reader.isBehindLoad();
        behindLoad |= reader.isBehindLoad();
        write(reader, isExact);
        writes++;
        return reader.lastSequence();
    }

    private void write(WalReader frame, boolean isExact) {
        PayloadReader entries = frame.payload().reader();
        long sequence = frame.firstSequence();
        int start = 0;
        while (entries.next()) {
            int end = entries.keyIndex() + entries.keyLength() + entries.tailLength();
            try {
                write(frame, entries, sequence, isExact, start, end);
            } catch (IllegalArgumentException e) {
                byte[] key = keyOf(entries, frame.payload().bytes());
                problems.add(tooLong(e, frame.path(), key));
                hasLost(key); // the space's value is older, and no base of the operands to come (S2)
            }
            start = end;
            sequence++;
        }
    }

    private static byte[] keyOf(PayloadReader entry, byte[] payload) {
        return Arrays.copyOfRange(payload, entry.keyIndex(), entry.keyIndex() + entry.keyLength());
    }

    /** Writes the entry from an index to another, unless it is an operand that is there already, or that is lost. */
    private void write(WalReader frame, PayloadReader entry, long sequence, boolean isExact, int start, int end) {
        boolean isOperand = entry.type() == WritePayload.MERGE;
        if (isOperand) {
            byte[] key = keyOf(entry, frame.payload().bytes());
            if (sequence <= mergedThrough.getOrDefault(key, 0L)) {
                if (!isExact) { // its own number is this one or a higher one
                    String through =
                            "an operand behind number " + mergedThrough.get(key) + ", which the value has in it";
                    problems.add(problem(frame, key, through, "one of number " + sequence + " or above"));
                }
                return;
            }
            if (basesOfLog != null && !basesOfLog.contains(key)) {
                String expected = "an operand whose number is known, or behind another write to its key in this log";
                problems.add(problem(frame, key, expected, "one that may count twice"));
                return;
            }
            requireFunction(key, "the write-ahead log has merges");
            if (isLost(key)) {
                problems.add(problem(frame, key, "an operand of a value that is there", "none"));
                return;
            }
        }
        boolean done = true;
        if (entry.type() == WritePayload.PUT_LARGE) {
            done = writeLarge(frame, start, end);
        } else {
            target.add(entry, frame.payload().bytes(), start, end);
            if (entry.type() == WritePayload.PUT && entry.isOfDirectory()) {
                int value = entry.keyIndex() + entry.keyLength();
                byte[] number = Arrays.copyOfRange(frame.payload().bytes(), value, value + entry.valueLength());
                hasName(keyOf(entry, frame.payload().bytes()), number);
            }
        }
        if (done && !isOperand) {
            hasBase(entry, frame.payload().bytes());
        }
    }

    private static Problem problem(WalReader frame, byte[] key, String expected, String found) {
        return new Problem(frame.path(), frame.framePosition(), Problem.Keys.of(key), expected, found);
    }

    /** Whether the space may have had a value of a key that did not come over, and no log has had another one. */
    private boolean isLost(byte[] key) {
        return lostKeys.contains(key) && !basesInLogs.contains(key);
    }

    /** Notes that an entry has come over that is no operand: the space's value below it is of no more use. */
    private void hasBase(PayloadReader entry, byte[] payload) {
        if (mergedThrough.isEmpty() && lostKeys.isEmpty() && basesOfLog == null) {
            return;
        }
        byte[] key = keyOf(entry, payload);
        if (basesOfLog != null && entry.type() != WritePayload.DELETE_RANGE) {
            basesOfLog.add(key);
        }
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

    /** Notes that a log's entry of a key has not come over. */
    private void hasLost(byte[] key) {
        lostKeys.add(key);
        basesInLogs.remove(key);
        mayHoldRemoved = true;
    }

    /** Writes the entry from an index to another, the value of which is in the data file; false if it is lost. */
    private boolean writeLarge(WalReader frame, int start, int end) {
        byte[] alone = Arrays.copyOfRange(frame.payload().bytes(), start, end);
        PayloadReader entry = new PayloadReader().reset(alone, 0, alone.length);
        entry.next();
        byte[] whole = null;
        try {
            if (large != null && large.isWhole(alone, entry)) {
                int reference = entry.keyIndex() + entry.keyLength();
                int valueLength = LargeReference.valueLength(alone, reference);
                if (target.isByParts(valueLength)) {
                    long expiry = WritePayload.time(alone, reference + entry.valueLength());
                    target.put(keyOf(entry, alone), expiry, large.value(alone, entry), valueLength);
                    return true;
                }
                whole = WholeEntries.whole(
                        alone, alone.length, (reader, to, index) -> large.copyValue(alone, reader, to, index));
            }
        } catch (StoreIoException e) {
            problems.add(e, frame.path(), null);
        }
        if (whole == null) {
            byte[] key = Arrays.copyOfRange(alone, entry.keyIndex(), entry.keyIndex() + entry.keyLength());
            CorruptionException lost = new CorruptionException(
                    frame.path(), frame.framePosition(), "a large value in the data file", "none with its checksum");
            problems.add(lost, frame.path(), Problem.Keys.of(key));
            hasLost(key);
            return false;
        }
        entry.reset(whole, 0, whole.length).next();
        target.add(entry, whole, 0, whole.length);
        return true;
    }
}
