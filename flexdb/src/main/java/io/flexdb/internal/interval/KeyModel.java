package io.flexdb.internal.interval;

import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Numbers for keys, in the order of the keys, and spread about as evenly as keys like those it was made of. Immutable. */
final class KeyModel {
    /*
     * Keys are far from even: of decimal digits there are ten in 256 bytes, next to each other. A key's number is
     * therefore the output of an arithmetic coder that knows how often each byte comes, and takes the symbols in their
     * order (as in order-preserving compression of search trees): each symbol gets as large a share of the rest of the
     * range as it has of all symbols. The end of a key is a symbol, too, below all bytes.
     *
     * M1  If a key is not above another one, its number is not either.
     */
    static final int BITS = 46;
    private static final int SHARE_BITS = 15;
    private static final long LEAST_RANGE = 1L << SHARE_BITS; // below it a symbol might get nothing
    private static final int SYMBOLS = 257;
    private static final int END = 0;
    static final int SAVED_BYTES = SYMBOLS * Short.BYTES;

    private final int[] sums = new int[SYMBOLS + 1]; // of the shares of the symbols before each

    private KeyModel(long[] counts) {
        long all = Math.max(1, Arrays.stream(counts).sum());
        int shared = (1 << SHARE_BITS) - 4 * SYMBOLS; // four parts for each that may come all the same
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            sums[symbol + 1] = sums[symbol] + 4 + (int) (counts[symbol] * shared / all);
        }
    }

    /** Takes the shares that {@link #save} has put. */
    private KeyModel(ByteBuffer from) {
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            sums[symbol + 1] = sums[symbol] + (from.getShort() & 0xFFFF);
        }
    }

    /** The model that was saved; null if it can't be one, or the buffer has too few bytes. */
    static KeyModel restore(ByteBuffer from) {
        if (from.remaining() < SAVED_BYTES) {
            return null;
        }
        KeyModel model = new KeyModel(from);
        boolean eachHasOne = true;
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            eachHasOne &= model.sums[symbol] < model.sums[symbol + 1];
        }
        return eachHasOne && model.sums[SYMBOLS] <= 1 << SHARE_BITS ? model : null;
    }

    /** Puts {@link #SAVED_BYTES} bytes. */
    void save(ByteBuffer to) {
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            to.putShort((short) (sums[symbol + 1] - sums[symbol]));
        }
    }

    /** Counts the symbols of keys. */
    static final class Counter {
        private final long[] counts = new long[SYMBOLS];

        /** Adds a part of a key. Its end does not count: the key may go on. */
        void add(byte[] key, int from, int to) {
            for (int i = from; i < to; i++) {
                counts[1 + (key[i] & 0xFF)]++;
            }
        }

        KeyModel model() {
            return new KeyModel(counts);
        }
    }

    /** The number of a key without its first bytes: from 0 to before 2 to the power of {@link #BITS}. */
    long number(byte[] key, int from, int length) {
        assert length <= RecordFormat.MAX_KEY_BYTES : "key length " + length;
        long low = 0;
        long range = 1L << BITS;
        for (int i = from; range >= LEAST_RANGE; i++) {
            int symbol = i < length ? 1 + (key[i] & 0xFF) : END;
            long below = range * sums[symbol] >>> SHARE_BITS;
            range = (range * sums[symbol + 1] >>> SHARE_BITS) - below;
            low += below;
            if (symbol == END) {
                break;
            }
        }
        return low;
    }
}
