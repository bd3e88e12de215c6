package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scrub on its own thread. */
class FlexSpaceScrubTest {
    private static final int FRAME = 512;
    private static final int SEGMENT = 32 * FRAME;
    private static final FlexSpaceOptions FAST = CrashHistory.SMALL.withScrubBytesPerSecond(1 << 30);

    private final List<String> logged = Collections.synchronizedList(new ArrayList<>());
    private final Logger logger = Logger.getLogger("io.flexdb.flexspace");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord message) {
            logged.add(message.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void leaveNothingBehind() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
        assertEquals(0, scrubThreads(), "threads left behind");
    }

    private static long scrubThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-scrub"))
                .count();
    }

    private static void await(BooleanSupplier condition) {
        Waiting.whileTrue(() -> !condition.getAsBoolean());
    }

    private static void damage(Vfs vfs, Path directory, int segment, int frame) {
        try (VfsFile file = vfs.open(directory.resolve("data"), OpenMode.READ_WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 4096 + segment * SEGMENT + frame * FRAME);
        }
    }

    private void damageIsFound(Vfs vfs, Path directory) {
        try (FlexSpace space = FlexSpace.open(vfs, directory, CrashHistory.SMALL)) {
            space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(new Random(1), 6 * 31 * FRAME)));
            assertEquals(0, scrubThreads(), "nobody has asked for it");
        }
        damage(vfs, directory, 2, 7);
        damage(vfs, directory, 4, 30);
        try (FlexSpace space = FlexSpace.open(vfs, directory, FAST)) {
            await(() -> space.stats().scrub().passes() > 0);
            assertEquals(2, space.stats().scrub().findings());
            assertTrue(space.stats().scrub().bytes() >= 5 * SEGMENT, () -> "" + space.stats());
            assertEquals(2, space.check().findingCount(), "as the check has it");
            assertEquals(2, logged.size(), () -> "" + logged);
            assertTrue(logged.stream().anyMatch(text -> text.contains("frame 7 of segment 2")), () -> "" + logged);
            // Nothing has become of it.
            space.insertRange(0, ByteBuffer.wrap(new byte[100]));
            space.sync();
            assertEquals(1, scrubThreads());
            assertEquals(0, space.stats().data().pinnedSegments());
        }
    }

    @Test
    void damageInSimulatedFilesIsFound() {
        damageIsFound(new SimulatedVfs(), CrashHistory.DIRECTORY);
    }

    @Test
    void damageInRealFilesIsFound(@TempDir Path directory) {
        damageIsFound(new RealVfs(), directory.resolve("space"));
    }

    @Test
    void closingEndsItWhereverItIs(@TempDir Path directory) {
        Random random = new Random(7);
        SpaceOracle oracle = new SpaceOracle();
        for (int life = 0; life < Effort.times(30); life++) {
            FlexSpaceOptions options = life % 3 == 0 ? FAST : FAST.withScrubBytesPerSecond(1 + random.nextInt(1 << 20));
            try (FlexSpace space = FlexSpace.open(directory.resolve("space"), options)) {
                for (int i = 0; i < 40; i++) {
                    SpaceStep step = SpaceStep.any(random);
                    if (step != SpaceStep.KILL && step != SpaceStep.CLOSE_AND_OPEN) {
                        step.apply(space, oracle, random);
                    }
                }
                space.checkInvariants();
                assertEquals(0, space.stats().scrub().findings());
            }
            assertEquals(0, scrubThreads());
        }
        assertTrue(logged.isEmpty(), () -> "" + logged);
    }

    @Test
    void anInterruptedThreadStillWaitsForItsEnd() {
        FlexSpace space = FlexSpace.open(new SimulatedVfs(), CrashHistory.DIRECTORY, FAST);
        Thread.currentThread().interrupt();
        space.close();
        assertTrue(Thread.interrupted());
        assertEquals(0, scrubThreads());
    }

    @Test
    void itEndsWithASpaceThatFails() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, FAST);
        space.insertRange(0, ByteBuffer.wrap(new byte[3 * SEGMENT]));
        space.sync();
        vfs.failAt(vfs.operationCount() + 1, Fault.EIO, true);
        assertThrows(StoreIoException.class, () -> {
            space.insertRange(0, ByteBuffer.wrap(new byte[10]));
            space.sync();
        });
        assertThrows(StoreFailedException.class, space::size);
        space.close();
        assertTrue(logged.isEmpty(), () -> "" + logged);
    }

    @Test
    void theRateIsAnOption() {
        assertEquals(0, FlexSpaceOptions.defaults().scrubBytesPerSecond());
        assertEquals(1 << 30, FAST.scrubBytesPerSecond());
        FlexSpaceOptions changed = FAST.withSegments(65536, 1024)
                .withCheckpointLogBytes(4096)
                .withLogBufferBytes(2048)
                .withMinimumUtilization(0.5);
        assertEquals(1 << 30, changed.scrubBytesPerSecond());
        String message = assertThrows(IllegalArgumentException.class, () -> FAST.withScrubBytesPerSecond(-1))
                .getMessage();
        assertEquals("scrubBytesPerSecond must not be negative: -1", message);
    }
}
