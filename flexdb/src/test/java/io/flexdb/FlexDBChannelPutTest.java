package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that are read from a channel while they are written. */
class FlexDBChannelPutTest {
    private static final int EXTENT = 1024;
    private static final int SEGMENT = 63 * 512;
    private static final FlexDBOptions OPTIONS =
            StoreDriver.SMALL.withLargeValueBytes(2000).withDurability(Durability.OS);

    private final Random random = new Random(11);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    @ParameterizedTest
    @EnumSource
    void valuesOfAllLengthsAreThereBeforeAndAfterCommitsClosesKillsAndPowerCuts(Durability durability)
            throws IOException {
        int[] lengths = {
            0,
            1,
            1999,
            2000,
            2 * EXTENT,
            2 * EXTENT + 1,
            3 * EXTENT - 13,
            3 * EXTENT - 12,
            3 * EXTENT,
            7 * 512 + 100,
            SEGMENT - 1,
            SEGMENT,
            SEGMENT + 1,
            300_000
        };
        byte[] longKey = value(3 * EXTENT);
        longKey[0] = 'k';
        StoreDriver store = new StoreDriver(OPTIONS.withDurability(durability));
        Keyspace other = store.db.createKeyspace("other");
        byte[] inOther = value(20_000);
        long before = store.db.stats().lastSequence();
        assertEquals(
                before + 1,
                other.put(key(1), new ValueSource(inOther), inOther.length, WriteOptions.durability(Durability.SYNC)));
        assertEquals(before + 1, store.db.durableSequence());
        store.db.put(longKey, new ValueSource(inOther, 3, position -> {}), inOther.length);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < lengths.length; i++) {
                byte[] value = value(lengths[(i + round) % lengths.length]);
                put(store, key(i), value, i % 2 == 0 ? null : Duration.ofMillis(1000));
                assertArrayEquals(value, store.db.get(key(i)), "length " + value.length);
            }
            byte[][] values = new byte[lengths.length][];
            for (int i = 0; i < lengths.length; i++) {
                values[i] = store.db.get(key(i));
            }
            if (round == 0) {
                store.vfs = store.vfs.kill();
            } else if (round == 1) {
                store.db.close();
            } else {
                store.db.sync();
                store.vfs = store.vfs.crash(7);
            }
            store.open();
            for (int i = 0; i < lengths.length; i++) {
                assertArrayEquals(values[i], store.db.get(key(i)), "round " + round + ", length " + values[i].length);
            }
            assertArrayEquals(inOther, store.db.keyspace("other").get(key(1)));
            assertArrayEquals(inOther, store.db.get(longKey));
            assertEquals(List.of(), store.db.check().findings());
        }
        store.clock.advance(1000);
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(i % 2 == 0, store.db.containsKey(key(i)));
        }
        store.db.close();
    }

    private static void put(StoreDriver store, byte[] key, byte[] value, Duration ttl) throws IOException {
        ValueSource source = new ValueSource(value);
        if (ttl == null) {
            store.db.put(key, source, value.length);
        } else {
            store.db.put(key, source, value.length, WriteOptions.timeToLive(ttl));
        }
        assertEquals(value.length, source.position());
        assertTrue(source.isOpen());
        if (value.length > 0) {
            source.writeLate();
        }
    }

    /** What the channel has behind the value is for who reads it next, and a value of the store is a channel, too. */
    @Test
    void aChannelHasSeveralValuesAndAValueIsAChannel() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        byte[] all = value(50_000);
        var stream = Channels.newChannel(new ByteArrayInputStream(all));
        int at = 0;
        for (int length : new int[] {10_000, 100, 30_000, 9900}) {
            store.db.put(key(length), stream, length);
            try (ValueReader value = store.db.openValue(key(length))) {
                store.db.put(key(1), value, length);
            }
            assertArrayEquals(Arrays.copyOfRange(all, at, at + length), store.db.get(key(1)));
            at += length;
        }
        assertThrows(EOFException.class, () -> store.db.put(key(1), stream, 1));
        store.db.close();
    }

    /** Others write, commit, and read meanwhile: the value is in as many runs as there were commits. */
    @ParameterizedTest
    @EnumSource
    void aSlowChannelHoldsUpNobodyAndItsValueTakesEffectAtTheEnd(Durability durability) throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS.withDurability(durability));
        byte[] old = value(9000);
        store.put(key(1), old);
        byte[] value = value(60_000);
        int[] reads = {0};
        ValueSource source = new ValueSource(value, 700, position -> {
            reads[0]++;
            store.put(key(100 + reads[0] % 9), value(position % 5 == 0 ? 20_000 : 300));
            assertArrayEquals(old, store.db.get(key(1)));
        });
        long sequence = store.db.put(key(1), source, value.length);
        store.oracle.write(List.of(new StoreOracle.Edit(key(1), value)));
        assertEquals(store.oracle.sequence(), sequence);
        assertTrue(reads[0] > 80);
        assertTrue(store.db.stats().index().intervals() > 1, "nothing was committed meanwhile");
        store.assertSame("at the end");
        store.kill("killed");
        store.db.close();
        store.open();
        store.assertSame("opened");
        assertEquals(List.of(), store.db.check().findings());
        store.db.close();
    }

    @Test
    void aChannelThatEndsThrowsOrReadsNothingChangesNothingAndItsRoomIsFree() {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.put(key(1), value(5000));
        store.put(key(2), value(50));
        IOException broken = new IOException("broken");
        RuntimeException bad = new IllegalStateException("bad");
        byte[] value = value(100_000);
        for (int length : new int[] {100, 2500, 100_000}) {
            for (int at : new int[] {0, 99, 2400, 65_536}) {
                if (at < length) {
                    String told = at + " bytes of the " + length;
                    byte[] part = Arrays.copyOf(value, at);
                    EOFException ended =
                            assertThrows(EOFException.class, () -> store.db.put(key(1), new ValueSource(part), length));
                    assertTrue(ended.getMessage().contains(told), ended.getMessage());
                    IOException none = assertThrows(
                            IOException.class,
                            () -> store.db.put(key(1), new ValueSource(value, 0, position -> {}), length));
                    assertTrue(none.getMessage().contains("read none after 0 bytes"), none.getMessage());
                    for (Exception thrown : List.of(broken, bad)) {
                        ValueSource.Meanwhile throwing = position -> {
                            if (position == at && thrown == broken) {
                                throw broken;
                            } else if (position == at) {
                                throw bad;
                            }
                        };
                        ValueSource source = new ValueSource(value, at == 0 ? 1500 : at, throwing);
                        assertSame(thrown, assertThrows(Exception.class, () -> store.db.put(key(1), source, length)));
                    }
                }
            }
        }
        store.assertSame("after all that");
        store.put(key(3), value(7000));
        store.kill("killed");
        store.db.close();
    }

    /** One that says that it has read bytes, and has put less to the buffer, or moved the buffer's limit. */
    private record Misleading(int put, int told, int limit) implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer to) {
            to.put(new byte[Math.min(put, to.remaining())]);
            to.limit(Math.max(to.position(), Math.min(to.limit(), limit)));
            return told;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // nothing to let go of
        }
    }

    @Test
    void whatAChannelTellsIsHeldAgainstWhatItHasRead() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        for (int length : new int[] {100, 2500, 100_000}) {
            IOException none = assertThrows(
                    IOException.class, () -> store.db.put(key(1), new Misleading(0, 40, Integer.MAX_VALUE), length));
            assertTrue(none.getMessage().contains("read none after 0 bytes"), none.getMessage());
            store.db.put(key(2), new Misleading(10, 10, 0), length);
            assertArrayEquals(new byte[length], store.db.get(key(2)));
        }
        assertNull(store.db.get(key(1)));
        store.db.close();
    }

    @Test
    void aValueThatCanNotBeTakenIsRefusedBeforeAnythingIsRead() {
        StoreDriver store = new StoreDriver(OPTIONS.withLargeValueBytes(Integer.MAX_VALUE));
        int length = 2 * OPTIONS.memtableBytes();
        ValueSource source = new ValueSource(new byte[length]);
        assertThrows(IllegalArgumentException.class, () -> store.db.put(key(1), source, length));
        assertEquals(0, source.position());
        store.db.close();
    }

    /** With any memtable, threshold, sizes of extents and segments, and keyspace. */
    @Test
    void aChannelIsTakenAtEachLengthAtWhichAnArrayIs() throws IOException {
        int[] thresholds = {1, 2000, 100_000, Integer.MAX_VALUE};
        for (int threshold : thresholds) {
            StoreDriver store = new StoreDriver(OPTIONS.withLargeValueBytes(threshold));
            Keyspace other = store.db.createKeyspace("other");
            int[] lengths = {
                0, 1, 1999, 2000, 2 * EXTENT, 2 * EXTENT + 1, SEGMENT, 99_999, 100_000, OPTIONS.memtableBytes(), 200_000
            };
            for (int length : lengths) {
                byte[] value = value(length);
                for (Keyspace keyspace : List.of(store.db, other)) {
                    String at = "threshold " + threshold + ", length " + length + ", " + keyspace.name();
                    String refusal = null;
                    try {
                        keyspace.put(key(1), value);
                    } catch (IllegalArgumentException e) {
                        refusal = e.getMessage();
                    }
                    ValueSource source = new ValueSource(value);
                    if (refusal == null) {
                        keyspace.put(key(2), source, length);
                        assertArrayEquals(value, keyspace.get(key(2)), at);
                    } else {
                        String told = assertThrows(
                                        IllegalArgumentException.class, () -> keyspace.put(key(2), source, length), at)
                                .getMessage();
                        assertEquals(refusal, told, at);
                        assertEquals(0, source.position(), at);
                    }
                }
            }
            store.db.close();
        }
    }

    /** Extents are larger than a memtable can hold of a value, so values that are read whole must be staged as well. */
    @Test
    void aLargeValueThatIsReadWholeNeedNotFitAMemtable() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS.withSpace(OPTIONS.space().withSegments(4 << 20, 512)));
        byte[] value = value(200_000);
        assertTrue(value.length > OPTIONS.memtableBytes());
        store.db.put(key(1), value);
        store.db.put(key(2), new ValueSource(value), value.length);
        assertArrayEquals(value, store.db.get(key(2)));
        store.db.close();
    }

    /** Nothing is there but how far the channel was read, and the thread is interrupted still. */
    @Test
    void anInterruptWhileTheChannelIsReadLeavesNothing() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.put(key(1), value(3000));
        for (int length : new int[] {100, 100_000}) {
            Path file = Files.createTempFile("flexdb", "value");
            try (FileChannel source = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                source.write(ByteBuffer.allocate(length));
                source.position(0);
                Thread.currentThread().interrupt();
                assertThrows(ClosedByInterruptException.class, () -> store.db.put(key(1), source, length));
                assertTrue(Thread.interrupted());
            } finally {
                Files.delete(file);
            }
        }
        store.assertSame("interrupted");
        store.put(key(2), value(60_000));
        store.kill("killed");
        assertEquals(List.of(), store.db.check().findings());
        store.db.close();
    }

    /** Far more than the store may have is staged in vain. */
    @Test
    void whatWasStagedInVainMakesRoomForMore() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS.withSpace(OPTIONS.space().withMaxDataBytes(60L * 64 * 512)));
        store.put(key(1), value(500));
        byte[] part = value(700_000);
        for (int i = 0; i < 20; i++) {
            assertThrows(EOFException.class, () -> store.db.put(key(1), new ValueSource(part), 800_000));
        }
        store.db.put(key(1), new ValueSource(part), part.length);
        assertArrayEquals(part, store.db.get(key(1)));
        assertThrows(
                StoreFullException.class, () -> store.db.put(key(2), new ValueSource(value(3_000_000)), 3_000_000));
        assertArrayEquals(part, store.db.get(key(1)));
        assertNull(store.db.get(key(2)));
        store.db.delete(key(1));
        for (int i = 0; i < 20; i++) {
            store.db.put(key(1), new ValueSource(part), part.length);
        }
        store.db.close();
        store.open();
        assertArrayEquals(part, store.db.get(key(1)));
        store.db.close();
    }

    @Test
    void aStoreThatIsClosedOrFailsMeanwhileRefusesTheValue() {
        for (boolean fails : new boolean[] {true, false}) {
            StoreDriver store = new StoreDriver(OPTIONS);
            store.put(key(1), value(20_000));
            ValueSource source = new ValueSource(value(300_000), 1000, position -> {
                if (position == 20_000) {
                    if (fails) {
                        store.vfs.failAt(store.vfs.operationCount() + 1, Fault.EIO); // the next thing that is staged
                    } else {
                        store.db.close();
                    }
                }
            });
            StorageException thrown = assertThrows(StorageException.class, () -> store.db.put(key(1), source, 300_000));
            assertEquals(!fails, thrown instanceof StoreClosedException);
            assertTrue(source.position() < 300_000);
            if (fails) {
                assertThrows(StoreFailedException.class, () -> store.db.get(key(1)));
            }
            store.db.close();
            store.vfs.clearFaults();
            store.open();
            store.assertSame("opened");
            store.db.close();
        }
    }

    @Test
    void aKeyspaceThatIsDroppedMeanwhileTakesNothing() {
        StoreDriver store = new StoreDriver(OPTIONS);
        Keyspace keyspace = store.db.createKeyspace("dropped");
        ValueSource source = new ValueSource(value(60_000), 1000, position -> {
            if (position == 20_000) {
                store.db.dropKeyspace("dropped");
            }
        });
        assertThrows(NoSuchKeyspaceException.class, () -> keyspace.put(key(1), source, 60_000));
        ValueSource unread = new ValueSource(value(60_000));
        assertThrows(NoSuchKeyspaceException.class, () -> keyspace.put(key(1), unread, 60_000));
        assertThrows(NoSuchKeyspaceException.class, () -> keyspace.put(key(1), unread, 60));
        assertEquals(0, unread.position());
        assertEquals(List.of(), store.db.check().findings());
        store.db.close();
        assertThrows(StoreClosedException.class, () -> store.db.put(key(1), unread, 60_000));
        assertThrows(StoreClosedException.class, () -> store.db.put(key(1), unread, 60));
        assertEquals(0, unread.position());
    }

    @Test
    void badArgumentsAreRefusedBeforeAnythingIsRead() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        ValueSource source = new ValueSource(value(100));
        assertThrows(NullPointerException.class, () -> store.db.put(key(1), null, 5));
        assertThrows(NullPointerException.class, () -> store.db.put(null, source, 5));
        assertThrows(IllegalArgumentException.class, () -> store.db.put(new byte[0], source, 5));
        assertThrows(IllegalArgumentException.class, () -> store.db.put(key(1), source, -1));
        assertThrows(IllegalArgumentException.class, () -> store.db.put(key(1), source, 1L << 30));
        assertThrows(IllegalArgumentException.class, () -> store.db.put(key(1), source, 1L << 40));
        assertThrows(
                IllegalArgumentException.class,
                () -> store.db.put(key(1), source, 5, WriteOptions.timeToLive(Duration.ZERO)));
        assertThrows(NullPointerException.class, () -> store.db.put(key(1), source, 5, null));
        Pipe pipe = Pipe.open();
        try (var end = pipe.source();
                var begin = pipe.sink()) {
            end.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, () -> store.db.put(key(1), end, 5));
            assertTrue(begin.isOpen());
        }
        assertEquals(0, source.position());
        assertFalse(store.db.containsKey(key(1)));
        assertEquals(0, store.db.stats().lastSequence());
        store.db.close();
    }

    @Test
    void aCommitOfLongValuesNeedsLittleMemory() throws IOException {
        try (FlexDB db =
                StoreDriver.open(new SimulatedVfs(), FlexDBOptions.defaults().withMemtableBytes(1 << 20))) {
            byte[] value = value(16 << 20);
            for (int i = 0; i < 8; i++) { // each but the last is committed
                db.put(key(i), new ValueSource(value, 1 << 20, position -> {}), value.length);
            }
            assertTrue(db.stats().space().bytes() > 50 << 20, db.stats().toString());
            assertTrue(db.stats().index().memoryBytes() < 4 << 20, db.stats().toString());
        }
    }

    /** No more than it must: 1.01 bytes for each. */
    @Test
    void itIsWrittenOnce() throws IOException {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = FlexDBOptions.defaults().withMemtableBytes(1 << 20);
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            byte[] value = value(1 << 20);
            for (int i = 0; i < 40; i++) {
                db.put(key(i), new ValueSource(value, 1 << 20, position -> {}), value.length);
            }
            db.sync();
            double written = (double) db.stats().written().totalBytes() / (40 << 20);
            assertTrue(written > 1 && written < 1.01, written + " bytes for each");
        }
    }
}
