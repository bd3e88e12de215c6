package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoundDataTest {
    private static final int PIECE = 1 << 20;

    /** The owner of a shared file may cut its end off between the look at its length and the copy. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5, 3 * PIECE})
    void aFileIsCopiedAsFarAsItIsThere(int length) {
        SimulatedVfs vfs = new SimulatedVfs(Path.of("/store"));
        for (int zerosFrom : new int[] {0, PIECE / 2, PIECE, 2 * PIECE, length}) {
            byte[] content = new byte[length];
            new Random(length).nextBytes(content);
            Arrays.fill(content, Math.min(zerosFrom, length), length, (byte) 0);
            Path to = Path.of("/store/to-" + zerosFrom);
            try (VfsFile file = vfs.open(Path.of("/store/from-" + zerosFrom), OpenMode.CREATE);
                    VfsFile copy = vfs.open(to, OpenMode.CREATE)) {
                file.write(ByteBuffer.wrap(content), 0);
                FoundData.copy(file, copy, 3 * PIECE);
                assertArrayEquals(content, vfs.content(to), "zeros from " + zerosFrom);
                vfs.delete(to);
                vfs.delete(file.path());
            }
        }
    }
}
