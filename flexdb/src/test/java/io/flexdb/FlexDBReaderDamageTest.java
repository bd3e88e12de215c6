package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.ReaderOvertakenException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a reader beside the writer makes of damage, and of what looks like it for a moment. */
class FlexDBReaderDamageTest {
    private static final FlexDBOptions SMALL = StoreDriver.SMALL.withMergeFunction(MergeFunction.APPEND);
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space/data");
    private static final Path LOGS = StoreDriver.DIRECTORY.resolve("wal");
    private static final HookedVfs.Hook NOTHING = (kind, path) -> {};

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] key(int i) {
        return bytes(String.format(Locale.ROOT, "key%04d", i));
    }

    private static byte[] value(int i) {
        byte[] value = new byte[50 + i % 200];
        Arrays.fill(value, (byte) i);
        return value;
    }

    private static FlexDBReader open(StoreDriver store, Vfs vfs, HookedVfs.Hook hook) {
        return FlexDB.openReadOnly(new HookedVfs(vfs, hook), StoreDriver.DIRECTORY, store.options, true);
    }

    /** A store with a value that stays where it is, and is damaged once the reader is open. */
    private static FlexDBReader readerOfDamaged(StoreDriver store, HookedVfs.Hook hook) {
        byte[] still = new byte[20_000];
        new Random(1).nextBytes(still);
        store.put(bytes("still"), still);
        for (int i = 0; i < 200; i++) { // so that it is in an interval that nobody changes
            store.put(key(i * 3), value(i));
            store.put(bytes("then " + i), value(i));
        }
        store.reopen("with a value that stays where it is");
        FlexDBReader reader = open(store, store.vfs, hook);
        byte[] content = store.vfs.content(DATA);
        int at = 0;
        while (!Arrays.equals(content, at, at + 400, still, 200, 600)) {
            at++;
        }
        ByteBuffer flipped = ByteBuffer.wrap(new byte[] {(byte) (content[at + 300] ^ 1)});
        try (VfsFile file = store.vfs.open(DATA, OpenMode.READ_WRITE)) {
            file.write(flipped, at + 300);
        }
        return reader;
    }

    @ParameterizedTest
    @EnumSource
    void damageIsTold(Reads reads) {
        StoreDriver store = new StoreDriver(SMALL.withReads(reads));
        try (FlexDBReader reader = readerOfDamaged(store, NOTHING)) {
            CorruptionException thrown = assertThrows(CorruptionException.class, () -> reader.get(bytes("still")));
            assertEquals(DATA, thrown.file());
            assertThrows(CorruptionException.class, () -> StoreDriver.all(reader.cursor()));
            assertThrows(CorruptionException.class, () -> reader.multiGet(List.of(bytes("still"))));
        }
        store.db.close();
    }

    @Test
    void damageBesideABusyWriterIsToldByLookupsAndOncePerCursor() {
        StoreDriver store = new StoreDriver(SMALL);
        try (FlexDBReader reader = readerOfDamaged(store, NOTHING)) {
            for (int i = 0; i < 10; i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, 0, i);
            }
            store.db.close(); // so that the log has gone on, and nobody has come to the value
            assertThrows(ReaderOvertakenException.class, () -> StoreDriver.all(reader.cursor()));
            CorruptionException thrown = assertThrows(CorruptionException.class, () -> reader.get(bytes("still")));
            assertEquals(DATA, thrown.file());
            reader.refresh();
            assertThrows(CorruptionException.class, () -> StoreDriver.all(reader.cursor()));
        }
    }

    @Test
    void damageIsToldThoughTheWriterGoesOnBeforeEachTryToReadIt() {
        StoreDriver store = new StoreDriver(SMALL);
        TreeMap<byte[], byte[]> pair = StoreOracle.newMap();
        pair.put(bytes("loaded"), value(1));
        int[] tries = {-1}; // while that is negative nothing happens
        HookedVfs.Hook hook = (kind, path) -> {
            if (tries[0] >= 0 && kind == HookedVfs.Kind.READ && path.equals(DATA)) {
                tries[0]++;
                store.load(pair); // with a batch of the logical log
            }
        };
        try (FlexDBReader reader = readerOfDamaged(store, hook)) {
            tries[0] = 0;
            CorruptionException thrown = assertThrows(CorruptionException.class, () -> reader.get(bytes("still")));
            assertEquals(DATA, thrown.file());
            assertTrue(tries[0] > 1, "it was read again");
            tries[0] = -1;
        }
        store.db.close();
    }

    /** A store that was killed with forced writes in two logs, none of them in the space. */
    private static StoreDriver killedWithTwoLogs() {
        StoreDriver store = new StoreDriver(SMALL);
        for (int i = 0; store.vfs.list(LOGS).size() < 2; i++) {
            store.put(key(i), value(i));
        }
        for (int i = 0; i < 20; i++) {
            store.put(key(i), value(i + 1));
            store.sync();
        }
        store.vfs = store.vfs.kill();
        return store;
    }

    private static Path firstLog(SimulatedVfs vfs) {
        return LOGS.resolve(vfs.list(LOGS).stream().sorted().findFirst().orElseThrow());
    }

    @Test
    void aLogThatIsMissingBeforeForcedWritesIsDamage() {
        StoreDriver store = killedWithTwoLogs();
        store.vfs.delete(firstLog(store.vfs));
        assertThrows(CorruptionException.class, () -> open(store, store.vfs, NOTHING));
    }

    @Test
    void aLogThatIsMissingForAMomentIsNot() {
        StoreDriver store = killedWithTwoLogs();
        SimulatedVfs vfs = store.vfs;
        Path first = firstLog(vfs);
        byte[] content = vfs.content(first);
        vfs.delete(first);
        boolean[] logsRead = {false};
        HookedVfs.Hook hook = (kind, path) -> {
            boolean isRead = kind == HookedVfs.Kind.READ;
            logsRead[0] |= isRead && path.startsWith(LOGS);
            if (isRead
                    && logsRead[0]
                    && path.startsWith(StoreDriver.DIRECTORY.resolve("space"))
                    && !vfs.exists(first)) {
                vfs.setContent(first, content); // the logs have been read, and the space comes next
            }
        };
        try (FlexDBReader reader = open(store, vfs, hook)) {
            assertTrue(vfs.exists(first));
            assertEquals(store.oracle.sequence(), reader.sequence());
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "there again");
        }
    }
}
