package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a process that merges into keyspaces, one of which comes and goes, after some thousand writes: the next one finds
 * the state after all that had returned, or one write more, each operand counted once.
 */
class KilledMergesTest {
    private static final int KILLS = Integer.getInteger("flexdb.kill.cycles", Effort.times(4));
    private static final int MOST_STEPS = 8000; // of one life

    private final long seed = Long.getLong("flexdb.kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final MergeHistory history = new MergeHistory(seed);
    private final MergeHistory.Content model = new MergeHistory.Content();
    private long steps; // that the model has

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"OS", "SYNC"})
    void eachOperandCountsOnceInTheKeyspaceThatItWasMeantFor(Durability durability) throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            String at = durability + ", kill " + kill + ", repeat with -Dflexdb.kill.seed=" + seed + ": ";
            long returned = writeUntilKilled(durability, at);
            try (FlexDB db = FlexDB.open(directory, MergeHistory.options())) {
                MergeHistory.Content found = MergeHistory.contentOf(db);
                while (steps < returned) {
                    history.apply(steps++, model);
                }
                String difference = model.differenceFrom(found);
                if (difference != null) { // the one during which it was killed
                    history.apply(steps++, model);
                    assertNull(model.differenceFrom(found), at + "after " + returned + " steps, " + difference);
                }
            }
        }
    }

    /** Returns how many steps have returned in all lives. */
    private long writeUntilKilled(Durability durability, String at) throws Exception {
        Process writer = start(durability);
        long returned = steps;
        long until = steps + 1 + random.nextInt(durability == Durability.SYNC ? MOST_STEPS / 20 : MOST_STEPS);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(writer.getInputStream()))) {
            while (true) {
                returned = in.readLong() + 1;
                if (returned >= until) {
                    writer.toHandle().destroyForcibly(); // and what it has said until then is read
                }
            }
        } catch (EOFException e) {
            assertTrue(writer.waitFor(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES), at + "the writer does not end");
        } finally {
            writer.destroyForcibly();
        }
        assertTrue(returned >= until, at + "the writer ended by itself after " + returned + " steps");
        return returned;
    }

    private Process start(Durability durability) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledMerger.class.getName(),
                        directory.toString(),
                        durability.name(),
                        Long.toString(seed),
                        Long.toString(steps))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
