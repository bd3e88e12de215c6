package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.PendingResult;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.reservation.SpaceContent;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** One check of a whole space, on a pinned view, while readers and the writer go on. */
public final class SpaceChecker {
    /** Is told how far a check is. */
    @FunctionalInterface
    public interface Progress {
        /** So many bytes have been read, of so many in all as far as that is known. */
        void checked(long bytes, long ofBytes);
    }

    /*
     * Made by the writer between two changes, so that what it notes fits the view. Segments that hold extents of the
     * view are not used again while it is pinned, and what is in the file of them does not change; but for footers that
     * do not count, which are left alone.
     *
     * The FlexTree file and the logs are not pinned: a checkpoint may replace them at any time. The nodes of a version
     * are not written over before the next one is durable; so what is found in the tree file counts if the version is
     * still the newest then, or else the newer one is looked at. A log that is gone is not needed.
     *
     * The state in memory is checked beside that by a thread of its own, or the disk would wait for it. Which segments
     * are to be read is what the writer has counted, until the extents are known.
     *
     * Closing the space ends the check: it waits until this is between two reads, tells the user of progress, or has
     * ended, and this looks then whether it may go on. While the user is told, nothing is waited for: it may be he who
     * closes.
     */
    private static final int TRIES = 100;
    private static final int TOLD_BYTES = 1 << 20;
    private static final int READ_BYTES = ReadAhead.PIECE_BYTES; // verified while it is in the processor's caches

    private record Log(Path path, long generation, long bytes) {}

    private final Vfs vfs;
    private final TreeFile treeFile;
    private final SegmentStore store;
    private final FlexTreeView view;
    private final List<Log> logs = new ArrayList<>();
    private final Segment[] segments;
    private final int[] liveBytes;
    /** Of each segment that is open, or whose footer does not count: those of what is in the file. Else null. */
    private final int[][] checksums;

    private final Findings findings = new Findings();
    private final Path treePath;
    private final ViewChecker viewChecker;
    private final RunningChecks runningChecks;
    private final ReentrantLock work = new ReentrantLock(); // held while files are used
    private volatile boolean ended;
    private volatile PendingResult<long[]> live;
    private Progress progress;
    private long bytesRead;
    private long bytesTold;
    private long bytesToRead;

    public SpaceChecker(
            SpaceContent content, FlexTreeView view, List<LogicalLog> logsInUse, RunningChecks runningChecks) {
        Path directory = content.directory();
        this.runningChecks = runningChecks;
        this.vfs = content.vfs();
        this.treeFile = content.treeFile();
        this.store = content.store();
        this.view = view;
        for (LogicalLog log : logsInUse) {
            logs.add(new Log(directory.resolve(LogFormat.fileName(log.generation())), log.generation(), log.bytes()));
        }
        this.treePath = directory.resolve(TreeFileFormat.FILE_NAME);
        store.awaitSealing(); // what is not open is verified in the file
        int count = store.segmentCount();
        this.segments = new Segment[count];
        int[] usedBytes = new int[count];
        this.liveBytes = new int[count];
        this.checksums = new int[count][];
        for (int number = 0; number < count; number++) {
            Segment segment = store.segment(number);
            segments[number] = segment;
            usedBytes[number] = store.isFree(number) ? 0 : segment.usedBytes;
            liveBytes[number] = segment.liveBytes;
        }
        Segment open = store.openSegment();
        if (open != null) {
            checksums[open.number] = Arrays.copyOf(open.checksums, store.openFramesInFile());
        }
        this.viewChecker = new ViewChecker(content.tree(), view, store.format(), usedBytes, liveBytes, treePath);
    }

    /**
     * Runs the check, once.
     *
     * @throws StoreClosedException if the space is closed before it has ended
     */
    public CheckResult check(Progress newProgress) {
        runningChecks.add(this);
        work.lock();
        try {
            progress = newProgress;
            return checkAll();
        } finally {
            work.unlock();
            runningChecks.remove(this);
        }
    }

    /** Has the check end; when this returns, it uses no file of the space any more, nor a thread. Any thread. */
    void end() {
        ended = true;
        viewChecker.end();
        work.lock();
        work.unlock();
        PendingResult<long[]> besideIt = live;
        if (besideIt != null) {
            besideIt.await();
        }
    }

    private void goOnUnlessEnded() {
        if (ended) {
            throw new StoreClosedException("the space");
        }
    }

    private CheckResult checkAll() {
        goOnUnlessEnded();
        bytesToRead = Arrays.stream(liveBytes).filter(bytes -> bytes > 0).count() * store.format().segmentBytes
                + logs.stream().mapToLong(Log::bytes).sum();
        live = new PendingResult<>(vfs, "flexdb-check", viewChecker::check);
        try {
            tell();
            checkTreeFile();
            for (Log log : logs) {
                checkLog(log);
            }
            checkSegments(live);
        } catch (RuntimeException | Error e) {
            viewChecker.end();
            throw e;
        } finally {
            live.await(); // it reads what is pinned until this returns
        }
        goOnUnlessEnded(); // or the view is not checked to its end
        long inUse = Arrays.stream(live.get()).filter(bytes -> bytes > 0).count();
        bytesToRead = 0; // no more
        tell();
        Findings all = viewChecker.findings();
        all.add(findings);
        return all.result(bytesRead, view.extentCount(), (int) inUse);
    }

    private void read(long bytes) {
        bytesRead += bytes;
        if (bytesRead - bytesTold >= TOLD_BYTES) {
            tell();
        }
    }

    private void tell() {
        bytesTold = bytesRead;
        work.unlock();
        try {
            progress.checked(bytesRead, Math.max(bytesRead, bytesToRead));
        } finally {
            work.lock();
        }
        goOnUnlessEnded();
    }

    /** By a file of its own: what others read in between would end the read-ahead. */
    private void checkSegments(PendingResult<long[]> pendingLive) {
        Path path = store.file().path();
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            try {
                FilePreamble.check(path, 0, FilePreamble.read(file, 0), FilePreamble.Kind.DATA, 0, storeId());
            } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
                findings.add(path, 0, "a preamble of this store", e);
            }
            checkSegments(file, number -> liveBytes[number] > 0);
            long[] live = pendingLive.get();
            checkSegments(file, number -> liveBytes[number] == 0 && live[number] > 0); // none, or there is a finding
        } catch (StoreIoException e) {
            findings.add(path, 0, "a data file that can be opened", e);
        }
    }

    private void checkSegments(VfsFile file, IntPredicate chosen) {
        int[] numbers = IntStream.range(0, segments.length).filter(chosen).toArray();
        if (numbers.length == 0) {
            return;
        }
        SegmentFormat format = store.format();
        ReadAhead ranges = new ReadAhead(file);
        for (int number : numbers) {
            int[] sums = checksums[number];
            long bytes = sums == null ? format.segmentBytes : (long) sums.length << format.frameShift;
            ranges.add(format.filePosition(number, 0), bytes);
        }
        SegmentVerifier verifier = new SegmentVerifier(file, format, findings, READ_BYTES, ranges::beforeRead);
        long before = bytesRead;
        for (int number : numbers) {
            int[] sums = checksums[number];
            if (sums != null) {
                verifier.verifyFrames(segments[number], sums, 0, sums.length);
            } else {
                verifier.verifySealed(segments[number]);
            }
            bytesRead = before + verifier.bytesRead();
            tell();
        }
    }

    private void checkTreeFile() {
        for (int i = 1; true; i++) {
            TreeHeader header = treeFile.header();
            Findings found = new Findings();
            try (VfsFile file = vfs.open(treePath, OpenMode.READ)) {
                long before = bytesRead;
                long most = file.size();
                bytesToRead += most;
                tell();
                new TreeFileChecker(file, header, found, this::read).check();
                bytesToRead += bytesRead - before - most;
            } catch (StoreIoException e) {
                found.add(treePath, 0, "a FlexTree file that can be opened", e);
            }
            if (found.isEmpty() || header == treeFile.header() || i == TRIES) {
                findings.add(found);
                return;
            }
        }
    }

    private void checkLog(Log log) {
        Findings found = new Findings();
        try (VfsFile file = vfs.open(log.path, OpenMode.READ)) {
            new LogChecker(file, storeId(), log.generation, found, this::read).check(log.bytes);
        } catch (StoreIoException e) {
            found.add(log.path, 0, "a log that can be read", e);
        }
        if (!found.isEmpty() && !wasDropped(log)) {
            findings.add(found);
        }
    }

    /** Whether a checkpoint has taken the place of a log, which is there before the log goes (O4). */
    private boolean wasDropped(Log log) {
        try {
            return !vfs.exists(log.path)
                    && vfs.list(log.path.getParent()).stream()
                            .anyMatch(name -> LogFormat.generationOf(name) > log.generation);
        } catch (StoreIoException e) {
            return false; // nobody knows, and it could not be read
        }
    }

    private long storeId() {
        return treeFile.header().storeId();
    }
}
