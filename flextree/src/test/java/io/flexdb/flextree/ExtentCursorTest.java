package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExtentCursorTest {
    private static FlexTree treeOf(int extents) {
        FlexTree tree =
                new FlexTree(FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4));
        for (int i = 0; i < extents; i++) {
            tree.append(10, i % 5 == 4 ? FlexTree.HOLE : 1000L * i, i & 0xffff);
        }
        return tree;
    }

    @Test
    void aCursorWalksForwardsAndBackwardsFromAnywhere() {
        int extents = 500;
        ExtentCursor cursor = treeOf(extents).current().cursor();
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 2000; round++) {
            int at = random.nextInt(extents);
            assertTrue(cursor.seek(10L * at + random.nextInt(10)));
            for (int step = random.nextInt(20); step > 0; step--) {
                assertEquals(10L * at, cursor.logicalOffset());
                assertEquals(10, cursor.length());
                assertEquals(at % 5 == 4, cursor.isHole());
                assertEquals(at % 5 == 4 ? FlexTree.HOLE : 1000L * at, cursor.address());
                assertEquals(at, cursor.flags());
                boolean forwards = random.nextBoolean();
                at += forwards ? 1 : -1;
                assertEquals(at >= 0 && at < extents, forwards ? cursor.next() : cursor.previous());
                if (!cursor.isPositioned()) {
                    break;
                }
            }
        }
    }

    @Test
    void aCursorStandsNowhereAfterTheEnds() {
        ExtentCursor cursor = treeOf(9).current().cursor();
        assertFalse(cursor.isPositioned());
        assertThrows(IllegalStateException.class, cursor::next);
        assertTrue(cursor.seek(89));
        assertEquals("ExtentCursor[logicalOffset=80, length=10, address=8000, flags=8]", cursor.toString());
        assertFalse(cursor.next());
        assertThrows(IllegalStateException.class, cursor::length);
        assertTrue(cursor.seek(0));
        assertFalse(cursor.previous());
        assertThrows(IllegalStateException.class, cursor::address);
        assertFalse(cursor.seek(90));
        assertThrows(IllegalStateException.class, cursor::logicalOffset);
        assertThrows(IllegalStateException.class, cursor::flags);
        assertThrows(IllegalStateException.class, cursor::previous);
        assertEquals("ExtentCursor[nowhere]", cursor.toString());
    }

    @Test
    void aCursorCanBeResetToAnotherView() {
        ExtentCursor cursor = new ExtentCursor();
        assertThrows(IllegalStateException.class, () -> cursor.seek(0));
        cursor.reset(treeOf(100).current());
        assertTrue(cursor.seek(999));
        cursor.reset(treeOf(1).current());
        assertFalse(cursor.isPositioned());
        assertTrue(cursor.seek(9));
        assertFalse(cursor.next());
    }

    @Test
    void aCursorOfAClosedViewRefusesToSeek() {
        FlexTree tree = treeOf(10);
        tree.publish();
        FlexTreeView view = tree.view();
        ExtentCursor cursor = view.cursor();
        view.close();
        assertThrows(IllegalStateException.class, () -> cursor.seek(0));
        assertThrows(IllegalStateException.class, () -> cursor.reset(view));
    }
}
