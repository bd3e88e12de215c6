package io.flexdb.flexspace.internal;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.file.Path;

/**
 * Checks a version of the FlexTree in memory: its invariants, where its extents lie, and how many live bytes segments have.
 * Reads no file, so that one thread can do it while another reads. While the version is pinned.
 */
final class ViewChecker {
    private final FlexTree tree;
    private final FlexTreeView view;
    private final SegmentFormat format;
    private final int[] usedBytes;
    private final int[] liveBytes;
    private final Path treePath;
    private final Findings findings = new Findings();
    private long[] live;
    private Throwable failure;
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

    /** Checks all; whoever asks for what came of it hears of failures. */
    void run() {
        try {
            try {
                tree.checkInvariants(view);
            } catch (AssertionError e) {
                findings.add(treePath, 0, "a FlexTree in memory whose invariants hold", e.getMessage());
            }
            live = new ExtentChecker(view, format, usedBytes, treePath, findings, () -> ending).check();
            compare();
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void compare() {
        for (int number = 0; number < live.length && !ending; number++) {
            if (live[number] != liveBytes[number]) {
                findings.add(
                        treePath,
                        0,
                        liveBytes[number] + " live bytes of segment " + number,
                        live[number] + " bytes of extents");
            }
        }
    }

    /** Lets it end soon, without a result. Any thread. */
    void end() {
        ending = true;
    }

    /** The live bytes of each segment, by extents; once it has run. */
    long[] live() {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        return live;
    }

    /** What was found; once it has run. */
    Findings findings() {
        return findings;
    }
}
