package io.flexdb.jmh;

/** Random numbers from a fixed seed, so that whatever is compared is given the same operations. For one thread. */
public final class RandomNumbers {
    private static final long SEED = 0x9e3779b97f4a7c15L;

    private long state = SEED; // xorshift64*: never 0

    /** A random number from 0 to less than the bound, which is less than 2^62. */
    public long below(long bound) {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return Math.multiplyHigh(state * 0x2545f4914f6cdd1dL >>> 1, bound << 1);
    }

    /** The numbers from 0 to less than the count, each once, in random order. */
    public int[] shuffled(int count) {
        int[] numbers = new int[count];
        for (int i = 1; i < count; i++) {
            int other = (int) below(i + 1);
            numbers[i] = numbers[other];
            numbers[other] = i;
        }
        return numbers;
    }
}
