package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.DependencyGraph.Node;
import io.flexdb.RecordedHistory.Done;
import io.flexdb.RecordedHistory.Kind;
import io.flexdb.RecordedHistory.Place;
import io.flexdb.RecordedHistory.Write;
import io.flexdb.storage.ConflictException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** One after the other, random transactions and plain writes, whose reads and writes are recorded. For one thread. */
final class RecordedSession {
    static final int KEYS = 40;
    private static final int FILLER = 1000; // keys from here on are not recorded
    private static final int EXPIRING = 5; // each such key is never merged

    /** The effect of a transaction's writes on a key: behind the store's value, or instead of it. */
    private record Own(boolean behindStore, List<Long> value) {}

    /** A state to go back to. */
    private record Saved(Transaction.Savepoint savepoint, int writes, Map<Integer, Own> own) {}

    private final int number;
    private final Random random;
    private final RecordedHistory history;
    private final AtomicLong numbers;
    private final LongSupplier order;
    private FlexDB db;
    int conflicts;
    int linked;
    int rolledBack;

    // Of the transaction under way, null if there is none:
    private Transaction transaction;
    private boolean serializable;
    private int steps;
    private final Map<Integer, List<Long>> reads = new HashMap<>(); // of the store
    private final List<Write> writes = new ArrayList<>();
    private final List<Saved> saved = new ArrayList<>();
    private Map<Integer, Own> own = new HashMap<>();

    /**
     * A session.
     *
     * @param numbers for writes, of all sessions
     * @param order never the same, and higher later
     */
    RecordedSession(int number, Random random, RecordedHistory history, AtomicLong numbers, LongSupplier order) {
        this.number = number;
        this.random = random;
        this.history = history;
        this.numbers = numbers;
        this.order = order;
    }

    /** Goes on with a store; a transaction that was under way in another one is gone. */
    void use(FlexDB newDb) {
        db = newDb;
        transaction = null;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }

    private static List<Long> list(byte[] value) {
        if (value == null) {
            return null;
        }
        List<Long> list = new ArrayList<>();
        for (ByteBuffer left = ByteBuffer.wrap(value); left.hasRemaining(); ) {
            list.add(left.getLong());
        }
        return list;
    }

    /** Does one step: of a transaction, or a plain write. */
    void step() {
        if (transaction == null) {
            if (random.nextInt(4) == 0) {
                writeBatch();
            } else {
                begin(random.nextInt(3) > 0);
                steps = 2 + random.nextInt(8);
            }
        } else if (steps-- > 0) {
            operation();
        } else if (random.nextInt(12) == 0) {
            transaction.close();
            transaction = null;
        } else {
            commit();
        }
    }

    private void begin(boolean isSerializable) {
        serializable = isSerializable;
        transaction = db.begin(isSerializable ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT);
        reads.clear();
        writes.clear();
        saved.clear();
        own = new HashMap<>();
    }

    /** Reads all keys, in a transaction that does nothing else. */
    void readAll() {
        begin(true);
        for (int key = 0; key < KEYS; key++) {
            read(key);
        }
        commit();
    }

    private void operation() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> read(random.nextInt(KEYS));
            case 4, 5 -> walk();
            case 6, 7, 8 -> write(randomWrite(true));
            case 9, 10, 11 -> { // a key that it writes it reads, too, with its own earlier writes
                Write write = randomWrite(true);
                write(write);
                read(write.from());
            }
            case 12, 13 -> saved.add(new Saved(transaction.savepoint(), writes.size(), new HashMap<>(own)));
            case 14, 15 -> rollBack();
            case 16 -> rolledBackRead();
            case 17 -> {
                if (random.nextInt(4) == 0) {
                    transaction.spill();
                }
            }
            default -> write(randomWrite(true));
        }
    }

    /** Reads a key of the store behind a merge that is taken back at once. */
    private void rolledBackRead() {
        saved.add(new Saved(transaction.savepoint(), writes.size(), new HashMap<>(own)));
        int key = random.nextInt(KEYS / EXPIRING) * EXPIRING + 1;
        write(new Write(Kind.MERGE, key, key + 1, numbers.incrementAndGet(), Long.MAX_VALUE));
        read(key);
        rollBack();
    }

    private void rollBack() {
        if (saved.isEmpty()) {
            return;
        }
        int to = saved.size() - 1 - random.nextInt(Math.min(2, saved.size()));
        saved.subList(to + 1, saved.size()).clear();
        Saved state = saved.get(to);
        transaction.rollbackTo(state.savepoint);
        rolledBack += writes.size() > state.writes ? 1 : 0;
        writes.subList(state.writes, writes.size()).clear();
        own = new HashMap<>(state.own);
    }

    // ---- reading

    private void read(int key) {
        byte[] bytes = key(key);
        byte[] value = switch (random.nextInt(3)) {
            case 0 -> transaction.get(bytes);
            case 1 -> transaction.multiGet(List.of(bytes)).get(0);
            default -> {
                int length = transaction.valueLength(bytes);
                ByteBuffer found = ByteBuffer.allocate(Math.max(0, length));
                assertEquals(length, transaction.get(ByteBuffer.wrap(bytes), found));
                yield length < 0 ? null : found.array();
            }
        };
        found(key, list(value));
    }

    /** Something was found: the store's part of it is recorded. */
    private void found(int key, List<Long> value) {
        Own mine = own.get(key);
        List<Long> ofStore = value;
        if (mine != null && !mine.behindStore) {
            assertEquals(mine.value, value, "its own write");
            return;
        }
        if (mine != null) {
            int before = value == null ? -1 : value.size() - mine.value.size();
            assertTrue(before >= 0 && value.subList(before, value.size()).equals(mine.value), "its own operands");
            ofStore = before == 0 ? null : value.subList(0, before);
        }
        if (reads.containsKey(key)) {
            assertEquals(reads.get(key), ofStore, "what it has read before");
        }
        reads.put(key, ofStore);
    }

    private void walk() {
        int from = random.nextInt(KEYS);
        int stepsLeft = random.nextInt(6);
        boolean backward = random.nextBoolean();
        Map<Integer, List<Long>> shown = new HashMap<>();
        int last = from;
        boolean ended = false;
        FlexCursor cursor = transaction.cursor(ReadOptions.defaults().withUpperBound(key(KEYS)));
        if (backward) {
            cursor.seekForPrev(key(from));
        } else {
            cursor.seek(key(from));
        }
        while (!ended) {
            if (!cursor.isValid()) {
                last = backward ? 0 : KEYS - 1;
                ended = true;
            } else {
                last = ByteBuffer.wrap(cursor.key()).getInt();
                shown.put(last, list(cursor.value()));
                ended = stepsLeft-- == 0;
                if (!ended && backward) {
                    cursor.prev();
                } else if (!ended) {
                    cursor.next();
                }
            }
        }
        if (random.nextBoolean()) {
            cursor.close(); // else it is closed by a rollback, or at the end
        }
        for (int key = Math.min(from, last); key <= Math.max(from, last); key++) {
            found(key, shown.get(key));
        }
    }

    // ---- writing

    private Write randomWrite(boolean mayExpire) {
        int key = random.nextInt(KEYS);
        long next = numbers.incrementAndGet();
        int kind = random.nextInt(12);
        if (kind == 0) {
            return new Write(Kind.DELETE, key, Math.min(KEYS, key + 1 + random.nextInt(5)), next, Long.MAX_VALUE);
        }
        if (kind == 1) {
            return new Write(Kind.DELETE, key, key + 1, next, Long.MAX_VALUE);
        }
        boolean isExpiring = key % EXPIRING == 0;
        if (isExpiring && mayExpire && kind < 8) {
            return new Write(Kind.PUT, key, key + 1, next, 1 + random.nextInt(200)); // for so long
        }
        return new Write(!isExpiring && kind < 8 ? Kind.MERGE : Kind.PUT, key, key + 1, next, Long.MAX_VALUE);
    }

    private void write(Write write) {
        byte[] key = key(write.from());
        Write done = write;
        switch (write.kind()) {
            case MERGE -> transaction.merge(key, value(write.number()));
            case DELETE -> {
                if (write.to() - write.from() == 1) {
                    transaction.delete(key);
                } else {
                    transaction.deleteRange(key, key(write.to()));
                }
            }
            default -> {
                if (write.expiry() == Long.MAX_VALUE) {
                    transaction.put(key, value(write.number()));
                } else {
                    transaction.put(key, value(write.number()), Duration.ofMillis(write.expiry()));
                    long expiry = transaction.expiresAt(key).orElseThrow().toEpochMilli();
                    done = new Write(Kind.PUT, write.from(), write.to(), write.number(), expiry);
                }
            }
        }
        writes.add(done);
        for (int each = write.from(); each < write.to(); each++) {
            own.put(each, after(own.get(each), write));
        }
    }

    private static Own after(Own before, Write write) {
        return switch (write.kind()) {
            case DELETE -> new Own(false, null);
            case PUT -> new Own(false, List.of(write.number()));
            case MERGE -> {
                List<Long> value = new ArrayList<>(before == null || before.value == null ? List.of() : before.value);
                value.add(write.number());
                yield new Own(before == null || before.behindStore, value);
            }
        };
    }

    private void commit() {
        Transaction ending = transaction;
        boolean isLinked = ending.isSpilled() && !writes.isEmpty();
        transaction = null;
        try {
            long last = ending.commit();
            linked += isLinked ? 1 : 0;
            record(ending.sequence(), ending.pin.time(), last, isLinked);
        } catch (ConflictException e) {
            conflicts++;
        }
    }

    private void record(long snapshot, long time, long last, boolean isLinked) {
        long returned = order.getAsLong();
        long sequence = writes.isEmpty() ? snapshot : last;
        Node node = new Node("T" + returned + "@" + sequence, number, serializable);
        // A transaction that has only read comes behind all that was linked behind its snapshot before.
        Place place = new Place(sequence, isLinked || writes.isEmpty(), returned);
        int count = isLinked ? 0 : writes.size();
        long ended = isLinked ? timeNow() : time;
        history.add(new Done(node, snapshot, time, ended, place, count, new HashMap<>(reads), List.copyOf(writes)));
    }

    private long timeNow() {
        try (Transaction probe = db.begin(Isolation.SNAPSHOT)) {
            return probe.pin.time();
        }
    }

    private void writeBatch() {
        begun();
        WriteBatch batch = new WriteBatch();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Write write = randomWrite(false);
            byte[] key = key(write.from());
            switch (write.kind()) {
                case MERGE -> batch.merge(key, value(write.number()));
                case DELETE -> batch.deleteRange(key, key(write.to()));
                default -> batch.put(key, value(write.number()));
            }
            writes.add(write);
        }
        serializable = true;
        long last = db.write(batch);
        record(last - count, Long.MIN_VALUE, last, false);
        if (random.nextInt(3) == 0) {
            db.put(key(FILLER + random.nextInt(100)), new byte[2000]); // so that memtables end
        }
    }

    private void begun() {
        reads.clear();
        writes.clear();
    }
}
