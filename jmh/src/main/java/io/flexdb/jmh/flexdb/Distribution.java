package io.flexdb.jmh.flexdb;

import java.util.SplittableRandom;
import site.ycsb.generator.ZipfianGenerator;

/** Which records the operations of an experiment go to (section 6.3 of the paper). */
enum Distribution {
    /** One after the other. */
    SEQUENTIAL("sequential") {
        @Override
        int[] choose(int records, int operations, long seed) {
            int[] numbers = new int[operations];
            for (int i = 0; i < operations; i++) {
                numbers[i] = (int) (i % (long) records);
            }
            return numbers;
        }
    },

    /** Each once, in an order that is random; again from the beginning when all have been. */
    SHUFFLED("random") {
        @Override
        int[] choose(int records, int operations, long seed) {
            int[] numbers = SEQUENTIAL.choose(records, operations, seed);
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = operations - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int number = numbers[i];
                numbers[i] = numbers[other];
                numbers[other] = number;
            }
            return numbers;
        }
    },

    /** All alike. */
    UNIFORM("uniform") {
        @Override
        int[] choose(int records, int operations, long seed) {
            return new SplittableRandom(seed).ints(operations, 0, records).toArray();
        }
    },

    /** Few often, alpha 0.99, spread over all. */
    ZIPFIAN("Zipfian") {
        @Override
        int[] choose(int records, int operations, long seed) {
            ZipfianGenerator ranks = new ZipfianGenerator(records);
            int[] numbers = new int[operations];
            for (int i = 0; i < operations; i++) {
                numbers[i] = spread(ranks.nextValue(), records);
            }
            return numbers;
        }
    },

    /** The first three digits of the key Zipfian, the others uniform. */
    COMPOSITE("Zipfian-Composite") {
        @Override
        int[] choose(int records, int operations, long seed) {
            int prefixes = Math.min(PREFIXES, records);
            int each = records / prefixes;
            ZipfianGenerator ranks = new ZipfianGenerator(prefixes);
            SplittableRandom random = new SplittableRandom(seed);
            int[] numbers = new int[operations];
            for (int i = 0; i < operations; i++) {
                numbers[i] = spread(ranks.nextValue(), prefixes) * each + random.nextInt(each);
            }
            return numbers;
        }
    };

    private static final int PREFIXES = 1000;

    private final String label;

    Distribution(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /**
     * Numbers from 0 to before {@code records}, made before they are needed, so that making them costs the stores
     * nothing.
     */
    abstract int[] choose(int records, int operations, long seed);

    private static int spread(long rank, int records) {
        long mixed = (rank + 1) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
        return (int) Long.remainderUnsigned(mixed ^ mixed >>> 32, records);
    }
}
