package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.ConflictException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads run random transactions and plain writes; then all that was committed is put in the order of its sequence
 * numbers, which is the order that it must be explained by. So a lost update, a write skew or a phantom shows, and not
 * only with luck.
 */
class FlexDBTransactionHistoryTest {
    private static final int THREADS = 4;
    private static final int KEYS = 60;
    private static final int RUNS = 1500;
    private static final long ABSENT = -1;
    private static final int HALF = KEYS / 2; // those from here on are in a keyspace of their own

    /** A read of a key. */
    private record Read(int key, long value) {}

    /** A walk over keys from one to another, both included, with what was there. */
    private record Walk(int from, int to, TreeMap<Integer, Long> found) {}

    /** A write of a key, or the deletion of those from one to before another: what they have from then on. */
    private record Write(int from, int to, long value) {
        static Write one(int key, long value) {
            return new Write(key, key + 1, value);
        }
    }

    /** What was committed. */
    private record Done(
            long snapshot, boolean serializable, long last, List<Read> reads, List<Walk> walks, List<Write> writes) {
        long first() {
            return last - writes.size() + 1;
        }
    }

    @TempDir
    Path directory;

    private Keyspace upperHalf;
    private final Queue<Done> done = new ConcurrentLinkedQueue<>();
    private final AtomicLong values = new AtomicLong();
    private final AtomicLong conflicts = new AtomicLong();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private byte[] value(long number, Random random) {
        byte[] value = new byte[8 + random.nextInt(300)];
        ByteBuffer.wrap(value).putLong(number);
        return value;
    }

    private static long number(byte[] value) {
        return value == null ? ABSENT : ByteBuffer.wrap(value).getLong();
    }

    @Test
    void whatIsCommittedIsExplainedByTheOrderOfSequenceNumbers() throws InterruptedException {
        for (int round = 0; round < Effort.times(1); round++) {
            long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
            System.out.println("-Dflexdb.test.seed=" + seed);
            done.clear();
            try (FlexDB db = FlexDB.open(directory.resolve("store" + round), StoreDriver.SMALL)) {
                upperHalf = db.createKeyspace("upper half");
                Workers workers = new Workers();
                for (int thread = 0; thread < THREADS; thread++) {
                    Random random = new Random(seed + thread);
                    workers.start("transactions", () -> {
                        for (int run = 0; run < RUNS && !workers.hasFailed(); run++) {
                            if (random.nextInt(4) == 0) {
                                write(db, random);
                            } else {
                                transact(db, random);
                            }
                        }
                    });
                }
                workers.join();
            }
            TreeMap<Integer, TreeMap<Long, Long>> history = history();
            done.forEach(one -> check(one, history));
            assertTrue(done.size() > THREADS * RUNS / 4, done.size() + " committed");
            assertTrue(conflicts.get() > 0, "no conflict at all");
        }
    }

    private Keyspace keyspaceOf(int key, FlexDB db) {
        return key < HALF ? db : upperHalf;
    }

    /** The end of a range of keys of one keyspace. */
    private static int endOfRange(int from, Random random) {
        int end = from + 1 + random.nextInt(4);
        return from < HALF ? Math.min(end, HALF) : end;
    }

    private void write(FlexDB db, Random random) {
        if (random.nextInt(8) == 0) {
            deleteRange(db, random);
            return;
        }
        WriteBatch batch = new WriteBatch();
        List<Write> writes = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int key = random.nextInt(KEYS);
            if (random.nextInt(5) == 0) {
                int end = endOfRange(key, random);
                batch.in(keyspaceOf(key, db)).deleteRange(key(key), key(end));
                writes.add(new Write(key, end, ABSENT));
            } else {
                long number = values.incrementAndGet();
                batch.in(keyspaceOf(key, db)).put(key(key), value(number, random));
                writes.add(Write.one(key, number));
            }
        }
        long last = db.write(batch);
        done.add(new Done(last - writes.size(), false, last, List.of(), List.of(), writes));
    }

    private void deleteRange(FlexDB db, Random random) {
        int from = random.nextInt(KEYS);
        int end = random.nextInt(10) == 0 ? from < HALF ? HALF : KEYS : endOfRange(from, random);
        long number = keyspaceOf(from, db).deleteRange(key(from), key(end));
        done.add(new Done(number - 1, false, number, List.of(), List.of(), List.of(new Write(from, end, ABSENT))));
    }

    private void transact(FlexDB db, Random random) {
        boolean serializable = random.nextBoolean();
        List<Read> reads = new ArrayList<>();
        List<Walk> walks = new ArrayList<>();
        List<Write> writes = new ArrayList<>();
        try (Transaction transaction = db.begin(serializable ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT)) {
            for (int i = random.nextInt(4); i > 0; i--) {
                int key = random.nextInt(KEYS);
                reads.add(new Read(key, read(transaction.in(keyspaceOf(key, db)), key(key), random)));
            }
            if (random.nextBoolean()) {
                walks.add(walk(db, transaction, random));
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                int key = random.nextInt(KEYS);
                long number = ABSENT;
                int end = key + 1;
                Transaction there = transaction.in(keyspaceOf(key, db));
                switch (random.nextInt(6)) {
                    case 0 -> there.delete(key(key));
                    case 1 -> {
                        end = endOfRange(key, random);
                        there.deleteRange(key(key), key(end));
                    }
                    default -> {
                        number = values.incrementAndGet();
                        there.put(key(key), value(number, random));
                    }
                }
                writes.add(new Write(key, end, number));
                assertEquals(number, read(there, key(key), random), "its own write");
            }
            long last = transaction.commit();
            done.add(new Done(transaction.sequence(), serializable, last, reads, walks, writes));
        } catch (ConflictException e) {
            conflicts.incrementAndGet();
        }
    }

    private static long read(Transaction transaction, byte[] key, Random random) {
        return number(
                random.nextBoolean()
                        ? transaction.get(key)
                        : transaction.multiGet(List.of(key)).get(0));
    }

    private Walk walk(FlexDB db, Transaction transaction, Random random) {
        int from = random.nextInt(KEYS);
        int steps = random.nextInt(8);
        boolean backward = random.nextBoolean();
        TreeMap<Integer, Long> found = new TreeMap<>();
        try (FlexCursor cursor = transaction.in(keyspaceOf(from, db)).cursor()) {
            if (backward) {
                cursor.seekForPrev(ByteBuffer.wrap(key(from)));
            } else {
                cursor.seek(key(from));
            }
            int last = from;
            for (int step = 0; cursor.isValid(); step++) {
                last = ByteBuffer.wrap(cursor.key()).getInt();
                found.put(last, number(cursor.value()));
                if (step == steps) {
                    return new Walk(Math.min(from, last), Math.max(from, last), found);
                }
                if (backward) {
                    cursor.prev();
                } else {
                    cursor.next();
                }
            }
            return backward
                    ? new Walk(from < HALF ? 0 : HALF, from, found)
                    : new Walk(from, from < HALF ? HALF - 1 : KEYS, found);
        }
    }

    /** By key, the values it had, by the sequence numbers that they were written with. */
    private TreeMap<Integer, TreeMap<Long, Long>> history() {
        TreeMap<Integer, TreeMap<Long, Long>> history = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            history.put(key, new TreeMap<>(Map.of(0L, ABSENT)));
        }
        for (Done one : done) {
            long sequence = one.first();
            for (Write write : one.writes) {
                for (TreeMap<Long, Long> ofKey :
                        history.subMap(write.from, write.to).values()) {
                    assertEquals(null, ofKey.put(sequence, write.value), "two writes with one sequence number");
                }
                sequence++;
            }
        }
        return history;
    }

    private static void check(Done one, TreeMap<Integer, TreeMap<Long, Long>> history) {
        checkReads(one, one.snapshot, history);
        if (one.writes.isEmpty()) {
            return;
        }
        for (Write write : one.writes) {
            for (TreeMap<Long, Long> ofKey :
                    history.subMap(write.from, write.to).values()) {
                Long before = ofKey.lowerKey(one.first());
                assertTrue(one.snapshot >= before, "a lost update: " + one + ", of what was written at " + before);
            }
        }
        if (one.serializable) {
            checkReads(one, one.first() - 1, history);
        }
    }

    private static void checkReads(Done one, long at, TreeMap<Integer, TreeMap<Long, Long>> history) {
        for (Read read : one.reads) {
            long expected = history.get(read.key).floorEntry(at).getValue();
            assertEquals(expected, read.value, () -> "read as of " + at + ": " + read + " by " + one);
        }
        for (Walk walk : one.walks) {
            TreeMap<Integer, Long> expected = new TreeMap<>();
            for (Map.Entry<Integer, TreeMap<Long, Long>> key :
                    history.subMap(walk.from, true, walk.to, true).entrySet()) {
                long value = key.getValue().floorEntry(at).getValue();
                if (value != ABSENT) {
                    expected.put(key.getKey(), value);
                }
            }
            assertEquals(expected, walk.found, () -> "walked as of " + at + " by " + one);
        }
    }

    @Test
    void countersThatAllThreadsAddToCountEachAddition() throws InterruptedException {
        try (FlexDB db = FlexDB.open(directory.resolve("counters"), StoreDriver.SMALL)) {
            Workers workers = new Workers();
            int each = 300;
            for (int thread = 0; thread < THREADS; thread++) {
                boolean byTransaction = thread % 2 == 0;
                workers.start("counter", () -> {
                    for (int i = 0; i < each; i++) {
                        if (byTransaction) {
                            db.transact(Isolation.SNAPSHOT, transaction -> {
                                long count = Math.max(0, number(transaction.get(key(1))));
                                return transaction.put(key(1), encode(count + 1));
                            });
                        } else {
                            addByComparing(db);
                        }
                    }
                });
            }
            workers.join();
            assertEquals(THREADS * each, number(db.get(key(1))));
        }
    }

    private static void addByComparing(FlexDB db) {
        byte[] before;
        do {
            before = db.get(key(1));
        } while (!db.compareAndSet(key(1), before, encode(Math.max(0, number(before)) + 1)));
    }

    private static byte[] encode(long number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }
}
