package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RangeChecksumsTest {
    private static final Path FILE = Path.of("/file");

    @Test
    void theChecksumOfAnyRangeIsThatOfItsBytes() {
        Random random = new Random(1);
        for (int size : new int[] {1, 4095, 4096, 4097, 300_000, 524_288}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            SimulatedVfs vfs = new SimulatedVfs();
            try (VfsFile file = vfs.open(FILE, OpenMode.CREATE)) {
                file.write(ByteBuffer.wrap(bytes), 0);
                int first = random.nextInt(Math.min(size, 5000));
                RangeChecksums checksums = new RangeChecksums(file, first);
                for (int i = 0; i < 200; i++) {
                    int from = first + random.nextInt(size - first);
                    int length = i == 0 ? size - from : random.nextInt(size - from + 1);
                    CRC32C crc = new CRC32C();
                    crc.update(bytes, from, length);
                    assertEquals((int) crc.getValue(), checksums.of(from, length), from + ", " + length);
                }
            }
        }
    }
}
