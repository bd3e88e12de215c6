package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A space against a plain array of bytes, over closings, kills and power cuts. */
class FlexSpaceModelTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(8192)
            .withLogBufferBytes(2048);

    @Test
    void aSpaceIsWhatTheSameEditsMakeOfAnArray() {
        for (long seed = 0; seed < Effort.times(20); seed++) {
            runHistory(seed);
        }
    }

    private void runHistory(long seed) {
        Random random = new Random(seed);
        SimulatedVfs vfs = new SimulatedVfs();
        FlexSpaceOptions options = SMALL.withCacheBytes(seed % 4 * 10 * 512); // none, or far less than there is to read
        FlexSpace space = FlexSpace.open(vfs, DIRECTORY, options);
        byte[] model = new byte[0];
        List<byte[]> sinceSync = new ArrayList<>(List.of(model));
        for (int step = 0; step < 400; step++) {
            String at = "seed " + seed + ", step " + step;
            switch (random.nextInt(40)) {
                case 0 -> {
                    space.close();
                    space = FlexSpace.open(vfs, DIRECTORY, options);
                    sinceSync = new ArrayList<>(List.of(model));
                }
                case 1 -> {
                    vfs = vfs.crash(random.nextLong());
                    space = FlexSpace.open(vfs, DIRECTORY, options);
                    byte[] found = all(space);
                    assertTrue(sinceSync.stream().anyMatch(state -> Arrays.equals(state, found)), at);
                    model = found;
                    sinceSync = new ArrayList<>(List.of(model));
                }
                case 2 -> {
                    space.sync();
                    sinceSync = new ArrayList<>(List.of(model));
                }
                case 3 -> {
                    space.checkpoint();
                    sinceSync = new ArrayList<>(List.of(model));
                }
                default -> {
                    model = edit(space, model, random);
                    sinceSync.add(model);
                }
            }
            assertEquals(model.length, space.size(), at);
            if (step % 10 == 0) {
                space.checkInvariants();
                assertArrayEquals(model, all(space), at);
            }
        }
        space.close();
    }

    private static byte[] edit(FlexSpace space, byte[] model, Random random) {
        int size = model.length;
        int offset = random.nextInt(size + 1);
        if (size > 0 && random.nextInt(100) < (size > 100_000 ? 60 : 30)) {
            int length = 1 + random.nextInt(Math.min(size, random.nextBoolean() ? 200 : 20_000));
            offset = random.nextInt(size - length + 1);
            space.collapseRange(offset, length);
            byte[] after = new byte[size - length];
            System.arraycopy(model, 0, after, 0, offset);
            System.arraycopy(model, offset + length, after, offset, size - offset - length);
            return after;
        }
        if (size > 0 && random.nextInt(4) == 0) {
            return shift(space, model, random);
        }
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(5) == 0 ? 20_000 : 300)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            space.insertRange(offset, ByteBuffer.wrap(bytes));
            byte[] after = new byte[size + bytes.length];
            System.arraycopy(model, 0, after, 0, offset);
            System.arraycopy(bytes, 0, after, offset, bytes.length);
            System.arraycopy(model, offset, after, offset + bytes.length, size - offset);
            return after;
        }
        offset = random.nextInt(10) == 0 ? size + random.nextInt(1000) : offset;
        space.write(offset, ByteBuffer.wrap(bytes));
        byte[] after = Arrays.copyOf(model, Math.max(size, offset + bytes.length));
        System.arraycopy(bytes, 0, after, offset, bytes.length);
        return after;
    }

    /** What copies no bytes. */
    private static byte[] shift(FlexSpace space, byte[] model, Random random) {
        int size = model.length;
        int length = 1 + random.nextInt(Math.min(size, random.nextBoolean() ? 200 : 20_000));
        int offset = random.nextInt(size - length + 1);
        switch (random.nextInt(8)) {
            case 0 -> {
                space.insertHole(offset, length);
                return SpaceOracle.inserted(model, offset, new byte[length]);
            }
            case 1 -> {
                space.punchHole(offset, length);
                return SpaceOracle.punched(model, offset, length);
            }
            case 2 -> {
                int newSize = random.nextInt(4) == 0 ? offset : size + length;
                space.truncate(newSize);
                return Arrays.copyOf(model, newSize);
            }
            default -> {
                int target = random.nextInt(size + 1);
                if (target > offset && target < offset + length) {
                    assertThrows(IllegalArgumentException.class, () -> space.moveRange(offset, length, target));
                    return model;
                }
                space.moveRange(offset, length, target);
                return SpaceOracle.moved(model, offset, length, target);
            }
        }
    }

    private static byte[] all(FlexSpace space) {
        byte[] bytes = new byte[(int) space.size()];
        if (bytes.length > 0) {
            space.read(0, ByteBuffer.wrap(bytes));
        }
        return bytes;
    }
}
