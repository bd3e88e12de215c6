package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that meet in the hash index, by choice or by chance. Costs are counted, not timed. */
class CrowdedKeysTest {
    private static final int ARENA_BYTES = 1 << 16;

    private static long insert(MemTable table, long sequence, byte[] key) {
        byte[] payload = new byte[(int) WritePayload.putBytes(key.length, 0)];
        int at = WritePayload.encodePutHeader(payload, 0, key.length, 0);
        System.arraycopy(key, 0, payload, at, key.length);
        int reserved;
        synchronized (table) {
            reserved = table.reserve(MemTable.bodyBytes(key.length, 0), 1, sequence);
        }
        assertTrue(reserved != MemTable.NONE, () -> "no room for number " + sequence + " in " + table);
        table.insertAll(payload, 0, payload.length, sequence, reserved);
        return sequence + 1;
    }

    private static long hash(byte[] key) {
        return KeyHash.hash(key, 0, key.length);
    }

    private static int find(MemTable table, byte[] key) {
        return table.find(key, 0, key.length, hash(key), Long.MAX_VALUE);
    }

    private static byte[] words(long... words) {
        ByteBuffer key = ByteBuffer.allocate(8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            key.putLong(word);
        }
        return key.array();
    }

    /**
     * The first made all hashes equal while the constants of the hash were known, the others are those for each
     * constant.
     */
    @ParameterizedTest
    @ValueSource(longs = {0xe7037ed1a0b428dbL, 0xa0761d6478bd642fL, 0x8ebc6af09c88c6e3L, 0, -1})
    void keysChosenAgainstAnEarlierHashCostWhatOthersDo(long word) {
        int keys = 20_000;
        for (int place = 0; place < 3; place++) {
            MemTable table = MemTable.allocate(1, 4 << 20);
            long sequence = 1;
            List<byte[]> inserted = new ArrayList<>();
            for (int i = 0; i < keys; i++) {
                long[] key = {7, 8, 9};
                key[place] = word;
                key[(place + 1) % 3] = i;
                inserted.add(words(key));
                sequence = insert(table, sequence, words(key));
            }
            long slotsRead = 0;
            for (byte[] key : inserted) {
                slotsRead += slotsRead(table.index, find(table, key), hash(key));
            }
            // 1.5 for a random function at the load of half that this is; 10,000 when all hashes are equal.
            assertTrue(slotsRead < 3L * keys, "word " + place + ": " + slotsRead + " slots read for " + keys + " keys");
        }
    }

    /** How many slots a lookup reads until it finds an anchor or an empty slot, or gives up. */
    private static int slotsRead(HashIndex index, int anchor, long hash) {
        for (int read = 1; read < HashIndex.MAX_SLOTS_READ; read++) {
            long word = index.slots.getLong(((int) hash + read - 1 & index.mask) << 3);
            if (word == 0 || Nodes.refOf(word) == anchor) {
                return read;
            }
        }
        return HashIndex.MAX_SLOTS_READ;
    }

    /** As many keys as the index may take, whose slots all should be the first few. */
    private static List<byte[]> keysOfOneSlot(MemTable table, int count) {
        List<byte[]> keys = new ArrayList<>();
        for (long i = 0; keys.size() < count; i++) {
            byte[] key = words(i);
            if ((hash(key) & table.index.slotCount() - 1) < 4) {
                keys.add(key);
            }
        }
        return keys;
    }

    @Test
    void keysWithoutASlotAreFoundInTheTree() {
        MemTable table = MemTable.allocate(1, ARENA_BYTES);
        List<byte[]> keys = keysOfOneSlot(table, 650);
        long sequence = 1;
        for (int version = 0; version < 2; version++) {
            for (byte[] key : keys.subList(0, version == 0 ? 600 : 300)) {
                sequence = insert(table, sequence, key);
            }
        }
        assertTrue(table.index.countKeys() <= HashIndex.MAX_SLOTS_READ + 4, table::toString);
        MemTableChecker.check(table);
        for (int i = 0; i < 600; i++) {
            int ref = find(table, keys.get(i));
            assertEquals(i < 300 ? 601 + i : 1 + i, table.sequence(ref), "key " + i);
        }
        for (byte[] absent : keys.subList(600, 650)) {
            assertEquals(MemTable.NONE, find(table, absent));
        }
        table.reset(2, table);
        assertEquals(MemTable.NONE, find(table, keys.get(599)));
    }

    @Test
    void keysWhoseHashesAgreeAreComparedAFewTimesOnly() {
        MemTable table = MemTable.allocate(1, ARENA_BYTES);
        HashIndex index = table.index;
        Nodes nodes = table.nodes;
        long hash = 0x1234_5678_9abc_def0L;
        int ref = 1;
        for (int i = 0; i < 100; i++) {
            byte[] key = words(i);
            Payloads payload = new Payloads().put(key, new byte[0]);
            PayloadReader entry = new PayloadReader().reset(payload.bytes(), 0, payload.length());
            assertTrue(entry.next());
            nodes.write(ref, i, payload.bytes(), entry);
            assertEquals(i < HashIndex.MAX_OTHERS ? ref : HashIndex.CROWDED, index.claim(ref, key, 0, 8, hash));
            assertEquals(i < HashIndex.MAX_OTHERS ? ref : HashIndex.CROWDED, index.find(key, 0, 8, hash));
            ref += (int) (Nodes.bytes(8, 0) >>> 3);
        }
        assertEquals(HashIndex.MAX_OTHERS, index.countKeys());
    }

    @Test
    void threadsAgreeOnTheAnchorsOfKeysWithoutASlot() throws Exception {
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<byte[]> keys = keysOfOneSlot(MemTable.allocate(1, 2 * ARENA_BYTES), 700);
            for (int round = 0; round < 20; round++) {
                MemTable table = MemTable.allocate(1, 2 * ARENA_BYTES);
                long sequence = 1;
                for (byte[] key : keys.subList(0, 500)) {
                    sequence = insert(table, sequence, key);
                }
                CountDownLatch start = new CountDownLatch(threads);
                List<Future<?>> futures = new ArrayList<>();
                long first = sequence;
                long[] next = {first};
                for (int t = 0; t < threads; t++) {
                    Random random = new Random(round * 31L + t);
                    futures.add(executor.submit(() -> {
                        start.countDown();
                        start.await();
                        for (int i = 0; i < 150; i++) {
                            byte[] key = keys.get(500 + random.nextInt(200));
                            long number;
                            int reserved;
                            synchronized (table) {
                                number = next[0]++;
                                reserved = table.reserve(MemTable.bodyBytes(8, 0), 1, number);
                            }
                            byte[] payload = new byte[(int) WritePayload.putBytes(8, 0)];
                            System.arraycopy(key, 0, payload, WritePayload.encodePutHeader(payload, 0, 8, 0), 8);
                            table.insertAll(payload, 0, payload.length, number, reserved);
                            assertTrue(table.sequence(find(table, key)) >= number);
                        }
                        return null;
                    }));
                }
                for (Future<?> future : futures) {
                    future.get();
                }
                MemTableChecker.check(table);
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
