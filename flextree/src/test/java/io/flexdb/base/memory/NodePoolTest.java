package io.flexdb.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodePoolTest {
    private final Epochs epochs = new Epochs();

    @Test
    void nodesHaveBytesOfTheirOwn() {
        NodePool pool = new NodePool(epochs, 1024, new OffHeap(), OffHeap.Use.TREE);
        int count = 3000; // more than a dozen chunks
        Set<Integer> nodes = new HashSet<>();
        for (int i = 0; i < count; i++) {
            int node = pool.allocate();
            assertTrue(node > 0 && nodes.add(node));
            assertEquals(ByteOrder.LITTLE_ENDIAN, pool.chunk(node).order());
            pool.chunk(node).putLong(pool.base(node), node);
            pool.chunk(node).putLong(pool.base(node) + 1016, -node);
        }
        for (int node : nodes) {
            assertEquals(node, pool.chunk(node).getLong(pool.base(node)));
            assertEquals(-node, pool.chunk(node).getLong(pool.base(node) + 1016));
        }
        assertEquals(count, pool.liveCount());
        assertTrue(pool.memoryBytes() >= count * 1024L && pool.memoryBytes() < (count + 300) * 1024L);
    }

    @Test
    void aRetiredNodeIsUsedAgainOnlyWhenNobodySeesIt() {
        NodePool pool = new NodePool(epochs, 64, new OffHeap(), OffHeap.Use.TREE);
        int node = pool.allocate();
        long birth = epochs.writerEpoch();
        epochs.advance();
        pool.retire(node, birth);
        assertEquals(1, pool.liveCount());
        assertEquals(1, pool.retiredCount());
        assertNotEquals(node, pool.allocate());
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            pool.reclaim();
        }
        assertEquals(0, pool.retiredCount());
        assertEquals(1, pool.liveCount());
        assertEquals(node, pool.allocate());
    }

    @Test
    void manyFreeNodesAreKept() {
        NodePool pool = new NodePool(epochs, 64, new OffHeap(), OffHeap.Use.TREE);
        int[] nodes = new int[5000];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = pool.allocate();
        }
        long memory = pool.memoryBytes();
        for (int node : nodes) {
            pool.retire(node, epochs.writerEpoch());
        }
        assertEquals(0, pool.liveCount());
        for (int i = 0; i < nodes.length; i++) {
            pool.allocate();
        }
        assertEquals(memory, pool.memoryBytes());
    }

    @Test
    void aNodeMustBeAPowerOfTwo() {
        for (int bytes : new int[] {0, 32, 100, 1 << 17, -64, Integer.MIN_VALUE}) {
            assertThrows(
                    IllegalArgumentException.class, () -> new NodePool(epochs, bytes, new OffHeap(), OffHeap.Use.TREE));
        }
    }

    @Test
    void nodesOfEverySizeThatIsAcceptedHaveBytesOfTheirOwn() {
        for (int nodeBytes = 64; nodeBytes <= 64 * 1024; nodeBytes *= 2) {
            NodePool pool = new NodePool(epochs, nodeBytes, new OffHeap(), OffHeap.Use.TREE);
            for (int node = pool.allocate(); node < 10; node = pool.allocate()) {
                pool.chunk(node).putLong(pool.base(node) + nodeBytes - 8, node);
            }
            for (int node = 1; node < 10; node++) {
                assertEquals(node, pool.chunk(node).getLong(pool.base(node) + nodeBytes - 8));
            }
        }
    }
}
