package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.IndexChecker;
import io.flexdb.internal.interval.IndexDump;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.write.IndexSampler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is divided first, and what becomes of indexes that no store of ours would have saved. */
class RefinerTest {
    private static final int COUNT = 80_000; // more pairs than are divided at once
    private static final FlexDBOptions OPTIONS =
            FlexDBOptions.defaults().withMemtableBytes(4 << 20).withCacheBytes(64 << 20);
    private static final RealVfs VFS = new RealVfs();

    @TempDir
    private static Path original;

    @TempDir
    private Path directory;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int number) {
        byte[] value = new byte[150];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private static int recordBytes() {
        return RecordFormat.recordBytes(key(0).length, value(0).length);
    }

    @BeforeAll
    static void load() {
        try (FlexDB db = FlexDB.open(original, OPTIONS)) {
            for (int i = 0; i < COUNT; i++) {
                db.put(key(i), value(i));
            }
        }
    }

    /** A copy of the store, as if it had been killed when all was committed. */
    @BeforeEach
    void copy() throws IOException {
        try (var files = Files.walk(original)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path to = directory.resolve(original.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else if (!file.endsWith(StoreFiles.INTERVALS_NAME)) {
                    Files.copy(file, to);
                }
            }
        }
    }

    private static StoreSettings settings() {
        StoreSettings settings = new StoreSettings();
        settings.memtableBytes = OPTIONS.memtableBytes();
        settings.cacheBytes = OPTIONS.cacheBytes();
        return settings;
    }

    private Store open() {
        return StoreOpener.open(VFS, directory, settings(), new NoThreads());
    }

    private static boolean isCoarse(Store store, byte[] key) {
        Interval found = new Interval();
        store.index.find(store.versions.current().index(), key, 0, key.length, found);
        return found.isCoarse();
    }

    /** Makes an index the one that the next opening finds: the last interval ends where the space does. */
    private void save(SparseIndex index) throws IOException {
        Store closed = open();
        closed.close();
        DirectoriesFile.delete(VFS, directory);
        assertEquals((long) COUNT * recordBytes(), index.totalBytes());
        IntervalCache unused = new IntervalCache(new Epochs(), 0, new OffHeap());
        Intervals intervals = new Intervals(index, unused, null);
        IntervalsFile.write(VFS, directory.resolve(StoreFiles.INTERVALS_NAME), intervals, closed.engine);
    }

    private static SparseIndex indexOf(long[] bytes, int[] pairs, byte[]... anchors) {
        SparseIndex index = new SparseIndex(new Epochs(), new OffHeap());
        for (int i = 0; i < bytes.length; i++) {
            byte[] anchor = i == 0 ? new byte[0] : anchors[i - 1];
            index.appendInterval(anchor, 0, anchor.length, bytes[i], pairs[i], i + 1);
        }
        return index;
    }

    private static long bytesOf(int pairs) {
        return (long) pairs * recordBytes();
    }

    /** Reads all of it, from both ends. */
    private void assertSound() {
        try (FlexDB db = FlexDB.open(directory, OPTIONS);
                FlexCursor cursor = db.cursor()) {
            cursor.seekToFirst();
            for (int i = 0; i < COUNT; i++, cursor.next()) {
                assertArrayEquals(key(i), cursor.key());
                assertArrayEquals(value(i), cursor.value());
            }
            assertFalse(cursor.isValid());
            cursor.seekToLast();
            assertArrayEquals(key(COUNT - 1), cursor.key());
            for (int i = 0; i < COUNT; i += 97) {
                assertArrayEquals(value(i), db.get(key(i)));
            }
        }
    }

    @Test
    void whatAReaderMeetsIsDividedFirst() {
        try (Store store = open()) {
            StoreReader reader = store.reader();
            for (int number : new int[] {50_000, 7_000, COUNT - 1}) {
                assertTrue(isCoarse(store, key(number)));
                assertArrayEquals(value(number), reader.get(KeyHeads.RAW, key(number), null));
                store.refiner.refineHere(1, store.commits::publish);
                assertFalse(isCoarse(store, key(number)));
                assertArrayEquals(value(number), reader.get(KeyHeads.RAW, key(number), null));
            }
            assertTrue(isCoarse(store, key(0)));
            store.refiner.refineHere(1, store.commits::publish);
            assertFalse(isCoarse(store, key(0)), "then in order");
            assertTrue(isCoarse(store, key(30_000)));
            long before = store.intervals.coarseCount();
            try (MergeCursor cursor = store.reader().cursor(store.pinNewest(HolderKind.CURSOR), null, Scan.ALL)) {
                cursor.seek(key(30_000));
            }
            store.refiner.refineHere(1, store.commits::publish);
            assertEquals(before - 1, store.intervals.coarseCount());
            assertFalse(isCoarse(store, key(30_000)));
        }
    }

    /** The image of a coarse interval is found again until it is divided, and takes no room after that. */
    @Test
    void theImageOfACoarseIntervalIsCachedUntilItIsDivided() {
        try (Store store = open()) {
            StoreReader reader = store.reader();
            byte[] key = key(20_000);
            reader.get(KeyHeads.RAW, key, null);
            long misses = store.cache.misses();
            reader.get(KeyHeads.RAW, key, null);
            assertEquals(misses, store.cache.misses());
            long bytes = store.cache.entryBytes();
            store.refiner.refineHere(1, store.commits::publish);
            assertTrue(store.cache.entryBytes() < bytes, store.cache::toString);
            assertEquals(0, store.cache.entryCount());
            assertArrayEquals(value(20_000), reader.get(KeyHeads.RAW, key, null));
            int most = Directory.bytes(Interval.MAX_BYTES, Interval.MAX_PAIRS);
            assertTrue(most < bytes);
            assertTrue(store.cache.entryBytes() < most + 16, store.cache::toString); // as they are aligned
        }
    }

    /** One that was saved with other bounds, or is so large that only a part of it is divided at a time. */
    @ParameterizedTest
    @ValueSource(ints = {COUNT, Interval.UNKNOWN_PAIRS})
    void anIntervalOfTheWholeStoreIsDividedIntoAsMany(int pairs) throws IOException {
        save(indexOf(new long[] {bytesOf(COUNT)}, new int[] {pairs}));
        try (Store store = open()) {
            assertEquals(1, store.versions.current().index().intervalCount());
            assertEquals(1, store.intervals.coarseCount());
            store.refiner.refineHere(1, store.commits::publish);
            assertEquals(1, store.intervals.coarseCount(), "what is left of it");
            assertTrue(isCoarse(store, key(COUNT - 1)));
            assertFalse(isCoarse(store, key(0)));
            store.refineHere();
            assertEquals(0, store.intervals.coarseCount());
            double expected = (double) COUNT / Interval.MAX_PAIRS;
            assertEquals(expected, store.versions.current().index().intervalCount(), expected / 100);
            IndexChecker.check(store.index);
        }
        assertSound();
    }

    @Test
    void countedIntervalsThatAreNotTooLargeAreLeftAlone() throws IOException {
        int most = Interval.MAX_PAIRS;
        int rest = COUNT - (2 * most + 1);
        save(indexOf(
                new long[] {bytesOf(most), bytesOf(most + 1), bytesOf(rest)},
                new int[] {most, most + 1, rest},
                key(most),
                key(2 * most + 1)));
        try (Store store = open()) {
            assertEquals(2, store.intervals.coarseCount());
            long content = contentOf(store, key(0));
            store.refineHere();
            assertEquals(content, contentOf(store, key(0)));
            assertEquals(0, store.intervals.coarseCount());
        }
        assertSound();
    }

    private static long contentOf(Store store, byte[] key) {
        Interval found = new Interval();
        store.index.find(store.versions.current().index(), key, 0, key.length, found);
        return found.contentNumber();
    }

    /** Such an index is a lie; it is neither followed nor looked at for ever. */
    @Test
    void intervalsThatDoNotFitTheirAnchorsStayCoarse() throws IOException {
        int half = COUNT / 2;
        int unknown = Interval.UNKNOWN_PAIRS;
        // The first one holds keys above the second one's anchor.
        save(indexOf(new long[] {bytesOf(half), bytesOf(COUNT - half)}, new int[] {unknown, unknown}, key(100)));
        try (Store store = open()) {
            store.refineHere();
            assertEquals(1, store.intervals.coarseCount());
            assertTrue(isCoarse(store, key(0)));
            assertFalse(isCoarse(store, key(COUNT - 1)));
            IndexChecker.check(store.index);
        }
        // The second one begins below its anchor.
        save(indexOf(new long[] {bytesOf(half), bytesOf(COUNT - half)}, new int[] {unknown, unknown}, key(half + 100)));
        try (Store store = open()) {
            store.refineHere();
            assertEquals(1, store.intervals.coarseCount());
            assertFalse(isCoarse(store, key(0)));
            assertTrue(isCoarse(store, key(COUNT - 1)));
            IndexChecker.check(store.index);
        }
    }

    @Test
    void intervalsThatDoNotEndWithAPairStayCoarse() throws IOException {
        int half = COUNT / 2;
        int unknown = Interval.UNKNOWN_PAIRS;
        for (int cut : new int[] {1, 5, recordBytes() - 1}) {
            save(indexOf(
                    new long[] {bytesOf(half) + cut, bytesOf(COUNT - half) - cut},
                    new int[] {unknown, unknown},
                    key(half)));
            try (Store store = open()) {
                store.refineHere();
                assertTrue(isCoarse(store, key(half - 1)), "cut " + cut);
                assertTrue(store.intervals.coarseCount() >= 1);
                IndexChecker.check(store.index);
                assertTrue(store.health().isUsable());
            }
        }
    }

    @Test
    void threadsSampleWhatOneThreadDoes() {
        try (Store store = open()) {
            String[] dumps = new String[2];
            for (int i = 0; i < 2; i++) {
                SparseIndex index = new SparseIndex(new Epochs(), new OffHeap());
                Intervals into = new Intervals(index, store.cache, null);
                IndexSampler.sample(
                        store.engine,
                        into,
                        directory.resolve("space/data"),
                        i == 0 ? new NoThreads() : JvmResources.SHARED.threads);
                assertEquals(index.intervalCount(), into.coarseCount());
                IndexChecker.check(index);
                dumps[i] = IndexDump.of(index);
            }
            assertEquals(dumps[0], dumps[1]);
            assertTrue(bytesOf(COUNT) > 3 * (4 << 20), "more than two ranges");
            IntervalCursor cursor = store.index.cursor();
            cursor.first(store.versions.current().index());
            assertEquals(0, cursor.anchorLength());
        }
    }
}
