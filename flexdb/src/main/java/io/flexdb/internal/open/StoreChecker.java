package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.check.CheckResult;
import io.flexdb.flexspace.internal.check.Finding;
import io.flexdb.flexspace.internal.check.SpaceChecker;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.PairWalk;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.WalReader;
import io.flexdb.internal.mem.KeptRecords;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.Version;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.Arrays;

/** One check of a whole store, as of one moment, while readers and writers go on. For one thread. */
public final class StoreChecker implements AutoCloseable {
    /*
     * It checks all that a copy would have: the version that is pinned, the files that it needs, and the logs of its
     * memtables up to the last visible write; see StoreCopy. The space checks its own files and the FlexTree
     * (SpaceChecker). Above it is the order: each pair is sound, keys ascend, and the sparse index has its intervals
     * where pairs begin, with anchors that fit their keys. Large values that no commit has linked yet are read as the
     * logs refer to them.
     *
     * A damaged frame is found twice, by the space and by the pairs that lie in it. The second finding also tells which
     * keys are concerned, so it replaces the first.
     */

    /**
     * The findings.
     *
     * @param sequence the last write that was checked
     * @param counted what there was
     */
    public record Result(Problems problems, long sequence, long bytesRead, Counted counted) {}

    /** How much of each kind was checked. */
    public record Counted(long pairs, long intervals, long extents, int segments, long logFrames) {}

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final PinnedVersion pin;
    private final SpaceChecker space;
    private final SpaceReads reads;
    private final SparseIndex index;
    private final KeptRecords large;
    private Runnable letLogsGo; // null once it was done

    private final Problems problems = new Problems();
    private LongTasks.Task task;
    private Checkpoints.Progress progress;
    private long bytes;
    private long ofBytes;
    private long bytesTold;
    private long logFrames;
    private long pairs;
    private long intervals;

    /**
     * Begins a check. By the thread that may change the space.
     *
     * @param pin of the version to check; closed with this
     * @param letLogsGo ends the holding of logs
     */
    public StoreChecker(
            Vfs vfs, Path directory, SpaceEngine engine, SparseIndex index, PinnedVersion pin, Runnable letLogsGo) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = engine.storeId();
        this.pin = pin;
        this.space = engine.beginCheck(pin.version().space());
        this.reads = engine.reads();
        this.index = index;
        this.large = new KeptRecords(engine.maxExtentBytes(), reads::readUnverified);
        this.letLogsGo = letLogsGo;
    }

    /** Runs the check, once. */
    public Result check(LongTasks.Task newTask, Checkpoints.Progress newProgress) {
        task = newTask;
        progress = newProgress;
        long spaceBytes = pin.version().space().size();
        checkOptions();
        checkLogs();
        letLogsGo();
        long before = bytes;
        CheckResult files = space.check((done, of) -> {
            bytes = before + done;
            ofBytes = before + of + spaceBytes;
            tell();
        });
        bytes = before + files.bytesRead();
        ofBytes = bytes + spaceBytes;
        new Walk().run();
        for (Finding finding : files.findings()) {
            addUnlessKnown(finding);
        }
        problems.count(files.findingCount() - files.findings().size());
        tell();
        Counted counted = new Counted(pairs, intervals, files.extents(), files.segments(), logFrames);
        return new Result(problems, pin.sequence(), bytes, counted);
    }

    private void step(long more) {
        bytes += more;
        if (bytes - bytesTold >= 1 << 20) {
            tell();
        }
    }

    private void tell() {
        bytesTold = bytes;
        task.tell(() -> progress.done(bytes, Math.max(bytes, ofBytes)));
    }

    private void addUnlessKnown(Finding finding) {
        for (Problem problem : problems.first()) {
            if (problem.position() == finding.position() && problem.file().equals(finding.file())) {
                return;
            }
        }
        problems.add(new Problem(finding.file(), finding.position(), null, finding.expected(), finding.found()));
    }

    private void checkOptions() {
        Path path = StoreFiles.optionsFile(directory);
        try {
            long found = StoreFiles.readStoreId(vfs, path);
            if (found != storeId) {
                String expected = "store = " + Long.toHexString(storeId);
                problems.add(new Problem(path, 0, null, expected, Long.toHexString(found)));
            }
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            problems.add(e, path, null);
        }
    }

    private void checkLogs() {
        MemLog[] newestFirst = pin.version().logs();
        for (int i = newestFirst.length - 1; i >= 0; i--) {
            checkLog(newestFirst[i].wal.path(), newestFirst[i].wal.lastSequence());
        }
    }

    private void checkLog(Path path, long lastWritten) {
        long last = Math.min(lastWritten, pin.sequence());
        try (WalReader reader = new WalReader(vfs, path, storeId)) {
            while (reader.lastSequence() < last) {
                if (!reader.next()) {
                    problems.add(new Problem(
                            path,
                            reader.position(),
                            null,
                            "frames up to sequence number " + last,
                            "none behind " + reader.lastSequence()));
                    return;
                }
                logFrames++;
                step(reader.payload().length());
                checkLargeValues(reader);
            }
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            problems.add(e, path, null);
        }
    }

    /** Checks the large values that a write of a memtable has in the data file: the pin keeps them there. */
    private void checkLargeValues(WalReader frame) {
        byte[] payload = frame.payload().bytes();
        PayloadReader entries = frame.payload().reader();
        while (entries.next()) {
            if (entries.type() == WritePayload.PUT_LARGE) {
                step(LargeReference.valueLength(payload, entries.keyIndex() + entries.keyLength()));
                if (!large.isWhole(payload, entries)) {
                    int keyEnd = entries.keyIndex() + entries.keyLength();
                    byte[] key = Arrays.copyOfRange(payload, entries.keyIndex(), keyEnd);
                    String expected = "a large value in the data file";
                    String found = "none with its checksum";
                    problems.add(
                            new Problem(frame.path(), frame.framePosition(), Problem.Keys.of(key), expected, found));
                }
            }
        }
    }

    private void letLogsGo() {
        Runnable action = letLogsGo;
        letLogsGo = null;
        if (action != null) {
            action.run();
        }
    }

    /** Lets go of version and logs. */
    @Override
    public void close() {
        pin.close();
        letLogsGo();
    }

    /** Goes through pairs and intervals together. */
    private final class Walk implements PairWalk.Visitor {
        private final Version version = pin.version();
        private final Path dataFile = directory.resolve(StoreFiles.SPACE_NAME).resolve("data");
        private final IntervalCursor cursor = index.cursor();
        private final PairWalk walk = new PairWalk(reads, version.space(), dataFile, this);
        private final byte[] anchor = new byte[RecordFormat.MAX_KEY_BYTES];
        private int anchorLength;
        private long begin; // of the interval at hand
        private long end;
        private int pairsExpected;
        private int pairsFound;
        private boolean lossInside;

        void run() {
            cursor.first(version.index());
            if (cursor.isValid()) {
                enter();
                intervals = 1;
            }
            walk.run();
            while (cursor.isValid()) {
                leave();
            }
            if (end != version.space().size()) {
                problem("intervals of " + version.space().size() + " bytes in all", end + " bytes", null);
            }
        }

        private void enter() {
            begin = cursor.logicalOffset();
            end = begin + cursor.lengthBytes();
            pairsExpected = cursor.pairCount();
            anchorLength = cursor.anchor(anchor);
            pairsFound = 0;
            lossInside = false;
        }

        private void leave() {
            if (!lossInside && pairsExpected != Interval.UNKNOWN_PAIRS && pairsFound != pairsExpected) {
                problem(pairsExpected + " pairs of the interval at " + begin, pairsFound + " pairs", null);
            }
            long expected = end;
            if (cursor.next()) {
                enter();
                intervals++;
                if (begin != expected) {
                    problem("an interval at " + expected, "one at " + begin, null);
                }
            }
        }

        private void problem(String expected, String found, byte[] key) {
            Problem.Keys keys = key == null ? null : Problem.Keys.of(key);
            problems.add(new Problem(dataFile, 0, keys, "in the sparse index, " + expected, found));
        }

        @Override
        public void pair() {
            pairs++;
            long at = walk.pairOffset();
            while (cursor.isValid() && at >= end) {
                leave();
            }
            byte[] key = walk.key();
            boolean first = at == begin || pairsFound == 0;
            pairsFound++;
            if (first && Arrays.compareUnsigned(key, 0, walk.keyLength(), anchor, 0, anchorLength) < 0) {
                problem("keys from the anchor of the interval at " + begin + " on", "one below it", keyOfWalk());
            }
            if (first && at != begin && !lossInside) {
                problem("a pair that begins at " + begin, "one at " + at, keyOfWalk());
            }
            if (cursor.isValid() && cursor.hasNext() && !cursor.isBelowUpperAnchor(key, 0, walk.keyLength())) {
                problem("keys below the anchor behind the interval at " + begin, "one that is not", keyOfWalk());
            }
        }

        private byte[] keyOfWalk() {
            return Arrays.copyOf(walk.key(), walk.keyLength());
        }

        @Override
        public void lost(long from, long to, byte[] keyBefore, byte[] keyAfter, StorageException cause) {
            problems.add(cause, dataFile, new Problem.Keys(keyBefore, keyAfter));
            while (cursor.isValid() && from >= end) {
                leave();
            }
            lossInside = true;
            while (cursor.isValid() && to >= end) {
                lossInside = true;
                leave();
                lossInside = to > begin;
            }
        }

        @Override
        public void passed(long more) {
            step(more);
        }
    }
}
