package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.KeyspaceOptions;
import io.flexdb.MergeFunction;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
    @TempDir
    private Path directory;

    private Path store;

    @BeforeEach
    void makeStore() {
        store = directory.resolve("store");
        Tool.done("put", store, "user:1", "Ann", "--create");
        Tool.done("put", store, "user:2", "Bob");
        Tool.done("put", store, "zoo", "tab\tand\nline");
        Tool.done("put", store, "hex:ff00", "hex:80");
    }

    @Test
    void valueComesOutAsItWentIn() throws IOException {
        byte[] value = new byte[3 << 20];
        new Random(1).nextBytes(value);
        Path file = Files.write(directory.resolve("value"), value);
        Tool.done("put", store, "large", "@" + file);
        assertArrayEquals(
                value, Tool.run("get", store, "large").expect(ExitCode.DONE).bytes());

        Tool.runWith(value, "put", store, "from-input", "-").expect(ExitCode.DONE);
        assertArrayEquals(value, Tool.run("get", store, "from-input").bytes());
    }

    @Test
    void textThatBeginsLikeAnotherFormIsPossible() {
        Tool.done("put", store, "text:hex:zz", "text:@home");
        assertEquals("@home", Tool.done("get", store, "text:hex:zz"));
    }

    @Test
    void badHexIsWrongUsage() {
        assertTrue(
                Tool.run("get", store, "hex:abc").expect(ExitCode.USAGE).err().contains("hex:abc"));
    }

    @Test
    void getPrintsFormats() {
        assertEquals("tab\\tand\\nline\n", Tool.done("get", store, "zoo", "--format", "text"));
        assertEquals("80\n", Tool.done("get", store, "hex:ff00", "--format", "hex"));
        assertEquals("{\"valueBase64\":\"gA==\"}\n", Tool.done("get", store, "hex:ff00", "--format", "json"));
    }

    @Test
    void absentKeyIsNotFound() {
        assertEquals(
                "", Tool.run("get", store, "nobody").expect(ExitCode.NOT_FOUND).out());
    }

    @Test
    void deleteTellsWhetherKeysWereThere() {
        Tool.done("delete", store, "user:1", "user:2");
        Tool.run("delete", store, "user:1").expect(ExitCode.NOT_FOUND);
        assertEquals("2\n", Tool.done("count", store));
    }

    @Test
    void scanPrintsText() {
        String all = "user:1\tAnn\nuser:2\tBob\nzoo\ttab\\tand\\nline\n\\xff\\x00\t\\x80\n";
        assertEquals(all, Tool.done("scan", store));
    }

    @Test
    void scanHasBoundsDirectionAndLimit() {
        assertEquals("user:2\nuser:1\n", Tool.done("scan", store, "--prefix", "user:", "--reverse", "--keys-only"));
        assertEquals("user:1\tAnn\n", Tool.done("scan", store, "--limit", "1"));
        assertEquals("user:2\tBob\n", Tool.done("scan", store, "--from", "user:2", "--to", "zoo"));
        assertEquals("2\n", Tool.done("count", store, "--prefix", "user:"));
        Tool.run("scan", store, "--prefix", "a", "--from", "b").expect(ExitCode.USAGE);
        Tool.run("scan", store, "--limit", "-1").expect(ExitCode.USAGE);
        Tool.run("scan", store, "--from", "b", "--to", "a").expect(ExitCode.USAGE);
    }

    @Test
    void scanPrintsJson() {
        Tool.done("put", store, "user:1", "\"é\"\u0001");
        assertEquals(
                "{\"key\":\"user:1\",\"value\":\"\\\"é\\\"\\u0001\"}\n",
                Tool.done("scan", store, "--format", "json", "--limit", "1"));
        assertEquals(
                "{\"keyBase64\":\"/wA=\",\"valueBase64\":\"gA==\"}\n",
                Tool.done("scan", store, "--format", "json", "--from", "hex:ff"));
    }

    @Test
    void pairsExpire() {
        Tool.done("put", store, "brief", "x", "--ttl", "PT1H");
        assertTrue(Tool.done("scan", store, "--prefix", "brief", "--format", "json")
                .contains("\"expires\":\"20"));
    }

    @Test
    void keyspacesAreListedMadeAndDropped() {
        Tool.done("keyspaces", "create", store, "b");
        Tool.done("keyspaces", "create", store, "a");
        assertEquals("a\nb\n", Tool.done("keyspaces", "list", store));
        Tool.done("put", store, "key", "value", "-k", "a");
        assertEquals("key\tvalue\n", Tool.done("scan", store, "-k", "a"));
        Tool.run("keyspaces", "create", store, "a").expect(ExitCode.FAILED);
        Tool.done("keyspaces", "drop", store, "a");
        Tool.run("keyspaces", "drop", store, "a").expect(ExitCode.NOT_FOUND);
        Tool.run("scan", store, "-k", "a").expect(ExitCode.NOT_FOUND);
        Tool.run("keyspaces").expect(ExitCode.USAGE);
    }

    @Test
    void infoShowsFormatSizesAndKeyspaces() {
        Tool.done("keyspaces", "create", store, "orders");
        String info = Tool.done("info", store);
        assertTrue(info.matches("(?s).*format +6\n.*open +no\n.*data .*iB\n.*\n  orders\n.*health +readable\n"), info);
        String stats = Tool.done("info", store, "--stats");
        assertTrue(stats.contains("FlexDBOptions[") && stats.contains("FlexDBStats["), stats);
    }

    @Test
    void openStoreIsReadAndItsHolderNamed() {
        try (FlexDB db = FlexDB.open(store)) {
            db.put("new".getBytes(StandardCharsets.UTF_8), new byte[1]);
            assertEquals("5\n", Tool.done("count", store));
            Tool.done("check", store);
            for (String command : new String[] {"verify", "compact"}) {
                Tool.Result refused = Tool.run(command, store).expect(ExitCode.CANNOT_OPEN);
                assertTrue(refused.err().contains("held by this process"), refused.err());
            }
        }
    }

    @Test
    void soundStoreIsFoundSound() {
        assertTrue(Tool.done("check", store).startsWith("sound"));
        assertTrue(Tool.done("verify", store).contains("findings=0"));
    }

    @Test
    void progressIsShownIfAskedFor() {
        Tool.Result result = Tool.run("verify", store, "--progress").expect(ExitCode.DONE);
        assertTrue(result.err().contains("verify: "), result.err());
        assertFalse(result.out().contains("verify: "));
        assertEquals("", Tool.run("verify", store, "--no-progress").err());
    }

    @Test
    void backupsAreMadeListedAndRestored() {
        Path backups = directory.resolve("backups");
        Tool.done("backup", store, backups);
        Tool.done("put", store, "later", "x");
        assertTrue(Tool.done("backup", store, backups, "--keep", "2").startsWith("backup 2, "));
        assertEquals(2, Tool.done("backups", backups, "--verify").lines().count());
        Tool.done("restore", backups, directory.resolve("newest"));
        Tool.done("restore", backups, directory.resolve("first"), "--id", "1");
        assertEquals("5\n", Tool.done("count", directory.resolve("newest")));
        assertEquals("4\n", Tool.done("count", directory.resolve("first")));
        assertTrue(Tool.done("backup", store, backups, "--keep", "1").contains("deleted 1"));
        Tool.run("restore", backups, directory.resolve("third"), "--id", "9").expect(ExitCode.NOT_FOUND);
        Tool.run("restore", backups, store).expect(ExitCode.FAILED);
        Tool.run("backups", store).expect(ExitCode.CANNOT_OPEN);
    }

    @Test
    void copySalvageAndCompactKeepAllPairs() {
        String pairs = Tool.done("scan", store);
        Tool.done("copy", store, directory.resolve("copy"));
        Tool.done("salvage", store, directory.resolve("salvaged"));
        Tool.done("compact", store);
        for (String name : new String[] {"copy", "salvaged", "store"}) {
            assertEquals(pairs, Tool.done("scan", directory.resolve(name)), name);
        }
        Tool.run("copy", store, directory.resolve("copy")).expect(ExitCode.FAILED);
        Tool.run("copy", store, directory.resolve("no/copy")).expect(ExitCode.FAILED);
    }

    @Test
    void reportHasNoKeysValuesAndNames() throws IOException {
        Tool.done("put", store, "SECRETKEY", "SECRETVALUE");
        Tool.done("keyspaces", "create", store, "SECRETNAME");
        Path file = directory.resolve("report.zip");
        Tool.done("report", store, file, "--stats");
        try (ZipFile zip = new ZipFile(file.toFile())) {
            assertEquals(4, zip.size());
            for (ZipEntry entry : zip.stream().toList()) {
                String text = new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
                assertFalse(text.isBlank(), entry.getName());
                assertFalse(text.contains("SECRET"), text);
            }
        }
        Tool.run("report", store, file).expect(ExitCode.FAILED);
    }

    @Test
    void reportOfADamagedStoreTellsWhereTheDamageIs() throws IOException {
        Path tree = store.resolve("space/tree");
        Files.write(tree, new byte[(int) Files.size(tree)]);
        Path file = directory.resolve("report.zip");
        Tool.done("report", store, file, "--stats");
        try (ZipFile zip = new ZipFile(file.toFile())) {
            byte[] text = zip.getInputStream(zip.getEntry("store.txt")).readAllBytes();
            assertTrue(
                    new String(text, StandardCharsets.UTF_8).contains("health = damage in " + tree + " at position"));
        }
    }

    @Test
    void mergesNeedTheirFunction() {
        try (FlexDB db = FlexDB.open(store, FlexDBOptions.defaults().withMergeFunction(MergeFunction.APPEND))) {
            db.merge("user:1".getBytes(StandardCharsets.UTF_8), "ika".getBytes(StandardCharsets.UTF_8));
            assertEquals("Annika", Tool.done("get", store, "user:1", "--merge", "append"));
            Tool.run("get", store, "user:1").expect(ExitCode.FAILED);
        }
        KeyspaceOptions adds = KeyspaceOptions.defaults().withMergeFunction(MergeFunction.ADD);
        try (FlexDB db = FlexDB.open(store, FlexDBOptions.defaults().withKeyspace("hits", adds))) {
            db.createKeyspace("hits").merge(new byte[] {'a'}, new byte[] {0, 0, 0, 0, 0, 0, 0, 65});
            db.keyspace("hits").merge(new byte[] {'a'}, new byte[] {0, 0, 0, 0, 0, 0, 0, 1});
            assertEquals("\0\0\0\0\0\0\0B", Tool.done("get", store, "a", "-k", "hits", "--merge-in", "hits=add"));
            Tool.run("get", store, "a", "-k", "hits").expect(ExitCode.FAILED);
        }
    }

    @Test
    void optionsOfTheStoreCanBeSet() {
        assertTrue(Tool.done("info", store, "--stats", "-o", "memory-bytes=64m").contains("memoryBytes=67108864"));
        Tool.run("count", store, "-o", "no-such=1").expect(ExitCode.USAGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "info", "scan", "count", "check", "verify", "compact", "get", "put", "delete", "dump", "backup", "copy",
                "salvage", "report"
            })
    void whatIsNoStoreIsRefusedAndNothingIsMade(String command) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "text");
        Path empty = Files.createDirectory(directory.resolve("empty"));
        for (Path path : new Path[] {directory.resolve("missing"), file, empty}) {
            Tool.Result result = Tool.run(arguments(command, path)).expect(ExitCode.CANNOT_OPEN);
            assertTrue(result.err().contains(path.toString()), result.err());
        }
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("notes.txt"), "text");
        Tool.run(arguments(command, foreign)).expect(ExitCode.CANNOT_OPEN);
        try (Stream<Path> made = Files.list(directory)) {
            assertEquals(4, made.count());
        }
    }

    private Object[] arguments(String command, Path path) {
        return switch (command) {
            case "get", "delete" -> new Object[] {command, path, "key"};
            case "put" -> new Object[] {command, path, "key", "value"};
            case "dump", "backup", "copy", "salvage", "report" ->
                new Object[] {command, path, directory.resolve("target")};
            default -> new Object[] {command, path};
        };
    }

    @Test
    void wrongArgumentsNameTheCommandToAsk() {
        Tool.Result result = Tool.run("scan", store, "--bogus").expect(ExitCode.USAGE);
        assertTrue(result.err().contains("--bogus") && result.err().contains("flexdb scan --help"), result.err());
        Tool.run().expect(ExitCode.USAGE);
        Tool.run("put", store, "-", "-").expect(ExitCode.USAGE);
        Tool.run("put", store, "key", "@" + directory.resolve("missing")).expect(ExitCode.FAILED);
    }

    @Test
    void stackTraceIsShownByDebugAlone() {
        assertTrue(
                Tool.run("info", directory.resolve("missing"), "--debug").err().contains("\tat io.flexdb.cli."));
    }

    @Test
    void helpVersionAndCompletionArePrinted() {
        assertTrue(Tool.done("--help").contains("Exit codes"));
        assertTrue(Tool.done("scan", "--help").contains("--reverse"));
        assertTrue(Tool.done("--version").startsWith("flexdb "));
        assertTrue(Tool.done("completion").contains("_complete_flexdb"));
    }

    @Test
    void closedPipeEndsQuietly() {
        assertEquals(ExitCode.PIPE_CLOSED, runInto("Broken pipe", new StringBuilder()));
    }

    @Test
    void fullDiskOfTheOutputIsTold() {
        StringBuilder err = new StringBuilder();
        assertEquals(ExitCode.FAILED, runInto("No space left on device", err));
        assertTrue(err.toString().contains("No space left on device"), err.toString());
    }

    private int runInto(String failure, StringBuilder messages) {
        OutputStream out = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(failure);
            }
        };
        OutputStream err = new OutputStream() {
            @Override
            public void write(int value) {
                messages.append((char) value);
            }
        };
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new FlexDBCli(InputStream.nullInputStream(), out, errors, false).execute("scan", store.toString());
    }
}
