package io.flexdb.flexspace.internal.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExtentCheckerTest {
    private static final SegmentFormat FORMAT = new SegmentFormat(32 * 512, 512, 1);

    private final FlexTree tree = new FlexTree();
    private final Findings findings = new Findings();

    private long[] check(int extentsInGroup, int... usedBytes) {
        return new ExtentChecker(tree.publish(), FORMAT, usedBytes, Path.of("tree"), findings, () -> false)
                .check(extentsInGroup);
    }

    private List<String> found() {
        return findings.result(0, 0, 0).findings().stream().map(Finding::found).toList();
    }

    @Test
    void extentsSideBySideAreSoundAndTheirBytesAreCounted() {
        for (int groups = 1; groups <= 1000; groups *= 10) {
            tree.append(100, FORMAT.address(2, 100));
            tree.append(100, FORMAT.address(0, 0));
            tree.append(100, FlexTree.HOLE);
            tree.append(100, FORMAT.address(2, 0));
            tree.append(512, FORMAT.address(2, 200));
            assertArrayEquals(new long[] {100, 0, 712}, check(groups, 100, 0, 712));
            assertEquals(List.of(), found());
            tree.collapseRange(0, tree.size());
        }
    }

    @Test
    void eachExtentOutsideOfSegmentsInUseIsFound() {
        tree.append(100, FORMAT.address(0, 0));
        tree.append(100, FORMAT.address(0, 450));
        tree.append(100, FORMAT.address(1, 0));
        tree.append(100, FORMAT.address(2, 0));
        tree.append(100, FORMAT.address(7, 300));
        tree.append(100, (1L << 48) - 200);
        tree.append(513, FORMAT.address(3, 0));
        assertArrayEquals(new long[] {100, 0, 100, 0}, check(1000, 512, 0, 512, 31 * 512));
        List<String> found = found();
        assertEquals(5, found.size(), found.toString());
        assertTrue(found.get(0).contains("at logical offset 100, 100 bytes at 450 of segment 0"), found.toString());
        assertTrue(found.get(4).contains("513 bytes at 0 of segment 3"), found.toString());
    }

    @Test
    void extentsThatOverlapAreFoundInEveryGroup() {
        for (int segment = 0; segment < 4; segment++) {
            tree.append(100, FORMAT.address(segment, 1000));
            tree.append(300, FORMAT.address(segment, 10));
            tree.append(50, FORMAT.address(segment, 200));
            tree.append(50, FORMAT.address(segment, 309));
            tree.append(50, FORMAT.address(segment, 360));
        }
        check(1, 2000, 2000, 2000, 2000);
        List<String> found = found();
        assertEquals(8, found.size(), found.toString());
        assertEquals("one at 200 of segment 0, one before it ends at 310", found.get(0));
        assertEquals("one at 309 of segment 3, one before it ends at 310", found.get(7));
    }

    @Test
    void amongManyExtentsOfASegmentThoseThatOverlapAreFound() {
        Random random = new Random(7);
        for (int overlapping : new int[] {0, 1, 100}) {
            List<int[]> extents = new ArrayList<>(); // position and length
            for (int position = 0; position < 31 * 512 - 20; position += 12 + random.nextInt(4)) {
                extents.add(new int[] {position, 1 + random.nextInt(12)});
            }
            for (int i = 0; i < overlapping; i++) {
                extents.get(random.nextInt(extents.size()))[1] = 17;
            }
            Collections.shuffle(extents, random);
            for (int[] extent : extents) {
                tree.append(extent[1], FORMAT.address(1, extent[0]));
                tree.append(extent[1], FORMAT.address(0, extent[0])); // another segment in the same group
            }
            assertTrue(extents.size() > 1000, extents.size() + " extents");
            check(1 << 20, 31 * 512, 31 * 512);
            List<String> expected = overlaps(0, extents);
            expected.addAll(overlaps(1, extents));
            assertEquals(overlapping > 0, !expected.isEmpty());
            assertEquals(expected, found());
            findings.take();
            tree.collapseRange(0, tree.size());
        }
    }

    private static List<String> overlaps(int segment, List<int[]> extents) {
        List<int[]> sorted = new ArrayList<>(extents);
        sorted.sort(Comparator.comparingInt(extent -> extent[0]));
        List<String> found = new ArrayList<>();
        int end = 0;
        for (int[] extent : sorted) {
            if (extent[0] < end) {
                found.add("one at " + extent[0] + " of segment " + segment + ", one before it ends at " + end);
            }
            end = Math.max(end, extent[0] + extent[1]);
        }
        return found;
    }

    @Test
    void nobodyWaitsForACheckThatIsNotWanted() {
        tree.append(100, FORMAT.address(0, 0));
        tree.append(100, FORMAT.address(0, 50));
        FlexTreeView view = tree.publish();
        new ExtentChecker(view, FORMAT, new int[] {200}, Path.of("tree"), findings, () -> true).check();
        assertEquals(List.of(), found());
        new ExtentChecker(view, FORMAT, new int[] {200}, Path.of("tree"), findings, () -> false).check();
        assertEquals(1, found().size());
    }
}
