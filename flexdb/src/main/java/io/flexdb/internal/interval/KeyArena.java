package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The keys of a sparse index, off-heap and immutable, each named by an {@code int}. Allocation and retirement are
 * the writer's; any thread may read keys that a published version reaches.
 */
final class KeyArena {
    /*
     * A key lies in one chunk, behind a header word of birth(47) | shares(1) | length(16). Its name, the ref, counts
     * granules of eight bytes, which allows for 16 GiB. Blobs come in size classes, exact to eight bytes up to 128 and within an
     * eighth above; a freed blob joins the list of its class, linked through the blobs themselves. If the next blob
     * does not fit into the rest of a chunk, the rest is cut up for the lists, so only the rounding is lost. The first
     * chunk is shorter, so that an index of few keys takes little memory.
     *
     * Ref 0 is the empty key, which needs no blob.
     *
     * Long keys that begin alike, as paths and tuples do, share what they begin with: such a key has the ref of a prefix
     * and how much of it counts, and its own blob goes on from there. A prefix is a blob with a count of its keys in the
     * place of the birth, and goes with the last of them; nobody reaches it but by a key, so what protects the key
     * protects the prefix.
     */
    static final int MAX_KEY_BYTES = RecordFormat.MAX_KEY_BYTES;
    private static final int HEADER_BYTES = Long.BYTES;
    private static final int GRANULE_SHIFT = 3;
    private static final int CHUNK_BYTES = 256 * 1024;
    private static final int FIRST_CHUNK_BYTES = 16 * 1024;
    private static final int CHUNK_SHIFT = Integer.numberOfTrailingZeros(CHUNK_BYTES >>> GRANULE_SHIFT);
    private static final int SLOT_MASK = (1 << CHUNK_SHIFT) - 1;
    private static final int SMALL_BYTES = 128;
    private static final int SMALL_CLASSES = SMALL_BYTES >>> GRANULE_SHIFT;
    private static final int CLASSES = sizeClass(HEADER_BYTES + MAX_KEY_BYTES) + 1;
    private static final long SHARES = 1L << 16;
    private static final int BIRTH_SHIFT = 17;
    private static final int SHARED_HEADER_BYTES =
            2 * Integer.BYTES; // of a blob that goes on: ref and length of the prefix
    private static final int LEAST_SHARED_BYTES = 64;
    private static final int MIN_USED_OF_CHUNK = CHUNK_BYTES - classBytes(CLASSES - 1);

    private final Epochs epochs;
    private final OffHeap memory;
    private final RetiredQueue retired;
    private final int[] freeHeads = new int[CLASSES];
    private ByteBuffer[] chunks = new ByteBuffer[4];
    private int chunkCount;
    private int chunksInUse; // the others are for keys to come
    private int nextPosition; // in the last chunk in use
    private int longestBlob; // of a key, without its header
    private int lastPrefix; // that a key was given; 0 if there is none
    private long liveCount;
    private long liveBytes;

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

    /**
     * Keeps a copy of a key, born in the writer's epoch.
     *
     * @param neighbour a key of the arena that is likely to begin like it, or 0
     */
    int put(byte[] key, int from, int length, int neighbour) {
        if (length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key length must be at most " + MAX_KEY_BYTES + ": " + length);
        }
        if (length == 0) {
            return 0;
        }
        if (length >= 2 * LEAST_SHARED_BYTES) {
            int common = commonPrefix(key, from, length, neighbour);
            if (common >= LEAST_SHARED_BYTES) {
                int known = shares(neighbour) ? prefix(neighbour) : lastPrefix;
                return putSharing(key, from, length, known, common);
            }
            common = commonPrefix(key, from, length, lastPrefix);
            if (common >= LEAST_SHARED_BYTES) {
                return putSharing(key, from, length, lastPrefix, common);
            }
        }
        int ref = allocateKey(length, length, 0);
        chunk(ref).put(position(ref), key, from, length);
        return ref;
    }

    /** Shares a prefix that there is, if that has about as much of the key as could be shared, or else a new one. */
    private int putSharing(byte[] key, int from, int length, int known, int common) {
        int prefix = known;
        int shared = commonPrefix(key, from, common, known);
        if (common - shared >= LEAST_SHARED_BYTES) {
            shared = common;
            prefix = allocate(common);
            chunk(prefix).putLong(header(prefix), common); // no key has it yet
            chunk(prefix).put(position(prefix), key, from, common);
        }
        lastPrefix = prefix;
        int ref = allocateSharing(prefix, shared, length);
        chunk(ref).put(position(ref) + SHARED_HEADER_BYTES, key, from + shared, length - shared);
        return ref;
    }

    private int allocateSharing(int prefix, int shared, int length) {
        int ref = allocateKey(SHARED_HEADER_BYTES + length - shared, length, SHARES);
        chunk(ref).putInt(position(ref), prefix).putInt(position(ref) + Integer.BYTES, shared);
        countKeys(prefix, 1);
        return ref;
    }

    /** Keeps another copy of a key, born in the writer's epoch. */
    int copy(int ref) {
        if (ref == 0) {
            return 0;
        }
        int length = length(ref);
        if (shares(ref)) {
            int shared = prefixLength(ref);
            int copy = allocateSharing(prefix(ref), shared, length);
            int to = position(copy) + SHARED_HEADER_BYTES;
            chunk(copy).put(to, chunk(ref), position(ref) + SHARED_HEADER_BYTES, length - shared);
            return copy;
        }
        int copy = allocateKey(length, length, 0);
        chunk(copy).put(position(copy), chunk(ref), position(ref), length);
        return copy;
    }

    private int allocateKey(int blobBytes, int length, long shares) {
        longestBlob = Math.max(longestBlob, blobBytes);
        int ref = allocate(blobBytes);
        chunk(ref).putLong(header(ref), epochs.writerEpoch() << BIRTH_SHIFT | shares | length);
        liveCount++;
        return ref;
    }

    private int allocate(int bytes) {
        int sizeClass = sizeClass(HEADER_BYTES + bytes);
        int ref = freeHeads[sizeClass];
        if (ref != 0) {
            freeHeads[sizeClass] = chunk(ref).getInt(header(ref));
        } else {
            ref = carve(classBytes(sizeClass));
        }
        liveBytes += classBytes(sizeClass);
        return ref;
    }

    /** Has a prefix count more keys or fewer, and gives it back with the last one. */
    private void countKeys(int prefix, int more) {
        ByteBuffer chunk = chunk(prefix);
        long keys = (chunk.getLong(header(prefix)) >>> BIRTH_SHIFT) + more;
        int length = length(prefix);
        chunk.putLong(header(prefix), keys << BIRTH_SHIFT | length);
        if (keys == 0) {
            giveBack(prefix, length);
            lastPrefix = prefix == lastPrefix ? 0 : lastPrefix;
        }
    }

    private int carve(int bytes) {
        int end = chunkBytes(chunksInUse - 1);
        if (nextPosition + bytes > end) {
            while (end - nextPosition >= 2 * HEADER_BYTES) {
                int left = end - nextPosition;
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

    private static int chunkBytes(int chunk) {
        return chunk == 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
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
        if (blobBytes > chunkBytes(chunksInUse - 1) - nextPosition) {
            long chunksNeeded = (blobBytes + MIN_USED_OF_CHUNK - 1) / MIN_USED_OF_CHUNK;
            while (chunkCount - chunksInUse < chunksNeeded) {
                makeChunk();
            }
        }
    }

    /** The most bytes that a key takes. */
    static int blobBytes(int keyBytes) {
        return classBytes(sizeClass(HEADER_BYTES + keyBytes));
    }

    /** The most bytes that a copy of any key takes that was ever kept. */
    int longestBlobBytes() {
        return blobBytes(longestBlob);
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
        ByteBuffer chunk =
                memory.allocate(OffHeap.Use.INDEX, chunkBytes(chunkCount)).order(ByteOrder.LITTLE_ENDIAN);
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
        liveCount--;
        if (!shares(ref)) {
            giveBack(ref, length(ref));
            return;
        }
        int prefix = prefix(ref);
        giveBack(ref, SHARED_HEADER_BYTES + length(ref) - prefixLength(ref));
        countKeys(prefix, -1);
    }

    private void giveBack(int ref, int bytes) {
        int sizeClass = sizeClass(HEADER_BYTES + bytes);
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

    private ByteBuffer chunk(int ref) {
        return chunks[ref >>> CHUNK_SHIFT];
    }

    /** The position in its chunk of what a blob has behind its header. */
    private int position(int ref) {
        return header(ref) + HEADER_BYTES;
    }

    int length(int ref) {
        return chunk(ref).getShort(header(ref)) & 0xFFFF;
    }

    long birth(int ref) {
        return chunk(ref).getLong(header(ref)) >>> BIRTH_SHIFT;
    }

    // ---- keys that share a prefix

    private boolean shares(int ref) {
        return (chunk(ref).getInt(header(ref)) & SHARES) != 0;
    }

    private int prefix(int ref) {
        return chunk(ref).getInt(position(ref));
    }

    /** How much of its prefix counts; 0 for a key without one. */
    private int prefixLength(int ref) {
        return shares(ref) ? chunk(ref).getInt(position(ref) + Integer.BYTES) : 0;
    }

    private byte at(int ref, int index) {
        int shared = prefixLength(ref);
        if (index < shared) {
            int prefix = prefix(ref);
            return chunk(prefix).get(position(prefix) + index);
        }
        return chunk(ref).get(ownPosition(ref) + index - shared);
    }

    /** Where in its chunk a key has what is not its prefix's. */
    private int ownPosition(int ref) {
        return position(ref) + (shares(ref) ? SHARED_HEADER_BYTES : 0);
    }

    /** Compares a key with the beginning of one that shares its prefix, or with all of it. */
    private int compareSharing(byte[] key, int from, int length, int ref, int compared) {
        int shared = Math.min(prefixLength(ref), compared);
        int prefix = prefix(ref);
        int order = KeyBytes.compare(key, from, Math.min(length, shared), chunk(prefix), position(prefix), shared);
        if (order != 0 || length < shared) {
            return order;
        }
        return KeyBytes.compare(key, from + shared, length - shared, chunk(ref), ownPosition(ref), compared - shared);
    }

    // ---- all keys

    /** Compares a key of the caller's with one of the arena's. */
    int compare(byte[] key, int from, int length, int ref) {
        if (shares(ref)) {
            return compareSharing(key, from, length, ref, length(ref));
        }
        return KeyBytes.compare(key, from, length, chunk(ref), position(ref), length(ref));
    }

    /** Compares a key of the caller's with the first bytes of one of the arena's. */
    int comparePrefix(byte[] key, int from, int length, int ref, int prefixLength) {
        int compared = Math.min(length, prefixLength);
        if (shares(ref)) {
            return compareSharing(key, from, compared, ref, prefixLength);
        }
        return KeyBytes.compare(key, from, compared, chunk(ref), position(ref), prefixLength);
    }

    int compare(int a, int b) {
        int common = commonPrefix(a, b);
        return common < Math.min(length(a), length(b))
                ? (at(a, common) & 0xFF) - (at(b, common) & 0xFF)
                : length(a) - length(b);
    }

    /** How many bytes a key of the caller's and one of the arena's begin with in common. */
    int commonPrefix(byte[] key, int from, int length, int ref) {
        int shared = prefixLength(ref);
        if (shared > 0) {
            int prefix = prefix(ref);
            int common = KeyBytes.commonPrefix(key, from, length, chunk(prefix), position(prefix), shared);
            if (common < shared) {
                return common;
            }
        }
        return shared
                + KeyBytes.commonPrefix(
                        key, from + shared, length - shared, chunk(ref), ownPosition(ref), length(ref) - shared);
    }

    int commonPrefix(int a, int b) {
        if (!shares(a) && !shares(b)) {
            return KeyBytes.commonPrefix(chunk(a), position(a), length(a), chunk(b), position(b), length(b));
        }
        boolean same = shares(a) && shares(b) && prefix(a) == prefix(b);
        int common = same ? Math.min(prefixLength(a), prefixLength(b)) : 0;
        int most = Math.min(length(a), length(b));
        while (common < most && at(a, common) == at(b, common)) {
            common++;
        }
        return common;
    }

    /** The window of a key, see {@link KeyBytes#window}. */
    long window(int ref, int skipped) {
        int shared = prefixLength(ref);
        if (skipped >= shared) {
            return KeyBytes.window(chunk(ref), ownPosition(ref), length(ref) - shared, skipped - shared);
        }
        long window = 0;
        int end = Math.min(length(ref), skipped + Long.BYTES);
        for (int i = skipped; i < end; i++) {
            window |= (at(ref, i) & 0xFFL) << 8 * (Long.BYTES - 1 - i + skipped);
        }
        return window;
    }

    /** Copies a key to the start of an array that must have room for it, and returns its length. */
    int copyTo(int ref, byte[] destination) {
        int length = length(ref);
        int shared = prefixLength(ref);
        if (shared > 0) {
            int prefix = prefix(ref);
            chunk(prefix).get(position(prefix), destination, 0, shared);
        }
        chunk(ref).get(ownPosition(ref), destination, shared, length - shared);
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
        return FIRST_CHUNK_BYTES + (chunkCount - 1L) * CHUNK_BYTES;
    }
}
