package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.DiskReads;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two ways to read the data file, of real files. */
class FlexDBReadsTest {
    private static final int FRAME = 512;
    private static final FlexDBOptions SMALL = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20)
            .withSpace(FlexSpaceOptions.defaults().withSegments(64 * FRAME, FRAME));

    @TempDir
    private Path root;

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "key%06d", i).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int i, int length) {
        byte[] value = new byte[length];
        new Random(i).nextBytes(value);
        return value;
    }

    private Reads possible(Reads wanted) {
        return new RealVfs().mapsSafely(root) ? wanted : Reads.POSITIONAL;
    }

    // ---- what is prefetched

    /** Counts what the kernel is told of pairs in the data file. */
    private static final class CountingVfs extends ForwardingVfs {
        final AtomicInteger prefetches = new AtomicInteger();
        final AtomicLong frameBytes = new AtomicLong(); // of those that are of whole frames

        CountingVfs() {
            super(new RealVfs());
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            return new ForwardingVfsFile(super.open(file, mode)) {
                @Override
                public void prefetch(long position, long bytes) {
                    boolean frames = position % FRAME == 0 && bytes % FRAME == 0; // as reads of the file have them
                    prefetches.addAndGet(path().endsWith("data") && !frames ? 1 : 0);
                    frameBytes.addAndGet(path().endsWith("data") && frames ? bytes : 0);
                    super.prefetch(position, bytes);
                }
            };
        }
    }

    private static FlexDBOptions withNanoClock(LongSupplier clock) {
        StoreSettings settings = SMALL.withCacheBytes(16 << 20).settings().copy();
        settings.nanoClock = clock;
        settings.diskReads = () -> DiskReads.UNKNOWN; // so the clock alone tells
        return FlexDBOptions.of(settings);
    }

    /** Where reads take as long as those of a disk, short walks say at once what they will need. */
    @Test
    void shortWalksPrefetchWhatTheyWouldWaitForAndNothingElse() {
        AtomicLong nanos = new AtomicLong();
        AtomicLong nanosOfARead = new AtomicLong();
        CountingVfs vfs = new CountingVfs();
        FlexDBOptions options = withNanoClock(() -> nanos.addAndGet(nanosOfARead.get()));
        int count = 5003;
        try (FlexDB db = FlexDB.open(vfs, root, options, true, JvmMemory.ofThisProcess(), ByteBuffer::allocateDirect)) {
            for (int i = 0; i < count; i++) {
                int number = i * 1999 % count;
                db.put(key(number), value(number, 100));
            }
        }
        try (FlexDB db = FlexDB.open(vfs, root, options, true, JvmMemory.ofThisProcess(), ByteBuffer::allocateDirect)) {
            walk(db, 0, count); // makes the directories
            if (db.stats().reads() != Reads.MAPPED) {
                return; // which tells by itself what a read of the file needs
            }
            int before = vfs.prefetches.get();
            walks(db, count);
            assertEquals(before, vfs.prefetches.get(), "prefetches of what is in memory");
            nanosOfARead.set(1_000_000);
            walks(db, count);
            int slow = vfs.prefetches.get() - before;
            assertTrue(slow > 100, slow + " prefetches");
            nanosOfARead.set(0);
            walks(db, count);
            before = vfs.prefetches.get();
            walks(db, count);
            assertEquals(before, vfs.prefetches.get(), "prefetches when reads are fast again");
        }
    }

    /** Without directories a walk reads whole intervals: from a slow disk those that it expects to need, at once. */
    @Test
    void aWalkOverOutlinesPrefetchesTheIntervalsThatItExpectsToNeed() {
        AtomicLong nanos = new AtomicLong();
        CountingVfs vfs = new CountingVfs();
        StoreSettings settings =
                withNanoClock(() -> nanos.addAndGet(1_000_000)).settings().copy();
        settings.cacheBytes = 0;
        FlexDBOptions options = FlexDBOptions.of(settings);
        int count = 5003;
        try (FlexDB db = FlexDB.open(vfs, root, options, true, JvmMemory.ofThisProcess(), ByteBuffer::allocateDirect)) {
            for (int i = 0; i < count; i++) {
                int number = i * 1999 % count;
                db.put(key(number), value(number, 100));
            }
            db.flush();
            walks(db, count); // by now waits are expected
            long[] bytes = new long[2];
            for (int expected : new int[] {1, 150}) {
                long before = vfs.frameBytes.get();
                for (int from = 7; from + 200 < count; from += 301) {
                    try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withExpectedPairs(expected))) {
                        cursor.seek(key(from));
                        assertArrayEquals(key(from), cursor.key());
                    }
                }
                bytes[expected == 1 ? 0 : 1] = vfs.frameBytes.get() - before;
            }
            assertTrue(bytes[0] > 0 && bytes[1] > 2 * bytes[0], Arrays.toString(bytes));
        }
    }

    private static void walks(FlexDB db, int count) {
        for (int from = 7; from + 20 < count; from += 101) {
            walk(db, from, 20);
        }
    }

    private static void walk(FlexDB db, int from, int pairs) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(from));
            for (int i = from; i < from + pairs; i++) {
                assertArrayEquals(key(i), cursor.key());
                assertArrayEquals(value(i, 100), cursor.value());
                cursor.next();
            }
        }
        try (FlexCursor cursor = db.cursor()) {
            cursor.seekForPrev(key(from + pairs - 1));
            for (int i = from + pairs - 1; i >= from; i--) {
                assertArrayEquals(key(i), cursor.key());
                cursor.prev();
            }
        }
    }

    // ---- what is read

    @ParameterizedTest
    @EnumSource
    void aStoreIsWhatTheSameWritesMakeOfASortedMap(Reads reads) {
        for (long seed = 0; seed < Effort.times(1); seed++) {
            for (long cacheBytes : new long[] {0, 64 << 10, 4 << 20}) {
                String at = reads + ", seed " + seed + ", cache " + cacheBytes;
                FlexDBOptions options = SMALL.withReads(reads).withCacheBytes(cacheBytes);
                runHistory(root.resolve("store" + seed + "-" + cacheBytes), options, new Random(seed), at);
            }
        }
    }

    private static void runHistory(Path directory, FlexDBOptions options, Random random, String at) {
        TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        for (int life = 0; life < 3; life++) {
            try (FlexDB db = FlexDB.open(directory, options)) {
                for (int step = 0; step < 1000; step++) {
                    byte[] key = key(random.nextInt(2000));
                    switch (random.nextInt(20)) {
                        case 0, 1 -> {
                            db.delete(key);
                            model.remove(key);
                        }
                        case 2, 3, 4, 5 -> assertArrayEquals(model.get(key), db.get(key), at);
                        case 6 -> checkAround(db, model, key, at);
                        case 7 -> {
                            if (random.nextInt(100) == 0) {
                                byte[] to = key(random.nextInt(2000));
                                if (Arrays.compareUnsigned(key, to) < 0) {
                                    db.deleteRange(key, to);
                                    model.subMap(key, to).clear();
                                }
                            }
                        }
                        default -> {
                            int length = random.nextInt(random.nextInt(50) == 0 ? 20_000 : 200);
                            byte[] value = value(step, length);
                            db.put(key, value);
                            model.put(key, value);
                        }
                    }
                }
                checkAll(db, model, at);
            }
        }
    }

    private static void checkAround(FlexDB db, TreeMap<byte[], byte[]> model, byte[] from, String at) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(from);
            int left = 20;
            for (Map.Entry<byte[], byte[]> entry : model.tailMap(from).entrySet()) {
                if (left-- == 0) {
                    return;
                }
                assertArrayEquals(entry.getKey(), cursor.key(), at);
                assertArrayEquals(entry.getValue(), cursor.value(), at);
                cursor.next();
            }
            assertFalse(cursor.isValid(), at);
        }
    }

    private static void checkAll(FlexDB db, TreeMap<byte[], byte[]> model, String at) {
        for (int i = 0; i < 2000; i++) {
            assertArrayEquals(model.get(key(i)), db.get(key(i)), at + ", key " + i);
        }
        try (FlexCursor cursor = db.cursor()) {
            cursor.seekToFirst();
            for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
                assertArrayEquals(entry.getKey(), cursor.key(), at);
                assertArrayEquals(entry.getValue(), cursor.value(), at);
                cursor.next();
            }
            assertFalse(cursor.isValid(), at);
        }
    }

    // ---- what it takes

    @ParameterizedTest
    @EnumSource
    void statsAndOptionsSayHowTheFileIsRead(Reads reads) {
        FlexDBOptions options = SMALL.withReads(reads);
        assertEquals(reads, options.reads());
        assertTrue(options.toString().contains("reads=" + reads), options::toString);
        try (FlexDB db = FlexDB.open(root.resolve("store"), options)) {
            assertEquals(reads, db.options().reads());
            assertEquals(possible(reads), db.stats().reads());
        }
        assertEquals(Reads.MAPPED, FlexDBOptions.defaults().reads());
        assertThrows(NullPointerException.class, () -> options.withReads(null));
    }

    @Test
    void aFileSystemThatMapsNothingIsReadAtPositions() {
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, SMALL, true)) {
            assertEquals(Reads.MAPPED, db.options().reads());
            assertEquals(Reads.POSITIONAL, db.stats().reads());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theCacheStaysWithinItsBudgetAndMakesRoomForWhatIsPinned(Reads reads) {
        long budget = 4 << 20;
        FlexDBOptions options = FlexDBOptions.defaults()
                .withMemtableBytes(1 << 20)
                .withCacheBytes(budget)
                .withReads(reads);
        int keys = 60_000;
        try (FlexDB db = FlexDB.open(root.resolve("store"), options)) {
            for (int i = 0; i < keys; i++) {
                db.put(key(i), value(i, 100));
            }
            db.sync();
            readAll(db, keys);
            FlexDBMemory memory = db.stats().memory();
            assertTrue(memory.cacheBytes() <= budget, memory::toString);
            assertTrue(memory.cacheBytes() > 0, memory::toString);
            assertEquals(db.stats().cache().memoryBytes(), memory.cacheBytes(), memory::toString);
            if (possible(reads) == Reads.POSITIONAL) {
                assertTrue(memory.cacheBytes() > budget / 2, "frames have the greater part: " + memory);
            }
        }
        try (FlexDB db = FlexDB.open(root.resolve("store"), options)) {
            long logs = db.stats().memory().mappedBytes();
            readAll(db, keys);
            long mapped = db.stats().memory().mappedBytes() - logs;
            assertEquals(possible(reads) == Reads.MAPPED, mapped > 0, "bytes mapped: " + mapped);
            long before = db.stats().cache().memoryBytes();
            try (Snapshot pinning = db.snapshot()) {
                for (int i = 0; mapped == 0 && db.stats().cache().memoryBytes() > before / 2; i++) {
                    db.put(key(i % keys), value(i, 100));
                    assertTrue(i < 10 * keys, () -> db.stats().toString());
                }
                assertArrayEquals(value(7, 100), pinning.get(key(7)));
            }
        }
    }

    private static void readAll(FlexDB db, int keys) {
        for (int i = 0; i < keys; i++) {
            assertArrayEquals(value(i, 100), db.get(key(i)));
        }
    }

    // ---- damage

    /** A closed store of some pairs, each in the data file. */
    private Path storeOf(int keys) {
        Path directory = root.resolve("damaged");
        try (FlexDB db = FlexDB.open(directory, SMALL)) {
            for (int i = 0; i < keys; i++) {
                db.put(key(i), value(i, 300));
            }
        }
        return directory;
    }

    /** Where a pair is in the file; -1 if it is there more than once, because it was moved. */
    private static int positionOf(byte[] data, byte[] key, byte[] value) {
        int found = -1;
        byte[] pair = new byte[key.length + value.length];
        System.arraycopy(key, 0, pair, 0, key.length);
        System.arraycopy(value, 0, pair, key.length, value.length);
        for (int at = 0; at <= data.length - pair.length; at++) {
            if (Arrays.equals(data, at, at + pair.length, pair, 0, pair.length)) {
                if (found >= 0) {
                    return -1;
                }
                found = at - 7; // a checksum, and lengths of one and two bytes
            }
        }
        assertTrue(found >= 0, "the pair is not in the file");
        return found;
    }

    private static int pairBytes(int i) {
        return 7 + key(i).length + 300;
    }

    /** A frame is the unit that a segment's checksums are of. */
    private static long frameOf(long position) {
        return position / FRAME * FRAME;
    }

    @ParameterizedTest
    @EnumSource
    void aFlippedBitOfAPairIsDamageInItsFrame(Reads reads) throws IOException {
        int keys = 2000;
        Path directory = storeOf(keys);
        Path data = directory.resolve("space/data");
        byte[] sound = Files.readAllBytes(data);
        Random random = new Random(7);
        for (int round = 0; round < Effort.times(12); round++) {
            int i = random.nextInt(keys);
            int pair = positionOf(sound, key(i), value(i, 300));
            if (pair < 0) {
                continue;
            }
            int at = pair + random.nextInt(pairBytes(i));
            byte[] damaged = sound.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(data, damaged);
            String when = reads + ", pair " + i + ", bit at " + at;
            try (FlexDB db = FlexDB.open(directory, SMALL.withReads(reads))) {
                byte[] key = key(i);
                for (int turn = 0; turn < 2; turn++) {
                    CorruptionException found = assertThrows(CorruptionException.class, () -> db.get(key), when);
                    assertEquals(data.toRealPath(), found.file().toRealPath(), when);
                    assertEquals(frameOf(at), found.position(), when);
                }
                assertArrayEquals(value((i + 1000) % keys, 300), db.get(key((i + 1000) % keys)), when);
            }
            Files.write(data, sound);
        }
        try (FlexDB db = FlexDB.open(directory, SMALL.withReads(reads))) {
            for (int i = 0; i < keys; i++) {
                assertArrayEquals(value(i, 300), db.get(key(i)));
            }
        }
    }

    /** The same where the interval's directory was there before the damage, and only the pair is read. */
    @ParameterizedTest
    @EnumSource
    void aBitThatFlipsInAnOpenStoreIsDamageOrNotSeen(Reads reads) throws IOException {
        int keys = 2000;
        Path directory = storeOf(keys);
        Path data = directory.resolve("space/data");
        byte[] sound = Files.readAllBytes(data);
        int pairs = 0;
        int damages = 0;
        try (FlexDB db = FlexDB.open(directory, SMALL.withReads(reads))) {
            for (int i = 0; i < keys; i++) {
                assertArrayEquals(value(i, 300), db.get(key(i)));
            }
            for (int i = 3; i < keys; i += 100) {
                int at = positionOf(sound, key(i), value(i, 300)) + 50;
                if (at < 50) {
                    continue;
                }
                pairs++;
                flip(data, at);
                try {
                    assertArrayEquals(value(i, 300), db.get(key(i)));
                } catch (CorruptionException e) {
                    assertEquals(frameOf(at), e.position());
                    damages++;
                }
                flip(data, at);
                assertArrayEquals(value(i, 300), db.get(key(i)), "whole again");
            }
        }
        assertTrue(possible(reads) == Reads.POSITIONAL || damages == pairs, damages + " of " + pairs);
        assertTrue(pairs > 10, pairs + " pairs");
    }

    private static void flip(Path file, long at) throws IOException {
        try (var channel = java.nio.channels.FileChannel.open(
                file, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 4)).flip();
            channel.write(one, at);
        }
    }

    /** A pair's checksum is against accidents: who can write the file can write that, too, but not so easily all. */
    @ParameterizedTest
    @EnumSource
    void aPairChangedTogetherWithItsChecksumIsFoundByTheScrub(Reads reads) throws IOException {
        int keys = 2000;
        Path directory = storeOf(keys);
        Path data = directory.resolve("space/data");
        byte[] bytes = Files.readAllBytes(data);
        int i = 1234;
        while (positionOf(bytes, key(i), value(i, 300)) < 0) {
            i++;
        }
        int at = positionOf(bytes, key(i), value(i, 300));
        bytes[at + 100] ^= 1;
        CRC32C crc = new CRC32C();
        crc.update(bytes, at + 4, pairBytes(i) - 4);
        for (int b = 0; b < 4; b++) {
            bytes[at + b] = (byte) (crc.getValue() >>> 8 * b);
        }
        Files.write(data, bytes);
        assertScrubFinds(directory, reads);
    }

    /** What an earlier life of a segment has left, as a disk that has dropped a write would. */
    @ParameterizedTest
    @EnumSource
    void aFrameOfAnEarlierLifeIsFoundByTheScrub(Reads reads) throws IOException {
        int keys = 2000;
        Path directory = storeOf(keys);
        Path data = directory.resolve("space/data");
        byte[] stale = Files.readAllBytes(data);
        for (int life = 1; life <= 3; life++) {
            try (FlexDB db = FlexDB.open(directory, SMALL)) {
                for (int i = 0; i < keys; i++) {
                    db.put(key(i), value(i + life * keys, 300));
                }
            }
        }
        byte[] now = Files.readAllBytes(data);
        for (int at = 4096; at + FRAME <= Math.min(stale.length, now.length); at += 3 * FRAME) {
            System.arraycopy(stale, at, now, at, FRAME);
        }
        Files.write(data, now);
        assertScrubFinds(directory, reads);
    }

    /** A store that was written three times, of pairs of one length, so that those of all lives begin at the same places. */
    private final class ThreeLives {
        private static final int KEYS = 20_000;

        private final Path directory = root.resolve("stale");
        private final FlexDBOptions options = FlexDBOptions.defaults().withMemtableBytes(1 << 20);
        private final byte[] first;

        ThreeLives() throws IOException {
            byte[] stale = {};
            for (int life = 0; life < 3; life++) {
                try (FlexDB db = FlexDB.open(directory, options)) {
                    for (int i = 0; i < KEYS; i++) {
                        db.put(key(i), value(i + life, 127));
                    }
                }
                stale = life == 0 ? Files.readAllBytes(data()) : stale;
            }
            first = stale;
        }

        private Path data() {
            return directory.resolve("space/data");
        }

        /** Puts some frames of the first life in the place of those of the last one. */
        void mix() throws IOException {
            try (RandomAccessFile file = new RandomAccessFile(data().toFile(), "rw")) {
                for (int at = 4096; at + 4096 < Math.min(first.length, file.length()) - (64 << 10); at += 5 * 4096) {
                    if ((at & (4 << 20) - 1) != 0) { // not the footer of a segment
                        file.seek(at);
                        file.write(first, at, 4096);
                    }
                }
            }
        }

        /** Gets each pair, and returns how often a frame's damage was told. */
        int lookUp(FlexDB db) {
            int damages = 0;
            for (int i = 0; i < KEYS; i++) {
                try {
                    assertArrayEquals(value(i + 2, 127), db.get(key(i)), "key " + i);
                } catch (CorruptionException e) {
                    damages++;
                }
            }
            return damages;
        }

        /** Walks from each twentieth key, and returns how often a frame's damage was told. */
        int scan(FlexDB db) {
            int damages = 0;
            for (int i = 0; i < KEYS; i += 20) {
                try (FlexCursor cursor = db.cursor()) {
                    cursor.seek(key(i));
                    for (int n = i; n < i + 20; n++, cursor.next()) {
                        assertArrayEquals(key(n), cursor.key());
                        assertArrayEquals(value(n + 2, 127), cursor.value(), "key " + n);
                    }
                } catch (CorruptionException e) {
                    damages++;
                }
            }
            return damages;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFrameOfAnEarlierLifeIsDamageToALookup(Reads reads) throws IOException {
        ThreeLives store = new ThreeLives();
        assertTellsDamage(store, reads, store::lookUp);
    }

    @ParameterizedTest
    @EnumSource
    void aFrameOfAnEarlierLifeIsDamageToAScan(Reads reads) throws IOException {
        ThreeLives store = new ThreeLives();
        assertTellsDamage(store, reads, store::scan);
    }

    private static void assertTellsDamage(ThreeLives store, Reads reads, ToIntFunction<FlexDB> use) throws IOException {
        store.mix();
        int damages = 0;
        try (FlexDB db = FlexDB.open(store.directory, store.options.withReads(reads))) {
            damages = use.applyAsInt(db);
        } catch (CorruptionException e) {
            assertTrue(e.file().endsWith("space/data"), e::toString); // the opening has met it
            damages++;
        }
        assertTrue(damages > 0, "no frame was in use");
    }

    /** As a disk does that has dropped a write which the page cache still had, when all directories are right. */
    @Test
    void aFrameOfAnEarlierLifeThatComesWhileAStoreIsReadIsDamage() throws IOException {
        ThreeLives store = new ThreeLives();
        try (FlexDB db = FlexDB.open(store.directory, store.options)) {
            assertEquals(0, store.lookUp(db));
            store.mix();
            assertTrue(store.lookUp(db) > 0, "no frame was in use");
            assertTrue(store.scan(db) > 0, "no frame was in use");
        }
    }

    private static void assertScrubFinds(Path directory, Reads reads) {
        FlexDBOptions options = SMALL.withReads(reads).withSpace(SMALL.space().withScrubBytesPerSecond(1 << 30));
        try (FlexDB db = FlexDB.open(directory, options)) {
            Waiting.whileTrue(() -> db.stats().scrub().passes() == 0);
            assertTrue(db.stats().scrub().findings() > 0, () -> db.stats().toString());
        } catch (CorruptionException e) {
            assertTrue(e.file().endsWith("space/data"), e::toString); // the opening has met it
        }
    }
}
