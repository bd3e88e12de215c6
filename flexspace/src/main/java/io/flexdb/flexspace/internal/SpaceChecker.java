package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.CheckProgress;
import io.flexdb.flexspace.CheckReport;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.Epochs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.Arrays;

/** One check of a whole space, on a pinned view, while readers and the writer go on. */
public final class SpaceChecker {
    /*
     * Made by the writer between two changes, so that what it notes fits the view. Segments that hold extents of the view
     * are not used again while it is pinned, and what is in the file of them does not change.
     *
     * The FlexTree file and the log are not pinned: a checkpoint may replace both at any time. So the tree file is read
     * by its newest header, and again if it proves bad and there is a newer one; and a log that is gone is not needed.
     */
    private static final int TRIES = 100;
    private static final int READ_BYTES = 1 << 20;

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final FlexTree tree;
    private final SegmentStore store;
    private final FlexTreeView view;
    private final Path logPath;
    private final long logGeneration;
    private final long logBytes;
    private final Segment[] segments;
    private final int[] usedBytes;
    private final int[] liveBytes;
    private final Segment open; // null if there was none
    private final int[] openChecksums;
    private final Findings findings = new Findings();
    private final Path treePath;
    private long bytesRead;

    SpaceChecker(
            Vfs vfs,
            Path directory,
            long storeId,
            FlexTree tree,
            SegmentStore store,
            FlexTreeView view,
            LogicalLog log) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.tree = tree;
        this.store = store;
        this.view = view;
        this.logGeneration = log.generation();
        this.logPath = directory.resolve(LogFormat.fileName(logGeneration));
        this.logBytes = log.bytes();
        this.treePath = directory.resolve(TreeFileFormat.FILE_NAME);
        int count = store.segmentCount();
        this.segments = new Segment[count];
        this.usedBytes = new int[count];
        this.liveBytes = new int[count];
        for (int number = 0; number < count; number++) {
            Segment segment = store.segment(number);
            segments[number] = segment;
            usedBytes[number] = store.isFree(number) ? 0 : segment.usedBytes;
            liveBytes[number] = segment.liveBytes;
        }
        this.open = store.openSegment();
        this.openChecksums = open == null ? new int[0] : Arrays.copyOf(open.checksums, store.openFramesInFile());
    }

    /** Runs the check, once. */
    public CheckReport check(CheckProgress progress) {
        try {
            tree.checkInvariants(view);
        } catch (AssertionError e) {
            findings.add(treePath, 0, "a FlexTree in memory whose invariants hold", e.getMessage());
        }
        long[] live = new ExtentChecker(view, store.format(), usedBytes, treePath, findings).check();
        int inUse = 0;
        for (int number = 0; number < live.length; number++) {
            if (live[number] != liveBytes[number]) {
                findings.add(
                        treePath,
                        0,
                        liveBytes[number] + " live bytes of segment " + number,
                        live[number] + " bytes of extents");
            }
            inUse += live[number] > 0 ? 1 : 0;
        }
        checkTreeFile();
        checkLog();
        checkSegments(live, inUse, progress);
        return findings.report(bytesRead, view.extentCount(), inUse);
    }

    private void checkSegments(long[] live, int inUse, CheckProgress progress) {
        try {
            FilePreamble.check(
                    store.file().path(), 0, FilePreamble.read(store.file(), 0), FilePreamble.Kind.DATA, 0, storeId);
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            add(store.file().path(), "a preamble of this store", e);
        }
        SegmentVerifier verifier = new SegmentVerifier(store, findings, READ_BYTES);
        long before = bytesRead;
        long total = before + (long) inUse * store.format().segmentBytes;
        progress.checked(before, total);
        for (int number = 0; number < live.length; number++) {
            Segment segment = segments[number];
            if (live[number] > 0) {
                if (segment == open) {
                    verifier.verifyFrames(segment, openChecksums, 0, openChecksums.length);
                } else {
                    verifier.verifySealed(segment);
                }
                bytesRead = before + verifier.bytesRead();
                progress.checked(bytesRead, total);
            }
        }
        progress.checked(bytesRead, bytesRead);
    }

    private void checkTreeFile() {
        long version = -2; // none: a header may be torn while it is written
        for (int i = 0; i < TRIES; i++) {
            StorageException problem = null;
            long found = -1;
            try (VfsFile file = vfs.open(treePath, OpenMode.READ)) {
                TreeHeader header = TreeHeader.readNewest(file, storeId);
                found = header.treeVersion();
                TreeFile saved = new TreeFile(file, header);
                saved.readTable();
                FlexTreeOptions options = FlexTreeOptions.defaults().withMaxExtentBytes(store.format().maxExtentBytes);
                saved.load(new FlexTree(options, new Epochs()), null);
                bytesRead += 2L * TreeFileFormat.SLOT_BYTES + (long) saved.usedUnits() * TreeFileFormat.UNIT_BYTES;
                return;
            } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
                problem = e;
            }
            if (found == version) { // twice the same: nothing has replaced it meanwhile
                add(treePath, "a FlexTree file that can be loaded", problem);
                return;
            }
            version = found;
        }
    }

    private void checkLog() {
        if (!vfs.exists(logPath)) {
            return; // a checkpoint has taken its place
        }
        try (VfsFile file = vfs.open(logPath, OpenMode.READ)) {
            long end = new LogicalLogReader(file, storeId, logGeneration).endOfFrames(logBytes);
            bytesRead += end;
            if (end < logBytes) {
                findings.add(logPath, end, "a whole frame below " + logBytes, "a damaged frame");
            }
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            if (vfs.exists(logPath)) {
                add(logPath, "a log that can be read", e);
            }
        }
    }

    private void add(Path file, String expected, StorageException e) {
        if (e instanceof CorruptionException corruption) {
            findings.add(corruption);
        } else {
            findings.add(file, 0, expected, String.valueOf(e.getMessage()));
        }
    }
}
