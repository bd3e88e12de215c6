package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskReadsTest {
    private static final int BYTES = 64 << 10;

    @TempDir
    Path directory;

    /** Other threads of the JVM may read from a disk in any round, but not in each of many. */
    @Test
    void whatThePageCacheHoldsIsNotCounted() throws IOException {
        assumeTrue(DiskReads.count() != DiskReads.UNKNOWN);
        Path file = directory.resolve("file");
        Files.write(file, new byte[BYTES]);
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            boolean still = false;
            for (int round = 0; round < 100 && !still; round++) {
                long before = DiskReads.count();
                assertEquals(BYTES, channel.read(bytes.clear(), 0));
                long after = DiskReads.count();
                assertTrue(before >= 0 && after >= before);
                still = after == before;
            }
            assertTrue(still);
        }
    }
}
