package io.flexdb.internal.mem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Checks deleted ranges, and prints them. */
final class DeletedRangesChecker {
    private final DeletedRanges ranges;
    private final Set<DeletedRanges.Numbers> met = Collections.newSetFromMap(new IdentityHashMap<>());

    private DeletedRangesChecker(DeletedRanges ranges) {
        this.ranges = ranges;
    }

    /** Checks I1 to I4. */
    static void check(DeletedRanges ranges) {
        new DeletedRangesChecker(ranges).check();
    }

    private void check() {
        byte[] previous = null;
        long bytes = 0;
        for (DeletedRanges.Stretch stretch : ranges.stretches) {
            int length = stretch.bounds.length;
            require(length > 0 && length <= DeletedRanges.MOST_IN_STRETCH, "I3");
            require(length == stretch.numbers.length, "I3");
            checkNumbers(stretch.ofAll);
            for (int i = 0; i < length; i++) {
                byte[] bound = stretch.bounds[i];
                require(previous == null ? bound.length == 0 : Arrays.compareUnsigned(previous, bound) < 0, "I1");
                previous = bound;
                bytes += DeletedRanges.BOUND_BYTES + bound.length;
                checkNumbers(stretch.numbers[i]);
            }
        }
        require(bytes + (long) DeletedRanges.NUMBER_BYTES * met.size() <= ranges.heapBytes, "I4");
    }

    private void checkNumbers(DeletedRanges.Numbers list) {
        for (DeletedRanges.Numbers at = list; at != null && met.add(at); at = at.older) {
            require(at.older == null || at.number > at.older.number, "I2");
        }
    }

    private void require(boolean holds, String invariant) {
        if (!holds) {
            throw new AssertionError(invariant + ": " + ranges + '\n' + dump(ranges));
        }
    }

    /** A line for each fragment, but for a first one that no range covers. */
    static String dump(DeletedRanges ranges) {
        StringBuilder text = new StringBuilder();
        for (DeletedRanges.Stretch stretch : ranges.stretches) {
            for (int i = 0; i < stretch.bounds.length; i++) {
                if (stretch.bounds[i].length > 0 || stretch.isCovered(i)) {
                    List<Long> numbers = new ArrayList<>();
                    DeletedRanges.addNumbers(stretch.ofAll, Long.MAX_VALUE, numbers);
                    DeletedRanges.addNumbers(stretch.numbers[i], Long.MAX_VALUE, numbers);
                    numbers.sort(Comparator.reverseOrder());
                    text.append("  deleted from ")
                            .append(Arrays.toString(stretch.bounds[i]))
                            .append(" on by ")
                            .append(numbers)
                            .append('\n');
                }
            }
        }
        return text.toString();
    }
}
