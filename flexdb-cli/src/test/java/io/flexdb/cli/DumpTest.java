package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DumpTest {
    @TempDir
    private Path directory;

    private Path store;
    private Path dump;

    @BeforeEach
    void makeStore() {
        store = directory.resolve("store");
        dump = directory.resolve("dump");
        Tool.done("put", store, "a", "1", "--create");
        Tool.done("keyspaces", "create", store, "empty");
        Tool.done("keyspaces", "create", store, "other");
        Tool.done("put", store, "b", "2", "-k", "other");
    }

    @Test
    void dumpIsLoadedIntoANewStoreAndOneThatHasPairs() {
        assertEquals("dumped 2 pairs to " + dump + "\n", Tool.done("dump", store, dump));
        Path fresh = directory.resolve("fresh");
        Tool.run("load", fresh, dump).expect(ExitCode.CANNOT_OPEN);
        assertEquals("loaded 2 pairs of 3 keyspaces\n", Tool.done("load", fresh, dump, "--create"));
        assertEquals("empty\nother\n", Tool.done("keyspaces", "list", fresh));
        Tool.done("put", fresh, "a", "changed");
        Tool.done("put", fresh, "own", "x");
        Tool.done("load", fresh, dump);
        assertEquals("a\t1\nown\tx\n", Tool.done("scan", fresh));
    }

    @Test
    void dumpGoesThroughPipes() {
        byte[] bytes = Tool.run("dump", store, "-").expect(ExitCode.DONE).bytes();
        Path fresh = directory.resolve("fresh");
        Tool.runWith(bytes, "load", fresh, "-", "--create").expect(ExitCode.DONE);
        assertEquals("b\t2\n", Tool.done("scan", fresh, "-k", "other"));
    }

    @Test
    void oneKeyspaceIsDumped() {
        assertTrue(Tool.done("dump", store, dump, "-k", "other").startsWith("dumped 1 pairs"));
        Tool.run("dump", store, directory.resolve("none"), "-k", "none").expect(ExitCode.NOT_FOUND);
        assertFalse(Files.exists(directory.resolve("none")) || Files.exists(directory.resolve("none.part")));
        assertTrue(
                Tool.done("dump", store, directory.resolve("default"), "-k", "").startsWith("dumped 1 pairs"));
    }

    @Test
    void targetIsNotOverwrittenAndHasToHaveADirectory() throws IOException {
        Files.writeString(dump, "mine");
        Tool.run("dump", store, dump).expect(ExitCode.FAILED);
        assertEquals("mine", Files.readString(dump));
        Tool.run("dump", store, directory.resolve("no/dump")).expect(ExitCode.FAILED);
        Tool.run("load", store, directory.resolve("no/dump")).expect(ExitCode.FAILED);
    }

    @Test
    void foreignDirectoryIsNotLoadedInto() throws IOException {
        Tool.done("dump", store, dump);
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("notes.txt"), "text");
        Tool.run("load", foreign, dump).expect(ExitCode.CANNOT_OPEN);
        Tool.run("load", foreign, dump, "--create").expect(ExitCode.CANNOT_OPEN);
    }

    @Test
    void eachDamagedByteAndEachLengthIsRefusedAndChangesNothing() throws IOException {
        Tool.done("dump", store, dump);
        byte[] bytes = Files.readAllBytes(dump);
        String before = Tool.done("scan", store) + Tool.done("info", store);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 0x10;
            refuse(damaged);
            refuse(Arrays.copyOf(bytes, i));
        }
        refuse(Arrays.copyOf(bytes, bytes.length + 1));
        assertEquals(before, Tool.done("scan", store) + Tool.done("info", store));
    }

    private void refuse(byte[] bytes) throws IOException {
        Files.write(dump, bytes);
        Tool.Result result = Tool.run("load", store, dump).expect(ExitCode.DAMAGED);
        assertTrue(result.err().contains("the dump is refused"), result.err());
    }

    @Test
    void hostileRecordsWithRightChecksumsAreRefused() throws IOException {
        refuse(chunks(out -> out.writeByte('X')));
        refuse(chunks(out -> pair(out, 1, 1))); // before any keyspace
        refuse(chunks(out -> keyspaceThen(out, 0, 1)));
        refuse(chunks(out -> keyspaceThen(out, -1, 1)));
        refuse(chunks(out -> keyspaceThen(out, 70_000, 1)));
        refuse(chunks(out -> keyspaceThen(out, 1, -1)));
        refuse(chunks(out -> keyspaceThen(out, 1, Integer.MAX_VALUE)));
        refuse(chunks(out -> keyspaceThen(out, 1, 1 << 29))); // more than there is
        refuse(chunks(out -> {
            keyspaceThen(out, 1, 0);
            pair(out, 1, 0); // the same key again
        }));
        refuse(chunks(out -> {
            keyspaceThen(out, 1, 0);
            out.writeByte(DumpFormat.END);
            out.writeLong(2);
        }));
        refuse(chunks(out -> {
            out.writeByte(DumpFormat.KEYSPACE);
            out.writeShort(60_000);
        }));
        assertEquals("a\t1\n", Tool.done("scan", store));
    }

    private interface Records {
        void write(DataOutputStream out) throws IOException;
    }

    private static byte[] chunks(Records records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ChunkOutput chunks = new ChunkOutput(bytes, 42);
        records.write(new DataOutputStream(chunks));
        chunks.finish();
        return bytes.toByteArray();
    }

    private static void keyspaceThen(DataOutputStream out, int keyBytes, int valueBytes) throws IOException {
        out.writeByte(DumpFormat.KEYSPACE);
        out.writeShort(0);
        pair(out, keyBytes, valueBytes);
    }

    private static void pair(DataOutputStream out, int keyBytes, int valueBytes) throws IOException {
        out.writeByte(DumpFormat.PAIR);
        out.writeInt(keyBytes);
        out.writeInt(valueBytes);
        out.writeLong(DumpFormat.NEVER);
        out.write(new byte[Math.min(Math.max(0, keyBytes), 70_000)]);
        out.write(new byte[Math.min(Math.max(0, valueBytes), 1000)]);
    }

    @Test
    void keyspacesThatWereLoadedBeforeAFailureAreNamed() throws IOException {
        byte[] key = new byte[65_530]; // too long for a named keyspace
        Files.write(dump, chunks(out -> {
            keyspaceThen(out, 1, 0);
            out.writeByte(DumpFormat.KEYSPACE);
            out.writeShort(1);
            out.writeByte('n');
            out.writeByte(DumpFormat.PAIR);
            out.writeInt(key.length);
            out.writeInt(0);
            out.writeLong(DumpFormat.NEVER);
            out.write(key);
            out.writeByte(DumpFormat.END);
            out.writeLong(2);
        }));
        Tool.Result result = Tool.run("load", store, dump).expect(ExitCode.USAGE);
        assertTrue(result.err().contains("were loaded before: [(default)]"), result.err());
        assertEquals("2\n", Tool.done("count", store));
    }

    @Test
    void expiredPairsAreLeftOut() throws IOException {
        Files.write(dump, chunks(out -> {
            out.writeByte(DumpFormat.KEYSPACE);
            out.writeShort(0);
            out.writeByte(DumpFormat.PAIR);
            out.writeInt(1);
            out.writeInt(0);
            out.writeLong(1000);
            out.write('x');
            out.writeByte(DumpFormat.END);
            out.writeLong(1);
        }));
        assertEquals("loaded 0 pairs of 1 keyspaces; left out 1 that have expired\n", Tool.done("load", store, dump));
    }

    @Test
    void dumpBesideTheWriterHasWhatWasWritten() {
        try (FlexDB db = FlexDB.open(store)) {
            db.put("c".getBytes(StandardCharsets.UTF_8), new byte[2 << 20]);
            Tool.done("dump", store, dump);
        }
        Path fresh = directory.resolve("fresh");
        Tool.done("load", fresh, dump, "--create");
        assertArrayEquals(new byte[2 << 20], Tool.run("get", fresh, "c").bytes());
    }
}
