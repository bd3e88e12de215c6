package io.flexdb.internal.txn;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.base.KeyHeads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/** The keys and ranges that a transaction has read, each once, and no more than there is room for. For one thread. */
final class KeysRead {
    /*
     * Keys lie one behind the other in an array, and a hash table leads to them, so a key that is read again costs a
     * lookup and no memory. Ranges that meet are joined when as many have come as there were.
     *
     * When there is no more room, all keys and ranges become ranges, in order; of these the nearest neighbours become
     * one, until a quarter of the room is enough. Then there are more conflicts than necessary, and never fewer. The
     * first bytes in which two differ tell how near they are. From then on a key that one of these ranges has costs a
     * search and no memory, either.
     *
     * I1  The first ranges are in order and apart: those before sorted.
     * I2  Nothing is dropped before all that takes its place is there: if there is no memory for that, and the user
     *     goes on, all is still noted.
     */
    private static final int LEAST_MOST_BYTES = 256 << 10;
    private static final int MOST_MOST_BYTES = 4 << 20;
    private static final int SHARE_OF_HEAP = 64;
    private static final long USUAL_MOST_BYTES = Math.max(
            LEAST_MOST_BYTES, Math.min(MOST_MOST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
    private static final int FIRST_BYTES = 256;
    private static final int FIRST_SLOTS = 16;
    private static final int LENGTH_BYTES = 2;
    private static final int BYTES_OF_AN_ARRAY = 24; // and its reference
    private static final int UNSORTED = 64; // ranges, at least, before they are put in order
    private static final Comparator<byte[][]> BY_FROM = (a, b) -> compareFrom(a[0], b[0]);
    private static final byte[] NO_BYTES = {};
    private static final int[] NO_SLOTS = {};

    private final long maxBytes;
    private byte[] bytes = NO_BYTES; // of keys, each behind its length
    private int end;
    private int[] slots = NO_SLOTS; // where a key begins, and 1; 0 if there is none
    private int count;
    private ArrayList<byte[]> ranges = new ArrayList<>(0); // from and to in turn, both included; null for no end
    private int sorted; // I1
    private long rangeBytes;

    KeysRead() {
        this(USUAL_MOST_BYTES);
    }

    /** @param maxBytes of memory, about */
    KeysRead(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    void clear() {
        dropKeys();
        dropRanges();
    }

    private void dropKeys() {
        bytes = NO_BYTES;
        slots = NO_SLOTS;
        end = 0;
        count = 0;
    }

    private void dropRanges() {
        ranges = new ArrayList<>(0);
        sorted = 0;
        rangeBytes = 0;
    }

    /** Keys that stand by themselves. */
    int keys() {
        return count;
    }

    int ranges() {
        return ranges.size() / 2;
    }

    /** Bytes of memory, about. */
    long memoryBytes() {
        return bytes.length + 4L * slots.length + rangeBytes;
    }

    // ---- adding

    /** Adds a key, which is copied. */
    void add(byte[] key) {
        if (sorted > 0 && isInSortedRange(key, 0, key.length)) {
            return;
        }
        long hash = KeyHash.hash(key, 0, key.length);
        if (count > 0 && slots[slot(key, 0, key.length, hash)] != 0) {
            return;
        }
        int needed = end + LENGTH_BYTES + key.length;
        int newBytes =
                needed <= bytes.length ? bytes.length : Math.max(FIRST_BYTES, Math.max(needed, 2 * bytes.length));
        int newSlots = 2 * count < slots.length ? slots.length : Math.max(FIRST_SLOTS, 2 * slots.length);
        if (newBytes + 4L * newSlots + rangeBytes > maxBytes && count + ranges.size() > 0) {
            coarsen();
            byte[] copy = key.clone(); // the user may change his
            addRange(copy, copy);
            return;
        }
        bytes = newBytes == bytes.length ? bytes : Arrays.copyOf(bytes, newBytes);
        if (newSlots != slots.length) {
            slots = new int[newSlots];
            for (int at = 0; at < end; at += LENGTH_BYTES + length(at)) {
                putSlot(at);
            }
        }
        bytes[end] = (byte) key.length;
        bytes[end + 1] = (byte) (key.length >>> 8);
        System.arraycopy(key, 0, bytes, end + LENGTH_BYTES, key.length);
        putSlot(end);
        end = needed;
        count++;
    }

    private int length(int at) {
        return bytes[at] & 0xFF | (bytes[at + 1] & 0xFF) << 8;
    }

    private void putSlot(int at) {
        int from = at + LENGTH_BYTES;
        slots[slot(bytes, from, length(at), KeyHash.hash(bytes, from, length(at)))] = at + 1;
    }

    /** The slot of a key, or the one that it would have; there are some. */
    private int slot(byte[] key, int from, int length, long hash) {
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        while (slots[slot] != 0) {
            int at = slots[slot] - 1;
            int begin = at + LENGTH_BYTES;
            if (length(at) == length && Arrays.equals(bytes, begin, begin + length, key, from, from + length)) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** Adds a range, both ends included; null for none. */
    void addRange(byte[] from, byte[] to) {
        ranges.ensureCapacity(ranges.size() + 2); // or there might be no memory for the second end alone
        ranges.add(from);
        ranges.add(to);
        rangeBytes += bytesOf(from) + bytesOf(to);
        if (ranges() - sorted >= Math.max(UNSORTED, sorted)) {
            sort();
        }
        if (memoryBytes() > maxBytes) {
            coarsen();
        }
    }

    private static long bytesOf(byte[] key) {
        return key == null ? Integer.BYTES : key.length + BYTES_OF_AN_ARRAY;
    }

    // ---- order

    /** Puts the ranges in order, and joins those that meet. */
    void sort() {
        if (sorted < ranges()) {
            replaceRanges(joined(inOrder(ranges)));
        }
    }

    private static List<byte[][]> inOrder(List<byte[]> fromAndTo) {
        List<byte[][]> pairs = new ArrayList<>(fromAndTo.size() / 2);
        for (int i = 0; i < fromAndTo.size(); i += 2) {
            pairs.add(new byte[][] {fromAndTo.get(i), fromAndTo.get(i + 1)});
        }
        pairs.sort(BY_FROM);
        return pairs;
    }

    private static int compareFrom(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b); // null, where all begins, is below all
    }

    private static List<byte[][]> joined(List<byte[][]> inOrder) {
        List<byte[][]> apart = new ArrayList<>();
        byte[][] last = null;
        for (byte[][] range : inOrder) {
            boolean meets = last != null
                    && (last[1] == null || range[0] == null || Arrays.compareUnsigned(range[0], last[1]) <= 0);
            if (!meets) {
                last = range;
                apart.add(last);
            } else if (last[1] != null && (range[1] == null || Arrays.compareUnsigned(range[1], last[1]) > 0)) {
                last[1] = range[1];
            }
        }
        return apart;
    }

    private void replaceRanges(List<byte[][]> inOrder) {
        ArrayList<byte[]> others = new ArrayList<>(2 * inOrder.size());
        long bytesOfOthers = 0;
        for (byte[][] range : inOrder) {
            others.add(range[0]);
            others.add(range[1]);
            bytesOfOthers += bytesOf(range[0]) + bytesOf(range[1]);
        }
        ranges = others; // I2
        rangeBytes = bytesOfOthers;
        sorted = inOrder.size();
    }

    /** Makes ranges of all, until a quarter of the room is enough. */
    private void coarsen() {
        List<byte[]> all = new ArrayList<>(ranges);
        for (int at = 0; at < end; at += LENGTH_BYTES + length(at)) {
            byte[] key = Arrays.copyOfRange(bytes, at + LENGTH_BYTES, at + LENGTH_BYTES + length(at));
            all.add(key);
            all.add(key);
        }
        replaceRanges(joined(inOrder(all)));
        dropKeys(); // I2
        while (rangeBytes > maxBytes / 4 && sorted > 1) {
            int kept = (int) Math.min(sorted - 1L, Math.max(1, sorted * (maxBytes / 4) / rangeBytes));
            replaceRanges(withoutNearGaps(kept));
        }
    }

    /** So many ranges, with the widest gaps between them that there are. */
    private List<byte[][]> withoutNearGaps(int kept) {
        double[] gaps = new double[sorted - 1];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = gap(ranges.get(2 * i + 1), ranges.get(2 * i + 2));
        }
        double[] ascending = gaps.clone();
        Arrays.sort(ascending);
        double least = kept == 1 ? Double.POSITIVE_INFINITY : ascending[gaps.length - kept + 1];
        long equal = kept - 1; // so many of them stay, too, less those that are wider
        for (double gap : gaps) {
            equal -= gap > least ? 1 : 0;
        }
        List<byte[][]> fewer = new ArrayList<>(kept);
        byte[][] last = {ranges.get(0), ranges.get(1)};
        fewer.add(last);
        for (int i = 0; i < gaps.length; i++) {
            if (gaps[i] > least || gaps[i] == least && equal-- > 0) {
                last = new byte[][] {ranges.get(2 * i + 2), null};
                fewer.add(last);
            }
            last[1] = ranges.get(2 * i + 3);
        }
        return fewer;
    }

    /** How far a key is above another: the logarithm, to base 2, of the difference as binary fractions. */
    static double gap(byte[] below, byte[] above) {
        int common = Arrays.mismatch(below, above);
        double difference = fraction(above, common) - fraction(below, common);
        return Math.log(difference) / Math.log(2) - 8.0 * common;
    }

    /** The bytes from one on as a fraction, in the order of the keys. */
    private static double fraction(byte[] key, int from) {
        double sum = 0;
        double scale = 1;
        for (int i = from; i < Math.min(key.length, from + 6); i++) {
            scale /= 257; // a byte or none
            sum += scale * (1 + (key[i] & 0xFF)); // so that a key is above its beginnings
        }
        return sum;
    }

    // ---- looking

    /** Gives each key and range, both as ranges with both ends; null for no end. */
    void forEach(BiConsumer<byte[], byte[]> consumer) {
        for (int at = 0; at < end; at += LENGTH_BYTES + length(at)) {
            byte[] key = Arrays.copyOfRange(bytes, at + LENGTH_BYTES, at + LENGTH_BYTES + length(at));
            consumer.accept(key, key);
        }
        for (int i = 0; i < ranges.size(); i += 2) {
            byte[] from = ranges.get(i);
            consumer.accept(from == null ? KeyHeads.NO_HEAD : from, ranges.get(i + 1));
        }
    }

    byte[] from(int range) {
        return ranges.get(2 * range);
    }

    byte[] to(int range) {
        return ranges.get(2 * range + 1);
    }

    /** The array with the keys, one behind the other: {@link #next} leads from one to the next. */
    byte[] keyBytes() {
        return bytes;
    }

    /** The index of the key in an entry. */
    int keyAt(int at) {
        return at + LENGTH_BYTES;
    }

    int keyLength(int at) {
        return length(at);
    }

    /** The index of the next key's entry; {@link #keysEnd} if there is none. */
    int next(int at) {
        return at + LENGTH_BYTES + length(at);
    }

    int keysEnd() {
        return end;
    }

    /** Whether a key was read, or is in a range that was. After {@link #sort}. */
    boolean contains(byte[] key, int from, int length, long hash) {
        return count > 0 && slots[slot(key, from, length, hash)] != 0
                || sorted > 0 && isInSortedRange(key, from, length);
    }

    private boolean isInSortedRange(byte[] key, int from, int length) {
        int low = 0;
        int high = sorted - 1;
        while (low <= high) { // the last range that begins at the key or before
            int middle = low + high >>> 1;
            byte[] begin = ranges.get(2 * middle);
            if (begin == null || Arrays.compareUnsigned(begin, 0, begin.length, key, from, from + length) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        if (high < 0) {
            return false;
        }
        byte[] to = ranges.get(2 * high + 1);
        return to == null || Arrays.compareUnsigned(key, from, from + length, to, 0, to.length) <= 0;
    }

    /**
     * Whether something of a range was read. Looks at all keys.
     *
     * @param from null for the first key
     * @param to not included; null for no end
     */
    boolean touches(byte[] from, byte[] to) {
        for (int at = 0; at < end; at = next(at)) {
            int begin = keyAt(at);
            int behind = begin + length(at);
            if ((from == null || Arrays.compareUnsigned(bytes, begin, behind, from, 0, from.length) >= 0)
                    && (to == null || Arrays.compareUnsigned(bytes, begin, behind, to, 0, to.length) < 0)) {
                return true;
            }
        }
        for (int i = 0; i < ranges.size(); i += 2) {
            byte[] begin = ranges.get(i);
            byte[] last = ranges.get(i + 1);
            if ((last == null || from == null || Arrays.compareUnsigned(last, from) >= 0)
                    && (begin == null || to == null || Arrays.compareUnsigned(begin, to) < 0)) {
                return true;
            }
        }
        return false;
    }
}
