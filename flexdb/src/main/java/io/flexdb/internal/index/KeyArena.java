package io.flexdb.internal.index;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.keys.KeyBytes;
import io.flexdb.internal.keys.RecordFormat;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The full keys of a sparse index, off-heap and immutable, each named by an {@code int}. Allocation and retirement are
 * the writer's; any thread may read keys that a published version reaches.
 */
final class KeyArena {
    /*
     * A key lies in one chunk, behind a header word of birth(48) | length(16). Its name, the ref, counts granules of
     * eight bytes, which allows for 16 GiB. Blobs come in size classes, exact to eight bytes up to 128 and within an
     * eighth above; a freed blob joins the list of its class, linked through the blobs themselves. What a chunk has
     * left when the next blob does not fit is cut up for the lists, so nothing is lost but the rounding.
     *
     * Ref 0 is the empty key, which needs no blob.
     */
    static final int MAX_KEY_BYTES = RecordFormat.MAX_KEY_BYTES;
    private static final int HEADER_BYTES = Long.BYTES;
    private static final int GRANULE_SHIFT = 3;
    private static final int CHUNK_BYTES = 256 * 1024;
    private static final int CHUNK_SHIFT = Integer.numberOfTrailingZeros(CHUNK_BYTES >>> GRANULE_SHIFT);
    private static final int SLOT_MASK = (1 << CHUNK_SHIFT) - 1;
    private static final int SMALL_BYTES = 128;
    private static final int SMALL_CLASSES = SMALL_BYTES >>> GRANULE_SHIFT;
    private static final int CLASSES = sizeClass(HEADER_BYTES + MAX_KEY_BYTES) + 1;
    private static final int MIN_USED_OF_CHUNK = CHUNK_BYTES - classBytes(CLASSES - 1);

    private final Epochs epochs;
    private final OffHeap memory;
    private final RetiredQueue retired;
    private final int[] freeHeads = new int[CLASSES];
    private ByteBuffer[] chunks = new ByteBuffer[4];
    private int chunkCount;
    private int chunksInUse; // the others are for keys to come
    private int nextPosition; // in the last chunk in use
    private int longestKey;
    private long liveCount;
    private long liveBytes;

    KeyArena(Epochs epochs) {
        this(epochs, new OffHeap());
    }

    KeyArena(Epochs epochs, OffHeap memory) {
        this.epochs = epochs;
        this.memory = memory;
        this.retired = new RetiredQueue(epochs, ref -> free((int) ref));
        addChunk();
        nextPosition = HEADER_BYTES; // the first granule is a header of zeros: ref 0 has no bytes
    }

    static int sizeClass(int blobBytes) {
        if (blobBytes <= SMALL_BYTES) {
            return (blobBytes - 1) >>> GRANULE_SHIFT;
        }
        int exponent = 31 - Integer.numberOfLeadingZeros(blobBytes - 1);
        int eighth = ((blobBytes - 1) >>> (exponent - 3)) & 7;
        return SMALL_CLASSES + (exponent - 7) * 8 + eighth;
    }

    static int classBytes(int sizeClass) {
        if (sizeClass < SMALL_CLASSES) {
            return (sizeClass + 1) << GRANULE_SHIFT;
        }
        int exponent = 7 + (sizeClass - SMALL_CLASSES) / 8;
        int eighth = (sizeClass - SMALL_CLASSES) % 8;
        return (8 + eighth + 1) << (exponent - 3);
    }

    /** Keeps a copy of a key, born in the writer's epoch. */
    int put(byte[] key, int from, int length) {
        if (length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key length must be at most " + MAX_KEY_BYTES + ": " + length);
        }
        if (length == 0) {
            return 0;
        }
        int ref = allocate(length);
        chunk(ref).put(position(ref), key, from, length);
        return ref;
    }

    /** Keeps another copy of a key, born in the writer's epoch. */
    int copy(int ref) {
        if (ref == 0) {
            return 0;
        }
        int length = length(ref);
        int copy = allocate(length);
        chunk(copy).put(position(copy), chunk(ref), position(ref), length);
        return copy;
    }

    private int allocate(int length) {
        longestKey = Math.max(longestKey, length);
        int sizeClass = sizeClass(HEADER_BYTES + length);
        int ref = freeHeads[sizeClass];
        if (ref != 0) {
            freeHeads[sizeClass] = chunk(ref).getInt(header(ref));
        } else {
            ref = carve(classBytes(sizeClass));
        }
        chunk(ref).putLong(header(ref), epochs.writerEpoch() << 16 | length);
        liveCount++;
        liveBytes += classBytes(sizeClass);
        return ref;
    }

    private int carve(int bytes) {
        if (nextPosition + bytes > CHUNK_BYTES) {
            while (CHUNK_BYTES - nextPosition >= 2 * HEADER_BYTES) {
                int left = CHUNK_BYTES - nextPosition;
                int sizeClass = Math.min(sizeClass(left), CLASSES - 1);
                sizeClass = classBytes(sizeClass) > left ? sizeClass - 1 : sizeClass;
                push(refAt(nextPosition), sizeClass);
                nextPosition += classBytes(sizeClass);
            }
            addChunk();
        }
        int ref = refAt(nextPosition);
        nextPosition += bytes;
        return ref;
    }

    private int refAt(int positionInLastChunk) {
        return (chunksInUse - 1) << CHUNK_SHIFT | positionInLastChunk >>> GRANULE_SHIFT;
    }

    /**
     * Sees that keys can be kept without more memory.
     *
     * @param blobBytes of all of them, as {@link #blobBytes} says
     * @throws OutOfMemoryError if there is no memory for them; the arena is as it was, or a little larger
     */
    void ensure(long blobBytes) {
        if (blobBytes > CHUNK_BYTES - nextPosition) {
            long chunksNeeded = (blobBytes + MIN_USED_OF_CHUNK - 1) / MIN_USED_OF_CHUNK;
            while (chunkCount - chunksInUse < chunksNeeded) {
                makeChunk();
            }
        }
    }

    /** What a key takes at most. */
    static int blobBytes(int keyBytes) {
        return classBytes(sizeClass(HEADER_BYTES + keyBytes));
    }

    /** Bytes of the longest key that has ever been kept. */
    int longestKey() {
        return longestKey;
    }

    private void addChunk() {
        if (chunksInUse == chunkCount) {
            makeChunk();
        }
        chunksInUse++;
        nextPosition = 0;
    }

    private void makeChunk() {
        if (chunkCount > Integer.MAX_VALUE >>> CHUNK_SHIFT) {
            throw new IllegalStateException("the arena holds as many keys as an int can name");
        }
        ByteBuffer chunk = memory.allocate(OffHeap.Use.INDEX, CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (chunkCount == chunks.length) {
            ByteBuffer[] larger = Arrays.copyOf(chunks, 2 * chunkCount);
            larger[chunkCount] = chunk;
            // For readers of earlier versions, whom no volatile write tells of the new table. Be theirs the old one or
            // the new one, it holds every chunk of the version they read.
            VarHandle.releaseFence();
            chunks = larger;
        } else {
            chunks[chunkCount] = chunk;
        }
        chunkCount++;
    }

    private void push(int ref, int sizeClass) {
        chunk(ref).putInt(header(ref), freeHeads[sizeClass]);
        freeHeads[sizeClass] = ref;
    }

    private void free(int ref) {
        int sizeClass = sizeClass(HEADER_BYTES + length(ref));
        liveCount--;
        liveBytes -= classBytes(sizeClass);
        push(ref, sizeClass);
    }

    /** Gives a key back once no version that has it can be read. */
    void retire(int ref) {
        if (ref != 0) {
            retired.retire(ref, birth(ref));
        }
    }

    int reclaim() {
        return retired.reclaim();
    }

    private static int header(int ref) {
        return (ref & SLOT_MASK) << GRANULE_SHIFT;
    }

    /** The buffer that holds a key. */
    ByteBuffer chunk(int ref) {
        return chunks[ref >>> CHUNK_SHIFT];
    }

    /** The position of a key's first byte in its buffer. */
    int position(int ref) {
        return header(ref) + HEADER_BYTES;
    }

    int length(int ref) {
        return chunk(ref).getShort(header(ref)) & 0xFFFF;
    }

    long birth(int ref) {
        return chunk(ref).getLong(header(ref)) >>> 16;
    }

    /** Compares a key of the caller's with one of the arena's. */
    int compare(byte[] key, int from, int length, int ref) {
        return KeyBytes.compare(key, from, length, chunk(ref), position(ref), length(ref));
    }

    /** Compares a key of the caller's with the first bytes of one of the arena's. */
    int comparePrefix(byte[] key, int from, int length, int ref, int prefixLength) {
        int compared = Math.min(length, prefixLength);
        return KeyBytes.compare(key, from, compared, chunk(ref), position(ref), prefixLength);
    }

    int compare(int a, int b) {
        return KeyBytes.compare(chunk(a), position(a), length(a), chunk(b), position(b), length(b));
    }

    int commonPrefix(int a, int b) {
        return KeyBytes.commonPrefix(chunk(a), position(a), length(a), chunk(b), position(b), length(b));
    }

    long window(int ref, int skipped) {
        return KeyBytes.window(chunk(ref), position(ref), length(ref), skipped);
    }

    /** Copies a key to the start of an array that must have room for it, and returns its length. */
    int copyTo(int ref, byte[] destination) {
        int length = length(ref);
        chunk(ref).get(position(ref), destination, 0, length);
        return length;
    }

    byte[] toBytes(int ref) {
        byte[] bytes = new byte[length(ref)];
        copyTo(ref, bytes);
        return bytes;
    }

    /** Keys kept and not freed, those retired included. */
    long liveCount() {
        return liveCount;
    }

    int retiredCount() {
        return retired.size();
    }

    /** Bytes of the keys not yet freed, their headers and rounding included. */
    long liveBytes() {
        return liveBytes;
    }

    long memoryBytes() {
        return (long) chunkCount * CHUNK_BYTES;
    }
}
