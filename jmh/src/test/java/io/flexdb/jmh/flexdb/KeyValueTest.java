package io.flexdb.jmh.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class KeyValueTest {
    @TempDir
    Path directory;

    private int run(String... arguments) {
        return run(2000, arguments);
    }

    private int run(int operations, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--quick", "--operations=" + operations));
        all.add("--dir=" + directory.resolve("stores"));
        all.add("--json=" + directory.resolve("all.json"));
        all.addAll(List.of(arguments));
        String[] array = all.toArray(String[]::new);
        return KeyValueSettings.commandLine(array).execute(array);
    }

    private String figures() throws IOException {
        return Files.readString(directory.resolve("all.json"));
    }

    /** Said before the first store is measured, and not behind the last. */
    @Test
    void aPlaceThatCanNotBeWrittenIsRefusedFirst() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        for (String bad : List.of("--json=" + directory, "--json=" + file.resolve("x.json"), "--dir=" + file)) {
            StringWriter said = new StringWriter();
            String[] arguments = {
                "--quick", "--stores=skiplist", "--parts=get", "--json=" + directory.resolve("x.json"), bad
            };
            if (bad.startsWith("--json")) {
                arguments[3] = "--dir=" + directory.resolve("stores");
            }
            assertEquals(
                    2,
                    KeyValueSettings.commandLine(arguments)
                            .setErr(new PrintWriter(said))
                            .execute(arguments));
            assertTrue(said.toString().contains("Invalid value for option '" + bad.substring(0, bad.indexOf('='))));
        }
        assertFalse(Files.exists(directory.resolve("x.json")));
    }

    @Test
    void aLoadIsLimitedByALimitAndInAProcessOfItsOwn() {
        for (String lacking : List.of("--fresh", "--memory=77m")) {
            assertEquals(2, run("--stores=skiplist", "--parts=ycsb", "--limit-load", lacking));
        }
    }

    @Test
    void theDirectoryOfFiguresIsMade() throws IOException {
        Path json = directory.resolve("new").resolve("all.json");
        String[] arguments = {
            "--quick",
            "--stores=skiplist",
            "--parts=get",
            "--operations=100",
            "--dir=" + directory.resolve("stores"),
            "--json=" + json
        };
        assertEquals(0, KeyValueSettings.commandLine(arguments).execute(arguments));
        assertTrue(Files.size(json) > 0);
    }

    @Tag("long") // each process runs for seconds
    @Test
    void aWorkloadInAFreshProcessTellsItsRates() throws IOException {
        assertEquals(
                0,
                run(
                        Integer.MAX_VALUE,
                        "--stores=flexdb,lmdb,skiplist",
                        "--parts=ycsb",
                        "--fresh",
                        "--workloads=bd",
                        "--duration=3",
                        "--records=2000",
                        "--verify"));
        String figures = figures();
        for (String wanted : List.of(
                "YCSB load",
                "YCSB B",
                "YCSB B, first second",
                "YCSB D, steady",
                "YCSB D, until 90 % of the steady rate",
                "YCSB D, compilation")) {
            assertTrue(figures.contains("\"experiment\": \"" + wanted + "\""), wanted + " is missing: " + figures);
        }
        assertTrue(figures.contains("YCSB B by second"), figures);
        assertTrue(figures.contains("YCSB left out"), figures);
    }

    @Tag("long")
    @Test
    void everyPartOfACheckedRunGivesFiguresAndPictures() throws IOException {
        Path pictures = directory.resolve("pictures");
        assertEquals(
                0,
                run(
                        "--stores=flexdb,skiplist",
                        "--records=2000",
                        "--sizes=1000",
                        "--workloads=af",
                        "--verify",
                        "--updates=3000",
                        "--utilizations=0.85",
                        "--pictures=" + pictures));
        String figures = figures();
        for (Part part : Part.values()) {
            assertTrue(figures.contains("\"part\": \"" + part.argument() + "\""), part + " is missing");
        }
        for (String wanted : List.of(
                "load sequential",
                "load Zipfian, written for each byte",
                "load random, on disk for each byte",
                "load random, commit of each",
                "index memory",
                "GET absent",
                "SCAN 10 Zipfian",
                "SCAN 50 Zipfian, keys only",
                "SCAN 50 Zipfian, 2 threads",
                "PUT Zipfian, latency, p99.9",
                "next into buffers, garbage",
                "GET uniform, 1 threads beside puts",
                "updates Zipfian, least utilization 0.85, on disk for each byte",
                "SCAN 50 uniform after updates Zipfian, in place",
                "load random, stitched from 1024 B, written for each byte",
                "empty short ranges, range filter",
                "GET, 100 keys at once, 1 thread",
                "size of a range, for each",
                "copy of the open store",
                "second backup, 1 % updated, new bytes",
                "deleteRange of half of all, until closed",
                "PUT sync, 1 threads",
                "GET uniform, 1,000 pairs",
                "open after a kill, 1,000 pairs",
                "open after a close, 1,000 pairs, and a first GET",
                "YCSB load, insert, longest",
                "YCSB A",
                "YCSB F, read-modify-write, p99.9")) {
            assertTrue(
                    figures.matches(
                            "(?s).*\"store\": \"FlexDB\", \"part\": \"\\w+\", \"experiment\": \"" + wanted + "\".*"),
                    wanted + " is missing in " + figures);
        }
        assertTrue(
                figures.contains("\"experiment\": \"lost by a kill, 1,000 pairs\", \"value\": 0.0"),
                "records were lost: " + figures);
        for (String file : List.of("table3", "figure12a", "figure12e-GET", "figure13", "growth-GET-uniform")) {
            assertTrue(Files.exists(pictures.resolve(file + ".svg")), file);
        }
    }

    @Test
    void severalSpacesAreMeasuredOneAfterTheOther() throws IOException {
        assertEquals(
                0,
                run(
                        "--stores=flexdb",
                        "--parts=get",
                        "--records=2000",
                        "--space=zippydb,sys",
                        "--durability=none",
                        "--rest=1"));
        assertTrue(figures().contains("\"ZIPPYDB: GET Zipfian\""), figures());
        assertTrue(figures().contains("\"SYS: GET Zipfian\""), figures());
    }

    @Test
    void whatTakesTooLongIsStoppedAndNamed() throws IOException {
        assertEquals(
                0, run("--stores=flexdb", "--parts=growth,ycsb", "--records=1000000", "--sizes=1000000", "--limit=0"));
        for (String part : List.of("growth", "ycsb")) {
            assertTrue(figures().contains("\"note\": \"" + part + ": "), part + " is not named in " + figures());
        }
    }

    @Test
    void aProcessIsPutIntoAGroupWithLittleMemoryOrTheUserIsToldWhyNot() throws IOException {
        MemoryLimit limit;
        try {
            limit = MemoryLimit.of(64 << 20);
        } catch (IOException e) {
            assertTrue(e.getMessage().contains("memory"), e.getMessage());
            return;
        }
        try (limit) {
            Process process = new ProcessBuilder(limit.wrap(List.of("cat", "/proc/self/cgroup"))).start();
            String groups = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(
                    groups.contains(
                            "flexdb-benchmark-" + ProcessHandle.current().pid()),
                    groups);
        }
    }

    @Test
    void withALimitOfMemoryThereAreFourTimesAsManyRecordsAsFit() {
        String memory = "--memory=77m";
        CommandLine line = KeyValueSettings.commandLine(memory);
        line.parseArgs(memory);
        KeyValueSettings settings = line.getCommand();
        assertEquals(4 * (77 << 20) / 154, settings.records());
        assertEquals((77 << 20) / 8, settings.cacheBytes());
        assertEquals(Integer.toString((77 << 20) / 4), settings.heap());
    }

    @ParameterizedTest
    @EnumSource(
            value = Subject.class,
            names = "LMDB", // opens only in a process with flags of its own
            mode = EnumSource.Mode.EXCLUDE)
    void everyStoreIsAskedInTheSameWay(Subject subject) throws IOException {
        Path own = Files.createDirectory(directory.resolve("own"));
        Path copies = Files.createDirectory(directory.resolve("copies"));
        try (KeyValueStore store = subject.open(StoreSettings.of(own, 8 << 20, Use.PAIRS))) {
            for (int i = 9; i >= 0; i--) {
                store.put(new byte[] {'k', (byte) i}, new byte[] {(byte) (i + 1)});
            }
            store.put(new byte[] {'k', 3}, new byte[] {33, 34});
            assertArrayEquals(new byte[] {33, 34}, store.get(new byte[] {'k', 3}));
            assertNull(store.get(new byte[] {'j'}));
            List<Integer> keys = new ArrayList<>();
            assertEquals(3, store.scan(new byte[] {'k', 2, 0}, 3, true, (key, value) -> keys.add((int) key[1])));
            assertEquals(List.of(3, 4, 5), keys);
            assertEquals(1, store.scan(new byte[] {'k', 9}, 3, true, (key, value) -> assertEquals(10, value[0])));
            List<byte[]> several = store.multiGet(List.of(new byte[] {'k', 1}, new byte[] {'j'}));
            if (several != null) {
                assertArrayEquals(new byte[] {2}, several.get(0));
                assertNull(several.get(1));
            }
            if (subject.keepsPairs() && store.copyTo(copies.resolve("copy")) >= 0) {
                assertTrue(ProcessFigures.bytesOfFiles(copies.resolve("copy")) > 0, "a copy without a byte");
            }
            for (int i = 0; i < 2 && subject.keepsPairs(); i++) {
                long before = ProcessFigures.bytesOfFiles(copies);
                if (store.backUp(copies.resolve("backups")) >= 0) {
                    assertTrue(ProcessFigures.bytesOfFiles(copies) > before, "a backup without a byte");
                }
            }
            if (store.deleteRange(new byte[] {'k', 2}, new byte[] {'k', 8})) {
                keys.clear();
                assertEquals(4, store.scan(new byte[] {'k', 0}, 9, true, (key, value) -> keys.add((int) key[1])));
                assertEquals(List.of(0, 1, 8, 9), keys);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLEXDB", "ROCKSDB"})
    void storesAreFilledAtOnceAndFollowed(Subject subject) throws Exception {
        byte[] key = {'k'};
        try (KeyValueStore store = subject.open(StoreSettings.of(emptyStore("filled"), 8 << 20, Use.BULK))) {
            assertTrue(store.load(pairs -> pairs.accept(key, new byte[] {1})) > 0);
            assertArrayEquals(new byte[] {1}, store.get(key));
        }
        try (KeyValueStore store = subject.open(StoreSettings.of(emptyStore("followed"), 8 << 20, Use.READERS));
                KeyValueStore.Reader reader = store.reader()) {
            store.put(key, new byte[] {2});
            assertNull(reader.get(key));
            reader.refresh();
            assertArrayEquals(new byte[] {2}, reader.get(key));
        }
    }

    private Path emptyStore(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name).resolve("store"));
    }

    @Test
    void figuresOfProcessesComeBackAsTheyWereWritten() {
        assertEquals(
                new Results.Figure(Part.GET, "a b, c", 0.125, "µs"), Results.parse("measured\tGET\ta b, c\t0.125\tµs"));
        assertNull(Results.parse("anything else\tof\tfour\tfields"));
    }

    @Test
    void aTableComparesWithTheBestRivalThatKeepsItsPairs() {
        Comparison comparison = new Comparison();
        comparison.add(1, Subject.FLEXDB, new Results.Figure(Part.GET, "GET", 200, "thousand/s"));
        comparison.add(1, Subject.LMDB, new Results.Figure(Part.GET, "GET", 100, "thousand/s"));
        comparison.add(1, Subject.SKIPLIST, new Results.Figure(Part.GET, "GET", 900, "thousand/s"));
        comparison.add(1, Subject.FLEXDB, new Results.Figure(Part.LATENCY, "longest", 10, "ms"));
        comparison.add(1, Subject.LMDB, new Results.Figure(Part.LATENCY, "longest", 40, "ms"));
        String table = comparison.tables(List.of(Subject.FLEXDB, Subject.LMDB, Subject.SKIPLIST));
        assertTrue(table.contains("| GET | thousand/s | 200 | 100 | 900 | 2.00 |"), table);
        assertTrue(table.contains("| longest | ms | 10.0 | 40.0 | - | 4.00 |"), table);
        assertFalse(comparison.json().isBlank());
    }
}
