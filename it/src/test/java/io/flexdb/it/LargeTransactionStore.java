package io.flexdb.it;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.Transaction;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What {@link LittleMemoryTest} runs in a JVM of its own: a transaction that writes more than the heap can have, reads
 * itself, goes back to a savepoint and is committed, over a store that has some of its keys; then all is verified, in
 * the store and after opening it again. Ends with 0 if nothing is wrong.
 */
final class LargeTransactionStore {
    private static final int VALUE_BYTES = 1000;
    private static final int TIMES = 3 + Effort.times(1);
    private static final int BEFORE = 20_000;
    private static final int STEP = 7_919; // a prime, so all of them

    private LargeTransactionStore() {}

    /** Arguments: the directory. */
    public static void main(String[] args) {
        Path directory = Path.of(args[0], "large transaction");
        int pairs = (int) (TIMES * Runtime.getRuntime().maxMemory() / VALUE_BYTES);
        require(pairs % STEP != 0, "pairs");
        try (FlexDB db = FlexDB.open(directory)) {
            for (int i = 0; i < BEFORE; i++) {
                db.put(key(i), value(i, 1));
            }
            try (Transaction transaction = db.begin()) {
                write(transaction, pairs);
                transaction.commit();
            }
            requireAll(db, pairs);
        }
        try (FlexDB db = FlexDB.open(directory)) {
            requireAll(db, pairs);
            System.out.println(
                    pairs + " pairs in a heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
        }
    }

    private static void write(Transaction transaction, int pairs) {
        for (int i = 0; i < pairs; i++) {
            put(transaction, pairs, i, 2);
            if (i == pairs / 2) {
                Transaction.Savepoint savepoint = transaction.savepoint();
                for (int j = 0; j < pairs / 4; j++) {
                    put(transaction, pairs, j, 3);
                }
                transaction.rollbackTo(savepoint);
            }
            if (i % 100 == 0) {
                int which = which(i / 2, pairs);
                require(Arrays.equals(value(which, 2), transaction.get(key(which))), "its own write " + which);
            }
        }
        int found = 0;
        try (FlexCursor cursor = transaction.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                found++;
            }
        }
        require(found == pairs, found + " seen by itself");
    }

    private static int which(int i, int pairs) {
        return (int) ((long) i * STEP % pairs);
    }

    private static void put(Transaction transaction, int pairs, int i, int round) {
        int which = which(i, pairs);
        transaction.put(key(which), value(which, round));
    }

    private static void requireAll(FlexDB db, int pairs) {
        int found = 0;
        try (FlexCursor cursor = db.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                require(Arrays.equals(key(found), cursor.key()), "key " + found);
                require(Arrays.equals(value(found, 2), cursor.value()), "the value of " + found);
                found++;
            }
        }
        require(found == pairs, found + " pairs");
    }

    private static byte[] key(int which) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(which).array();
    }

    private static byte[] value(int which, int round) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(which).putInt(round).array();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
