package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreClosedException;
import java.nio.file.Path;

/**
 * Checks a version of the FlexTree in memory: its invariants, where its extents lie, and how many live bytes segments
 * have. Reads no file, so that one thread can do it while another reads. While the version is pinned.
 */
final class ViewChecker {
    private final FlexTree tree;
    private final FlexTreeView view;
    private final SegmentFormat format;
    private final int[] usedBytes;
    private final int[] liveBytes;
    private final Path treePath;
    private final Findings findings = new Findings();
    private volatile boolean ending;

    /**
     * @param usedBytes bytes of each segment that extents may lie in
     * @param liveBytes of each segment, as the writer has counted them
     * @param treePath the file that the tree came from
     */
    ViewChecker(
            FlexTree tree, FlexTreeView view, SegmentFormat format, int[] usedBytes, int[] liveBytes, Path treePath) {
        this.tree = tree;
        this.view = view;
        this.format = format;
        this.usedBytes = usedBytes;
        this.liveBytes = liveBytes;
        this.treePath = treePath;
    }

    /** Checks all, and returns the live bytes of each segment, by extents. */
    long[] check() {
        try {
            tree.checkInvariants(view);
        } catch (AssertionError e) {
            findings.add(treePath, 0, "a FlexTree in memory whose invariants hold", e.getMessage());
        }
        if (ending) {
            throw new StoreClosedException("the space");
        }
        long[] live = new ExtentChecker(view, format, usedBytes, treePath, findings, () -> ending).check();
        for (int number = 0; number < live.length && !ending; number++) {
            if (live[number] != liveBytes[number]) {
                findings.add(
                        treePath,
                        0,
                        liveBytes[number] + " live bytes of segment " + number,
                        live[number] + " bytes of extents");
            }
        }
        return live;
    }

    /** Lets the check end soon, with any result. Any thread. */
    void end() {
        ending = true;
    }

    /** The findings, once it has ended. */
    Findings findings() {
        return findings;
    }
}
