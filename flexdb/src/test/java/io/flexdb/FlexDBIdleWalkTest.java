package io.flexdb;

import static io.flexdb.FlexDBDefragmentTest.DATA;
import static io.flexdb.FlexDBDefragmentTest.PAIRS;
import static io.flexdb.FlexDBDefragmentTest.key;
import static io.flexdb.FlexDBDefragmentTest.scattered;
import static io.flexdb.FlexDBDefragmentTest.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.open.ReaderLease;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.write.WalkByHand;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that rests puts itself in order: what ends its rest, what is in the way of that, and what it leaves alone.
 * All in one thread.
 */
class FlexDBIdleWalkTest {
    private static final int REST = 10; // seconds without use
    private static final long LONG_BYTES = 4 << 10; // of pairs that stay where they are
    private static final byte[] LONG_KEY = key(PAIRS);

    private static WalkByHand walk(StoreDriver store) {
        return new WalkByHand(store.db.access.store());
    }

    /** A walk in its middle. */
    private static WalkByHand begun(StoreDriver store) {
        WalkByHand walk = walk(store);
        assertEquals(0, walk.seconds(REST), "in use until a moment ago");
        assertEquals(2, walk.seconds(2));
        assertTrue(fragmented(store.db) > 0, "it is not over");
        return walk;
    }

    private static int fragmented(FlexDB db) {
        return fragmented(db, 0, Long.MAX_VALUE);
    }

    /** Intervals in many pieces, of those that begin between two places and are not of long pairs, or too large. */
    private static int fragmented(FlexDB db, long from, long to) {
        Store store = db.access.store();
        IntervalCursor interval = store.index.cursor();
        interval.first(store.index.current());
        int count = 0;
        do {
            boolean isThere = interval.logicalOffset() >= from && interval.logicalOffset() < to;
            boolean isLeft = interval.lengthBytes() >= LONG_BYTES * interval.pairCount() || interval.isCoarse();
            count += isThere && !isLeft && interval.isFragmented(pieces(store, interval)) ? 1 : 0;
        } while (interval.next());
        return count;
    }

    private static int pieces(Store store, IntervalCursor interval) {
        ExtentCursor extents = new ExtentCursor();
        extents.reset(store.engine.current());
        long to = interval.logicalOffset() + interval.lengthBytes();
        int pieces = 0;
        long end = -1;
        for (boolean found = extents.seek(interval.logicalOffset());
                found && extents.logicalOffset() < to;
                found = extents.next()) {
            pieces += extents.address() == end ? 0 : 1;
            end = extents.address() + extents.length();
        }
        return pieces;
    }

    /** Lets a walk come to its end, and no other begin. */
    private static void assertEnds(WalkByHand walk, StoreDriver store) {
        walk.rest();
        assertEquals(0, fragmented(store.db), "intervals in pieces");
        assertEquals(0, walk.seconds(100), "it is over");
        store.assertSame("whole");
        assertEquals(0, walk.seconds(100), "it is over, though somebody has read");
    }

    // ---- interruptions

    @Test
    void itComesToItsEndAndDoesNotBeginAgain() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        assertEnds(begun(store), store);
        long written = store.db.stats().written().dataBytes();
        store.reopen("closed");
        WalkByHand again = walk(store);
        again.rest();
        assertEquals(0, again.bytesWritten(), "all is whole");
        assertEquals(0, again.seconds(100));
        assertTrue(written > 0);
        store.db.close();
    }

    @Test
    void aReadEndsTheRest() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        for (int i = 0; i < 3; i++) {
            store.get(key(i), "read");
            assertEquals(0, walk.seconds(REST), "read " + i);
        }
        assertTrue(walk.second());
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void aWriteEndsTheRestAndTheWalkGoesOnWhereItWas() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        long front = store.db.access.store().engine.size() / 10;
        assertEquals(0, fragmented(store.db, 0, front), "the walk is behind that");
        for (int i = 0; i < PAIRS / 10; i += 2) {
            store.put(key(i), value(i, 7));
        }
        store.flush();
        int before = fragmented(store.db, 0, front);
        int behind = fragmented(store.db, front, Long.MAX_VALUE);
        assertTrue(before > 0, "pieces where it has been");
        assertEquals(0, walk.seconds(REST), "written to");
        assertTrue(walk.second());
        assertEquals(before, fragmented(store.db, 0, front), "it begins anew");
        assertTrue(fragmented(store.db, front, Long.MAX_VALUE) < behind, "it goes on");
        assertEnds(walk, store);
        store.db.close();
    }

    private enum Holder {
        SNAPSHOT,
        CURSOR,
        TRANSACTION,
        VALUE;

        void hold(StoreDriver store, Consumer<Object> meanwhile) {
            switch (this) {
                case SNAPSHOT -> {
                    try (Snapshot held = store.db.snapshot()) {
                        meanwhile.accept(held);
                    }
                }
                case CURSOR -> {
                    try (FlexCursor held = store.db.cursor()) {
                        held.seekToFirst();
                        meanwhile.accept(held);
                    }
                }
                case TRANSACTION -> {
                    try (Transaction held = store.db.begin()) {
                        meanwhile.accept(held);
                    }
                }
                default -> {
                    try (ValueReader held = store.db.openValue(LONG_KEY)) {
                        meanwhile.accept(held);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void itWaitsForWhoeverHoldsAVersion(Holder kind) {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.put(LONG_KEY, new byte[50_000]);
        store.reopen("with a long value");
        WalkByHand walk = begun(store);
        kind.hold(store, held -> assertEquals(0, walk.seconds(100), () -> "beside " + held));
        assertTrue(walk.second(), "it has rested meanwhile");
        assertEnds(walk, store);
        store.db.close();
    }

    /** The pins of these rest, to be opened again. */
    @Test
    void cursorsAndLookupsThatAreOverAreNotWaitedFor() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        StoreDriver.all(store.db);
        store.db.multiGet(List.of(key(1), key(2)));
        assertEnds(begun(store), store);
        store.db.close();
    }

    @Test
    void whatWasForgottenOpenIsWaitedForUntilItIsCollected() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        store.db.snapshot();
        Waiting.collectWhile(() -> !walk.second());
        assertEnds(walk, store);
        store.db.close();
    }

    /** The cleanup behind what was lost needs some memory. */
    @Test
    void onAFullHeapItWaitsUntilItCanLookWhoIsInTheWay() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        int[] refused = {0};
        store.db.access.store().pinNewest(HolderKind.TRANSACTION).whenLost(() -> {
            refused[0]++;
            throw new OutOfMemoryError("of the test");
        });
        Waiting.collectWhile(() -> {
            assertFalse(walk.second());
            return refused[0] == 0;
        });
        assertTrue(walk.second());
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void aCloseEndsItAndTheNextLifeBeginsAnother() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        begun(store);
        int left = fragmented(store.db);
        store.reopen("closed in the middle");
        assertEquals(left, fragmented(store.db), "what was whole is so still");
        assertEnds(begun(store), store);
        store.db.close();
    }

    @Test
    void aCutInItsMiddleLosesNothing() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = walk(store);
        assertEquals(0, walk.seconds(REST));
        int[] points = {0};
        store.setHook(FlexDBCrashTest.eachButMostAppends(1, () -> {
            String at = "point " + ++points[0];
            SimulatedVfs files = store.vfs.copy();
            FlexDBCrashTest.checkRecovered(store, files.crash(0), at + ", nothing survived", false);
            FlexDBCrashTest.checkRecovered(store, files.crash(1 + points[0]), at + ", some survived", true);
            FlexDBCrashTest.checkRecovered(store, files.kill(), at + ", killed", false);
        }));
        for (int slice = 0; walk.second(); slice++) {
            if (slice % 3 == 2) {
                walk.collect();
            }
        }
        store.setHook((kind, path) -> {});
        assertTrue(points[0] >= 5, points[0] + " points only");
        store.kill("killed at the end");
        store.db.close();
    }

    @Test
    void onAFullDiskItWaitsAndGoesOnWhereThereIsRoom() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        store.put(key(1), value(1, 3)); // which makes a log
        long bytes = 0;
        for (Path file : store.vfs.files()) {
            bytes += store.vfs.content(file).length;
        }
        store.vfs.setCapacity(bytes);
        assertThrows(StoreFullException.class, () -> {
            for (int i = PAIRS; true; i++) {
                store.db.put(key(i), value(i, 0));
            }
        });
        int left = fragmented(store.db);
        int tries = walk.seconds(6 * REST);
        assertTrue(left > 0 && tries >= 5 && tries <= 6, tries + " tries in a minute, " + left + " intervals are left");
        assertEquals(left, fragmented(store.db));
        assertTrue(store.db.health().isUsable());
        store.vfs.setCapacity(Long.MAX_VALUE);
        walk.rest();
        assertEquals(0, fragmented(store.db));
        assertEquals(0, walk.seconds(100));
        for (int i = 0; i < PAIRS; i++) {
            store.get(key(i), "whole");
        }
        assertTrue(store.db.check().isSound());
        store.db.close();
    }

    @Test
    void whereMemoryIsRefusedItWaitsAndGoesOn() {
        StoreDriver store = scattered(StoreDriver.SMALL.withCacheBytes(0));
        WalkByHand walk = begun(store);
        int[] refused = {0};
        store.setHook((kind, path) -> {
            if (kind == HookedVfs.Kind.READ && path.equals(DATA)) {
                refused[0]++;
                throw new OutOfMemoryError("of the test");
            }
        });
        int left = fragmented(store.db);
        assertEquals(3, walk.seconds(3 * REST), "tries");
        assertEquals(3, refused[0]);
        assertEquals(left, fragmented(store.db));
        store.setHook((kind, path) -> {});
        assertEnds(walk, store);
        store.db.close();
    }

    // ---- what stays as it is

    @Test
    void largeValuesStayWhereTheyAreAndItEnds() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        for (int i = 0; i < PAIRS; i += 20) {
            store.put(key(i), new byte[6000 + i]);
        }
        store.reopen("with large values");
        WalkByHand walk = begun(store);
        walk.rest();
        assertEquals(0, walk.seconds(100));
        store.reopen("closed");
        walk = walk(store);
        walk.rest();
        assertEquals(0, walk.bytesWritten(), "all is as it can be");
        assertEquals(0, walk.seconds(100));
        store.put(key(1), value(1, 3));
        store.flush();
        assertEquals(0, walk.seconds(100), "a change is not worth a walk");
        store.db.close();
    }

    @Test
    void anIntervalThatCannotBeReadIsPassed() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        byte[] file = store.vfs.content(DATA);
        assertTrue(
                FlexDBDefragmentTest.damage(file, key(2000), store.oracle.now().get(key(2000))) > 0);
        store.vfs.setContent(DATA, file);
        store.open();
        WalkByHand walk = begun(store);
        walk.rest();
        int left = fragmented(store.db);
        assertTrue(left >= 1 && left <= 4, left + " intervals that have something of the damaged frames");
        assertEquals(0, walk.seconds(100));
        assertThrows(CorruptionException.class, () -> store.db.get(key(2000)));
        assertArrayEquals(store.oracle.now().get(key(1)), store.db.get(key(1)));
        assertEquals(0, walk.seconds(100));
        store.db.close();
    }

    @Test
    void whatACrashHasLeftTooLargeIsPassedUntilItIsDivided() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.kill("killed");
        long coarse = store.db.stats().index().coarseIntervals();
        assertTrue(coarse > 0, coarse + " intervals are too large");
        WalkByHand walk = walk(store);
        assertTrue(walk.rest() > 0, "it passes them");
        assertEquals(0, walk.seconds(100), "it ends");
        assertEquals(coarse, store.db.stats().index().coarseIntervals());
        store.db.refine();
        assertTrue(fragmented(store.db) > 0);
        assertTrue(walk.second(), "one more");
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void whatCannotBeDividedIsPassedForGood() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.vfs = store.vfs.kill();
        byte[] file = store.vfs.content(DATA);
        assertTrue(
                FlexDBDefragmentTest.damage(file, key(2000), store.oracle.now().get(key(2000))) > 0);
        store.vfs.setContent(DATA, file);
        store.open();
        store.db.refine();
        assertEquals(1, store.db.stats().index().coarseIntervals());
        WalkByHand walk = begun(store);
        walk.rest();
        assertEquals(0, walk.seconds(100));
        assertEquals(1, store.db.stats().index().coarseIntervals());
        for (int i = 0; i < PAIRS / 4; i += 5) { // so that another one is worth it
            store.put(key(i), value(i, 7));
        }
        store.flush();
        assertTrue(walk.rest() > 0);
        assertEquals(0, walk.seconds(100));
        store.db.close();
    }

    // ---- the cache

    /** The cache's entries of intervals, by their anchors. */
    private static Map<String, String> cached(FlexDB db) {
        Store store = db.access.store();
        IntervalCache cache = store.cache;
        IntervalCursor interval = store.index.cursor();
        interval.first(store.index.current());
        Map<String, String> cached = new HashMap<>();
        byte[] anchor = new byte[100];
        do {
            long content = interval.contentNumber();
            String kind = cache.containsDirectory(content) ? "directory" : cache.contains(content) ? "outline" : "none";
            cached.put(new String(anchor, 0, interval.anchor(anchor), StandardCharsets.US_ASCII), kind);
        } while (interval.next());
        return cached;
    }

    /** Else what is read would make room for what is not, and be cold. */
    @Test
    void theCacheStaysAsItIs() {
        StoreDriver store = scattered(StoreDriver.SMALL.withCacheBytes(192 << 10));
        IntervalCache cache = store.db.access.store().cache;
        for (int i = 0; i < PAIRS; i++) {
            store.get(key(i), "so that there is something of most");
        }
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < PAIRS / 10; i++) {
                store.get(key(i), "what is read");
            }
        }
        assertTrue(cache.isFull());
        Map<String, String> before = cached(store.db);
        assertTrue(before.containsValue("directory") && before.containsValue("outline"), before.values()::toString);
        walk(store).rest();
        assertEquals(0, fragmented(store.db));
        assertEquals(before, cached(store.db));
        long misses = cache.misses();
        for (int i = 0; i < PAIRS / 10; i++) {
            store.get(key(i), "what was read");
        }
        assertEquals(misses, cache.misses());
        store.assertSame("behind the walk");
        store.db.close();
    }

    /** A directory says where each pair is, so that nobody has to look for it in the FlexTree. */
    @Test
    void directoriesLeadToTheNewPlaces() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        for (int i = 0; i < PAIRS; i++) {
            store.get(key(i), "all of it");
        }
        walk(store).rest();
        assertEquals(0, fragmented(store.db));
        Store opened = store.db.access.store();
        IntervalCursor interval = opened.index.cursor();
        interval.first(opened.index.current());
        int right = 0;
        do {
            long location = opened.cache.find(interval.contentNumber(), 0);
            assertTrue(location >= 0, () -> "nothing of " + interval);
            right += placesThatAreRight(opened, interval, opened.cache.buffer(location), opened.cache.base(location));
        } while (interval.next());
        assertTrue(right > PAIRS * 9 / 10, right + " of " + PAIRS);
        store.db.close();
    }

    private static int placesThatAreRight(Store store, IntervalCursor interval, ByteBuffer directory, int base) {
        return places(store, interval, directory, base, (known, actual) -> known == actual);
    }

    private static int placesThatAreWrong(Store store, IntervalCursor interval, ByteBuffer directory, int base) {
        return places(
                store, interval, directory, base, (known, actual) -> known != actual && known != Directory.UNKNOWN);
    }

    private interface Counted {
        boolean test(long known, long actual);
    }

    private static int places(Store store, IntervalCursor interval, ByteBuffer directory, int base, Counted counted) {
        ExtentCursor extents = new ExtentCursor();
        extents.reset(store.engine.current());
        int count = 0;
        for (int pair = 0; pair < interval.pairCount(); pair++) {
            long at = interval.logicalOffset() + Directory.relativePosition(directory, base, pair);
            extents.seek(at);
            long address = extents.address() + at - extents.logicalOffset();
            count += counted.test(Directory.address(directory, base, pair), address) ? 1 : 0;
        }
        return count;
    }

    /** Nobody has asked for most of them when the walk moves their pairs. */
    @Test
    void directoriesOfTheLastCloseLeadToNoOldPlaces() {
        StoreDriver store = scattered(StoreDriver.SMALL.withCacheBytes(64 << 20));
        for (int i = 0; i < PAIRS / 3; i++) {
            store.get(key(i), "some are asked for before");
        }
        assertTrue(fragmented(store.db) > 0);
        walk(store).rest();
        assertEquals(0, fragmented(store.db));
        assertNoOldPlaces(store, "behind the walk");
        store.reopen("closed behind the walk");
        assertNoOldPlaces(store, "in the next life");
        store.db.close();
    }

    private static void assertNoOldPlaces(StoreDriver store, String at) {
        Store opened = store.db.access.store();
        IntervalCursor interval = opened.index.cursor();
        byte[] anchor = new byte[100];
        int directories = 0;
        for (interval.first(opened.index.current()); interval.isValid(); interval.next()) {
            store.db.get(Arrays.copyOf(anchor, Math.max(1, interval.anchor(anchor)))); // which restores what was saved
            long location = opened.cache.find(interval.contentNumber(), 0);
            if (location >= 0 && !opened.cache.isOutline(location)) {
                directories++;
                int wrong = placesThatAreWrong(
                        opened, interval, opened.cache.buffer(location), opened.cache.base(location));
                assertEquals(0, wrong, () -> "old places " + at + " in " + interval);
            }
        }
        assertTrue(directories > 10, directories + " directories " + at);
    }

    // ---- other uses

    @Test
    void itWaitsForACheck() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        int[] told = {0};
        assertTrue(store.db
                .check((bytes, ofBytes) -> {
                    told[0]++;
                    assertEquals(0, walk.seconds(2 * REST), "beside a check");
                })
                .isSound());
        assertTrue(told[0] > 0);
        assertTrue(walk.second());
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void itWaitsForACheckpoint() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        int[] told = {0};
        Path copy = Path.of("/copy");
        store.db.checkpoint(copy, (bytes, ofBytes) -> {
            told[0]++;
            assertEquals(0, walk.seconds(2 * REST), "beside a copy");
        });
        assertTrue(told[0] > 0);
        assertTrue(walk.second());
        assertEnds(walk, store);
        store.db.close();
        try (FlexDB copied = FlexDB.open(store.vfs, copy, store.options, true)) {
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(copied), "the copy");
        }
    }

    @Test
    void itWaitsForABackup() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        int[] told = {0};
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, Path.of("/backups"))) {
            long id = backups.create(store.db, (bytes, ofBytes) -> {
                        told[0]++;
                        assertEquals(0, walk.seconds(2 * REST), "beside a backup");
                    })
                    .id();
            assertTrue(told[0] > 0);
            assertTrue(walk.second());
            assertEnds(walk, store);
            assertEquals(List.of(), backups.verify(id));
        }
        store.db.close();
    }

    @Test
    void itWaitsForAnExport() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        Path file = Path.of("/elsewhere/pairs");
        store.vfs.createDirectories(file.getParent());
        WalkByHand walk = begun(store);
        int[] written = {0};
        store.setHook((kind, path) -> {
            if (path.startsWith(file.getParent()) && kind == HookedVfs.Kind.WRITE) {
                written[0]++;
                assertEquals(0, walk.seconds(2 * REST), "beside an export");
            }
        });
        assertEquals(PAIRS, store.db.exportTo(file));
        store.setHook((kind, path) -> {});
        assertTrue(written[0] > 0);
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void itWaitsForReadersOfTheFilesThatHaveAskedForTime() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = begun(store);
        try (ReaderLease lease = new ReaderLease(store.vfs, StoreDriver.DIRECTORY, System::currentTimeMillis)) {
            lease.renew(lease.now());
            assertEquals(0, walk.seconds(100), "beside a lease");
        }
        assertTrue(walk.second());
        assertEnds(walk, store);
        store.db.close();
    }

    @Test
    void readersOfTheFilesReadOnBesideIt() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        WalkByHand walk = walk(store);
        try (FlexDBReader reader = FlexDB.openReadOnly(store.vfs, StoreDriver.DIRECTORY, store.options, true)) {
            TreeMap<byte[], byte[]> expected = store.oracle.now();
            for (int slice = 0; slice < 60; slice++) { // it may have to wait
                walk.second();
                byte[] key = key(slice * 101 % PAIRS);
                assertArrayEquals(expected.get(key), reader.get(key), "slice " + slice);
                if (slice % 4 == 0) {
                    assertEquals(store.oracle.sequence(), reader.refresh());
                }
            }
            try (FlexCursor cursor = reader.cursor()) {
                StoreOracle.assertSame(expected, StoreDriver.all(cursor), "followed");
            }
        }
        assertEnds(walk, store);
        store.db.close();
    }
}
