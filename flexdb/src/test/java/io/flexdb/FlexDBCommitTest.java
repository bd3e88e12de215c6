package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens beside a commit, and what a commit and open snapshots cost. */
class FlexDBCommitTest {
    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number) {
        byte[] value = new byte[300];
        value[0] = (byte) number;
        value[1] = (byte) (number >> 8);
        return value;
    }

    /** Parks a thread before one of its operations on the files of the space. */
    private static final class Parking implements HookedVfs.Hook {
        final CountDownLatch parked = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final String thread;
        private int left;

        Parking(String thread, int operation) {
            this.thread = thread;
            this.left = operation;
        }

        @Override
        public void before(HookedVfs.Kind kind, Path path) {
            // Not in the write-ahead log: a sync waits for a force that is under way.
            String name = Thread.currentThread().getName();
            boolean counts = (name.equals(thread) || name.startsWith(thread + " "))
                    && path.startsWith(StoreDriver.DIRECTORY.resolve("space"));
            if (counts && left-- == 0) {
                parked.countDown();
                boolean interrupted = false;
                while (goOn.getCount() > 0) {
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                assertFalse(interrupted, "only users' threads are interrupted");
            }
        }
    }

    /** What is put is in the space soon, also if the memtable is never full; and the store goes on with the next one. */
    @Test
    void aMemtableThatFillsSlowlyIsCommittedByItself() {
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false)) {
            for (int round = 1; round <= 2; round++) {
                long before = db.stats().written().dataBytes();
                putSome(db, round);
                awaitCommit(db, before);
                for (int i = 0; i < 20; i++) {
                    assertArrayEquals(value(round * i), db.get(key(i)));
                }
            }
        }
    }

    /** Its place may be wanted for other files. */
    @Test
    void aDeletedRangeGivesItsSpaceBackThoughNobodyWritesOn() {
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false)) {
            putSome(db, 1);
            awaitCommit(db, 0);
            db.deleteRange(key(0), key(20));
            Waiting.whileTrue(() -> db.stats().space().bytes() > 0);
        }
    }

    /** Or each snapshot could hold back a memtable with little in it. */
    @Test
    void whileASnapshotHoldsAMemtableBackTheNextOneIsNotCommittedBeforeItIsFull() {
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false)) {
            putSome(db, 1);
            long written;
            try (Snapshot snapshot = db.snapshot()) {
                awaitCommit(db, 0);
                putSome(db, 2);
                written = db.stats().written().dataBytes();
                long end = System.nanoTime() + 2_500_000_000L; // in which the memtable is looked at twice
                while (System.nanoTime() < end) {
                    assertEquals(written, db.stats().written().dataBytes());
                    LockSupport.parkNanos(1_000_000);
                }
                assertArrayEquals(value(7), snapshot.get(key(7)));
            }
            awaitCommit(db, written);
            assertArrayEquals(value(14), db.get(key(7)));
        }
    }

    private static void putSome(FlexDB db, int factor) {
        for (int i = 0; i < 20; i++) {
            db.put(key(i), value(factor * i));
        }
    }

    private static void awaitCommit(FlexDB db, long writtenBefore) {
        Waiting.whileTrue(() -> db.stats().written().dataBytes() == writtenBefore);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 12})
    void nobodyWaitsForACommitThatHangs(int operation) throws InterruptedException {
        Parking parking = new Parking("flexdb-commit", operation);
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = FlexDB.open(new HookedVfs(vfs, parking), StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        int next = 0;
        long oneMemtable = 100 << 10;
        while (parking.parked.getCount() > 0) {
            for (int i = 0; i < 100; i++) {
                db.put(key(next * 7 % 1000), value(next));
                model.put(key(next * 7 % 1000), value(next++));
            }
            // Never so far ahead that a put would have to wait for a memtable.
            Waiting.whileTrue(
                    () -> parking.parked.getCount() > 0 && db.stats().commits().memtableBytes() > oneMemtable);
        }
        parking.parked.await();
        TreeMap<byte[], byte[]> before = new TreeMap<>(model);
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = db.cursor()) {
            for (int i = 0; i < 40; i++) {
                db.put(key(i * 13 % 1000), value(next));
                model.put(key(i * 13 % 1000), value(next++));
            }
            db.delete(key(7));
            model.remove(key(7));
            db.sync();
            model.forEach((key, value) -> assertArrayEquals(value, db.get(key)));
            assertNull(db.get(key(7)));
            assertArrayEquals(before.get(key(7)), snapshot.get(key(7)));
            StoreOracle.assertSame(before, StoreDriver.all(cursor), "the cursor");
            StoreOracle.assertSame(model, StoreDriver.all(db), "now");
            assertNotNull(db.stats());
        } finally {
            parking.goOn.countDown();
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "after");
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.WITHOUT_LARGE)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    /** It is read in the middle of a segment that would be used again otherwise. */
    @Test
    void aSnapshotThatIsClosedWhileItIsReadGivesWhatItHad() throws InterruptedException {
        Parking parking = new Parking("test-reader", 0);
        FlexDBOptions options = StoreDriver.WITHOUT_LARGE
                .withCacheBytes(0)
                .withSpace(StoreDriver.WITHOUT_LARGE
                        .space()
                        .withSegmentBuffers(1000)); // or commits would wait for the reader
        FlexDB db = StoreDriver.open(new HookedVfs(new SimulatedVfs(), parking), options);
        putAll(db, 0, 1);
        Snapshot snapshot = db.snapshot();
        putAll(db, 1, 10); // from now on, nothing but the pin holds what the snapshot reads
        Workers workers = new Workers();
        workers.start("reader", () -> assertArrayEquals(value(1), snapshot.get(key(1))));
        parking.parked.await();
        snapshot.close();
        putAll(db, 10, 20);
        parking.goOn.countDown();
        workers.join();
        db.close();
    }

    private static void putAll(FlexDB db, int fromRound, int toRound) {
        for (int round = fromRound; round < toRound; round++) {
            for (int i = 0; i < 1000; i++) {
                db.put(key(i), value(i + round));
            }
        }
    }

    @Test
    void whatACommitMeetsReachesTheNextCaller() {
        HookedVfs.Hook hook = (kind, path) -> {
            if (Thread.currentThread().getName().startsWith("flexdb-commit ") && path.endsWith("data")) {
                throw new StoreIoException("write", path, new IOException("as told"));
            }
        };
        FlexDB db = FlexDB.open(
                new HookedVfs(new SimulatedVfs(), hook), StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false);
        db.put(key(0), value(0));
        StoreFailedException thrown = assertThrows(StoreFailedException.class, () -> {
            for (int i = 0; ; i++) {
                db.put(key(i % 1000), value(i));
            }
        });
        assertEquals(StoreIoException.class, thrown.getCause().getClass());
        assertThrows(StoreFailedException.class, () -> db.get(key(0)));
        db.close();
        db.close();
    }

    @Test
    void aSnapshotHoldsBackNoMoreThanItSees() {
        FlexDBOptions options = StoreDriver.WITHOUT_LARGE.withMemtableBytes(1 << 20);
        FlexDB db = StoreDriver.open(new SimulatedVfs(), options);
        update(db, 60_000, 1);
        FlexDBStats without = db.stats();
        try (Snapshot snapshot = db.snapshot()) {
            TreeMap<byte[], byte[]> before = StoreOracle.newMap();
            before.putAll(StoreDriver.all(db));
            update(db, 150_000, 2);
            FlexDBStats with = db.stats();
            long allowed =
                    2 * (without.space().treeMemoryBytes() + without.index().memoryBytes()) + (1 << 20);
            long used = with.space().treeMemoryBytes() + with.index().memoryBytes();
            assertTrue(used <= allowed, used + " bytes of nodes, " + allowed + " allowed");
            try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                StoreOracle.assertSame(before, StoreDriver.all(cursor), "the snapshot");
            }
        }
        db.close();
    }

    private static void update(FlexDB db, int times, int seed) {
        Random random = new Random(seed);
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < times; i++) {
            batch.put(key(random.nextInt(5000)), new byte[random.nextInt(60)]);
            if (batch.size() == 100) {
                db.write(batch);
                batch.clear();
            }
        }
        db.write(batch);
    }

    @Test
    void aHundredSnapshotsOverAHundredRotationsSeeWhatTheyShould() {
        FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.WITHOUT_LARGE);
        List<Snapshot> open = new ArrayList<>();
        for (int i = 0; i < 16_000; i++) {
            db.put(key(i % 100), value(i));
            if (i % 160 == 159) {
                open.add(db.snapshot());
            }
        }
        for (int i = 0; i < open.size(); i++) {
            int last = i * 160 + 159;
            for (int back = 0; back < 100; back += 33) {
                assertArrayEquals(value(last - back), open.get(i).get(key((last - back) % 100)), "snapshot " + i);
            }
        }
        open.forEach(Snapshot::close);
        db.close();
    }

    /** A full disk refuses writes that need another log; what is there is read, and writing goes on with more space. */
    @Test
    void aFullDiskHarmsNothing() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = StoreDriver.open(vfs, StoreDriver.WITHOUT_LARGE);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        db.put(key(0), value(0));
        model.put(key(0), value(0));
        vfs.setCapacity(220 << 10);
        int refusals = 0;
        for (int i = 1; refusals < 20; i++) {
            try {
                db.put(key(i), value(i));
                model.put(key(i), value(i));
            } catch (StoreFullException e) {
                refusals++;
            }
        }
        assertTrue(
                vfs.files().stream()
                        .filter(file -> !file.endsWith("space/log.new")) // kept for the next log of the space
                        .noneMatch(file -> file.toString().endsWith(".new")),
                "left behind");
        StoreOracle.assertSame(model, StoreDriver.all(db), "full");
        vfs.setCapacity(Long.MAX_VALUE);
        for (int i = 0; i < 500; i++) {
            db.put(key(i), value(i + 1));
            model.put(key(i), value(i + 1));
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "with space again");
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.WITHOUT_LARGE)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    /**
     * A space at its cap refuses writes; what was acknowledged is read, and kept, and with a larger cap more is
     * written.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullSpaceRefusesWritesAndLosesNothing(boolean inline) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions capped = capped(40);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, capped, inline);
        int refusals = 0;
        for (int i = 0; refusals < 20; i++) {
            assertTrue(i < 20_000, "the cap is not observed");
            try {
                db.put(key(i), value(i));
                model.put(key(i), value(i));
            } catch (StoreFullException e) {
                refusals++;
            }
        }
        assertTrue(model.size() > 1000, model.size() + " pairs");
        StoreOracle.assertSame(model, StoreDriver.all(db), "full");
        db.sync();
        assertThrows(StoreFullException.class, db::close);
        for (int round = 0; round < 2; round++) {
            db = FlexDB.open(vfs, StoreDriver.DIRECTORY, capped(40), inline);
            StoreOracle.assertSame(model, StoreDriver.all(db), "opened again, full");
            assertThrows(StoreFullException.class, db::close);
        }
        db = FlexDB.open(vfs, StoreDriver.DIRECTORY, capped(400), inline);
        for (int i = 0; i < 3000; i++) {
            db.put(key(i), value(i + 1));
            model.put(key(i), value(i + 1));
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "with space again");
        db.close();
        try (FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, capped(400), inline)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    private static FlexDBOptions capped(int segments) {
        return StoreDriver.WITHOUT_LARGE.withSpace(
                StoreDriver.WITHOUT_LARGE.space().withMaxDataBytes(segments * 64L * 512));
    }

    @Test
    void closingOnAFullDiskLosesNothing() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = StoreDriver.open(vfs, StoreDriver.WITHOUT_LARGE);
        for (int i = 0; i < 100; i++) {
            db.put(key(i), value(i));
        }
        vfs.setCapacity(1);
        assertThrows(StoreFullException.class, db::close);
        vfs.setCapacity(Long.MAX_VALUE);
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.WITHOUT_LARGE)) {
            assertEquals(100, StoreDriver.all(again).size());
        }
    }
}
