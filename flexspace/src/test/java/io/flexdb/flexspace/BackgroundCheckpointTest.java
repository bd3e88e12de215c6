package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints by a thread of their own, on real files. */
class BackgroundCheckpointTest {
    @Test
    void theWriterGoesOnWhileItsEarlierStatesAreSaved(@TempDir Path directory) {
        SpaceOracle oracle = new SpaceOracle();
        Random random = new Random(1);
        long checkpoints = 0;
        for (int life = 0; life < 10; life++) {
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
                checkpoints += space.stats().checkpoints();
            }
        }
        assertTrue(checkpoints > 20, checkpoints + " checkpoints");
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-checkpoint"))
                .count();
        assertEquals(0, threads, "threads left behind");
    }
}
