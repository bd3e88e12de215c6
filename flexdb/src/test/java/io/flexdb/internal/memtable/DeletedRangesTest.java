package io.flexdb.internal.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.batch.Payloads;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Deleted ranges of a memtable against a list of them that is searched from end to end. */
class DeletedRangesTest {
    private static final byte[] NO_END = {};

    private record Range(byte[] from, byte[] to, long number) {
        boolean covers(byte[] key) {
            return Arrays.compareUnsigned(from, key) <= 0 && (to.length == 0 || Arrays.compareUnsigned(key, to) < 0);
        }
    }

    /** Keys of 0 to 2 bytes, so that many are equal, and many begin with others. */
    private static byte[] key(Random random) {
        byte[] key = new byte[random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(16) * 17);
        }
        return key;
    }

    private static Range range(Random random, long number) {
        byte[] a = key(random);
        byte[] b = key(random);
        int order = Arrays.compareUnsigned(a, b);
        if (order == 0 || random.nextInt(20) == 0) {
            return new Range(a, NO_END, number);
        }
        return order < 0 ? new Range(a, b, number) : new Range(b, a, number);
    }

    private static void assertSame(List<Range> model, DeletedRanges ranges, Random random, long most) {
        ranges.checkInvariants();
        for (int i = 0; i < 50; i++) {
            byte[] key = key(random);
            long visible = random.nextInt((int) most + 2);
            long expected = 0;
            for (Range range : model) {
                if (range.number <= visible && range.covers(key)) {
                    expected = Math.max(expected, range.number);
                }
            }
            assertEquals(expected, ranges.newestCovering(key, 0, key.length, visible));
            ByteBuffer buffer = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
            assertEquals(expected, ranges.newestCovering(buffer, 0, key.length, visible));
            int fragment = ranges.find(key, 0, key.length);
            byte[] start = ranges.start(fragment);
            byte[] end = ranges.end(fragment);
            assertTrue(start == null || Arrays.compareUnsigned(start, key) <= 0);
            assertTrue(end == null || Arrays.compareUnsigned(key, end) < 0);
        }
    }

    @Test
    void aKeyIsCoveredByTheNewestRangeThatIsVisible() {
        for (long seed = 0; seed < 30; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            MemTable table = MemTable.allocate(1, 1 << 20);
            assertNull(table.ranges());
            List<Range> model = new ArrayList<>();
            long number = 1;
            while (number < 100) {
                Range range = range(random, number++);
                model.add(range);
                assertTrue(new Payloads().deleteRange(range.from, range.to).insertInto(table, range.number));
                assertSame(model, table.ranges(), random, number);
            }
            table.checkInvariants();
        }
    }

    /** Tables that follow one another, each shown through a number, joined for who may go back to some numbers. */
    @Test
    void joinedOnesSayTheSameToWhoeverMayAsk() {
        for (long seed = 0; seed < 60; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            List<Long> marks = new ArrayList<>(); // who goes back to one sees what is below it
            List<DeletedRanges> all = new ArrayList<>();
            List<Long> through = new ArrayList<>();
            List<Range> model = new ArrayList<>();
            long number = 1;
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                MemTable table = MemTable.allocate(1, 1 << 20);
                long first = number;
                for (int j = random.nextInt(20); j >= 0; j--) {
                    Range range = range(random, number++);
                    assertTrue(new Payloads().deleteRange(range.from, range.to).insertInto(table, range.number));
                    model.add(range);
                    if (random.nextInt(8) == 0) {
                        marks.add(number);
                    }
                }
                long shown = random.nextBoolean() ? number - 1 : first - 1 + random.nextInt((int) (number - first));
                model.removeIf(range -> range.number > shown);
                marks.removeIf(mark -> mark > shown + 1);
                all.add(table.ranges());
                through.add(shown);
            }
            long most = number;
            DeletedRanges joined = DeletedRanges.join(
                    all, through, (older, newer) -> marks.stream().anyMatch(mark -> older < mark && mark <= newer));
            assertEquals(model.isEmpty(), joined == null);
            if (joined == null) {
                continue;
            }
            joined.checkInvariants();
            marks.add(most);
            for (int i = 0; i < 200; i++) {
                byte[] key = key(random);
                long visible = marks.get(random.nextInt(marks.size())) - 1;
                long expected = model.stream()
                        .filter(range -> range.number <= visible && range.covers(key))
                        .mapToLong(range -> range.number)
                        .max()
                        .orElse(0);
                assertEquals(expected, joined.newestCovering(key, 0, key.length, visible));
            }
        }
    }

    /** What a batch says is seen as a whole, so only the last number for each key counts. */
    @Test
    void aBatchOfRangesIsWhatItsLastRangesSay() {
        for (long seed = 0; seed < 30; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            MemTable table = MemTable.allocate(1, 1 << 20);
            List<Range> model = new ArrayList<>();
            for (int batch = 0; batch < 4; batch++) {
                Payloads payload = new Payloads();
                long first = model.size() + 1;
                for (int i = 0; i < 40; i++) {
                    Range range = range(random, model.size() + 1);
                    model.add(range);
                    payload.deleteRange(range.from, range.to);
                }
                assertTrue(payload.insertInto(table, first));
            }
            for (int visible = 40; visible <= model.size(); visible += 40) {
                for (int i = 0; i < 200; i++) {
                    byte[] key = key(random);
                    long expected = 0;
                    for (Range range : model.subList(0, visible)) {
                        expected = range.covers(key) ? range.number : expected;
                    }
                    assertEquals(expected, table.ranges().newestCovering(key, 0, key.length, visible));
                }
            }
            table.checkInvariants();
        }
    }

    /** Numbers are given in order, but threads insert when they come to it. */
    @Test
    void threadsThatOvertakeEachOtherInsertAll() throws Exception {
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (long seed = 0; seed < 20; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            MemTable table = MemTable.allocate(1, 1 << 20);
            List<Range> model = new ArrayList<>();
            int[] reserved = new int[MemTable.MAX_RANGES];
            for (int i = 0; i < MemTable.MAX_RANGES; i++) {
                Range range = range(random, i + 1);
                model.add(range);
                reserved[i] = table.reserve(MemTable.bodyBytes(range.from.length, range.to.length), 1, 1, i + 1);
            }
            CyclicBarrier begin = new CyclicBarrier(threads);
            List<Future<?>> inserting = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                inserting.add(pool.submit(() -> {
                    begin.await();
                    for (int i = MemTable.MAX_RANGES - 1 - thread; i >= 0; i -= threads) {
                        Range range = model.get(i);
                        Payloads payload = new Payloads().deleteRange(range.from, range.to);
                        table.insertAll(payload.bytes(), 0, payload.length(), i + 1, reserved[i]);
                    }
                    return null;
                }));
            }
            for (Future<?> each : inserting) {
                each.get();
            }
            for (int i = 0; i < 20; i++) {
                assertSame(model, table.ranges(), random, MemTable.MAX_RANGES);
            }
            table.checkInvariants();
        }
        pool.shutdown();
    }

    @Test
    void aTableTakesSoManyRangesOrThoseOfOneWrite() {
        MemTable table = MemTable.allocate(1, 1 << 20);
        byte[] from = {1};
        for (int i = 1; i <= MemTable.MAX_RANGES; i++) {
            assertTrue(new Payloads().deleteRange(from, NO_END).insertInto(table, i));
        }
        assertFalse(new Payloads().deleteRange(from, NO_END).insertInto(table, 1000));
        assertTrue(new Payloads().put(from, from).insertInto(table, 1000));
        assertEquals(1, table.fillLevel());
        table.checkInvariants();
        table.reset(2, null);
        assertNull(table.ranges());
        Payloads many = new Payloads();
        for (int i = 0; i < 1000; i++) {
            many.deleteRange(new byte[] {(byte) (i >> 8), (byte) i}, NO_END);
        }
        assertTrue(many.insertInto(table, 1));
        assertEquals(1000, table.ranges().newestCovering(new byte[] {9}, 0, 1, 1000));
        table.checkInvariants();
    }
}
