package io.flexdb.internal.commit;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.read.ReadContext;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** The content that an interval gets: its pairs merged with entries, in memory. For one thread. */
final class MergedContent {
    private static final int SMALL_BYTES = 256 << 10;
    private static final int MAX_STARTS_KEPT = 64 << 10;

    private final OffHeap memory;
    private final ByteBuffer smallMerged; // what merged is when nothing large has to fit
    private final int[] smallStarts = new int[1024];
    private ByteBuffer merged;
    private int mergedBytes;
    private int[] mergedStarts = smallStarts; // where each pair begins
    private int mergedPairs;

    /** Changes in place that the new content stands for: where in it, how many bytes go, how many come. */
    private final int[] inPlaceChanges = new int[3 * GatheredEntries.MAX_COUNT];

    private int changeCount;
    private ReadContext context; // with the image of what there was
    private final EntryKey key = new EntryKey();
    private final CRC32C crc = new CRC32C();

    MergedContent(OffHeap memory) {
        this.memory = memory;
        this.smallMerged = allocate(SMALL_BYTES);
        this.merged = smallMerged;
    }

    private ByteBuffer allocate(int bytes) {
        return memory.allocate(OffHeap.Use.COMMITS, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Lets go of what a large value needed. */
    void shrink() {
        merged = smallMerged;
        mergedBytes = 0;
        mergedPairs = 0;
        if (mergedStarts.length > MAX_STARTS_KEPT) {
            mergedStarts = smallStarts;
        }
    }

    ByteBuffer buffer() {
        return merged;
    }

    int bytes() {
        return mergedBytes;
    }

    int pairs() {
        return mergedPairs;
    }

    /** Where pairs begin, in an array that may be longer. */
    int[] starts() {
        return mergedStarts;
    }

    int start(int pair) {
        return mergedStarts[pair];
    }

    int end(int pair) {
        return pair + 1 < mergedPairs ? mergedStarts[pair + 1] : mergedBytes;
    }

    // ---- changes, in their order: what is before each of them is new already

    int changeCount() {
        return changeCount;
    }

    /** Where in the content it is. */
    int changeStart(int change) {
        return inPlaceChanges[3 * change];
    }

    int removedBytes(int change) {
        return inPlaceChanges[3 * change + 1];
    }

    int addedBytes(int change) {
        return inPlaceChanges[3 * change + 2];
    }

    // ---- merging

    /**
     * Merges pairs and entries into the new content, and notes the changes. Those are made later: to write to the space
     * may mean to wait for readers, of whom this is one.
     */
    void merge(ReadContext ofInterval, int oldPairs, GatheredEntries entries) {
        context = ofInterval;
        mergedBytes = 0;
        mergedPairs = 0;
        changeCount = 0;
        int nextPair = 0;
        for (int i = 0; i < entries.count(); i++) {
            MemTable table = entries.table(i);
            int ref = entries.ref(i);
            key.set(table, ref);
            int at = oldPairs == 0 ? 0 : firstPairFrom(nextPair, oldPairs);
            copyPairs(nextPair, at);
            boolean exists = at < oldPairs
                    && IntervalFormat.compare(key.bytes, 0, key.length, context.image, context.base, at) == 0;
            int removed = exists ? pairBytes(at, oldPairs) : 0;
            int recordStart = mergedBytes;
            boolean put = table.type(ref) == WritePayload.PUT;
            if (put) {
                appendEntry(table, ref);
            }
            if (put || exists) {
                int change = 3 * changeCount++;
                inPlaceChanges[change] = recordStart;
                inPlaceChanges[change + 1] = removed;
                inPlaceChanges[change + 2] = mergedBytes - recordStart;
            }
            nextPair = exists ? at + 1 : at;
        }
        copyPairs(nextPair, oldPairs);
    }

    /** The first pair not below the key; the search begins where the last one ended, as keys come in order. */
    private int firstPairFrom(int from, int pairs) {
        int low = from;
        int high = pairs;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (IntervalFormat.compare(key.bytes, 0, key.length, context.image, context.base, middle) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int pairBytes(int pair, int pairs) {
        assert pair < pairs;
        return IntervalFormat.relativePosition(context.image, context.base, pair + 1)
                - IntervalFormat.relativePosition(context.image, context.base, pair);
    }

    private void copyPairs(int from, int to) {
        if (from >= to) {
            return;
        }
        int start = IntervalFormat.relativePosition(context.image, context.base, from);
        int bytes = IntervalFormat.relativePosition(context.image, context.base, to) - start;
        roomInMerged(bytes, to - from);
        for (int pair = from; pair < to; pair++) {
            mergedStarts[mergedPairs++] =
                    mergedBytes + IntervalFormat.relativePosition(context.image, context.base, pair) - start;
        }
        int data = IntervalFormat.dataPosition(context.image, context.base);
        merged.put(mergedBytes, context.image, data + start, bytes);
        mergedBytes += bytes;
    }

    private void appendEntry(MemTable table, int ref) {
        int keyLength = table.keyLength(ref);
        int valueLength = table.valueLength(ref);
        roomInMerged(RecordFormat.recordBytes(keyLength, valueLength), 1);
        mergedStarts[mergedPairs++] = mergedBytes;
        ByteBuffer arena = table.buffer();
        mergedBytes = RecordFormat.write(
                merged,
                mergedBytes,
                arena,
                table.keyPosition(ref),
                keyLength,
                arena,
                table.valuePosition(ref),
                valueLength,
                crc);
    }

    private void roomInMerged(int bytes, int pairs) {
        if (merged.capacity() - mergedBytes < bytes) {
            long wanted = Math.max(2L * merged.capacity(), (long) mergedBytes + bytes);
            ByteBuffer larger = allocate((int) Math.min(Integer.MAX_VALUE - 8L, wanted));
            larger.put(0, merged, 0, mergedBytes);
            merged = larger;
        }
        if (mergedStarts.length - mergedPairs < pairs) {
            mergedStarts = Arrays.copyOf(mergedStarts, Math.max(2 * mergedStarts.length, mergedPairs + pairs));
        }
    }
}
