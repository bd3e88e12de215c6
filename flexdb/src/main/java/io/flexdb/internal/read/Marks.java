package io.flexdb.internal.read;

import java.util.Arrays;

/**
 * The numbers at which somebody may want to go on from: what was written below one, as it was then, is to stay. For one
 * thread.
 */
public final class Marks {
    private long[] numbers = new long[4]; // ascending
    private int count;

    /** Adds one, not below those there are. */
    public void add(long number) {
        assert count == 0 || numbers[count - 1] <= number : number;
        if (count > 0 && numbers[count - 1] == number) {
            return;
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        numbers[count++] = number;
    }

    /** Forgets those above a number. */
    public void dropAbove(long number) {
        while (count > 0 && numbers[count - 1] > number) {
            count--;
        }
    }

    /** Forgets all. */
    public void clear() {
        count = 0;
    }

    /** Whether someone goes on from where the older of two entries is there, and the newer is not. */
    boolean divide(long older, long newer) {
        int found = Arrays.binarySearch(numbers, 0, count, older + 1);
        int next = found >= 0 ? found : -found - 1;
        return next < count && numbers[next] <= newer;
    }

    /** Whether one is not above a number. */
    boolean hasAny(long atMost) {
        return count > 0 && numbers[0] <= atMost;
    }

    @Override
    public String toString() {
        return "Marks" + Arrays.toString(Arrays.copyOf(numbers, count));
    }
}
