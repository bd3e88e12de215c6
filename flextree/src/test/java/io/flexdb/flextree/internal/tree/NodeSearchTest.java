package io.flexdb.flextree.internal.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The searches in a node, which know its layout by heart, against a walk over its entries. */
class NodeSearchTest {
    private static final long SEED = 20240511;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final TreeNodes nodes = new TreeWriter(TreeShape.DEFAULT, new Epochs(), new OffHeap()).nodes();

    @Test
    void everyChildIsFoundByEachOfItsBytesThatMatters() {
        for (int count = 1; count <= NodeFormat.MAX_CAPACITY; count++) {
            int node = nodes.create(1);
            ByteBuffer buffer = nodes.pool.chunk(node);
            int base = NodeFormat.base(node);
            long start = 0;
            for (int i = 0; i < count; i++) {
                TreeNodes.insertChild(buffer, base, i, start, i + 1);
                start += 1 + random.nextLong(random.nextBoolean() ? 3 : 1L << 55);
            }
            for (int i = 0; i < count; i++) {
                long first = NodeFormat.childStart(buffer, base, i);
                long last = (i + 1 < count ? NodeFormat.childStart(buffer, base, i + 1) : start) - 1;
                for (long relative : new long[] {first, (first + last) / 2, last}) {
                    assertEquals(i, NodeFormat.childAt(buffer, base, relative), count + " children, " + relative);
                    assertEquals(i, NodeFormat.cachedChildAt(buffer, base, relative), count + " children, " + relative);
                }
            }
        }
    }

    @Test
    void everyExtentIsFoundByEachOfItsBytesThatMatters() {
        for (int count = 1; count <= NodeFormat.MAX_CAPACITY; count++) {
            int node = nodes.create(0);
            ByteBuffer buffer = nodes.pool.chunk(node);
            int base = NodeFormat.base(node);
            int end = 0;
            for (int i = 0; i < count; i++) {
                end += 1 + random.nextInt(random.nextBoolean() ? 3 : 1 << 24);
                TreeNodes.setExtent(buffer, base, i, end, i);
                NodeFormat.setCount(buffer, base, i + 1);
            }
            NodeFormat.touchWords(buffer, base);
            for (int i = 0; i < count; i++) {
                int first = NodeFormat.start(buffer, base, i);
                int last = NodeFormat.end(buffer, base, i) - 1;
                for (int relative : new int[] {first, (first + last) >>> 1, last}) {
                    assertEquals(i, NodeFormat.extentAt(buffer, base, relative), count + " extents, " + relative);
                }
            }
        }
    }
}
