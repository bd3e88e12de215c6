package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExtentMoverTest {
    private static final FlexTreeOptions SMALL = FlexTreeOptions.defaults()
            .withLeafCapacity(4)
            .withInternalCapacity(4)
            .withMaxExtentBytes(20);

    /** Where a byte is stored, and the flags of its extent. */
    private record Place(long address, int flags) {}

    private static FlexTree treeOf(long seed) {
        Random random = new Random(seed);
        FlexTree tree = new FlexTree(SMALL);
        while (tree.extentCount() < 60) {
            long address = random.nextInt(4) == 0 ? FlexTree.HOLE : random.nextInt(1000);
            tree.insertRange(random.nextLong(tree.size() + 1), 1 + random.nextInt(30), address, random.nextInt(3));
        }
        return tree;
    }

    private static List<Place> places(FlexTree tree) {
        List<Place> places = new ArrayList<>();
        tree.query(0, tree.size(), (logicalOffset, length, address, flags) -> {
            for (int i = 0; i < length; i++) {
                places.add(new Place(address == FlexTree.HOLE ? address : address + i, flags));
            }
        });
        return places;
    }

    private static void move(List<Place> places, int offset, int length, int target) {
        List<Place> range = new ArrayList<>(places.subList(offset, offset + length));
        places.subList(offset, offset + length).clear();
        places.addAll(target > offset ? target - length : target, range);
    }

    @Test
    void everyByteMovesWithItsAddressAndFlagsHoweverManyEntriesThatTakes() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int maxExtents = 1 + random.nextInt(10);
            FlexTree tree = treeOf(seed);
            FlexTree replayed = treeOf(seed);
            List<Place> model = places(tree);
            LogBatch log = new LogBatch();
            ExtentMover mover = new ExtentMover(tree, maxExtents);
            for (int i = 0; i < 10; i++) {
                int length = 1 + random.nextInt(model.size() - 1);
                int offset = random.nextInt(model.size() - length);
                int target = random.nextInt(model.size() + 1);
                boolean isMove = target < offset || target > offset + length;
                assertEquals(isMove, mover.isMove(offset, length, target));
                if (isMove) {
                    mover.move(offset, length, target, log);
                    move(model, offset, length, target);
                }
            }
            tree.checkInvariants();
            assertEquals(model, places(tree), "seed " + seed);
            replay(log.finish(0), new ExtentMover(replayed, maxExtents));
            assertEquals(extents(tree), extents(replayed), "seed " + seed);
        }
    }

    private static void replay(ByteBuffer payload, ExtentMover mover) {
        int edits = payload.getInt(8);
        payload.position(LogBatch.HEADER_BYTES);
        for (int i = 0; i < edits; i++) {
            long first = payload.getLong();
            long target = payload.getLong();
            long length = payload.getLong();
            assertEquals(LogBatch.MOVE, LogBatch.operation(first));
            long offset = first & LogBatch.OFFSET_MASK;
            assertTrue(mover.isMove(offset, length, target));
            assertEquals(length, mover.moveSome(offset, length, target), "an entry moves all that it says");
        }
        assertFalse(payload.hasRemaining());
    }

    private static List<String> extents(FlexTree tree) {
        List<String> extents = new ArrayList<>();
        tree.query(
                0,
                tree.size(),
                (logicalOffset, length, address, flags) -> extents.add(length + "@" + address + " " + flags));
        return extents;
    }

    @Test
    void whatIsNotWithinTheSpaceIsNoMove() {
        FlexTree tree = new FlexTree(SMALL);
        tree.append(10, 100);
        ExtentMover mover = new ExtentMover(tree);
        assertTrue(mover.isMove(0, 5, 10) && mover.isMove(5, 5, 0) && mover.isMove(9, 1, 8));
        long[][] bad = {
            {-1, 5, 8},
            {0, 0, 5},
            {0, -1, 5},
            {0, 5, 11},
            {5, 2, -1},
            {6, 5, 0},
            {0, 5, 5},
            {3, 5, 3},
            {3, 5, 4},
            {11, 1, 0},
            {0, Long.MAX_VALUE, 10},
            {5, Long.MAX_VALUE, 0},
            {0, Long.MIN_VALUE, 10},
            {Long.MAX_VALUE, 5, 0},
            {Long.MAX_VALUE, Long.MAX_VALUE, 0},
            {5, 5, Long.MIN_VALUE},
            {0, 5, Long.MAX_VALUE}
        };
        for (long[] move : bad) {
            assertFalse(mover.isMove(move[0], move[1], move[2]), move[1] + " from " + move[0] + " to " + move[2]);
        }
    }
}
