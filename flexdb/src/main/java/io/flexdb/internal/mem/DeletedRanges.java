package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyBytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;

/** The ranges of keys that writes into a memtable have deleted: range tombstones. Immutable. */
public final class DeletedRanges {
    /*
     * All ends of ranges, in order, divide the keys into fragments. A fragment has the sequence numbers of the ranges
     * that cover it, so one search finds those of a key, however the ranges overlap. The first fragment begins with the
     * least of all keys.
     *
     * The problem: each write makes another one of these. It must not take more than a few microseconds, even with
     * thousands of fragments and a new range over half of them; and the numbers must not grow with the square of the
     * ranges. The choice: neighbouring fragments lie together in stretches. A new range copies the two stretches that
     * it begins and ends in. Each stretch between them gets one more number that covers the whole stretch. All else is
     * shared. A range therefore costs some hundred references, and as many numbers at most.
     *
     * Of one write the highest number is enough: its entries become visible together. The fragments of a write are made
     * by laying one range over the others in order, so a write of many ranges costs no more than their number.
     *
     * I1  Bounds ascend strictly, the first is the empty key; a fragment ends where the next one begins, and the last
     *     has no end.
     * I2  The numbers of a fragment descend strictly, and so do those of a stretch.
     * I3  A stretch has 1 to MOST_IN_STRETCH fragments.
     * I4  All bounds and numbers together take no more heap than is said.
     */
    static final int MOST_IN_STRETCH = 128;

    private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

    /** Heap bytes of a bound, but for its key, with what refers to it and to its numbers. */
    static final int BOUND_BYTES = 32;

    static final int NUMBER_BYTES = 32;
    private static final byte[] LEAST_KEY = {};
    private static final Long[] NONE = {};
    private static final DeletedRanges EMPTY =
            new DeletedRanges(List.of(new Stretch(new byte[][] {LEAST_KEY}, new Numbers[1], null)), BOUND_BYTES);

    final Stretch[] stretches;
    private final byte[][] starts; // of the stretches
    private final int[] firsts; // their first fragments
    private final int count;
    final long heapBytes;

    private DeletedRanges(List<Stretch> all, long heapBytes) {
        this.stretches = all.toArray(new Stretch[0]);
        this.starts = new byte[stretches.length][];
        this.firsts = new int[stretches.length];
        this.heapBytes = heapBytes;
        int next = 0;
        for (int i = 0; i < stretches.length; i++) {
            starts[i] = stretches[i].bounds[0];
            firsts[i] = next;
            next += stretches[i].bounds.length;
        }
        this.count = next;
    }

    /** Neighbouring fragments. */
    static final class Stretch {
        final byte[][] bounds; // where each of them begins
        final Numbers[] numbers; // of each, null for none
        final Numbers ofAll; // that cover all of them, beside those

        Stretch(byte[][] bounds, Numbers[] numbers, Numbers ofAll) {
            this.bounds = bounds;
            this.numbers = numbers;
            this.ofAll = ofAll;
        }

        long newest(int index, long maxSequence) {
            return Math.max(Numbers.newest(ofAll, maxSequence), Numbers.newest(numbers[index], maxSequence));
        }

        boolean isCovered(int index) {
            return ofAll != null || numbers[index] != null;
        }

        /** Appends so many fragments, as one stretch or several. */
        static void append(List<Stretch> all, byte[][] bounds, Numbers[] numbers, int count, Numbers ofAll) {
            int pieces = (count + MOST_IN_STRETCH - 1) / MOST_IN_STRETCH;
            for (int i = 0; i < pieces; i++) {
                int from = (int) ((long) count * i / pieces);
                int to = (int) ((long) count * (i + 1) / pieces);
                boolean isWhole = to - from == bounds.length;
                all.add(new Stretch(
                        isWhole ? bounds : Arrays.copyOfRange(bounds, from, to),
                        isWhole ? numbers : Arrays.copyOfRange(numbers, from, to),
                        ofAll));
            }
        }
    }

    /** Numbers, the highest first; others may have the lower ones in common. A jump passes over many of them. */
    static final class Numbers {
        final long number;
        final Numbers older; // null for the last
        private final Numbers jump; // the last one's leads to itself
        private final int depth;

        Numbers(long number, Numbers older) {
            this.number = number;
            this.older = older;
            if (older == null) {
                depth = 0;
                jump = this;
            } else {
                depth = older.depth + 1;
                Numbers next = older.jump;
                // A jump is as long as the two before it together, if these are equal. A search then takes logarithmic
                // time.
                jump = older.depth - next.depth == next.depth - next.jump.depth ? next.jump : older;
            }
        }

        /** The highest up to a greatest one; 0 if there is none. */
        static long newest(Numbers list, long maxSequence) {
            Numbers at = list;
            while (at != null && at.number > maxSequence) {
                at = at.older != null && at.jump.number > maxSequence ? at.jump : at.older;
            }
            return at == null ? 0 : at.number;
        }
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
        TreeSet<byte[]> starts = new TreeSet<>(ORDER);
        for (DeletedRanges ranges : all) {
            ranges.addBounds(starts);
        }
        TreeMap<byte[], Long[]> joined = new TreeMap<>(ORDER);
        Long[] before = NONE;
        for (byte[] start : starts) {
            List<Long> found = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                all.get(i).addNumbers(start, through.get(i), found);
            }
            Long[] ofFragment = wanted(found, divide);
            if (!Arrays.equals(ofFragment, before)) { // else it is as the fragment before it
                joined.put(start, ofFragment);
                before = ofFragment;
            }
        }
        return joined.isEmpty() ? null : of(joined);
    }

    private void addBounds(TreeSet<byte[]> target) {
        for (Stretch stretch : stretches) {
            target.addAll(Arrays.asList(stretch.bounds));
        }
    }

    /** Adds those of the fragment that a key belongs to, up to a greatest one. */
    private void addNumbers(byte[] key, long most, List<Long> target) {
        Stretch stretch = stretches[floor(starts, key, 0, key.length)];
        addNumbers(stretch.ofAll, most, target);
        addNumbers(stretch.numbers[floor(stretch.bounds, key, 0, key.length)], most, target);
    }

    static void addNumbers(Numbers list, long most, List<Long> target) {
        for (Numbers at = list; at != null; at = at.older) {
            if (at.number <= most) {
                target.add(at.number);
            }
        }
    }

    private static Long[] wanted(List<Long> numbers, BiPredicate<Long, Long> divide) {
        numbers.sort(Comparator.reverseOrder());
        List<Long> kept = new ArrayList<>();
        for (Long number : numbers) {
            if (kept.isEmpty() || divide.test(number, kept.get(kept.size() - 1))) {
                kept.add(number);
            }
        }
        return kept.toArray(NONE);
    }

    private static DeletedRanges of(TreeMap<byte[], Long[]> fragments) {
        long heapBytes = 0;
        fragments.putIfAbsent(LEAST_KEY, NONE);
        byte[][] bounds = fragments.keySet().toArray(new byte[0][]);
        Numbers[] numbers = new Numbers[bounds.length];
        int next = 0;
        for (Map.Entry<byte[], Long[]> fragment : fragments.entrySet()) {
            Long[] descending = fragment.getValue();
            for (int i = descending.length - 1; i >= 0; i--) {
                numbers[next] = new Numbers(descending[i], numbers[next]);
            }
            heapBytes += BOUND_BYTES + fragment.getKey().length + (long) NUMBER_BYTES * descending.length;
            next++;
        }
        List<Stretch> stretches = new ArrayList<>();
        Stretch.append(stretches, bounds, numbers, bounds.length, null);
        return new DeletedRanges(stretches, heapBytes);
    }

    /** Those with higher numbers than one; null if there are none. */
    DeletedRanges newerThan(long sequence) {
        Map<Numbers, Numbers> kept = new IdentityHashMap<>();
        List<Stretch> found = new ArrayList<>();
        long boundBytes = 0;
        boolean wasCovered = true; // the first fragment stays
        for (Stretch stretch : stretches) {
            byte[][] bounds = new byte[stretch.bounds.length][];
            Numbers[] numbers = new Numbers[bounds.length];
            Numbers ofAll = newerThan(stretch.ofAll, sequence, kept);
            int next = 0;
            for (int i = 0; i < bounds.length; i++) {
                numbers[next] = newerThan(stretch.numbers[i], sequence, kept);
                boolean covered = ofAll != null || numbers[next] != null;
                if (covered || wasCovered) { // else it is as the fragment before it
                    bounds[next++] = stretch.bounds[i];
                    boundBytes += BOUND_BYTES + stretch.bounds[i].length;
                }
                wasCovered = covered;
            }
            Stretch.append(found, bounds, numbers, next, ofAll);
        }
        return kept.isEmpty() ? null : new DeletedRanges(found, boundBytes + (long) NUMBER_BYTES * kept.size());
    }

    /** The part of a list; what lists have in common they have in common then. */
    private static Numbers newerThan(Numbers list, long sequence, Map<Numbers, Numbers> kept) {
        Deque<Numbers> missing = new ArrayDeque<>();
        Numbers at = list;
        for (; at != null && at.number > sequence && !kept.containsKey(at); at = at.older) {
            missing.push(at);
        }
        Numbers newer = at == null || at.number <= sequence ? null : kept.get(at);
        while (!missing.isEmpty()) {
            Numbers next = missing.pop();
            newer = new Numbers(next.number, newer);
            kept.put(next, newer);
        }
        return newer;
    }

    /** The fragments. */
    public int count() {
        return count;
    }

    /** About as many bytes as all this takes on the heap. */
    public long heapBytes() {
        return heapBytes;
    }

    /** The last bound at or before a key. */
    private static int floor(byte[][] bounds, byte[] key, int offset, int length) {
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

    private static int floor(byte[][] bounds, ByteBuffer key, int position, int length) {
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

    /** The fragment that a key belongs to. */
    public int find(byte[] key, int offset, int length) {
        int stretch = floor(starts, key, offset, length);
        return firsts[stretch] + floor(stretches[stretch].bounds, key, offset, length);
    }

    /** The fragment that a key in a little-endian buffer belongs to. */
    public int find(ByteBuffer key, int position, int length) {
        int stretch = floor(starts, key, position, length);
        return firsts[stretch] + floor(stretches[stretch].bounds, key, position, length);
    }

    private int stretchOf(int fragment) {
        int found = Arrays.binarySearch(firsts, fragment);
        return found >= 0 ? found : -found - 2;
    }

    /** The key where a fragment begins. Do not change the array. */
    public byte[] start(int fragment) {
        int stretch = stretchOf(fragment);
        return stretches[stretch].bounds[fragment - firsts[stretch]];
    }

    /** The key where the next fragment begins; null for the last. Do not change the array. */
    public byte[] end(int fragment) {
        return fragment + 1 < count ? start(fragment + 1) : null;
    }

    /** The highest number, up to a greatest one, of the ranges that cover a fragment; 0 if none does. */
    public long newest(int fragment, long maxSequence) {
        int stretch = stretchOf(fragment);
        return stretches[stretch].newest(fragment - firsts[stretch], maxSequence);
    }

    /** The highest number, up to a greatest one, of the ranges that cover a key; 0 if none does. */
    public long newestCovering(byte[] key, int offset, int length, long maxSequence) {
        Stretch stretch = stretches[floor(starts, key, offset, length)];
        return stretch.newest(floor(stretch.bounds, key, offset, length), maxSequence);
    }

    /** The highest number, up to a greatest one, of the ranges that cover a key in a little-endian buffer; 0 if none. */
    public long newestCovering(ByteBuffer key, int position, int length, long maxSequence) {
        Stretch stretch = stretches[floor(starts, key, position, length)];
        return stretch.newest(floor(stretch.bounds, key, position, length), maxSequence);
    }

    /**
     * The end of the covered stretch that has a key in it.
     *
     * @param maxSequence ranges with a higher number cover nothing
     * @return the key itself if it is not covered; null for the end of all keys
     */
    public byte[] coveredTo(byte[] key, long maxSequence) {
        int stretch = floor(starts, key, 0, key.length);
        int first = firsts[stretch] + floor(stretches[stretch].bounds, key, 0, key.length);
        for (int fragment = first; stretch < stretches.length; stretch++) {
            Stretch at = stretches[stretch];
            if (Numbers.newest(at.ofAll, maxSequence) > 0) {
                fragment = firsts[stretch] + at.bounds.length;
                continue;
            }
            for (int i = fragment - firsts[stretch]; i < at.bounds.length; i++) {
                if (Numbers.newest(at.numbers[i], maxSequence) == 0) {
                    return fragment == first ? key : at.bounds[i];
                }
                fragment++;
            }
        }
        return null;
    }

    /**
     * The begin of the covered stretch right before a key, which itself need not be covered; the key if there is none.
     */
    public byte[] coveredFrom(byte[] key, long maxSequence) {
        byte[] from = key;
        int stretch = floor(starts, key, 0, key.length);
        int index = floor(stretches[stretch].bounds, key, 0, key.length);
        if (Arrays.equals(stretches[stretch].bounds[index], key)) {
            index--;
        }
        while (true) {
            Stretch at = stretches[stretch];
            if (index >= 0 && Numbers.newest(at.ofAll, maxSequence) > 0) {
                from = at.bounds[0];
                index = -1;
            }
            for (; index >= 0; index--) {
                if (Numbers.newest(at.numbers[index], maxSequence) == 0) {
                    return from;
                }
                from = at.bounds[index];
            }
            if (stretch == 0) {
                return from;
            }
            index = stretches[--stretch].bounds.length - 1;
        }
    }

    @Override
    public String toString() {
        return "DeletedRanges[fragments=" + count + ", stretches=" + stretches.length + ", heapBytes=" + heapBytes
                + "]";
    }

    /** The ranges of one write, while they are gathered. For one thread. */
    static final class Builder {
        private static final Long UNCOVERED = 0L;

        private byte[][] starts = {}; // of the fragments of a single range, as long as there are not more
        private long number;
        /** Where each fragment begins, and its number; the first begins where the first range does. */
        private TreeMap<byte[], Long> fragments;

        private long roomBytes;

        /** Adds a range of which both keys lie in an array, the second without bytes if the range has no end. */
        void add(byte[] source, int from, int to, int end, long ofRange) {
            roomBytes += Nodes.bytes(to - from, end - to);
            byte[] first = Arrays.copyOfRange(source, from, to);
            byte[][] range =
                    to == end ? new byte[][] {first} : new byte[][] {first, Arrays.copyOfRange(source, to, end)};
            if (starts.length == 0) {
                starts = range;
                number = ofRange;
                return;
            }
            if (fragments == null) {
                fragments = new TreeMap<>(ORDER);
                lay(starts, number);
            }
            lay(range, ofRange);
        }

        private void lay(byte[][] range, long ofRange) {
            byte[] first = range[0];
            if (range.length == 1) {
                fragments.tailMap(first, true).clear();
            } else {
                byte[] behind = range[1];
                Map.Entry<byte[], Long> last = fragments.floorEntry(behind);
                Long after = last == null ? UNCOVERED : last.getValue();
                fragments.subMap(first, true, behind, false).clear();
                fragments.putIfAbsent(behind, after);
            }
            fragments.put(first, ofRange);
        }

        /** Bytes of a memtable's room that these ranges take. */
        long roomBytes() {
            return roomBytes;
        }

        /** These ranges together with others, or null. */
        DeletedRanges addTo(DeletedRanges old) {
            DeletedRanges below = old == null ? EMPTY : old;
            if (fragments == null) {
                return new Layer(below, starts, new long[] {number, 0}).laid();
            }
            long[] numbers = new long[fragments.size()];
            int next = 0;
            for (Long ofFragment : fragments.values()) {
                numbers[next++] = ofFragment;
            }
            return new Layer(below, fragments.keySet().toArray(new byte[0][]), numbers).laid();
        }
    }

    /** The fragments of one write, while they are laid over others. */
    private static final class Layer {
        private final DeletedRanges below;
        private final byte[][] starts;
        private final long[] numbers; // of each of the fragments that begin there; 0 for none
        private final List<Stretch> result;
        private long heapBytes;
        private long own; // the number of this write that holds where we are; 0 for none

        Layer(DeletedRanges below, byte[][] starts, long[] numbers) {
            this.below = below;
            this.starts = starts;
            this.numbers = numbers;
            this.result = new ArrayList<>(below.stretches.length + 1);
            this.heapBytes = below.heapBytes;
        }

        DeletedRanges laid() {
            int next = 0;
            int stretch = 0;
            for (; stretch < below.stretches.length && (own != 0 || next < starts.length); stretch++) {
                byte[] end = stretch + 1 < below.starts.length ? below.starts[stretch + 1] : null;
                int from = next;
                while (next < starts.length && (end == null || Arrays.compareUnsigned(starts[next], end) < 0)) {
                    next++;
                }
                lay(below.stretches[stretch], from, next);
            }
            result.addAll(Arrays.asList(below.stretches).subList(stretch, below.stretches.length));
            return new DeletedRanges(result, heapBytes);
        }

        /** Lays those of the fragments over a stretch that begin in it, and the one before them. */
        private void lay(Stretch stretch, int from, int to) {
            if (from < to) {
                divide(stretch, from, to);
            } else if (own == 0) {
                result.add(stretch);
            } else {
                result.add(new Stretch(stretch.bounds, stretch.numbers, with(stretch.ofAll)));
            }
        }

        private void divide(Stretch old, int from, int to) {
            byte[][] bounds = new byte[old.bounds.length + to - from][];
            Numbers[] lists = new Numbers[bounds.length];
            int count = 0;
            int next = 0; // of the old ones
            for (int i = from; i < to; i++) {
                int fragment = floor(old.bounds, starts[i], 0, starts[i].length);
                boolean isThere = Arrays.equals(old.bounds[fragment], starts[i]);
                int end = isThere ? fragment : fragment + 1;
                count = append(old, next, end, bounds, lists, count);
                own = numbers[i];
                if (isThere) {
                    bounds[count] = old.bounds[fragment];
                } else {
                    bounds[count] = starts[i];
                    heapBytes += BOUND_BYTES + starts[i].length;
                }
                lists[count++] = with(old.numbers[fragment]);
                next = fragment + 1;
            }
            count = append(old, next, old.bounds.length, bounds, lists, count);
            Stretch.append(result, bounds, lists, count, old.ofAll);
        }

        /** Appends old fragments, and returns how many there are then. */
        private int append(Stretch old, int from, int to, byte[][] bounds, Numbers[] lists, int count) {
            System.arraycopy(old.bounds, from, bounds, count, to - from);
            if (own == 0) {
                System.arraycopy(old.numbers, from, lists, count, to - from);
            } else {
                for (int i = from; i < to; i++) {
                    lists[count + i - from] = with(old.numbers[i]);
                }
            }
            return count + to - from;
        }

        /** A list with this write's number, which may be lower than others: writers overtake each other. */
        private Numbers with(Numbers list) {
            if (own == 0) {
                return list;
            }
            Deque<Numbers> higher = null;
            Numbers lower = list;
            for (; lower != null && lower.number > own; lower = lower.older) {
                higher = higher == null ? new ArrayDeque<>() : higher;
                higher.push(lower);
            }
            Numbers made = new Numbers(own, lower);
            heapBytes += NUMBER_BYTES;
            while (higher != null && !higher.isEmpty()) {
                made = new Numbers(higher.pop().number, made);
                heapBytes += NUMBER_BYTES;
            }
            return made;
        }
    }
}
