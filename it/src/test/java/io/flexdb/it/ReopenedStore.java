package io.flexdb.it;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.ReadView;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * What {@link FullMemoryTest} runs in a JVM of its own, which has direct memory for one store, and makes little garbage
 * on its heap: a store is closed and opened again and again, and has a cache each time. Ends with 0 if nothing is wrong.
 */
final class ReopenedStore {
    private static final int ROUNDS = Effort.times(3);
    private static final int VALUE_BYTES = 20;
    private static final int SOME = 50; // one lookup in so many may miss

    private ReopenedStore() {}

    /** Arguments: the directory, and how many pairs. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0], "reopened");
        int pairs = Integer.parseInt(args[1]);
        try (FlexDB db = FlexDB.open(directory)) {
            for (int i = 0; i < pairs; i++) {
                db.put(ByteBuffer.allocate(Long.BYTES).putLong(number(i)).array(), new byte[VALUE_BYTES]);
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            try (FlexDB db = FlexDB.open(directory)) {
                lookUpAll(db, pairs);
                long missed = db.stats().cache().misses();
                lookUpAll(db, pairs);
                missed = db.stats().cache().misses() - missed;
                String found = "opened again " + round + ": " + missed + " lookups without a directory, " + db.stats();
                System.out.println(found);
                if (missed > pairs / SOME) {
                    throw new IllegalStateException(found);
                }
            }
            try (FlexDBReader reader = FlexDB.openReadOnly(directory)) {
                lookUpAll(reader, pairs); // so that it has memory, too
            }
        }
    }

    private static void lookUpAll(ReadView from, int pairs) {
        ByteBuffer key = ByteBuffer.allocate(Long.BYTES);
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        for (int i = 0; i < pairs; i++) {
            if (from.get(key.putLong(0, number(i)).clear(), value.clear()) != VALUE_BYTES) {
                throw new IllegalStateException("key " + i);
            }
        }
    }

    private static long number(int i) {
        return i * 0x9E3779B97F4A7C15L;
    }
}
