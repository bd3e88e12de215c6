package io.flexdb.jmh.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What is compared gives the same extents for the same operations. FlexTree has a naive oracle in its own module. */
class ExtentIndexTest {
    private static final long SEED =
            Long.getLong("flexdb.test.seed", ThreadLocalRandom.current().nextLong());

    private final SplittableRandom random = new SplittableRandom(SEED);
    private FlexTreeIndex flexTree;
    private BPlusTree bPlusTree;
    private SortedExtentArray array;
    private long lastAddressEnd;

    private record Extent(long logicalOffset, long length, long address, int flags) {}

    @Test
    void deepTreesAndTheArrayAgree() {
        drive(4, 4, 64, 400, 300_000);
    }

    @Test
    void tinyTreesAndTheArrayAgree() {
        drive(4, 4, 8, 12, 300_000);
    }

    @Test
    void treesOfUnevenCapacitiesAndTheArrayAgree() {
        drive(7, 5, 100, 1000, 100_000);
    }

    @Test
    void fullNodesAndTheArrayAgree() {
        drive(BPlusNodes.LEAF_CAPACITY, BPlusNodes.INTERNAL_CAPACITY, 1000, 20_000, 150_000);
    }

    @Test
    void longestExtentsAgree() {
        drive(BPlusNodes.LEAF_CAPACITY, BPlusNodes.INTERNAL_CAPACITY, FlexTree.MAX_EXTENT_BYTES, 500, 50_000);
    }

    @Test
    void eachRefusesWhatIsOutOfBounds() {
        for (String name : List.of("flextree", "bplustree", "array")) {
            ExtentIndex index = ExtentIndex.named(name);
            index.append(10, 0);
            assertThrows(IndexOutOfBoundsException.class, () -> index.insert(11, 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> index.insert(-1, 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> index.lookup(10));
            assertThrows(IndexOutOfBoundsException.class, () -> index.collapse(5, 6));
            assertThrows(IndexOutOfBoundsException.class, () -> index.query(5, 6, (o, l, a, f) -> {}));
            assertEquals(10, index.size());
            assertEquals(1, index.extentCount());
        }
        assertThrows(IllegalArgumentException.class, () -> ExtentIndex.named("list"));
    }

    private void drive(int leafCapacity, int internalCapacity, int maxExtentBytes, int extents, int operations) {
        System.out.println("repeat with -Dflexdb.test.seed=" + SEED);
        flexTree = new FlexTreeIndex(FlexTreeOptions.defaults()
                .withLeafCapacity(leafCapacity)
                .withInternalCapacity(internalCapacity)
                .withMaxExtentBytes(maxExtentBytes));
        bPlusTree = new BPlusTree(leafCapacity, internalCapacity, maxExtentBytes);
        array = new SortedExtentArray(maxExtentBytes);
        for (int i = 0; i < Effort.times(operations); i++) {
            step(extents, maxExtentBytes);
            assertEquals(flexTree.size(), bPlusTree.size());
            assertEquals(flexTree.size(), array.size());
            assertEquals(flexTree.extentCount(), bPlusTree.extentCount());
            assertEquals(flexTree.extentCount(), array.extentCount());
            if (i % 1000 == 0) {
                compareAll();
            }
        }
        compareAll();
        long size = flexTree.size();
        for (ExtentIndex index : all()) {
            index.collapse(0, size);
        }
        compareAll();
    }

    private List<ExtentIndex> all() {
        return List.of(flexTree, bPlusTree, array);
    }

    /** Around the wanted number of extents, insertions and removals balance. */
    private void step(int extents, int maxLength) {
        long size = flexTree.size();
        boolean grow = random.nextInt(2 * extents) >= flexTree.extentCount();
        int kind = random.nextInt(100);
        if (size == 0 || grow && kind < 45) {
            insert(random.nextInt(10) == 0 ? 0 : random.nextLong(size + 1), maxLength);
        } else if (grow && kind < 55) {
            append(maxLength);
        } else if (kind < 75) {
            collapse(maxLength);
        } else if (kind < 88) {
            long at = random.nextLong(size);
            assertEquals(flexTree.lookup(at), bPlusTree.lookup(at));
            assertEquals(flexTree.lookup(at), array.lookup(at));
        } else {
            long from = random.nextLong(size);
            compare(from, Math.min(size - from, 60L * maxLength));
        }
    }

    private void insert(long at, int maxLength) {
        long length = length(maxLength);
        long address = address(length);
        for (ExtentIndex index : all()) {
            index.insert(at, length, address);
        }
    }

    private void append(int maxLength) {
        long length = length(maxLength);
        long address = address(length);
        for (ExtentIndex index : all()) {
            index.append(length, address);
        }
    }

    private void collapse(int maxLength) {
        long size = flexTree.size();
        long from = random.nextLong(size);
        long length = Math.min(size - from, length(maxLength));
        int kind = random.nextInt(40);
        if (kind < 10) {
            Extent extent = extents(flexTree, from, 1).get(0);
            from = extent.logicalOffset;
            length = 1;
        } else if (kind < 20) {
            from = Math.max(0, size - length);
        } else if (kind < 25) {
            from = 0;
        } else if (kind == 25 && random.nextInt(20) == 0) {
            length = 1 + random.nextLong(size - from);
        }
        for (ExtentIndex index : all()) {
            index.collapse(from, length);
        }
    }

    /** Mostly short, now and then one that has to be cut into many extents. */
    private long length(int maxLength) {
        return 1 + random.nextInt(random.nextInt(20) == 0 ? maxLength * 4 : maxLength);
    }

    private long address(long length) {
        int kind = random.nextInt(8);
        long address = kind == 0 ? FlexTree.HOLE : kind < 4 ? lastAddressEnd : random.nextLong(1L << 40);
        lastAddressEnd = address == FlexTree.HOLE ? 0 : address + length;
        return address;
    }

    private void compareAll() {
        bPlusTree.checkInvariants();
        compare(0, flexTree.size());
    }

    private void compare(long from, long length) {
        List<Extent> expected = extents(flexTree, from, length);
        for (ExtentIndex rival : List.of(bPlusTree, array)) {
            List<Extent> actual = extents(rival, from, length);
            assertEquals(expected.size(), actual.size(), rival::toString);
            for (int i = 0; i < expected.size(); i++) {
                assertEquals(expected.get(i), actual.get(i), rival::toString);
            }
        }
    }

    private static List<Extent> extents(ExtentIndex index, long from, long length) {
        List<Extent> extents = new ArrayList<>();
        index.query(from, length, (o, l, a, f) -> extents.add(new Extent(o, l, a, f)));
        return extents;
    }
}
