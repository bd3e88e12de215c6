package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.testing.Effort;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that go to the data file at once, as who only reads a store finds them. */
class FlexDBReaderLargeValuesTest {
    private static final int LARGE = 2000;
    private static final int EXTENT = 1024;
    private static final int SEGMENT = 63 * 512;
    private static final FlexDBOptions OPTIONS =
            StoreDriver.SMALL.withLargeValueBytes(LARGE).withDurability(Durability.OS);

    private final Random random = new Random(8);
    private int points;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    private static FlexDBReader reader(SimulatedVfs vfs, StoreDriver store) {
        return FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, store.options, true);
    }

    /** A reader takes the logs for what a recovery would, which may find the end of one at a large value. */
    @ParameterizedTest
    @EnumSource
    void aReaderOfWhatACutLeavesShowsWhatARecoveryFinds(Durability durability) {
        StoreDriver store =
                StoreDriver.closed(OPTIONS.withLargeValueBytes(300).withDurability(durability), new SimulatedVfs());
        int[] cutShort = {0};
        store.setHook(FlexDBCrashTest.eachButMostAppends(Effort.step(2), () -> {
            points++;
            for (long seed : new long[] {0, 1 + points}) {
                lookAt(store, store.vfs.copy().crash(seed), seed, cutShort);
            }
        }));
        store.open();
        for (int i = 0; i < 40; i++) {
            store.clock.advance(1);
            List<Edit> edits =
                    List.of(new Edit(key(i % 7), value(200 + random.nextInt(4000))), new Edit(key(20 + i), value(9)));
            store.batch(edits, durability);
        }
        store.db.close();
        assertTrue(points >= Effort.times(50), points + " points only");
        assertTrue(cutShort[0] > Effort.times(5), cutShort[0] + " were cut short");
    }

    /** Its files are those of a writer that rotates, links, collects garbage and uses segments again all the time. */
    @Test
    void aReaderBesideTheWriterReadsThemWhatever() throws IOException {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.put(key(0), value(9000));
        int overtaken = 0;
        try (FlexDBReader reader = reader(store.vfs, store)) {
            for (int i = 0; i < 600; i++) {
                store.put(key(i % 13), value(LARGE + random.nextInt(4 * EXTENT)));
                store.put(key(40 + i % 29), value(50));
                if (i % 97 == 0) {
                    store.reopen("write " + i);
                }
                if (i % 3 == 0) {
                    assertEquals(store.oracle.sequence(), reader.refresh());
                    byte[] key = key(random.nextInt(Math.min(13, i + 1)));
                    assertArrayEquals(store.oracle.get(key), reader.get(key), "write " + i);
                    try (ValueReader value = reader.openValue(key)) {
                        FlexDBLargeValuesTest.assertReads(store.oracle.get(key), value, random);
                    }
                }
                if (i % 20 == 10) { // nobody has refreshed it: a lookup may do so itself, what is pinned may not
                    reader.refresh();
                    byte[] expected = store.oracle.get(key(3));
                    ValueReader value = reader.openValue(key(3));
                    for (int j = 0; j < 300; j++) {
                        store.put(key(j % 13), j % 13 == 3 ? expected : value(3 * EXTENT));
                    }
                    try {
                        FlexDBLargeValuesTest.assertReads(expected, value, random);
                    } catch (ReaderOvertakenException e) {
                        overtaken++;
                    }
                    value.close();
                    assertArrayEquals(expected, reader.get(key(3)));
                }
            }
        }
        store.db.close();
        assertTrue(overtaken > 0, "nobody was overtaken");
    }

    /** Its memtables are not the writer's, so what the space has when it is read anew ends within one. */
    @Test
    void whatASpaceReadAnewHasNotYetIsTakenOver() {
        StoreDriver store = new StoreDriver(OPTIONS);
        try (FlexDBReader reader = reader(store.vfs, store)) {
            for (int i = 0; i < 900; i++) {
                store.put(key(i % 200), value(700));
                store.put(key(300 + i % 11), value(LARGE + random.nextInt(EXTENT)));
                if (i % 5 == 0) {
                    assertEquals(store.oracle.sequence(), reader.refresh());
                    byte[] large = key(300 + i % 11);
                    assertArrayEquals(store.oracle.get(large), reader.get(large), "write " + i);
                }
            }
        }
        store.db.close();
    }

    /**
     * Between the logs and the space that a reader reads, the writer commits some of what the logs have, and uses the
     * place of a large value again.
     *
     * @param memtableBytes of the reader: with more than the writer has, what is covered ends within one
     */
    @ParameterizedTest
    @ValueSource(ints = {FlexDBOptions.MIN_MEMTABLE_BYTES, 1 << 20})
    void noReferenceThatACommitCoversIsFollowed(int memtableBytes) {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.put(key(90), value(30)); // so that there is a space to be read
        store.reopen("at the beginning");
        byte[] gone = value(3 * SEGMENT); // all of a segment, too
        store.put(key(1), gone);
        store.put(key(1), value(10)); // so it is never linked
        for (int i = 2; i < 140; i++) { // two memtables that are frozen, and a part of the next
            store.put(key(i), value(1000));
        }
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        Path logs = StoreDriver.DIRECTORY.resolve("wal");
        assertTrue(has(store, data, gone));
        boolean[] seen = {false, false}; // the logs, then the space
        HookedVfs files = new HookedVfs(store.vfs, (kind, path) -> {
            seen[0] |= path.startsWith(logs);
            if (seen[0] && !seen[1] && !path.startsWith(logs)) {
                seen[1] = true;
                for (int i = 0; has(store, data, gone); i++) {
                    assertTrue(i < 200, "its place is not used again");
                    store.put(key(200 + i), value(1000)); // until some are committed
                    var ends = new io.flexdb.ValueSource(value(4 * SEGMENT)); // takes what is free, and gives it back
                    assertThrows(EOFException.class, () -> store.db.put(key(1), ends, 5 * SEGMENT));
                }
            }
        });
        try (FlexDBReader reader = FlexDB.openReadOnly(
                files, StoreDriver.DIRECTORY, store.options.withMemtableBytes(memtableBytes), true)) {
            assertTrue(seen[1]);
            assertEquals(store.oracle.sequence(), reader.sequence());
            try (FlexCursor cursor = reader.cursor()) {
                StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(cursor), "beside the writer");
            }
        }
        store.db.close();
    }

    /** Whether a file has the second half of a value. */
    private static boolean has(StoreDriver store, Path file, byte[] value) {
        byte[] bytes = store.vfs.content(file);
        for (int i = 0; i + 400 <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + 400, value, value.length / 2, value.length / 2 + 400)) {
                return true;
            }
        }
        return false;
    }

    private void lookAt(StoreDriver store, SimulatedVfs found, long seed, int[] cutShort) {
        if (!found.exists(StoreDriver.DIRECTORY.resolve("flexdb.options"))) {
            return;
        }
        String at = store.options.durability() + ", point " + points + ", seed " + seed;
        TreeMap<byte[], byte[]> read;
        long sequence;
        try (FlexDBReader reader = reader(found.copy(), store);
                FlexCursor cursor = reader.cursor()) {
            read = StoreDriver.all(cursor);
            sequence = reader.sequence();
        }
        cutShort[0] += sequence < store.oracle.sequence() ? 1 : 0;
        try (FlexDB db = StoreDriver.open(found, store.options)) {
            assertEquals(db.stats().lastSequence(), sequence, at);
            StoreOracle.assertSame(StoreDriver.all(db), read, at);
        }
    }
}
