package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader in this process that goes on while writers in other processes come, write and are killed. */
class ReaderBesideKilledWriterTest {
    private static final int LIVES = Effort.times(4);
    private static final int LOOKS = 25; // at the state, in each life
    private static final long SEED = 42;

    private final History history = new History(SEED, 0);
    private final TreeMap<String, byte[]> model = new TreeMap<>();
    private long modelWrites; // that the model has
    private long acknowledged; // writes
    private int overtaken;

    @TempDir
    private Path directory;

    @Test
    void whatWasAcknowledgedShowsWhoeverWritesAndDies() throws Exception {
        FlexDB.open(directory, KilledWriter.options(Durability.OS)).close();
        try (FlexDBReader reader = FlexDB.openReadOnly(directory, KilledWriter.options(Durability.OS))) {
            for (int life = 0; life < LIVES; life++) {
                Process writer = startWriter();
                try (DataInputStream in = new DataInputStream(writer.getInputStream())) {
                    for (int look = 0; look < LOOKS; look++) {
                        readAcknowledgements(in);
                        look(reader, "life " + life + ", look " + look);
                    }
                    writer.toHandle().destroyForcibly();
                    readToEnd(in);
                } finally {
                    writer.destroyForcibly();
                }
                assertTrue(writer.waitFor(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES), "the writer does not end");
                look(reader, "life " + life + ", killed");
            }
            assertTrue(overtaken < LIVES * LOOKS / 2, overtaken + " cursors were overtaken");
        }
    }

    private Process startWriter() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWriter.class.getName(),
                        directory.toString(),
                        Durability.OS.name(),
                        Long.toString(SEED),
                        Long.toString(modelWrites))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void readAcknowledgements(DataInputStream in) throws IOException {
        do {
            acknowledged = Acknowledgement.readFrom(in).writes();
        } while (in.available() > 0);
    }

    private void readToEnd(DataInputStream in) throws IOException {
        try {
            while (true) {
                acknowledged = Acknowledgement.readFrom(in).writes();
            }
        } catch (EOFException e) {
            // as planned
        }
    }

    /** Brings the model to what the reader shows, which must be the state after some write, and none of the past. */
    private void look(FlexDBReader reader, String at) {
        TreeMap<String, byte[]> found = null;
        for (int tries = 0; found == null; tries++) {
            reader.refresh();
            try {
                found = all(reader);
            } catch (ReaderOvertakenException e) {
                overtaken++;
                assertTrue(tries < 20, at);
            }
        }
        while (modelWrites < acknowledged) {
            history.apply(modelWrites++, model);
        }
        long limit = modelWrites + 100_000;
        while (History.firstDifference(model, found) != null && modelWrites < limit) {
            history.apply(modelWrites++, model);
        }
        assertNull(History.firstDifference(model, found), at + ", acknowledged " + acknowledged);
        assertEquals(model.size(), found.size(), at);
    }

    private static TreeMap<String, byte[]> all(FlexDBReader reader) {
        TreeMap<String, byte[]> found = new TreeMap<>();
        try (FlexCursor cursor = reader.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                found.put(new String(cursor.key(), StandardCharsets.UTF_8), cursor.value());
            }
        }
        return found;
    }
}
