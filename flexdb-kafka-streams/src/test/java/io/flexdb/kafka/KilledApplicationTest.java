package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application on a real broker whose JVM ends in the middle of a write: the next one restores nothing that was
 * committed, and with exactly-once its counts are right. One with an empty directory restores all.
 */
@Tag("long")
class KilledApplicationTest {
    private static final int RECORDS = 5000;
    private static final int KEYS = 1000;
    private static final int LATE_RECORDS = 20;

    @TempDir
    static Path directory;

    private static LocalBroker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = LocalBroker.start(directory);
        broker.createTopic("input", 2);
        send(RECORDS);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restoresNothingThatWasCommitted(boolean exactlyOnce) throws Exception {
        String name = exactlyOnce ? "exact" : "atLeast";
        int sentBefore = sent;
        Path first = directory.resolve(name + ".first");
        Process killed = start(name, exactlyOnce, sentBefore, true, first, "states");
        try {
            awaitLine(killed, first, "committed");
            send(LATE_RECORDS);
            assertTrue(killed.waitFor(60, TimeUnit.SECONDS), "it did not halt");
            assertEquals(9, killed.exitValue(), () -> read(first));
        } finally {
            killed.destroyForcibly();
        }
        assertEquals("restored 0", line(first, "restored"));
        assertEquals("counts " + KEYS + " " + sentBefore, line(first, "counts"));

        Path second = directory.resolve(name + ".second");
        Process restarted = start(name, exactlyOnce, LATE_RECORDS, false, second, "states");
        try {
            assertTrue(restarted.waitFor(60, TimeUnit.SECONDS), () -> "it did not end: " + read(second));
            assertEquals(0, restarted.exitValue(), () -> read(second));
        } finally {
            restarted.destroyForcibly();
        }
        assertEquals("restored 0", line(second, "restored"), () -> read(second));
        long count = Long.parseLong(line(second, "counts").split(" ")[2]);
        if (exactlyOnce) {
            assertEquals(sent, count);
        } else {
            assertTrue(count >= sent && count <= sent + 1, () -> "counted " + count + " of " + sent);
        }

        send(1);
        Path third = directory.resolve(name + ".third");
        Process elsewhere = start(name, exactlyOnce, 1, false, third, "other-states");
        try {
            assertTrue(elsewhere.waitFor(60, TimeUnit.SECONDS), () -> "it did not end: " + read(third));
            assertEquals(0, elsewhere.exitValue(), () -> read(third));
        } finally {
            elsewhere.destroyForcibly();
        }
        assertTrue(Long.parseLong(line(third, "restored").split(" ")[1]) >= RECORDS, () -> read(third));
        assertEquals("counts " + KEYS + " " + (count + 1), line(third, "counts"));
    }

    @Test
    void aStandbyTakesOverAndRestoresOnlyWhatItHasNot() throws Exception {
        int sentBefore = sent;
        Path first = directory.resolve("active");
        Path second = directory.resolve("standby");
        Process active = start("moved", true, sentBefore, true, first, "active-states");
        Process standby = null;
        try {
            awaitLine(active, first, "committed");
            standby = start("moved", true, LATE_RECORDS, false, second, "standby-states", sentBefore);
            awaitLine(standby, second, "standby");
            send(LATE_RECORDS);
            assertTrue(active.waitFor(60, TimeUnit.SECONDS), () -> "it did not halt: " + read(first));
            assertTrue(standby.waitFor(60, TimeUnit.SECONDS), () -> "it did not end: " + read(second));
            assertEquals(0, standby.exitValue(), () -> read(second));
        } finally {
            active.destroyForcibly();
            if (standby != null) {
                standby.destroyForcibly();
            }
        }
        long restored = Long.parseLong(line(second, "restored").split(" ")[1]);
        assertTrue(restored <= LATE_RECORDS, () -> read(second));
        assertEquals("counts " + KEYS + " " + sent, line(second, "counts"), () -> read(second));
    }

    // ----

    private static int sent;

    private static void send(int records) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.address()), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>("input", "key " + i % KEYS, "value"));
            }
        }
        sent += records;
    }

    private static Process start(String name, boolean exactlyOnce, int until, boolean halts, Path output, String states)
            throws Exception {
        return start(name, exactlyOnce, until, halts, output, states, Integer.MAX_VALUE);
    }

    private static Process start(
            String name, boolean exactlyOnce, int until, boolean halts, Path output, String states, int standbyRecords)
            throws Exception {
        List<String> args = new ArrayList<>(List.of(broker.address(), name));
        args.add(directory.resolve(states).toString());
        args.addAll(List.of(String.valueOf(exactlyOnce), String.valueOf(until), String.valueOf(halts)));
        args.add(String.valueOf(standbyRecords));
        return CountingApplication.command(args, output).start();
    }

    private static void awaitLine(Process process, Path output, String line) throws Exception {
        while (!read(output).lines().toList().contains(line)) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("it ended with " + process.exitValue() + ": " + read(output));
            }
        }
    }

    private static String line(Path output, String beginning) {
        return read(output)
                .lines()
                .filter(line -> line.startsWith(beginning + " "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(read(output)));
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
