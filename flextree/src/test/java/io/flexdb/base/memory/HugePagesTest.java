package io.flexdb.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HugePagesTest {
    private static final int PAGE = HugePages.PAGE_BYTES;

    @Test
    void theOwnerOfTheKernelDecides(@TempDir Path directory) throws IOException {
        Path setting = directory.resolve("enabled");
        assertFalse(HugePages.isAllowed(setting), "there is none");
        assertTrue(HugePages.isAllowed(Files.writeString(setting, "always [madvise] never\n")));
        assertTrue(HugePages.isAllowed(Files.writeString(setting, "[always] madvise never\n")));
        assertFalse(HugePages.isAllowed(Files.writeString(setting, "always madvise [never]\n")));
    }

    @Test
    void memoryIsZeroAndHarmsNoOther() {
        assumeTrue(HugePages.awaitAvailable(), "huge pages need Linux on x86-64, and native access for JNA");
        List<ByteBuffer> others = new ArrayList<>();
        List<ByteBuffer> huge = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            others.add(filled(ByteBuffer.allocateDirect(i * 300_000), i));
            ByteBuffer memory = ByteBuffer.allocateDirect(i % 4 * PAGE + i * 1000);
            HugePages.useHugePages(memory);
            assertHolds(0, memory);
            huge.add(filled(memory, -i));
        }
        for (int i = 1; i <= 8; i++) {
            assertHolds(i, others.get(i - 1));
            assertHolds((byte) -i, huge.get(i - 1));
        }
    }

    @Test
    void memoryLivesAsLongAsAPartOfIt() {
        assumeTrue(HugePages.awaitAvailable(), "huge pages need Linux on x86-64, and native access for JNA");
        OffHeap memory = new OffHeap(ByteBuffer::allocateDirect, () -> Long.MAX_VALUE / 2, 0);
        List<ByteBuffer> parts = new ArrayList<>();
        for (int i = 1; i <= 32; i++) {
            parts.add(filled(taken(memory).slice(i * 1000, 5000).slice(10, 4000), i));
            taken(memory); // is free at once, and would be given out again
            Waiting.collect();
        }
        for (int i = 1; i <= 32; i++) {
            assertHolds(i, parts.get(i - 1));
        }
    }

    @Test
    void aPoolMayGrowBeyondItsFirstRegions() {
        HugePages.awaitAvailable();
        NodePool pool = new NodePool(new Epochs(), 1024, new OffHeap(), OffHeap.Use.TREE);
        int count = 40 << 10;
        int[] nodes = new int[count + 1];
        for (int i = 1; i <= count; i++) {
            int node = pool.allocate();
            nodes[i] = node;
            ByteBuffer chunk = pool.chunk(node);
            assertEquals(0, chunk.alignmentOffset(pool.base(node), 64));
            chunk.putLong(pool.base(node), node);
            chunk.putLong(pool.base(node) + 1016, -node);
            assertTrue(pool.memoryBytes() <= Math.max((node + 256) * 1280L, (node + 4096) * 1024L), "at " + node);
        }
        for (int i = 1; i <= count; i++) {
            int node = nodes[i];
            ByteBuffer chunk = pool.chunk(node);
            assertEquals(node, chunk.getLong(pool.base(node)));
            assertEquals(-node, chunk.getLong(pool.base(node) + 1016));
        }
    }

    @Test
    void chunksLargerThanAHugePageAreTakenWhole() {
        HugePages.awaitAvailable();
        NodePool pool = new NodePool(new Epochs(), 1 << 16, new OffHeap(), OffHeap.Use.TREE);
        int[] nodes = new int[16 + 32 + 64 + 128 - 1 + 600]; // node 0 does not exist; the first chunks are short
        for (int i = 0; i < nodes.length; i++) {
            int node = pool.allocate();
            nodes[i] = node;
            pool.chunk(node).putLong(pool.base(node) + (1 << 16) - 8, node);
        }
        for (int node : nodes) {
            assertEquals(node, pool.chunk(node).getLong(pool.base(node) + (1 << 16) - 8));
        }
        assertEquals((3L << 24) + (16 + 32 + 64 + 128 << 16), pool.memoryBytes());
    }

    private static ByteBuffer taken(OffHeap memory) {
        ByteBuffer taken = HugePages.tryAllocate(memory, OffHeap.Use.TREE, HugePages.LEAST_BYTES);
        assertEquals(HugePages.LEAST_BYTES, taken.capacity());
        assertEquals(0, taken.get(HugePages.LEAST_BYTES - 1));
        return taken;
    }

    private static ByteBuffer filled(ByteBuffer buffer, int value) {
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.put(i, (byte) value);
        }
        return buffer;
    }

    private static void assertHolds(int value, ByteBuffer buffer) {
        for (int i = 0; i < buffer.capacity(); i++) {
            if (buffer.get(i) != value) {
                assertEquals(value, buffer.get(i), "at " + i + " of " + buffer.capacity());
            }
        }
    }
}
