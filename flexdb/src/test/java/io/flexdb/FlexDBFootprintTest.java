package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.txn.Footprint;
import io.flexdb.storage.ConflictException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conflicts are found by large and by small footprints, asked once and again, whatever was written. */
class FlexDBFootprintTest {
    private static final int KEYS = 5000;
    private static final int NEVER_WRITTEN = 1 << 20;

    @TempDir
    Path directory;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** A write or a read: of the keys from one through another. */
    private record Range(long sequence, int from, int to) {
        boolean meets(Range other) {
            return from <= other.to && other.from <= to;
        }
    }

    private static Range randomRange(Random random, long sequence) {
        int from = random.nextInt(KEYS);
        return new Range(sequence, from, from + (random.nextInt(5) == 0 ? random.nextInt(20) : 0));
    }

    /** Asked at random moments, it says what a list says. */
    @Test
    void aFootprintHoldsAsLongAsNobodyHasWrittenIt() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        System.out.println("-Dflexdb.test.seed=" + seed);
        Random random = new Random(seed);
        int[] answers = new int[2];
        for (int round = 0; round < Effort.times(150); round++) {
            try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
                Store store = db.access.store();
                write(db, random, random.nextInt(200), new ArrayList<>());
                Footprint footprint = store.newFootprint();
                long begun = store.beginTransaction();
                long runs = store.publishedRuns();
                footprint.reset(store.visibleSequence(), runs);
                List<Range> read = new ArrayList<>();
                for (int i = random.nextInt(8); i >= 0; i--) {
                    read.add(randomRange(random, 0));
                }
                int others = random.nextInt(3) * 1500; // so that it is large, or not
                for (int i = 0; i < others; i++) {
                    footprint.addKey(key(NEVER_WRITTEN + 2 * i));
                }
                for (Range one : read) {
                    if (one.from == one.to) {
                        footprint.addKey(key(one.from));
                    } else {
                        footprint.addRange(key(one.from), key(one.to));
                    }
                }
                boolean holds = true;
                List<Range> written = new ArrayList<>();
                for (int asked = 0; holds && asked < 10; asked++) {
                    write(db, random, random.nextInt(random.nextInt(4) == 0 ? 400 : 30), written);
                    boolean isConflict =
                            written.stream().anyMatch(one -> read.stream().anyMatch(one::meets));
                    holds = footprint.holds(store.visibleSequence());
                    assertEquals(!isConflict, holds, () -> "round with " + others + " more: " + footprint.conflict());
                    answers[holds ? 0 : 1]++;
                }
                store.endTransaction(begun);
            }
        }
        assertTrue(answers[0] > 0 && answers[1] > 0, Arrays.toString(answers));
    }

    private static void write(FlexDB db, Random random, int count, List<Range> written) {
        for (int i = 0; i < count; i++) {
            Range range = randomRange(random, 0);
            written.add(range);
            if (range.from < range.to || random.nextInt(20) == 0) {
                db.deleteRange(key(range.from), key(range.to + 1));
            } else if (random.nextInt(5) == 0) {
                db.delete(key(range.from));
            } else if (random.nextInt(300) == 0) {
                try (BulkLoad load = db.bulkLoad()) {
                    load.add(key(range.from), new byte[10]);
                    load.commit();
                }
            } else {
                db.put(key(range.from), new byte[random.nextInt(300)]);
            }
        }
    }

    /** Of all kinds of own writes and all kinds of others' writes, with reads enough for the other way to look. */
    @Test
    void ownWritesAreFoundByWhatOthersWrote() {
        try (FlexDB db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL)) {
            for (int own = 0; own < 3; own++) {
                for (int other = 0; other < 4; other++) {
                    assertEquals(other == 3, isCommitted(db, own, other), own + " against " + other);
                }
            }
        }
    }

    private static boolean isCommitted(FlexDB db, int own, int other) {
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            for (int i = 0; i < 3000; i++) {
                transaction.get(key(NEVER_WRITTEN + i));
            }
            switch (own) {
                case 0 -> transaction.put(key(100), new byte[1]);
                case 1 -> transaction.delete(key(100));
                default -> transaction.deleteRange(key(95), key(105));
            }
            switch (other) {
                case 0 -> db.put(key(100), new byte[1]);
                case 1 -> db.deleteRange(key(100), key(101));
                case 2 -> db.write(new WriteBatch().put(key(1), key(1)).delete(key(100)));
                default -> db.write(new WriteBatch().put(key(1), key(1)).deleteRange(key(105), key(200)));
            }
            transaction.commit();
            return true;
        } catch (ConflictException e) {
            return false;
        }
    }

    /** A range among old entries is gone through once, beside others; then only new ones are, while they wait. */
    @Test
    void aLongRangeIsGoneThroughOnce() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), FlexDBOptions.defaults())) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i), new byte[1]);
            }
            Store store = db.access.store();
            for (boolean isNamedByKeys : new boolean[] {false, true}) {
                long begun = store.beginTransaction();
                Footprint footprint = store.newFootprint();
                footprint.reset(store.visibleSequence(), store.publishedRuns());
                footprint.addRange(isNamedByKeys ? key(0) : null, key(KEYS));
                assertTrue(footprint.holds(store.visibleSequence()));
                assertEquals(KEYS, footprint.entriesPassed());
                for (int i = 1; i < 10; i++) {
                    db.put(key(KEYS + i), new byte[1]);
                    assertTrue(footprint.holds(store.visibleSequence()));
                    assertEquals(0, footprint.entriesPassed());
                }
                db.put(key(KEYS / 2), new byte[1]);
                assertFalse(footprint.holds(store.visibleSequence()));
                store.endTransaction(begun);
            }
        }
    }

    /** A writer that never rests neither keeps a large transaction from being committed nor escapes it. */
    @Test
    void aLargeFootprintIsCheckedBesideOthersWhoWrite() throws InterruptedException {
        try (FlexDB db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL)) {
            AtomicBoolean ended = new AtomicBoolean();
            CountDownLatch writing = new CountDownLatch(1);
            Workers workers = new Workers();
            workers.start("writer", () -> {
                for (int i = 0; !ended.get() && !workers.hasFailed(); i++) {
                    db.put(key(i % KEYS), new byte[20]);
                    writing.countDown();
                }
            });
            workers.start("transactions", () -> {
                writing.await();
                try {
                    for (int round = 0; round < 20; round++) {
                        boolean conflicts = round % 2 == 0;
                        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                            for (int i = 0; i < 4000; i++) {
                                transaction.get(key(NEVER_WRITTEN + i));
                            }
                            transaction.put(key(NEVER_WRITTEN - 1), key(round));
                            if (conflicts) {
                                transaction.get(key(7));
                                db.put(key(7), key(round));
                                assertThrows(ConflictException.class, transaction::commit);
                            } else {
                                transaction.commit();
                            }
                        }
                    }
                } finally {
                    ended.set(true);
                }
            });
            workers.join();
        }
    }

    /** Reads without end need no memory without end: reads for which there is no room become coarser. */
    @Test
    void readsBeyondAllRoomAreConflictsWithWhatIsAmongThemOnly() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            for (boolean isAmong : new boolean[] {false, true}) {
                try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                    for (int i = 0; i < 400_000; i++) {
                        transaction.containsKey(key(2 * i));
                    }
                    transaction.put(key(5_000_000), new byte[1]);
                    db.put(key(isAmong ? 400_000 : 4_000_000), new byte[1]);
                    if (isAmong) {
                        assertThrows(ConflictException.class, transaction::commit);
                    } else {
                        transaction.commit();
                    }
                }
            }
        }
    }
}
