package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.open.Store;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Compares what the cache tells of intervals with the pairs that these have: of stores without threads. A wrong window
 * shows no wrong pair in a walk from end to end; it leads lookups and commits astray, much later perhaps.
 */
final class CachedDirectories {
    private static final int MOST_BYTES = 1 << 20; // of an interval that is read here

    private CachedDirectories() {}

    /** Compares those of all intervals, and the keys of these with their bounds. */
    static void assertRight(FlexDB db, String at) {
        Store store = db.access.store();
        IntervalCursor interval = store.index.cursor();
        byte[] scratch = new byte[RecordFormat.MAX_KEY_BYTES];
        interval.first(store.index.current());
        do {
            IntervalCache cache = store.cache;
            long location = cache.contains(interval.contentNumber())
                    ? cache.find(interval.contentNumber(), interval.hint())
                    : -1;
            if (location >= 0 && interval.lengthBytes() <= MOST_BYTES) {
                int bytes = (int) interval.lengthBytes();
                ByteBuffer pairs = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
                store.engine.reads().read(store.engine.current(), interval.logicalOffset(), pairs, 0, bytes);
                assertRight(cache, interval, scratch, location, pairs.clear(), at);
            }
        } while (interval.next());
    }

    private static void assertRight(
            IntervalCache cache, IntervalCursor interval, byte[] anchor, long location, ByteBuffer pairs, String at) {
        ByteBuffer directory = cache.buffer(location);
        int base = cache.base(location);
        boolean outline = Directory.isOutline(directory, base);
        int skipped = Directory.skipped(directory, base);
        assertEquals(pairs.limit(), Directory.dataBytes(directory, base), at);
        int count = Directory.pairCount(directory, base);
        byte[] before = Arrays.copyOf(anchor, interval.anchor(anchor));
        int upperLength = interval.upperAnchor(anchor);
        byte[] first = null;
        int position = 0;
        for (int pair = 0; pair < count; pair++) {
            String which = at + ", pair " + pair + " of " + count + (outline ? " of an outline" : "");
            assertEquals(position, Directory.relativePosition(directory, base, pair), which);
            long header = RecordFormat.readHeader(pairs, position, pairs.limit());
            byte[] key = new byte[RecordFormat.keyLength(header)];
            pairs.get(position + RecordFormat.headerBytes(header), key);
            int order = Arrays.compareUnsigned(key, before);
            assertTrue(pair == 0 ? order >= 0 : order > 0, which + ": its key is below the one before it");
            first = pair == 0 ? key : first;
            assertEquals(cache.fingerprints.of(key, key.length), Directory.fingerprint(directory, base, pair), which);
            if (!outline) {
                assertTrue(key.length >= skipped && Arrays.equals(key, 0, skipped, first, 0, skipped), which);
                int window = Directory.window(key, 0, key.length, skipped);
                assertEquals(window, Directory.window(directory, base, pair), which);
                assertEquals(RecordFormat.checksum(pairs, position), Directory.checksum(directory, base, pair), which);
            }
            position += RecordFormat.recordBytes(header);
            before = key;
        }
        assertEquals(pairs.limit(), position, at);
        assertTrue(
                upperLength < 0 || Arrays.compareUnsigned(before, 0, before.length, anchor, 0, upperLength) < 0,
                at + ": the last key belongs to the next interval");
    }
}
