package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that go to the data file at once. */
class FlexDBLargeValuesTest {
    private static final int LARGE = 2000;
    private static final int EXTENT = 1024;
    private static final int SEGMENT = 63 * 512;
    private static final FlexDBOptions OPTIONS =
            StoreDriver.SMALL.withLargeValueBytes(LARGE).withDurability(Durability.OS);

    private final Random random = new Random(8);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    private static int[] lengths() {
        return new int[] {
            0,
            1,
            LARGE - 1,
            LARGE,
            LARGE + 1,
            EXTENT * 2 - 20,
            EXTENT * 2 - 14,
            EXTENT * 2 - 13,
            EXTENT * 2 - 12,
            EXTENT * 2,
            SEGMENT - 1,
            SEGMENT,
            SEGMENT + 1,
            3 * SEGMENT,
            FlexDBOptions.MIN_MEMTABLE_BYTES,
            200_000,
            1_000_000
        };
    }

    @ParameterizedTest
    @EnumSource
    void valuesOfAllLengthsAreThereBeforeAndAfterCommitsClosesKillsAndPowerCuts(Durability durability) {
        StoreDriver store = new StoreDriver(OPTIONS.withDurability(durability));
        int[] lengths = lengths();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < lengths.length; i++) {
                store.put(key(i), value(lengths[(i + round) % lengths.length]));
                store.get(key(i), "after the put");
            }
            store.assertSame("before the end of round " + round);
            store.assertSameBackward("before the end of round " + round);
            if (round == 0) {
                store.kill("killed");
            } else if (round == 1) {
                store.reopen("reopened");
            } else {
                store.sync();
                store.powerCut(5, "cut");
            }
            store.assertSame("after round " + round);
            for (int i = 0; i < lengths.length; i++) {
                store.get(key(i), "after round " + round);
                assertEquals(store.oracle.get(key(i)).length, store.db.valueLength(key(i)));
            }
            assertEquals(List.of(), store.db.check().findings());
        }
        store.db.close();
    }

    @ParameterizedTest
    @EnumSource
    void aLargeValueIsWrittenOnce(Durability durability) {
        for (int length : new int[] {64 << 10, 66_700, 1 << 20, 16 << 20}) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDBOptions options =
                    FlexDBOptions.defaults().withMemtableBytes(1 << 20).withDurability(durability);
            byte[] value = value(length);
            long bytes = 0;
            try (FlexDB db = StoreDriver.open(vfs, options)) {
                for (int i = 0; bytes < 40 << 20; i++) {
                    db.put(key(i * 7 % 1000), value);
                    bytes += length;
                }
            }
            try (FlexDB db = StoreDriver.open(vfs, options)) {
                assertArrayEquals(value, db.get(key(0)));
                bytes = 0;
                for (int i = 0; bytes < 40 << 20; i++) {
                    db.put(key(i * 7 % 1000), value);
                    bytes += length;
                }
                db.sync();
                double written = (double) db.stats().written().totalBytes() / bytes;
                // Of the one that is odd, the end of the last frame is lost.
                double most = length % 4096 == 0 ? 1.01 : 1.06;
                assertTrue(written > 1 && written < most, written + " bytes for each of " + length);
            }
        }
    }

    @Test
    void batchesTransactionsExpiryMergesAndKeyspacesTakeThem() {
        StoreDriver store = new StoreDriver(OPTIONS);
        for (int round = 0; round < 30; round++) {
            List<Edit> edits = new ArrayList<>();
            edits.add(new Edit(key(round), value(5000)));
            edits.add(new Edit(key(round + 1), value(10)));
            edits.add(Edit.expiring(key(round + 2), value(3000), 1 + round % 10));
            edits.add(Edit.merge(key(round / 2), value(3)));
            edits.add(new Edit(key(round / 3), null));
            edits.add(Edit.range(key(200 + round), key(210 + round)));
            edits.add(new Edit(key(205 + round), value(4000)));
            if (round % 3 == 0) {
                store.transaction(
                        edits.subList(0, 5), edits.subList(0, 1), new Edit(key(999), value(2500)), Isolation.SNAPSHOT);
            } else {
                store.batch(edits, Durability.OS);
            }
            store.merge(key(round), value(7));
            store.put(key(100 + round), value(6000), 5);
            store.clock.advance(1);
            store.assertSame("round " + round);
            if (round % 7 == 6) {
                store.kill("round " + round);
            }
            if (round % 10 == 9) {
                store.takeOrCheckSnapshot("round " + round);
            }
        }
        Keyspace keyspace = store.db.createKeyspace("other");
        byte[] inKeyspace = value(50_000);
        keyspace.put(key(1), inKeyspace);
        assertArrayEquals(inKeyspace, keyspace.get(key(1)));
        store.db.close();
    }

    @Test
    void aSnapshotReadsWhatIsOverwrittenBeforeAndAfterItsCommit() {
        StoreDriver store = new StoreDriver(OPTIONS);
        byte[] first = value(30_000);
        store.put(key(1), first);
        try (Snapshot snapshot = store.db.snapshot()) {
            for (int i = 0; i < 60; i++) {
                store.put(key(i % 3), value(40_000));
                assertArrayEquals(first, snapshot.get(key(1)), "after " + i);
            }
            store.delete(key(1));
            for (int i = 0; i < 60; i++) {
                store.put(key(5), value(40_000));
            }
            assertArrayEquals(first, snapshot.get(key(1)));
        }
        assertNull(store.db.get(key(1)));
        store.db.close();
    }

    /** What was overwritten before its commit is given back, so that the file does not grow. */
    @Test
    void overwritingTakesNoMoreRoomThanItMust() {
        StoreDriver store = new StoreDriver(OPTIONS);
        long most = 0;
        for (int i = 0; i < 1500; i++) {
            store.put(key(i % 4), value(60_000));
            if (i % 100 == 99) {
                most = Math.max(most, store.vfs.content(StoreDriver.DIRECTORY.resolve("space/data")).length);
            }
        }
        assertTrue(most < 45_000_000, most + " bytes of 90,000,000");
        store.db.close();
        store.open();
        store.assertSame("reopened");
        store.db.close();
    }

    @Test
    void copiesAndBackupsHaveWhatIsNotCommitted() {
        StoreDriver store = new StoreDriver(OPTIONS);
        for (int i = 0; i < 20; i++) {
            store.put(key(i), value(i % 2 == 0 ? 20_000 : 30));
        }
        Path copy = Path.of("/copy");
        store.db.checkpoint(copy);
        store.put(key(1), value(9000));
        store.db.close();
        try (FlexDB db = FlexDB.open(store.vfs, copy, store.options, true)) {
            for (int i = 2; i < 20; i++) {
                assertArrayEquals(store.oracle.get(key(i)), db.get(key(i)));
            }
            assertEquals(30, db.valueLength(key(1)));
        }
    }

    /**
     * Values that are more than a copy of a log should have are committed for it: so the copy has no log, whatever is
     * written meanwhile, and is of one moment.
     */
    @Test
    void aCopyOfMuchThatIsNotCommittedHasItInTheSpaceWhileOthersGoOnWriting(@TempDir Path directory) throws Exception {
        FlexDBOptions options = OPTIONS.withDurability(Durability.NONE);
        byte[] filler = value(40_000);
        try (FlexDB db = FlexDB.open(directory.resolve("store"), options)) {
            AtomicBoolean ended = new AtomicBoolean();
            AtomicInteger written = new AtomicInteger(-1);
            Thread writer = new Thread(() -> {
                for (int i = 0; !ended.get(); i++) {
                    byte[] value = filler.clone();
                    ByteBuffer.wrap(value).putInt(i);
                    db.write(new WriteBatch().put(key(1), value).put(key(2), Arrays.copyOf(value, 30)));
                    written.set(i);
                }
            });
            writer.start();
            try {
                Waiting.whileTrue(() -> written.get() < 0);
                for (int copy = 0; copy < 5; copy++) {
                    int before = written.get();
                    Path target = directory.resolve("copy" + copy);
                    long sequence = db.checkpoint(target);
                    try (FlexDB copied = FlexDB.open(target, options)) {
                        assertEquals(sequence, copied.stats().lastSequence());
                        int found = ByteBuffer.wrap(copied.get(key(1))).getInt();
                        assertTrue(found >= before, found + " was found, " + before + " was there");
                        assertEquals(found, ByteBuffer.wrap(copied.get(key(2))).getInt());
                        assertEquals(2 * (found + 1), sequence);
                        assertEquals(List.of(), copied.check().findings());
                    }
                }
            } finally {
                ended.set(true);
                writer.join();
            }
        }
    }

    /** Below the log's mark what is missing is damage; behind it nobody was told that it is durable. */
    @Test
    void aLogThatRefersToDamagedBytesEndsThereOrIsRefused() {
        for (boolean synced : new boolean[] {true, false}) {
            StoreDriver store = new StoreDriver(OPTIONS);
            store.put(key(1), value(100));
            store.sync();
            store.put(key(2), value(20_000));
            if (synced) {
                store.sync();
                store.put(key(3), value(10)); // the mark of the force goes to the file with what comes next
                store.sync();
            }
            SimulatedVfs vfs = store.vfs.kill();
            Path data = StoreDriver.DIRECTORY.resolve("space/data");
            byte[] bytes = vfs.content(data);
            byte[] lost = store.oracle.get(key(2));
            bytes[indexOf(bytes, lost) + 777] ^= 1;
            vfs.setContent(data, bytes);
            if (synced) {
                assertThrows(CorruptionException.class, () -> reader(vfs, store));
                assertThrows(CorruptionException.class, () -> StoreDriver.open(vfs, store.options));
            } else {
                try (FlexDBReader reader = reader(vfs, store)) {
                    assertEquals(1, reader.sequence());
                    assertNull(reader.get(key(2)));
                    assertEquals(1, reader.refresh());
                }
                try (FlexDB db = StoreDriver.open(vfs, store.options)) {
                    assertEquals(1, StoreDriver.all(db).size());
                }
            }
        }
    }

    private static FlexDBReader reader(SimulatedVfs vfs, StoreDriver store) {
        return FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, store.options, true);
    }

    /** Where a value is but for its first bytes, which may be in the log. */
    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int i = 0; i + 512 <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + 400, wanted, 200, 600)) {
                return i;
            }
        }
        throw new AssertionError("not in the file");
    }

    @Test
    void onAFullDiskLargeValuesAreRefusedDeletesAreNotAndThenThereIsRoom() {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.put(key(0), value(10));
        store.vfs.setCapacity(3_000_000);
        int written = 0;
        try {
            while (written < 2000) {
                store.put(key(written), value(30_000));
                written++;
            }
        } catch (StoreFullException e) {
            store.oracle.forgetLast();
        }
        assertTrue(written > 30 && written < 2000, written + " values");
        store.assertSame("full");
        for (int i = 0; i < written; i++) {
            store.delete(key(i));
        }
        for (int i = 0; i < 20; i++) {
            store.put(key(i), value(30_000));
        }
        store.assertSame("with room again");
        store.kill("killed");
        store.db.close();
    }

    private int points;

    private void cut(StoreDriver store, ObjLongConsumer<SimulatedVfs> check) {
        points++;
        SimulatedVfs dead = store.vfs.copy();
        check.accept(dead.crash(0), 0);
        check.accept(dead.crash(1 + points), 1 + points);
    }

    @ParameterizedTest
    @EnumSource
    void aCutAtAnyOperationLeavesThePrefixThatItMay(Durability durability) {
        StoreDriver store =
                StoreDriver.closed(OPTIONS.withLargeValueBytes(300).withDurability(durability), new SimulatedVfs());
        store.setHook(FlexDBCrashTest.eachButMostAppends(
                Effort.step(2),
                () -> cut(
                        store,
                        (found, seed) -> FlexDBCrashTest.checkRecovered(
                                store, found, durability + ", point " + points + ", seed " + seed, points % 3 == 0))));
        store.open();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 30; i++) {
                List<Edit> edits = List.of(
                        new Edit(key(i % 7), value(200 + random.nextInt(4000))),
                        new Edit(key(20 + i), value(random.nextInt(100))),
                        Edit.expiring(key(60 + i % 5), value(700), 1 + i % 20),
                        Edit.merge(key(i % 5), value(2)),
                        new Edit(key(i % 11), null));
                store.clock.advance(1);
                store.batch(edits, durability);
                if (i % 9 == 8) {
                    store.put(key(90), value(40_000)); // every other from a channel
                    store.put(key(91), value(30_000), 20 + i);
                }
            }
            store.db.defragment();
        }
        store.db.close();
        store.oracle.allDurable();
        store.open();
        store.put(key(1), value(9000));
        store.db.close();
        assertTrue(points >= Effort.times(100), points + " points only");
    }

    @Test
    void valuesAreReadByPartsBeforeAndAfterTheirCommitWhateverIsWrittenMeanwhile() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        int[] lengths = lengths();
        for (int i = 0; i < lengths.length; i++) {
            store.put(key(i), value(lengths[i]));
        }
        store.merge(key(0), value(5));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < lengths.length; i++) {
                byte[] expected = store.oracle.get(key(i));
                try (ValueReader reader = store.db.openValue(key(i))) {
                    if (round == 1) {
                        store.put(key(i), expected);
                        store.put(key(99), value(90_000));
                    }
                    assertReads(expected, reader);
                }
            }
            assertNull(store.db.openValue(key(50)));
            if (round == 1) {
                store.reopen("in the space");
            }
        }
        try (Transaction transaction = store.db.begin();
                Snapshot snapshot = store.db.snapshot()) {
            transaction.put(key(3), value(77));
            assertEquals(77, transaction.openValue(key(3)).size());
            store.delete(key(12));
            assertReads(value(snapshot.openValue(key(12))), snapshot.openValue(key(12)));
            assertEquals(lengths[12], transaction.openValue(key(12)).size());
        }
        assertNull(store.db.openValue(key(12)));
        store.put(key(70), value(9));
        Transaction transaction = store.db.begin();
        transaction.put(key(71), value(9));
        List<ValueReader> readers =
                List.of(store.db.openValue(key(13)), store.db.openValue(key(70)), transaction.openValue(key(71)));
        store.db.close();
        for (ValueReader open : readers) {
            assertThrows(StoreClosedException.class, () -> open.read(ByteBuffer.allocate(1)));
            open.close();
            assertThrows(StoreClosedException.class, () -> open.read(ByteBuffer.allocate(1)));
            assertFalse(open.isOpen());
        }
    }

    private static byte[] value(ValueReader reader) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        reader.transferTo(Channels.newChannel(bytes));
        reader.close();
        return bytes.toByteArray();
    }

    private void assertReads(byte[] expected, ValueReader reader) throws IOException {
        assertReads(expected, reader, random);
    }

    static void assertReads(byte[] expected, ValueReader reader, Random random) throws IOException {
        assertEquals(expected.length, reader.size());
        for (int i = 0; i < 20; i++) {
            int from = random.nextInt(expected.length + 1);
            ByteBuffer part = i % 2 == 0 ? ByteBuffer.allocate(3000) : ByteBuffer.allocateDirect(70_000);
            int read = reader.read(part.position(7), from);
            assertEquals(from == expected.length ? -1 : Math.min(part.capacity() - 7, expected.length - from), read);
            for (int at = 0; at < read; at++) {
                assertEquals(expected[from + at], part.get(7 + at));
            }
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        reader.position(expected.length / 2).transferTo(Channels.newChannel(all));
        assertArrayEquals(expected, all.toByteArray());
        int rest = expected.length - expected.length / 2;
        assertEquals(rest == 0 ? -1 : rest, reader.read(ByteBuffer.allocate(expected.length + 1)));
        assertEquals(-1, reader.read(ByteBuffer.allocate(1)));
        assertThrows(NonWritableChannelException.class, () -> reader.write(ByteBuffer.allocate(1)));
        assertThrows(NonWritableChannelException.class, () -> reader.truncate(0));
        assertThrows(IllegalArgumentException.class, () -> reader.position(-1));
        assertThrows(IllegalArgumentException.class, () -> reader.read(ByteBuffer.allocate(1), -1));
    }

    /** Changes a byte of a value wherever it is: garbage collection may have left it in another place, too. */
    private static void flip(StoreDriver store, Path data, byte[] bytes, byte[] value) {
        try (VfsFile file = store.vfs.open(data, OpenMode.READ_WRITE)) {
            for (int i = 0; i + 20 <= bytes.length; i++) {
                boolean here = Arrays.equals(bytes, i, i + 10, value, 1490, 1500)
                        || Arrays.equals(bytes, i + 11, i + 20, value, 1501, 1510);
                if (here) {
                    file.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[i + 10] ^ 1)}), i + 10);
                }
            }
        }
    }

    @Test
    void aDamagedPartIsNotLetOutAndTheOthersAre() {
        StoreDriver store = new StoreDriver(OPTIONS);
        byte[] value = value(100_000);
        store.put(key(1), value);
        for (String where : new String[] {"staged", "in the space"}) {
            Path data = StoreDriver.DIRECTORY.resolve("space/data");
            byte[] sound = store.vfs.content(data);
            flip(store, data, sound, value); // not in its first frame, which has the key
            List<FlexDBCheckReport.Finding> findings = store.db.check().findings();
            assertEquals(1, findings.size(), where + findings);
            if (where.equals("staged")) {
                assertArrayEquals(key(1), findings.get(0).keys().after());
                assertArrayEquals(key(1), findings.get(0).keys().before());
            }
            try (ValueReader reader = store.db.openValue(key(1))) {
                assertThrows(CorruptionException.class, () -> reader.read(ByteBuffer.allocate(10), 1495), where);
                assertEquals(10, reader.read(ByteBuffer.allocate(10), 50_000));
            }
            flip(store, data, store.vfs.content(data), value);
            assertEquals(List.of(), store.db.check().findings());
            store.db.close(); // which commits it
            store.open(); // with nothing in the cache
        }
        store.db.close();
    }

    @Test
    void whatExpiresIsGone() {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.db.put(key(1), value(5000), WriteOptions.timeToLive(Duration.ofMillis(5)));
        assertEquals(5000, store.db.get(key(1)).length);
        store.clock.advance(6);
        assertNull(store.db.get(key(1)));
        store.db.close();
    }
}
