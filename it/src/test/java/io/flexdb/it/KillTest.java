package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills a process that writes, at random moments, and checks what is in its store: all that was promised, a prefix of
 * what was written, and nothing else. The next process goes on with the same store.
 *
 * <p>{@code -Dflexdb.kill.cycles=50} sets the number of kills for each durability,
 * {@code -Dflexdb.kill.foreign.cycles=200} that for each foreign locale, {@code -Dflexdb.kill.seed=...} repeats the
 * same writes (the moments of the kills differ all the same).
 */
class KillTest {
    private static final int THREADS = 3;
    private static final int CYCLES = Integer.getInteger("flexdb.kill.cycles", Effort.times(4));
    private static final int FOREIGN_CYCLES = Integer.getInteger("flexdb.kill.foreign.cycles", Effort.times(1));
    private static final int MIN_MILLIS = 50;
    private static final int MAX_MILLIS = 800;

    private final long seed = Long.getLong("flexdb.kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<History> histories = new ArrayList<>();
    private final List<TreeMap<String, byte[]>> models = new ArrayList<>();
    private final long[] modelWrites = new long[THREADS]; // writes that the models contain
    private final long[] durableWrites = new long[THREADS];
    private final List<TreeMap<Long, Long>> sequences = new ArrayList<>(); // write to sequence number, this cycle's

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aKilledProcessLosesNothingItWasPromised(Durability durability) throws Exception {
        kill(durability, Locale.ROOT, CYCLES);
    }

    /**
     * Their digits are not 0 to 9. This process, which opens the store after each kill, has the locale of the build.
     */
    static List<String> foreignLocales() {
        return Effort.some(List.of("ar-EG", "fa-IR", "ne-NP"));
    }

    @ParameterizedTest
    @MethodSource("foreignLocales")
    void aKilledProcessWithAForeignLocaleLosesNothingItWasPromised(String locale) throws Exception {
        kill(Durability.SYNC, Locale.forLanguageTag(locale), FOREIGN_CYCLES);
    }

    private void kill(Durability durability, Locale locale, int cycles) throws Exception {
        System.out.println("durability " + durability + ", locale " + locale.toLanguageTag() + ", " + cycles
                + " kills, repeat with -Dflexdb.kill.seed=" + seed);
        for (int t = 0; t < THREADS; t++) {
            histories.add(new History(seed, t));
            models.add(new TreeMap<>());
            sequences.add(new TreeMap<>());
        }
        for (int cycle = 0; cycle < cycles; cycle++) {
            String when =
                    durability + ", locale " + locale.toLanguageTag() + ", cycle " + cycle + ", seed " + seed + ": ";
            sequences.forEach(TreeMap::clear);
            writeUntilKilled(durability, locale, when);
            checkStore(durability, when);
        }
    }

    private void writeUntilKilled(Durability durability, Locale locale, String when) throws Exception {
        Process writer = startWriter(durability, locale);
        ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(writer.getInputStream(), 1 << 16))) {
            boolean armed = false;
            while (true) {
                Acknowledgement acknowledgement = Acknowledgement.readFrom(in);
                sequences.get(acknowledgement.thread()).put(acknowledgement.writes() - 1, acknowledgement.sequence());
                durableWrites[acknowledgement.thread()] = acknowledgement.durableWrites();
                if (!armed) {
                    armed = true;
                    // Not the process itself, which would close its output with what is unread in it.
                    Runnable kill = () -> writer.toHandle().destroyForcibly();
                    int millis = MIN_MILLIS + random.nextInt(MAX_MILLIS - MIN_MILLIS);
                    killer.schedule(kill, millis, TimeUnit.MILLISECONDS);
                }
            }
        } catch (EOFException e) {
            // Killed, as planned: the exit code below says whether it really was.
            assertTrue(writer.waitFor(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES), when + "the writer does not end");
        } finally {
            writer.destroyForcibly();
            killer.shutdownNow();
        }
        int killedBySignal = 128 + 9;
        assertEquals(killedBySignal, writer.exitValue(), when + "the writer ended before it was killed");
    }

    private Process startWriter(Durability durability, Locale locale) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx256m",
                "-Duser.language=" + locale.getLanguage(),
                "-Duser.country=" + locale.getCountry(),
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                directory.toString(),
                durability.name(),
                Long.toString(seed)));
        for (long firstWrite : modelWrites) {
            command.add(Long.toString(firstWrite));
        }
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void checkStore(Durability durability, String when) {
        try (FlexDB store = FlexDB.open(directory, KilledWriter.options(durability))) {
            List<TreeMap<String, byte[]>> found = readByThread(store, when);
            long lastKept = 0;
            long firstLost = Long.MAX_VALUE;
            for (int t = 0; t < THREADS; t++) {
                long acknowledged = catchUp(t, found.get(t), when);
                TreeMap<Long, Long> numbers = sequences.get(t);
                for (long write : numbers.headMap(modelWrites[t]).keySet()) {
                    lastKept = Math.max(lastKept, numbers.get(write));
                }
                for (long write : numbers.tailMap(modelWrites[t]).keySet()) {
                    firstLost = Math.min(firstLost, numbers.get(write));
                }
                if (durability != Durability.NONE) {
                    assertTrue(modelWrites[t] >= acknowledged, when + "thread " + t + " lost acknowledged writes");
                }
            }
            assertTrue(lastKept < firstLost, when + "kept write " + lastKept + " but lost write " + firstLost);
            assertTrue(
                    store.durableSequence() >= lastKept,
                    when + "durable sequence " + store.durableSequence() + " < " + lastKept);
        }
    }

    /**
     * Finds how many writes of a thread the store has, and brings the thread's model there.
     *
     * @return how many were acknowledged
     */
    private long catchUp(int thread, TreeMap<String, byte[]> found, String when) {
        TreeMap<Long, Long> numbers = sequences.get(thread);
        long acknowledged = numbers.isEmpty() ? modelWrites[thread] : numbers.lastKey() + 1;
        TreeMap<String, byte[]> model = models.get(thread);
        while (modelWrites[thread] < durableWrites[thread]) {
            histories.get(thread).apply(modelWrites[thread]++, model);
        }
        String difference = History.firstDifference(model, found);
        String lastDifference = difference;
        // At most one more than acknowledged: the one during which the process was killed.
        while (lastDifference != null && modelWrites[thread] <= acknowledged) {
            histories.get(thread).apply(modelWrites[thread]++, model);
            lastDifference = History.firstDifference(model, found);
        }
        assertNull(
                lastDifference,
                when + "thread " + thread + " has no state between its write " + durableWrites[thread] + " (differs: "
                        + difference + ") and its write " + acknowledged);
        // A write that changed nothing leaves no trace, so it isn't lost.
        while (modelWrites[thread] < acknowledged && histories.get(thread).changesNothing(modelWrites[thread], model)) {
            modelWrites[thread]++;
        }
        return acknowledged;
    }

    private static List<TreeMap<String, byte[]>> readByThread(FlexDB store, String when) {
        List<TreeMap<String, byte[]>> found = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            found.add(new TreeMap<>());
        }
        String last = "";
        try (FlexCursor cursor = store.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                String key = new String(cursor.key(), StandardCharsets.UTF_8);
                assertFalse(key.compareTo(last) <= 0, when + "key " + key + " comes after key " + last);
                int thread = Integer.parseInt(key.substring(0, key.indexOf('/')));
                found.get(thread).put(key, cursor.value());
                last = key;
            }
        }
        return found;
    }
}
