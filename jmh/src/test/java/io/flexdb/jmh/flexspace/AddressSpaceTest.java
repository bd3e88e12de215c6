package io.flexdb.jmh.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.jmh.RandomNumbers;
import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.BlockWorkload.Written;
import io.flexdb.jmh.flexspace.FileAddressSpace.Insertion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is compared does the same. */
class AddressSpaceTest {
    private static final int BLOCK_BYTES = 4096;
    private static final int BLOCKS = 600;

    @TempDir
    Path directory;

    @Test
    void everyOneHasTheBytesThatWereInserted() throws Exception {
        byte[] expected = inserted(new Subject(Subject.FLEXSPACE, directory), Insertion.INSERT_RANGE);
        Subject file = new Subject("file", directory);
        assertArrayEquals(expected, inserted(file, Insertion.REWRITE));
        try {
            assertArrayEquals(expected, inserted(file, Insertion.INSERT_RANGE));
        } catch (UnsupportedOperationException e) {
            String type = Files.getFileStore(directory).type();
            assertFalse(type.equals("ext4") || type.equals("xfs"), () -> type + " can: " + e.getMessage());
        }
    }

    private static byte[] inserted(Subject subject, Insertion insertion) throws IOException {
        try (AddressSpace space = subject.create(insertion, false)) {
            Written written =
                    new BlockWorkload(BLOCK_BYTES, BLOCKS).write(space, Pattern.RANDOM_INSERT, Long.MAX_VALUE);
            assertEquals(BLOCKS, written.blocks());
            assertTrue(written.firstTenthNanos() > 0 && written.lastTenthNanos() > 0, written::toString);
            ByteBuffer content = ByteBuffer.allocate(BLOCKS * BLOCK_BYTES);
            assertEquals(content.capacity(), space.size());
            space.read(0, content);
            return content.array();
        } finally {
            subject.remove();
        }
    }

    @Test
    void blocksThatAreNotThoseWrittenAreFound() throws Exception {
        for (String name : new String[] {Subject.FLEXSPACE, "file"}) {
            Subject subject = new Subject(name, directory);
            BlockWorkload workload = new BlockWorkload(BLOCK_BYTES, BLOCKS);
            try (AddressSpace space = subject.create(Insertion.INSERT_RANGE, true)) {
                workload.write(space, Pattern.RANDOM_WRITE, Long.MAX_VALUE);
                for (int threads = 1; threads <= 3; threads++) {
                    assertTrue(workload.read(space, true, threads) > 0);
                    assertTrue(workload.read(space, false, threads) > 0);
                }
                space.write(7 * BLOCK_BYTES, ByteBuffer.allocate(Long.BYTES).putLong(0, 8));
                assertThrows(IOException.class, () -> workload.read(space, true, 2));
            } finally {
                subject.remove();
            }
        }
    }

    @Test
    void aWritePhaseEndsInTime() throws Exception {
        Subject subject = new Subject("file", directory);
        try (AddressSpace space = subject.create(Insertion.REWRITE, false)) {
            Written written = new BlockWorkload(BLOCK_BYTES, BLOCKS).write(space, Pattern.RANDOM_INSERT, 1);
            assertTrue(written.blocks() < BLOCKS, written::toString);
            assertEquals((long) written.blocks() * BLOCK_BYTES, space.size());
        } finally {
            subject.remove();
        }
    }

    @Test
    void rewritingIsCounted() throws Exception {
        Subject subject = new Subject("file", directory);
        try (AddressSpace space = subject.create(Insertion.REWRITE, false)) {
            space.write(0, ByteBuffer.allocate(1000));
            space.insert(400, ByteBuffer.allocate(50));
            assertEquals(1000 + 600 + 50, space.bytesWritten().orElseThrow());
            assertEquals(1050, space.size());
        } finally {
            subject.remove();
        }
    }

    @Test
    void shuffledNumbersAreAllThere() {
        int[] shuffled = new RandomNumbers().shuffled(1000);
        assertFalse(Arrays.equals(IntStream.range(0, 1000).toArray(), shuffled));
        Arrays.sort(shuffled);
        assertArrayEquals(IntStream.range(0, 1000).toArray(), shuffled);
    }
}
