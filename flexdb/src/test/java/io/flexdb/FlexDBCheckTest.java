package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks of a store in use: they find what is wrong, and nothing that is not. */
class FlexDBCheckTest {

    @TempDir
    Path temporary;

    private static void assertSound(FlexDB db, String at) {
        FlexDBCheckReport report = db.check();
        assertTrue(report.isSound(), () -> at + ": " + report);
    }

    @Test
    void aSoundStoreIsFoundSoundInEveryState() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        assertSound(store.db, "empty");
        for (int round = 0; round < 6; round++) {
            FlexDBCheckpointTest.fill(store, round * 500, round * 500 + 500);
            assertSound(store.db, "round " + round);
            if (round % 2 == 0) {
                store.kill("round " + round);
                assertSound(store.db, "round " + round + ", killed");
            } else {
                store.reopen("round " + round);
                FlexDBCheckReport report = store.db.check();
                assertTrue(report.isSound(), report::toString);
                assertEquals(store.oracle.now().size(), report.pairs());
                assertEquals(0, report.logFrames());
                assertEquals(store.oracle.sequence(), report.sequence());
            }
            store.deleteRange(FlexDBCheckpointTest.key(round * 50), FlexDBCheckpointTest.key(round * 80));
        }
    }

    @Test
    void aStoreThatIsWrittenToMeanwhileIsFoundSound() throws Exception {
        FlexDBOptions options =
                FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(8 << 20);
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), options)) {
            AtomicBoolean enough = new AtomicBoolean();
            Workers workers = new Workers();
            for (int t = 0; t < 3; t++) {
                Random random = new Random(t);
                workers.start("writer-" + t, () -> {
                    while (!enough.get()) {
                        byte[] key = FlexDBCheckpointTest.key(random.nextInt(20_000));
                        if (random.nextInt(4) == 0) {
                            db.delete(key);
                        } else {
                            db.put(key, FlexDBCheckpointTest.value(random.nextLong(), random.nextInt(400)));
                        }
                    }
                });
            }
            try {
                for (int i = 0; i < 12; i++) {
                    assertSound(db, "check " + i);
                }
            } finally {
                enough.set(true);
            }
            workers.join();
            assertSound(db, "at the end");
        }
    }

    /** Whatever a flipped bit does to a reader, the check knows of it; if it knows of nothing, no reader can tell. */
    @Test
    void aFlippedBitIsFoundOrOfNoConsequence() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2500);
        store.sync();
        SimulatedVfs killed = store.vfs.copy().kill();
        store.reopen("closed once");
        store.db.close();
        int[] found = {0, 0, 0};
        Random random = new Random(5);
        for (SimulatedVfs vfs : List.of(killed, store.vfs)) {
            for (Path file : vfs.files()) {
                int length = vfs.content(file).length;
                int flips = Effort.times(file.endsWith("data") ? 60 : 15);
                for (int i = 0; length > 0 && i < flips; i++) {
                    checkFlip(store, vfs.copy(), file, random.nextInt(length), random.nextInt(8), found);
                }
            }
        }
        int least = Effort.times(20);
        assertTrue(found[0] > least && found[1] > least && found[2] > least, Arrays.toString(found));
    }

    private static void checkFlip(StoreDriver store, SimulatedVfs vfs, Path file, int position, int bit, int[] found) {
        String at = "bit " + bit + " of byte " + position + " of " + file;
        byte[] bytes = vfs.content(file);
        bytes[position] ^= (byte) (1 << bit);
        vfs.setContent(file, bytes);
        FlexDB db;
        try {
            db = StoreDriver.open(vfs, store.options);
        } catch (StorageException e) {
            found[0]++;
            return;
        }
        FlexDBCheckReport report = db.check();
        found[report.isSound() ? 2 : 1]++;
        try {
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), at);
        } catch (CorruptionException e) {
            assertFalse(report.isSound(), () -> at + ": " + e);
            assertTrue(
                    report.findings().stream()
                            .anyMatch(finding -> finding.file().equals(e.file())
                                    && finding.position() == e.position()
                                    && finding.keys() != null),
                    () -> at + ": " + e + ", but " + report);
        }
    }

    /** Every frame and footer of a segment with live data is looked at, be it live itself or not. */
    @Test
    void damageIsFoundThatComesWhileTheStoreIsOpen() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL.withLargeValueBytes(Integer.MAX_VALUE));
        FlexDBCheckpointTest.fill(store, 0, 2500);
        store.reopen("all in the space");
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        byte[] sound = store.vfs.content(data);
        FlexDBCheckReport before = store.db.check();
        assertTrue(before.isSound());
        int found = 0;
        int tried = 0;
        for (int position = 5000; position < sound.length; position += 3001) {
            byte[] bytes = sound.clone();
            bytes[position] ^= 16;
            store.vfs.setContent(data, bytes);
            FlexDBCheckReport report = store.db.check();
            tried++;
            found += report.isSound() ? 0 : 1;
            assertEquals(report.isSound() ? 0 : report.findings().size(), report.findingCount());
            for (FlexDBCheckReport.Finding finding : report.findings()) {
                assertEquals(data, finding.file());
            }
        }
        int segmentsInFile = (sound.length - 4096) / (64 * 512);
        assertTrue(
                found >= tried * before.segments() / (segmentsInFile + 1) - 3,
                found + " of " + tried + " found, with " + before.segments() + " of " + segmentsInFile
                        + " segments in use");
        store.vfs.setContent(data, sound);
        assertSound(store.db, "mended");
    }

    @Test
    void aFindingNamesThePairsThatItConcerns() throws IOException {
        Path path = temporary.resolve("store");
        try (FlexDB db = FlexDB.open(path, StoreDriver.SMALL)) {
            for (int i = 0; i < 2000; i++) {
                db.put(FlexDBCheckpointTest.key(i), FlexDBCheckpointTest.value(i, 200));
            }
        }
        Path data = path.resolve("space/data");
        byte[] bytes = Files.readAllBytes(data);
        int at = indexOf(bytes, FlexDBCheckpointTest.key(1000));
        bytes[at + 20] ^= 1;
        Files.write(data, bytes);
        try (FlexDB db = FlexDB.open(path, StoreDriver.SMALL)) {
            FlexDBCheckReport report = db.check();
            assertEquals(1, report.findingCount(), report::toString);
            FlexDBCheckReport.Finding finding = report.findings().get(0);
            assertEquals(at & -512, finding.position());
            assertNotNull(finding.keys());
            assertTrue(Arrays.compareUnsigned(finding.keys().after(), FlexDBCheckpointTest.key(1000)) < 0);
            assertTrue(Arrays.compareUnsigned(finding.keys().before(), FlexDBCheckpointTest.key(1000)) > 0);
            assertTrue(report.toString().contains("pairs between \"key00"), report::toString);
            assertTrue(report.pairs() < 2000);
        }
    }

    private static int indexOf(byte[] bytes, byte[] key) {
        for (int i = 0; i + key.length < bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + key.length, key, 0, key.length)) {
                return i;
            }
        }
        throw new AssertionError("not there");
    }

    @Test
    void aDamagedWriteAheadLogOfAnOpenStoreIsFound() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 100);
        Path log = store.vfs.files().stream()
                .filter(file -> file.startsWith("/store/wal") && store.vfs.content(file)[4200] != 0)
                .findFirst()
                .orElseThrow();
        byte[] bytes = store.vfs.content(log);
        bytes[6000] ^= 1;
        store.vfs.setContent(log, bytes);
        FlexDBCheckReport report = store.db.check();
        assertEquals(1, report.findingCount(), report::toString);
        assertEquals(log, report.findings().get(0).file());
        store.assertSame("the memtable has it still");
    }

    @Test
    void theFileThatMakesItAStoreIsChecked() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        Path options = StoreDriver.DIRECTORY.resolve("flexdb.options");
        byte[] bytes = store.vfs.content(options);
        bytes[60] ^= 1;
        store.vfs.setContent(options, bytes);
        FlexDBCheckReport report = store.db.check();
        assertEquals(1, report.findingCount(), report::toString);
        assertEquals(options, report.findings().get(0).file());
    }

    @Test
    void readErrorsAreFindingsAndTheStoreGoesOn() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2500);
        int found = 0;
        for (int n = 1; n < 26; n += 2) {
            store.vfs.failReadAt(store.vfs.readCount() + n, false);
            FlexDBCheckReport report = store.db.check();
            store.vfs.clearFaults();
            found += report.isSound() ? 0 : 1;
            store.assertSame("read " + n);
        }
        assertTrue(found >= 4, found + " found");
        assertSound(store.db, "at the end");
    }

    @Test
    void whoIsToldMayEndTheCheckOrCloseTheStore() {
        Path path = temporary.resolve("store");
        try (FlexDB db = FlexDB.open(path, StoreDriver.SMALL)) {
            db.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> db.check((bytes, ofBytes) -> {
                        throw new UnsupportedOperationException("enough");
                    }));
            assertSound(db, "afterwards");
            assertThrows(NullPointerException.class, () -> db.check(null));
        }
        FlexDB closed = FlexDB.open(path, StoreDriver.SMALL);
        assertThrows(StoreClosedException.class, () -> closed.check((bytes, ofBytes) -> closed.close()));
        assertThrows(StoreClosedException.class, closed::check);
        try (FlexDB db = FlexDB.open(path, StoreDriver.SMALL)) {
            assertArrayEquals(FlexDBCheckpointTest.key(2), db.get(FlexDBCheckpointTest.key(1)));
        }
    }
}
