package io.flexdb.jmh.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.FileAddressSpace.Insertion;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ParameterException;

class Table2Test {
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @Test
    void aQuickRunFillsTheTables(@TempDir Path directory) throws Exception {
        Path json = directory.resolve("results.json");
        Path ours = directory.resolve("ours");
        Path pictures = directory.resolve("pictures");
        Table2Settings settings =
                Table2Settings.parse("--quick", "--dir=" + ours, "--json=" + json, "--pictures=" + pictures);
        List<String> lines = new Table2(settings, NOWHERE).run().lines().toList();
        assertRow(lines, "directory of FlexSpace", 1);
        assertRow(lines, "write GB/s, FlexSpace", 6);
        assertRow(lines, "write amplification, counted, FlexSpace", 6);
        assertRow(lines, "sequential read GB/s, warm, FlexSpace", 6);
        assertRow(lines, "random read GB/s, warm, FlexSpace", 6);
        assertRow(lines, "10^5", 0);
        assertRow(lines, "20,000", 2);
        assertRow(lines, "written for each byte", 2);
        assertRow(lines, "0.5", 11);
        assertRow(lines, "0.93", 11);
        assertRow(lines, "4 MiB, 1,024 extents", 5);
        assertFalse(rows(lines, "4 MiB, 1,024 extents").get(0).contains("-"));
        assertEquals(2, rows(lines, "write GB/s, FlexSpace").size(), "one for each size of blocks");
        String results = Files.readString(json);
        assertTrue(results.contains("\"experiment\": \"insertions at 262144\", \"subject\": \"FlexSpace\""), results);
        assertTrue(results.contains("\"experiment\": \"random read, warm, threads 2, random write, 4096\""), results);
        try (Stream<Path> left = Files.list(ours)) {
            assertEquals(List.of(), left.toList());
        }
        for (String figure : List.of("figure2", "figure11-warm-sequential", "figure11-warm-random", "small")) {
            String picture = Files.readString(pictures.resolve(figure + ".svg"));
            assertTrue(picture.contains("<svg") && picture.contains("</svg>"), figure);
        }
        assertFalse(Files.exists(pictures.resolve("figure11-cold-random.svg")), "nothing was read cold");
    }

    /** Cells of the paper and of what can't be measured everywhere stay empty. */
    private static void assertRow(List<String> lines, String name, int columns) {
        for (List<String> row : rows(lines, name)) {
            assertEquals(columns, row.size() - 1, row::toString);
            assertFalse(row.get(1).equals("-"), row::toString);
            assertTrue(Double.parseDouble(row.get(1)) > 0, row::toString);
        }
        assertEquals(columns == 0, rows(lines, name).isEmpty(), name);
    }

    private static List<List<String>> rows(List<String> lines, String name) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("| " + name + " |")) {
                rows.add(List.of(line.substring(2, line.length() - 2).split(" \\| ")));
            }
        }
        return rows;
    }

    @Test
    void plainFilesAreMeasuredAsRivals(@TempDir Path directory) throws Exception {
        Path rival = Files.createDirectory(directory.resolve("rival"));
        Table2Settings settings = Table2Settings.parse(
                "--quick",
                "--parts=table2,figure2",
                "--block=4096",
                "--blocks=256",
                "--insert-at=64k",
                "--dir=" + directory.resolve("ours"),
                "--rivals=plain:" + rival,
                "--json=" + directory.resolve("results.json"));
        List<String> lines = new Table2(settings, NOWHERE).run().lines().toList();
        for (String name : List.of("plain", "ratio to the best rival")) {
            List<String> row = rows(lines, "write GB/s, " + name).get(0);
            assertTrue(Double.parseDouble(row.get(3)) > 0, row::toString);
            assertTrue(Double.parseDouble(row.get(5)) > 0, row::toString);
        }
        assertRow(lines, "plain, rewrite", 1);
        assertRow(lines, "FlexSpace", 1);
        try (Stream<Path> left = Files.list(rival)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void readsWithACacheAreSaidToBe(@TempDir Path directory) throws Exception {
        Table2Settings settings = Table2Settings.parse(
                "--quick",
                "--parts=table2",
                "--block=4096",
                "--cold=yes",
                "--cache=1m",
                "--log=2m",
                "--dir=" + directory,
                "--json=" + directory.resolve("results.json"));
        assertEquals(1 << 20, settings.ours().options().cacheBytes());
        assertEquals(1 << 20, settings.with("--rounds=2").cacheBytes);
        assertFalse(settings.cold(), "what is cached can't be read cold");
        List<String> lines = new Table2(settings, NOWHERE).run().lines().toList();
        assertEquals("FlexSpace reads with a cache of 1 MiB.", lines.get(0));
        assertEquals(2 << 20, settings.ours().options().checkpointLogBytes());
        assertEquals("FlexSpace begins a checkpoint after 2 MiB of log.", lines.get(1));
        assertRow(lines, "random read GB/s, warm, FlexSpace", 6);
        assertEquals(List.of(), rows(lines, "random read GB/s, cold, FlexSpace"));
        assertEquals(0, Table2Settings.parse("--quick").cacheBytes);
    }

    @Test
    void theTableHasMediansRatiosAndThePapersFigures() {
        Table2Settings settings =
                Table2Settings.parse("--parts=table2", "--block=4096", "--rivals=xfs:/tmp,ext4:/tmp,other:/tmp");
        Measurements measurements = new Measurements(NOWHERE);
        String inserts = WriteAndRead.experiment(WriteAndRead.WRITE, Pattern.RANDOM_INSERT, 4096);
        String writes = WriteAndRead.experiment(WriteAndRead.WRITE, Pattern.SEQUENTIAL_WRITE, 4096);
        String disk = WriteAndRead.experiment(WriteAndRead.DEVICE, Pattern.SEQUENTIAL_WRITE, 4096);
        for (double rate : new double[] {0.4, 0.1, 0.5}) {
            measurements.add(inserts, "FlexSpace", rate, "GB/s");
        }
        measurements.add(inserts, "ext4", 0.002, "GB/s");
        measurements.add(
                WriteAndRead.experiment(WriteAndRead.INSERTED, Pattern.RANDOM_INSERT, 4096), "ext4", 212, "MiB");
        measurements.add(writes, "FlexSpace", 0.75, "GB/s");
        measurements.add(writes, "xfs", 0.5, "GB/s");
        measurements.add(writes, "other", 0.25, "GB/s");
        measurements.add(disk, "FlexSpace", 1.1, "bytes");
        measurements.add(disk, "xfs", 1.0, "bytes");
        measurements.add(disk, "ext4", 2.0, "bytes");
        measurements.add(disk, "ext4", Double.NaN, "bytes");
        List<String> lines =
                new Table2Report(settings, measurements).text().lines().toList();
        assertEquals(
                List.of(
                        "| 262,144 blocks of 4,096 | random insert | paper | random write | paper | sequential write | paper |",
                        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
                        "| write GB/s, FlexSpace | 0.400 | 0.62 | - | 0.61 | 0.750 | 0.62 |",
                        "| write GB/s, xfs | - | <0.01 | - | 0.57 | 0.500 | 0.63 |",
                        "| write GB/s, ext4 | 0.00200 (first 212 MiB) | 0.00336 | - | 0.50 | - | 0.60 |",
                        "| write GB/s, other | - | - | - | - | 0.250 | - |",
                        "| write GB/s, ratio to the best rival | 200 | 185 | - | 1.07 | 1.50 | 0.984 |",
                        "| write amplification, disk, FlexSpace | - | 1.03 | - | 1.03 | 1.10 | 1.03 |",
                        "| write amplification, disk, xfs | - | 5.53 | - | 1.02 | 1.00 | 1.02 |",
                        "| write amplification, disk, ext4 | - | 2.23 | - | 1.06 | 2.00 | 1.05 |",
                        "| write amplification, disk, ratio to the best rival | - | 0.462 | - | 1.01 | 1.10 | 1.01 |"),
                lines.subList(0, 11));
        assertEquals(
                "5.46",
                PaperFigures.cell(WriteAndRead.reading(false, false, 1), Pattern.RANDOM_INSERT, 65536, 1 << 18, "xfs"));
        assertEquals(
                "5.46",
                PaperFigures.cell(
                        WriteAndRead.reading(false, false, 1), Pattern.SEQUENTIAL_WRITE, 65536, 1 << 18, "btrfs"));
        assertEquals("", PaperFigures.cell(WriteAndRead.WRITE, Pattern.SEQUENTIAL_WRITE, 4096, 1000, "xfs"));
        assertEquals("ext4, rewrite", InsertAtSize.name(settings.subjects().get(2), Insertion.REWRITE));
    }

    @Test
    void wrongArgumentsAreRefused() {
        for (String argument : List.of(
                "--slow",
                "rounds=1",
                "--rounds=0",
                "--block=4",
                "--block=",
                "--parts=table3",
                "--rivals=ext4",
                "--rivals=FlexSpace:/tmp",
                "--barrier=none",
                "--threads=1,,2",
                "--cold=maybe",
                "--cold",
                "--cache=0",
                "--log=0",
                "--utilizations=1.5",
                "--insert-at=1x",
                "--recovery=1g",
                "--recovery=1g:1")) {
            ParameterException refusal =
                    assertThrows(ParameterException.class, () -> Table2Settings.parse(argument), argument);
            assertTrue(refusal.getMessage().contains(argument.split("=")[0]), refusal.getMessage());
        }
        Table2Settings settings = Table2Settings.parse("--rivals=a:/x,b:/y:z", "--insert-at=64k,1g,5", "--rounds=2");
        assertEquals(List.of(65536L, 1L << 30, 5L), settings.insertSizes);
        assertEquals(Path.of("/y:z"), settings.subjects().get(2).directory());
        assertEquals(7, settings.with("--rounds=7").run.rounds);
    }

    @Test
    void otherSettingsKeepWhatIsNotChanged() {
        Table2Settings settings = Table2Settings.parse(
                "--quick", "--rivals=a:/x,b:/y", "--threads=", "--block=8,16", "--cold=yes", "--barrier", "checkpoint");
        Table2Settings changed = settings.with("--block=4096", "--rounds=7");
        assertTrue(changed.run.quick);
        assertEquals(settings.subjects(), changed.subjects());
        assertEquals(List.of(), changed.threads);
        assertEquals(List.of(4096), changed.blockSizes);
        assertEquals(7, changed.run.rounds);
        assertEquals(1024, changed.blocks, "the default of quick runs");
        assertTrue(changed.cold());
        assertTrue(changed.barrierIsCheckpoint());
        assertEquals(List.of(), Table2Settings.parse("--rivals=").rivals);
    }

    @Test
    void theHelpShowsTheDefaults() {
        StringWriter out = new StringWriter();
        assertEquals(
                0,
                Table2Settings.commandLine("--help")
                        .setOut(new PrintWriter(out))
                        .execute("--help"));
        assertTrue(out.toString().contains("1m,16m,64m,256m,1g"), out::toString);
        StringWriter quick = new StringWriter();
        String[] arguments = {"--quick", "--help"};
        assertEquals(
                0,
                Table2Settings.commandLine(arguments)
                        .setOut(new PrintWriter(quick))
                        .execute(arguments));
        assertTrue(quick.toString().contains("4m:1024"), quick::toString);
        StringWriter err = new StringWriter();
        assertEquals(
                2,
                Table2Settings.commandLine("--rounds=x")
                        .setErr(new PrintWriter(err))
                        .execute("--rounds=x"));
        assertTrue(err.toString().contains("--rounds"), err::toString);
        assertTrue(err.toString().contains("--recovery"), "the usage: " + err);
    }
}
