package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits and checkpoints by threads of their own, on real files. */
class BackgroundCheckpointTest {
    @Test
    void theWriterGoesOnWhileItsEarlierStatesAreSaved(@TempDir Path directory) {
        SpaceOracle oracle = new SpaceOracle();
        Random random = new Random(1);
        long checkpoints = 0;
        for (int life = 0; life < Effort.times(10); life++) {
            try (FlexSpace space = FlexSpace.open(directory.resolve("space"), CrashHistory.SMALL)) {
                assertArrayEquals(oracle.now(), SpaceOracle.contentOf(space));
                for (int i = 0; i < 400; i++) {
                    SpaceStep step = SpaceStep.any(random);
                    if (step != SpaceStep.KILL && step != SpaceStep.CLOSE_AND_OPEN) {
                        step.apply(space, oracle, random);
                    }
                }
                space.checkInvariants();
                assertArrayEquals(oracle.now(), SpaceOracle.contentOf(space));
                checkpoints += space.stats().checkpoints().count();
            }
        }
        assertTrue(checkpoints > Effort.times(20), checkpoints + " checkpoints");
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Set.of("flexdb-checkpoint", "flexdb-log").contains(thread.getName()))
                .count();
        assertEquals(0, threads, "threads left behind");
    }

    /**
     * In a large tree changes wait for each other. Two spaces are given the same ones: those of the first wait, and
     * threads that save it and ask for figures must leave them alone; nothing waits in the second, which is looked at
     * all the time.
     */
    @Test
    void changesThatWaitInALargeTreeAreMadeByTheWriterOnly(@TempDir Path directory) throws InterruptedException {
        FlexSpaceOptions eager = FlexSpaceOptions.defaults()
                .withSegments(64 << 10, 1 << 10)
                .withLogBufferBytes(16 << 10)
                .withCheckpointLogBytes(64 << 10);
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (FlexSpace space = FlexSpace.open(directory.resolve("waiting"), eager);
                FlexSpace atOnce = FlexSpace.open(directory.resolve("at once"))) {
            Thread asking = new Thread(() -> {
                while (!done.get()) {
                    space.stats();
                    Thread.onSpinWait();
                }
            });
            asking.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
            SplittableRandom random = new SplittableRandom(7);
            ByteBuffer record = ByteBuffer.allocate(16);
            for (int i = 0; i < 200_000; i++) {
                if (i == 180_000) {
                    asking.start(); // after which few changes wait
                }
                record.clear().putLong(0, random.nextLong()).putLong(8, i);
                long at = random.nextLong(space.size() + 1);
                space.insertRange(at, record.duplicate());
                atOnce.insertRange(at, record);
                atOnce.stats();
            }
            done.set(true);
            asking.join();
            assertNull(failure.get());
            assertTrue(space.stats().tree().extents() > 350_000, space.stats() + ": enough to wait");
            assertTrue(space.stats().checkpoints().count() > 10, space.stats() + ": checkpoints while changes wait");
            space.checkInvariants();
            assertArrayEquals(SpaceOracle.contentOf(atOnce), SpaceOracle.contentOf(space));
        }
        try (FlexSpace space = FlexSpace.open(directory.resolve("waiting"), eager);
                FlexSpace atOnce = FlexSpace.open(directory.resolve("at once"))) {
            assertArrayEquals(SpaceOracle.contentOf(atOnce), SpaceOracle.contentOf(space));
        }
    }
}
