package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.TargetNotEmptyException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Files that pairs are exported to and imported from. */
class FlexDBExportTest {
    private static final Path FILE = Path.of("/elsewhere/pairs");

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);

    FlexDBExportTest() {
        store.vfs.createDirectories(FILE.getParent());
        store.vfs.syncDirectory(Path.of("/"));
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        new Random(number).nextBytes(value);
        return value;
    }

    /** Some in the space, some in memtables, some of them long. */
    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            store.put(key(i), value(i, i % 97 == 5 ? 3000 : 40));
        }
    }

    private byte[] bytesOf(SimulatedVfs vfs, Path path) {
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            return bytes.array();
        }
    }

    private void replace(byte[] bytes, int length) {
        store.vfs.deleteIfExists(FILE);
        try (VfsFile file = store.vfs.open(FILE, OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(bytes, 0, length), 0);
        }
    }

    @Test
    void whatWasExportedCanBeImportedIntoAnotherStore() {
        fill(2000);
        store.put(new byte[] {(byte) 0xFF, 1}, key(1));
        TreeMap<byte[], byte[]> large = StoreOracle.newMap();
        large.put(key(5000), value(0, 700_000)); // over several blocks
        store.load(large);
        store.put(key(6000), key(6000), 1000);
        assertEquals(2003, store.db.exportTo(FILE));
        StoreDriver other = StoreDriver.closed(StoreDriver.SMALL, store.vfs);
        store.db.close();
        try (FlexDB target = FlexDB.open(store.vfs, Path.of("/other"), other.options, true)) {
            target.put(key(7), key(7));
            target.put(key(9999), key(9999));
            assertEquals(2003, target.importFrom(FILE));
            TreeMap<byte[], byte[]> expected = store.oracle.now();
            expected.put(key(9999), key(9999));
            StoreOracle.assertSame(expected, StoreDriver.all(target), "imported");
            Keyspace named = target.createKeyspace("named");
            assertEquals(2003, named.importFrom(FILE));
            assertArrayEquals(key(1), named.get(new byte[] {(byte) 0xFF, 1}));
            assertEquals(
                    store.clock.millis() + 1000,
                    named.expiresAt(key(6000)).orElseThrow().toEpochMilli());
            other.clock.advance(1000);
            assertNull(named.get(key(6000)));
            assertTrue(target.check().isSound());
        }
    }

    @Test
    void boundsAndSnapshotsSayWhatIsExported() {
        fill(100);
        Path second = FILE.resolveSibling("second");
        try (Snapshot snapshot = store.db.snapshot()) {
            store.delete(key(50));
            ReadOptions some = ReadOptions.defaults().withLowerBound(key(10)).withUpperBound(key(60));
            assertEquals(49, store.db.exportTo(FILE, some, Progress.NONE));
            assertEquals(50, snapshot.exportTo(second, some, Progress.NONE));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> store.db.exportTo(
                        FILE.resolveSibling("third"), ReadOptions.defaults().withKeysOnly(true), Progress.NONE));
        store.deleteRange(null, null);
        assertEquals(50, store.db.importFrom(second));
        assertEquals(50, StoreDriver.all(store.db).size());
        store.db.close();
    }

    @Test
    void nothingIsWrittenOverAndNothingIsLeftOfWhatFailed() {
        fill(100);
        store.db.exportTo(FILE);
        byte[] before = bytesOf(store.vfs, FILE);
        String refusal = assertThrows(TargetNotEmptyException.class, () -> store.db.exportTo(FILE))
                .getMessage();
        assertEquals(
                "there is something at " + FILE + " already; give the path of a file that is not there yet", refusal);
        assertArrayEquals(before, bytesOf(store.vfs, FILE));
        Path next = FILE.resolveSibling("next");
        assertThrows(
                IllegalStateException.class,
                () -> store.db.exportTo(next, ReadOptions.defaults(), (bytes, ofBytes) -> {
                    throw new IllegalStateException("enough");
                }));
        assertEquals(1, store.vfs.list(FILE.getParent()).size());
        assertThrows(StoreIoException.class, () -> store.db.exportTo(Path.of("/nowhere/pairs")));
        assertThrows(StorageException.class, () -> store.db.importFrom(next));
        store.assertSame("as before");
        store.db.close();
    }

    @Test
    void aFileThatIsDamagedOrCutIsRefusedBeforeAnythingOfItShows() {
        fill(300);
        store.db.exportTo(FILE);
        store.deleteRange(null, null);
        byte[] whole = bytesOf(store.vfs, FILE);
        Random random = new Random(1);
        for (int round = 0; round < 150; round++) {
            byte[] damaged = whole.clone();
            int place = round < 80 ? round : 4096 + random.nextInt(whole.length - 4096);
            damaged[place < 44 || place >= 4096 ? place : 4096 + place] ^= (byte) (1 << random.nextInt(8));
            replace(damaged, damaged.length);
            assertRefused("bit " + place);
            int length = round < 40 ? whole.length - 1 - round : random.nextInt(whole.length);
            replace(whole, length);
            assertRefused("length " + length);
        }
        byte[] longer = new byte[whole.length + 1];
        System.arraycopy(whole, 0, longer, 0, whole.length);
        replace(longer, longer.length);
        assertRefused("longer");
        replace(whole, whole.length);
        assertEquals(300, store.db.importFrom(FILE));
        store.db.close();
    }

    private void assertRefused(String at) {
        assertThrows(StorageException.class, () -> store.db.importFrom(FILE), at);
        assertTrue(store.db.estimate().pairs() < 1000);
        try (FlexCursor cursor = store.db.cursor()) {
            cursor.seekToFirst();
            assertFalse(cursor.isValid(), at);
        }
    }

    @Test
    void blocksOfTwoFilesCanNotBeMixed() {
        fill(300);
        store.db.exportTo(FILE);
        byte[] one = bytesOf(store.vfs, FILE);
        store.vfs.delete(FILE);
        store.db.exportTo(FILE);
        byte[] two = bytesOf(store.vfs, FILE);
        assertEquals(one.length, two.length);
        System.arraycopy(one, 4096, two, 4096, one.length - 4096);
        replace(two, two.length);
        assertThrows(CorruptionException.class, () -> store.db.importFrom(FILE));
        store.db.close();
    }

    @Test
    void aPowerCutAtAnyOperationOfAnExportLeavesAWholeFileOrNone() {
        fill(300);
        int[] found = {0, 0};
        store.db.sync();
        StoreDriver cut = StoreDriver.closed(StoreDriver.SMALL, store.vfs.kill());
        cut.setHook((kind, path) -> {
            if (path.startsWith(FILE.getParent())) {
                for (long seed = 0; seed < 4; seed++) {
                    SimulatedVfs dead = cut.vfs.copy().crash(seed);
                    if (dead.exists(FILE)) {
                        found[1]++;
                        try (FlexDB other = FlexDB.open(dead, Path.of("/other"), StoreDriver.SMALL, true)) {
                            assertEquals(300, other.importFrom(FILE));
                        }
                    } else {
                        found[0]++;
                    }
                }
            }
        });
        cut.open();
        cut.db.exportTo(FILE);
        try (FlexDB other = FlexDB.open(cut.vfs.crash(0), Path.of("/other"), StoreDriver.SMALL, true)) {
            assertEquals(300, other.importFrom(FILE));
        }
        assertTrue(found[0] > 10, () -> found[0] + " cuts before the end");
    }

    @Test
    void aFaultOfTheFileHarmsNothingElse() {
        fill(300);
        for (Fault fault : Fault.values()) {
            long first = store.vfs.operationCount() + 1;
            for (int operation = 0; operation < 6; operation++) {
                Path target = FILE.resolveSibling(fault + "-" + operation);
                store.vfs.failAt(store.vfs.operationCount() + 1 + operation, fault);
                try {
                    store.db.exportTo(target);
                } catch (StorageException e) {
                    assertFalse(store.vfs.exists(target) && operation < 3, fault + " at " + operation);
                }
                store.vfs.clearFaults();
            }
            assertTrue(store.vfs.operationCount() > first);
            store.assertSame(fault.toString());
        }
        store.db.close();
    }
}
