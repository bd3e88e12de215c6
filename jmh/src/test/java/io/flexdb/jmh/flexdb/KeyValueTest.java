package io.flexdb.jmh.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyValueTest {
    @TempDir
    Path directory;

    @Test
    void everyPartOfACheckedRunGivesFigures() throws IOException {
        Path json = directory.resolve("all.json");
        int exitCode = KeyValueSettings.commandLine(
                        "--quick",
                        "--stores=flexdb,skiplist",
                        "--records=2000",
                        "--operations=2000",
                        "--workloads=af",
                        "--verify",
                        "--dir=" + directory.resolve("stores"),
                        "--json=" + json)
                .execute(
                        "--quick",
                        "--stores=flexdb,skiplist",
                        "--records=2000",
                        "--operations=2000",
                        "--workloads=af",
                        "--verify",
                        "--dir=" + directory.resolve("stores"),
                        "--json=" + json);
        assertEquals(0, exitCode);
        String figures = Files.readString(json);
        for (String wanted : List.of(
                "load sequential",
                "load random",
                "GET absent",
                "SCAN 10 Zipfian",
                "open",
                "PUT Zipfian, latency, p99.9",
                "PUT sync, 1 threads",
                "YCSB load, insert, longest",
                "YCSB A",
                "YCSB F, read-modify-write, p99.9")) {
            assertTrue(
                    figures.contains("\"store\": \"FlexDB\", \"experiment\": \"" + wanted + "\""),
                    wanted + " is missing in " + figures);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Subject.class,
            names = "LMDB", // opens only in a process with flags of its own
            mode = EnumSource.Mode.EXCLUDE)
    void everyStoreIsAskedInTheSameWay(Subject subject) {
        try (KeyValueStore store = subject.open(new StoreSettings(directory, 8 << 20, 1 << 20, false))) {
            for (int i = 9; i >= 0; i--) {
                store.put(new byte[] {'k', (byte) i}, new byte[] {(byte) (i + 1)});
            }
            store.put(new byte[] {'k', 3}, new byte[] {33, 34});
            assertArrayEquals(new byte[] {33, 34}, store.get(new byte[] {'k', 3}));
            assertNull(store.get(new byte[] {'j'}));
            List<Integer> keys = new ArrayList<>();
            assertEquals(3, store.scan(new byte[] {'k', 2, 0}, 3, (key, value) -> keys.add((int) key[1])));
            assertEquals(List.of(3, 4, 5), keys);
            assertEquals(1, store.scan(new byte[] {'k', 9}, 3, (key, value) -> assertEquals(10, value[0])));
        }
    }

    @Test
    void figuresOfProcessesComeBackAsTheyWereWritten() {
        assertEquals(new Results.Figure("a b, c", 0.125, "µs"), Results.parse("measured\ta b, c\t0.125\tµs"));
        assertNull(Results.parse("anything else\tof\tfour\tfields"));
    }

    @Test
    void aTableComparesWithTheBestRivalThatKeepsItsPairs() {
        Comparison comparison = new Comparison();
        comparison.add(1, Subject.FLEXDB, new Results.Figure("GET", 200, "thousand/s"));
        comparison.add(1, Subject.LMDB, new Results.Figure("GET", 100, "thousand/s"));
        comparison.add(1, Subject.SKIPLIST, new Results.Figure("GET", 900, "thousand/s"));
        comparison.add(1, Subject.FLEXDB, new Results.Figure("longest", 10, "ms"));
        comparison.add(1, Subject.LMDB, new Results.Figure("longest", 40, "ms"));
        String table = comparison.table(List.of(Subject.FLEXDB, Subject.LMDB, Subject.SKIPLIST));
        assertTrue(table.contains("| GET | thousand/s | 200 | 100 | 900 | 2.00 |"), table);
        assertTrue(table.contains("| longest | ms | 10.0 | 40.0 | - | 4.00 |"), table);
        assertFalse(comparison.json().isBlank());
    }
}
