package io.flexdb.internal.memtable;

import io.flexdb.internal.keys.KeyBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.LongStream;

/** The ranges of keys that writes into a memtable have deleted. Immutable. */
public final class DeletedRanges {
    /*
     * All ends of ranges, in order, divide the keys into fragments. A fragment has the numbers of the ranges that cover
     * it, the highest first, so a key's are found by one search, however the ranges overlap. What comes before the
     * first fragment is covered by none.
     *
     * Of one write the highest number is enough: its entries become visible together, so nobody reads what is between.
     * So the fragments of a write are made by laying one range over the others in order, and a write of many ranges
     * costs no more than their number.
     *
     * I1  Bounds ascend strictly; a fragment ends where the next one begins, and the last has no end.
     * I2  The numbers of a fragment descend strictly.
     */
    private static final long[] NONE = {};

    private final byte[][] bounds; // where each fragment begins
    private final long[][] numbers; // of each fragment

    private DeletedRanges(List<byte[]> bounds, List<long[]> numbers) {
        this.bounds = bounds.toArray(new byte[0][]);
        this.numbers = numbers.toArray(new long[0][]);
    }

    /**
     * Several together.
     *
     * @param through of each, the highest number that counts
     * @param divide whether somebody may go back to where the first of two numbers counts and the second, higher one
     *     does not; else the first need not stay
     * @return null if there is no range
     */
    public static DeletedRanges join(List<DeletedRanges> all, List<Long> through, BiPredicate<Long, Long> divide) {
        TreeSet<byte[]> starts = new TreeSet<>(Arrays::compareUnsigned);
        all.forEach(ranges -> starts.addAll(Arrays.asList(ranges.bounds)));
        List<byte[]> bounds = new ArrayList<>();
        List<long[]> numbers = new ArrayList<>();
        long[] before = NONE;
        for (byte[] start : starts) {
            List<Long> found = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                int fragment = all.get(i).find(start, 0, start.length);
                long most = through.get(i);
                if (fragment >= 0) {
                    LongStream.of(all.get(i).numbers[fragment])
                            .filter(number -> number <= most)
                            .forEach(found::add);
                }
            }
            long[] ofFragment = wanted(found, divide);
            if (!Arrays.equals(ofFragment, before)) { // else it is as the fragment before it
                bounds.add(start);
                numbers.add(ofFragment);
                before = ofFragment;
            }
        }
        return bounds.isEmpty() ? null : new DeletedRanges(bounds, numbers);
    }

    private static long[] wanted(List<Long> numbers, BiPredicate<Long, Long> divide) {
        numbers.sort(Comparator.reverseOrder());
        List<Long> kept = new ArrayList<>();
        for (Long number : numbers) {
            if (kept.isEmpty() || divide.test(number, kept.get(kept.size() - 1))) {
                kept.add(number);
            }
        }
        return kept.stream().mapToLong(Long::longValue).toArray();
    }

    /** The fragments, but for what comes before the first. */
    public int count() {
        return bounds.length;
    }

    /** The fragment that a key belongs to, or -1 if it comes before the first. */
    public int find(byte[] key, int offset, int length) {
        int low = 0;
        int high = bounds.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] bound = bounds[middle];
            if (Arrays.compareUnsigned(bound, 0, bound.length, key, offset, offset + length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** The same for a key in a little-endian buffer. */
    public int find(ByteBuffer key, int position, int length) {
        int low = 0;
        int high = bounds.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] bound = bounds[middle];
            if (KeyBytes.compare(bound, 0, bound.length, key, position, length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Where a fragment begins; null before the first. Not to be changed. */
    public byte[] start(int fragment) {
        return fragment < 0 ? null : bounds[fragment];
    }

    /** Where a fragment ends, which belongs to the next one; null for the last. Not to be changed. */
    public byte[] end(int fragment) {
        return fragment + 1 < bounds.length ? bounds[fragment + 1] : null;
    }

    /** The highest number, up to a greatest one, of the ranges that cover a fragment; 0 if none does. */
    public long newest(int fragment, long maxSequence) {
        if (fragment >= 0) {
            for (long number : numbers[fragment]) {
                if (number <= maxSequence) {
                    return number;
                }
            }
        }
        return 0;
    }

    /** The highest number, up to a greatest one, of the ranges that cover a key; 0 if none does. */
    public long newestCovering(byte[] key, int offset, int length, long maxSequence) {
        return newest(find(key, offset, length), maxSequence);
    }

    /** The same for a key in a little-endian buffer. */
    public long newestCovering(ByteBuffer key, int position, int length, long maxSequence) {
        return newest(find(key, position, length), maxSequence);
    }

    /** Checks I1 and I2. */
    void checkInvariants() {
        for (int i = 0; i < bounds.length; i++) {
            if (i > 0 && Arrays.compareUnsigned(bounds[i - 1], bounds[i]) >= 0) {
                throw new AssertionError("I1: " + dump());
            }
            for (int j = 1; j < numbers[i].length; j++) {
                if (numbers[i][j - 1] <= numbers[i][j]) {
                    throw new AssertionError("I2: " + dump());
                }
            }
        }
    }

    /** A line for each fragment. */
    String dump() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bounds.length; i++) {
            text.append("  deleted from ")
                    .append(Arrays.toString(bounds[i]))
                    .append(" on by ")
                    .append(Arrays.toString(numbers[i]))
                    .append('\n');
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return "DeletedRanges[fragments=" + bounds.length + "]";
    }

    /** The ranges of one write, while they are gathered. For one thread. */
    static final class Builder {
        private static final Long UNCOVERED = 0L;

        /** Where each fragment begins, and its number; the first begins where the first range does. */
        private final TreeMap<byte[], Long> fragments = new TreeMap<>(Arrays::compareUnsigned);

        private long roomBytes;

        /** Adds a range of which both keys lie in an array, the second without bytes if the range has no end. */
        void add(byte[] source, int from, int to, int end, long number) {
            roomBytes += Nodes.bytes(to - from, end - to);
            byte[] first = Arrays.copyOfRange(source, from, to);
            if (to == end) {
                fragments.tailMap(first, true).clear();
            } else {
                byte[] behind = Arrays.copyOfRange(source, to, end);
                Map.Entry<byte[], Long> last = fragments.floorEntry(behind);
                Long after = last == null ? UNCOVERED : last.getValue();
                fragments.subMap(first, true, behind, false).clear();
                fragments.putIfAbsent(behind, after);
            }
            fragments.put(first, number);
        }

        /** What these ranges take of a memtable's room. */
        long roomBytes() {
            return roomBytes;
        }

        /** These ranges together with others, or null. */
        DeletedRanges addTo(DeletedRanges old) {
            List<byte[]> bounds = new ArrayList<>();
            List<long[]> numbers = new ArrayList<>();
            int next = 0;
            int count = old == null ? 0 : old.count();
            long[] ofOld = NONE;
            long own = 0;
            for (Map.Entry<byte[], Long> fragment : fragments.entrySet()) {
                byte[] start = fragment.getKey();
                while (next < count && Arrays.compareUnsigned(old.bounds[next], start) < 0) {
                    ofOld = old.numbers[next];
                    append(bounds, numbers, old.bounds[next++], with(ofOld, own));
                }
                if (next < count && Arrays.equals(old.bounds[next], start)) {
                    ofOld = old.numbers[next++];
                }
                own = fragment.getValue();
                append(bounds, numbers, start, with(ofOld, own));
            }
            while (next < count) {
                ofOld = old.numbers[next];
                append(bounds, numbers, old.bounds[next++], with(ofOld, own));
            }
            return new DeletedRanges(bounds, numbers);
        }

        private static void append(List<byte[]> bounds, List<long[]> numbers, byte[] start, long[] ofFragment) {
            bounds.add(start);
            numbers.add(ofFragment);
        }

        /** Numbers with one more, 0 for none, which may be lower than others: writers overtake each other. */
        private static long[] with(long[] descending, long number) {
            if (number == 0) {
                return descending;
            }
            long[] more = new long[descending.length + 1];
            int at = 0;
            while (at < descending.length && descending[at] > number) {
                more[at] = descending[at];
                at++;
            }
            more[at] = number;
            System.arraycopy(descending, at, more, at + 1, descending.length - at);
            return more;
        }
    }
}
