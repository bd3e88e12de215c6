package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the options of a cursor show and spare. */
class FlexDBScanTest {
    private static final FlexDBOptions LARGE_VALUES = FlexDBOptions.defaults().withMemtableBytes(4 << 20);

    @TempDir
    private Path directory;

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> keys(FlexDB db, ReadOptions options) {
        List<String> keys = new ArrayList<>();
        List<String> backward = new ArrayList<>();
        try (FlexCursor cursor = db.cursor(options)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                keys.add(Arrays.toString(cursor.key()));
            }
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                backward.add(0, Arrays.toString(cursor.key()));
            }
        }
        assertEquals(keys, backward);
        return keys;
    }

    @Test
    void aPrefixShowsWhatBeginsWithIt() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            byte[][] all = {
                bytes(1),
                bytes(1, 0),
                bytes(1, 254),
                bytes(1, 255),
                bytes(1, 255, 0),
                bytes(1, 255, 255, 7),
                bytes(2),
                bytes(2, 1),
                bytes(255),
                bytes(255, 255),
                bytes(255, 255, 255)
            };
            for (byte[] key : all) {
                db.put(key, key);
            }
            ReadOptions options = ReadOptions.defaults();
            assertEquals(6, keys(db, options.withPrefix(bytes(1))).size());
            assertEquals(3, keys(db, options.withPrefix(bytes(1, 255))).size());
            assertEquals(2, keys(db, options.withPrefix(bytes(2))).size());
            assertEquals(2, keys(db, options.withPrefix(bytes(255, 255))).size());
            assertEquals(0, keys(db, options.withPrefix(bytes(3))).size());
            assertEquals(all.length, keys(db, options.withPrefix(bytes())).size());
            assertEquals(
                    all.length,
                    keys(db, options.withPrefix(bytes(3)).withPrefix(null)).size());
            assertArrayEquals(bytes(2), options.withPrefix(bytes(1, 255)).upperBound());
            assertArrayEquals(bytes(1, 255), options.withPrefix(bytes(1, 255)).lowerBound());
            assertNull(options.withPrefix(bytes(255, 255)).upperBound());
        }
    }

    @Test
    void optionsKeepCopiesOfTheirBounds() {
        byte[] bound = bytes(1);
        ReadOptions options =
                ReadOptions.defaults().withLowerBound(bound).withPrefix(bound).withUpperBound(bound);
        bound[0] = 2;
        options.lowerBound()[0] = 3;
        options.upperBound()[0] = 4;
        assertArrayEquals(bytes(1), options.lowerBound());
        assertArrayEquals(bytes(1), options.upperBound());
        assertFalse(options.keysOnly());
        assertEquals(
                5,
                options.withExpectedPairs(5)
                        .withKeysOnly(true)
                        .withUpperBound(null)
                        .expectedPairs());
        assertTrue(options.withKeysOnly(true)
                .withExpectedPairs(5)
                .withLowerBound(null)
                .keysOnly());
    }

    /** Counts what is read of files. */
    private static final class CountingVfs extends ForwardingVfs {
        final AtomicLong bytesRead = new AtomicLong();

        CountingVfs(Vfs vfs) {
            super(vfs);
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            return new ForwardingVfsFile(super.open(file, mode)) {
                @Override
                public int read(ByteBuffer destination, long position) {
                    int bytes = super.read(destination, position);
                    bytesRead.addAndGet(bytes);
                    return bytes;
                }
            };
        }
    }

    /** Of 100 values of 64 KiB, a frame or two each, and no more. */
    @Test
    void aWalkOverKeysLeavesLongValuesWhereTheyAre() {
        CountingVfs vfs = new CountingVfs(new SimulatedVfs());
        int count = 100;
        int valueBytes = 64 << 10;
        byte[] longKey = new byte[5000];
        try (FlexDB db = StoreDriver.open(vfs, LARGE_VALUES)) {
            for (int i = 0; i < count; i++) {
                db.put(key(i), new byte[valueBytes + i]);
            }
            db.put(longKey, new byte[valueBytes]);
        }
        try (FlexDB db = StoreDriver.open(vfs, LARGE_VALUES.withCacheBytes(0));
                FlexCursor cursor = db.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            long before = vfs.bytesRead.get();
            cursor.seekToFirst();
            assertArrayEquals(longKey, cursor.key());
            assertEquals(valueBytes, cursor.valueLength());
            for (int i = 0; i < count; i++) {
                cursor.next();
                assertArrayEquals(key(i), cursor.key());
                assertEquals(valueBytes + i, cursor.valueLength());
                assertThrows(IllegalStateException.class, cursor::value);
                assertThrows(IllegalStateException.class, () -> cursor.value(ByteBuffer.allocate(valueBytes + 200)));
            }
            for (int i = count - 1; i > 50; i--) {
                assertArrayEquals(key(i), cursor.key());
                cursor.prev();
            }
            cursor.seekForPrev(key(30));
            assertArrayEquals(key(30), cursor.key());
            cursor.seek(ByteBuffer.wrap(key(31)));
            assertArrayEquals(key(31), cursor.key());
            long read = vfs.bytesRead.get() - before;
            assertTrue(read < (long) count * valueBytes / 2, "bytes read: " + read);
        }
    }

    /** From files that are mapped, so that directories tell what is behind the bound. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatLiesBelowAnUpperBoundIsFoundWhateverBytesKeysHave(long seed) {
        Random random = new Random(seed);
        List<byte[]> keys = Stream.generate(() -> oddKey(random)).limit(4000).toList();
        List<byte[]> bounds = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            byte[] bound = oddKey(random);
            bounds.add(bound);
            bounds.add(Arrays.copyOf(bound, bound.length + 1));
        }
        assertBounds(keys, bounds);
    }

    /** All keys of the interval begin alike, and where a bound that does not is, what follows in it does not tell. */
    @Test
    void boundsThatBeginUnlikeAllPairsAreBelowOrAboveThem() {
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> bounds = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            for (String beginning : List.of("the same", "the samd", "the samf", "the", "u", "")) {
                bounds.add((beginning + i).getBytes(StandardCharsets.UTF_8));
            }
            keys.add(("the same" + i).getBytes(StandardCharsets.UTF_8));
        }
        assertBounds(keys, bounds);
    }

    private void assertBounds(List<byte[]> keys, List<byte[]> bounds) {
        NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            for (byte[] key : keys) {
                model.put(key, key);
                db.put(key, key);
            }
        }
        int empty = 0;
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            for (byte[] key : model.keySet()) { // makes directories, with all that their pairs begin with
                try (FlexCursor cursor = db.cursor()) {
                    cursor.seek(key);
                    assertArrayEquals(key, cursor.key());
                }
            }
            for (byte[] from : bounds) {
                for (byte[] to : bounds) {
                    if (Arrays.compareUnsigned(from, to) >= 0) {
                        continue;
                    }
                    NavigableMap<byte[], byte[]> expected = model.subMap(from, true, to, false);
                    empty += expected.isEmpty() ? 1 : 0;
                    try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withUpperBound(to))) {
                        cursor.seek(from);
                        String at = Arrays.toString(from) + " to " + Arrays.toString(to);
                        assertEquals(!expected.isEmpty(), cursor.isValid(), at);
                        if (cursor.isValid()) {
                            assertArrayEquals(expected.firstKey(), cursor.key(), at);
                        }
                        cursor.seekForPrev(from); // goes on from wherever it is
                        assertArrayEquals(model.floorKey(from), cursor.isValid() ? cursor.key() : null, at);
                    }
                }
            }
        }
        assertTrue(empty > 100, empty + " were empty");
    }

    /** Of many lengths and few bytes, so that many begin alike. */
    private static byte[] oddKey(Random random) {
        byte[] bytes = {0, 'a', 'b', (byte) 0xFF};
        byte[] key = new byte[1 + random.nextInt(12)];
        for (int i = 0; i < key.length; i++) {
            key[i] = bytes[random.nextInt(4)];
        }
        return key;
    }
}
