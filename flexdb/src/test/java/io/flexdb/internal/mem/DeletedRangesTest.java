package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
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
    private static final int OVERTAKING = 256;

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
        DeletedRangesChecker.check(ranges);
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
            MemTableChecker.check(table);
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
            DeletedRangesChecker.check(joined);
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
            MemTableChecker.check(table);
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
            int[] reserved = new int[OVERTAKING];
            for (int i = 0; i < OVERTAKING; i++) {
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
                    for (int i = OVERTAKING - 1 - thread; i >= 0; i -= threads) {
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
                assertSame(model, table.ranges(), random, OVERTAKING);
            }
            MemTableChecker.check(table);
        }
        pool.shutdown();
    }

    @Test
    void aTableTakesSoManyRangesOrThoseOfOneWrite() {
        MemTable table = MemTable.allocate(1, 1 << 22);
        byte[] from = {1};
        for (int i = 1; i <= MemTable.MAX_RANGES; i++) {
            assertTrue(table.fillLevel() < 1);
            assertTrue(new Payloads().deleteRange(from, NO_END).insertInto(table, i));
        }
        assertFalse(new Payloads().deleteRange(from, NO_END).insertInto(table, 10_000));
        assertTrue(new Payloads().put(from, from).insertInto(table, 10_000));
        assertEquals(1, table.fillLevel());
        MemTableChecker.check(table);
        table.reset(2, null);
        assertNull(table.ranges());
        Payloads many = new Payloads();
        for (int i = 0; i < 1000; i++) {
            many.deleteRange(new byte[] {(byte) (i >> 8), (byte) i}, NO_END);
        }
        assertTrue(many.insertInto(table, 1));
        assertEquals(1000, table.ranges().newestCovering(new byte[] {9}, 0, 1, 1000));
        MemTableChecker.check(table);
    }

    private static byte[] wide(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static Range wideRange(Random random, int bits, long number) {
        int from = random.nextInt(1 << bits);
        int width = random.nextInt(3) == 0 ? 1 << bits - 1 : 1 + random.nextInt(4);
        return new Range(wide(from), random.nextInt(50) == 0 ? NO_END : wide(from + width), number);
    }

    private static long newest(List<Range> model, byte[] key, long visible) {
        long newest = 0;
        for (Range range : model) {
            newest = range.number > newest && range.number <= visible && range.covers(key) ? range.number : newest;
        }
        return newest;
    }

    /** Narrow ranges and such over half of all, alone and in batches, so many that stretches are divided. */
    @Test
    void thousandsThatOverlapSayWhatAListOfThemSays() {
        for (long seed = 0; seed < Effort.times(4); seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            MemTable table = MemTable.allocate(1, 1 << 24);
            List<Range> model = new ArrayList<>();
            while (model.size() < 3000) {
                Payloads payload = new Payloads();
                int first = model.size() + 1;
                int together = random.nextInt(10) == 0 ? 1 + random.nextInt(60) : 1;
                for (int i = 0; i < together; i++) {
                    Range range = wideRange(random, 14, first + i);
                    // Nobody asks for what is between: all of a write has its last number here.
                    model.add(new Range(range.from, range.to, first + together - 1));
                    payload.deleteRange(range.from, range.to);
                }
                assertTrue(payload.insertInto(table, first));
                if (random.nextInt(40) == 0) {
                    check(table.ranges(), model, random, first + together - 1);
                }
            }
            check(table.ranges(), model, random, model.size());
            assertTrue(table.ranges().count() > 3 * DeletedRanges.MOST_IN_STRETCH);
            MemTableChecker.check(table);
        }
    }

    /** Whether the same keys are covered for those who see whole writes, and through the same keys. */
    private static void check(DeletedRanges ranges, List<Range> model, Random random, long last) {
        DeletedRangesChecker.check(ranges);
        for (int i = 0; i < 30; i++) {
            byte[] key = wide(random.nextInt(1 << 14));
            long visible = random.nextInt(3) == 0 ? last : model.get(random.nextInt(model.size())).number;
            long expected = newest(model, key, visible);
            long found = ranges.newestCovering(key, 0, key.length, visible);
            assertEquals(expected, found == 0 ? 0 : model.get((int) found - 1).number);
            assertEquals(found, ranges.newest(ranges.find(key, 0, key.length), visible));
            assertCovered(ranges, key, visible);
            DeletedRanges newer = ranges.newerThan(visible);
            if (newer != null) {
                DeletedRangesChecker.check(newer);
            }
            long most = last - random.nextInt(100);
            long ofAll = ranges.newestCovering(key, 0, key.length, most);
            long ofNewer = newer == null ? 0 : newer.newestCovering(key, 0, key.length, most);
            assertEquals(ofAll > visible ? ofAll : 0, ofNewer);
        }
    }

    private static void assertCovered(DeletedRanges ranges, byte[] key, long visible) {
        int fragment = ranges.find(key, 0, key.length);
        int behind = fragment;
        while (behind < ranges.count() && ranges.newest(behind, visible) > 0) {
            behind++;
        }
        byte[] to = behind == fragment ? key : behind == ranges.count() ? null : ranges.start(behind);
        assertArrayEquals(to, ranges.coveredTo(key, visible));
        int first = Arrays.equals(ranges.start(fragment), key) ? fragment : fragment + 1;
        int before = first;
        while (before > 0 && ranges.newest(before - 1, visible) > 0) {
            before--;
        }
        assertArrayEquals(before == first ? key : ranges.start(before), ranges.coveredFrom(key, visible));
    }

    @Test
    void whatIsCoveredMayReachFromTheLeastKeyToNoEnd() {
        MemTable table = MemTable.allocate(1, 1 << 20);
        for (int i = 1; i < 1000; i++) {
            assertTrue(new Payloads().deleteRange(wide(i), wide(i + 1)).insertInto(table, i));
        }
        byte[] key = wide(500);
        assertArrayEquals(wide(1000), table.ranges().coveredTo(key, 2000));
        assertArrayEquals(wide(1), table.ranges().coveredFrom(key, 2000));
        assertArrayEquals(wide(1), table.ranges().coveredFrom(wide(1), 2000));
        assertArrayEquals(wide(1000), table.ranges().coveredTo(wide(1000), 2000));
        assertTrue(new Payloads().deleteRange(new byte[0], NO_END).insertInto(table, 1000));
        assertNull(table.ranges().coveredTo(key, 2000));
        assertEquals(0, table.ranges().coveredFrom(key, 2000).length);
        assertEquals(0, table.ranges().coveredFrom(new byte[0], 2000).length);
        assertArrayEquals(wide(1000), table.ranges().coveredTo(key, 999));
        assertNull(table.ranges().newerThan(1000));
        assertEquals(1000, table.ranges().newerThan(999).newestCovering(key, 0, key.length, 2000));
    }

    /** However they overlap: a range adds two bounds, and numbers to two stretches at most and once to each other. */
    @Test
    void noRangeTakesMoreHeapThanItsStretches() {
        for (int kind = 0; kind < 3; kind++) {
            Random random = new Random(kind);
            MemTable table = MemTable.allocate(1, 1 << 26);
            int most = 4000;
            long before = 0;
            for (int i = 1; i <= most; i++) {
                int from = kind == 0 ? i : kind == 1 ? most - i : random.nextInt(most);
                int to = kind == 0 ? 3 * most - i : kind == 1 ? 2 * most + i : from + most;
                if (!new Payloads().deleteRange(wide(from), wide(to)).insertInto(table, i)) {
                    break;
                }
                DeletedRanges ranges = table.ranges();
                long stretches = 1 + 2L * ranges.count() / DeletedRanges.MOST_IN_STRETCH;
                long heap = ranges.heapBytes() - before;
                long numbers = 2L * DeletedRanges.MOST_IN_STRETCH + 2 * stretches;
                assertTrue(heap <= 2 * 36 + 32 * numbers, () -> heap + " bytes: " + ranges);
                before = ranges.heapBytes();
            }
            MemTableChecker.check(table);
        }
    }

    @Test
    void aTableWhoseRangesHaveTheirShareOfTheHeapTakesNoMore() {
        MemTable table = MemTable.allocate(1, 1 << 18);
        long share = MemTable.heapOfRanges(1 << 18, Runtime.getRuntime().maxMemory());
        for (int round = 0; round < 2; round++) {
            Random random = new Random(round);
            int count = 0;
            while (new Payloads()
                    .deleteRange(wide(random.nextInt(1 << 20)), wide((1 << 20) + random.nextInt(1 << 20)))
                    .insertInto(table, count + 1)) {
                count++;
            }
            assertTrue(count > 10 && count < MemTable.MAX_RANGES, count + " ranges");
            assertTrue(table.ranges().heapBytes() >= share, "not for want of room: " + table);
            assertTrue(table.ranges().heapBytes() < share + (16 << 10), "one write more: " + table.ranges());
            assertEquals(1, table.fillLevel());
            assertTrue(new Payloads().put(wide(1), wide(1)).insertInto(table, count + 1));
            MemTableChecker.check(table);
            table.reset(2, null);
        }
        Payloads many = new Payloads();
        for (int i = 0; i < 1000; i++) {
            many.deleteRange(wide(i), wide(2000 - i));
        }
        assertTrue(many.insertInto(table, 1), "those of one write");
    }

    @Test
    void theShareIsBoundedByArenaAndHeap() {
        assertEquals(16 << 20, MemTable.heapOfRanges(1 << 30, 1L << 40));
        assertEquals(1 << 20, MemTable.heapOfRanges(1 << 30, 64 << 20));
        assertEquals(1 << 20, MemTable.heapOfRanges(4 << 20, 1L << 40));
        assertEquals(MemTable.MIN_ARENA_BYTES, MemTable.heapOfRanges(MemTable.MIN_ARENA_BYTES, 1 << 20));
    }

    /** In the order of their numbers but for those of a round, as writers wait for those before them. */
    @Test
    void threadsInsertThousands() throws Exception {
        int threads = 4;
        int count = 1500;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (long seed = 0; seed < Effort.times(3); seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            MemTable table = MemTable.allocate(1, 1 << 24);
            List<Range> model = new ArrayList<>();
            int[] reserved = new int[count];
            for (int i = 0; i < count; i++) {
                Range range = wideRange(random, 14, i + 1);
                model.add(range);
                reserved[i] = table.reserve(MemTable.bodyBytes(range.from.length, range.to.length), 1, 1, i + 1);
            }
            CyclicBarrier round = new CyclicBarrier(threads);
            List<Future<?>> inserting = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                inserting.add(pool.submit(() -> {
                    for (int i = thread; i < count; i += threads) {
                        round.await();
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
                check(table.ranges(), model, random, count);
            }
            assertTrue(table.ranges().count() > 3 * DeletedRanges.MOST_IN_STRETCH);
            MemTableChecker.check(table);
        }
        pool.shutdown();
    }
}
