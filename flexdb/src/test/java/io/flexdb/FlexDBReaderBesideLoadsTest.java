package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ReaderOvertakenException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers beside a bulk load and another thread that writes meanwhile, so that a log which readers follow goes on over
 * the load. Whenever they look, and in the midst of looking, they show the state behind some write or load.
 */
class FlexDBReaderBesideLoadsTest {
    /*
     * The store has no threads: who loads does all of it. Before each file operation of his the other thread is asked for
     * a write, and gets the time to make it. If the loading thread holds the lock for writes just then, the other one
     * waits for it, which is seen, and the load goes on; so the order of all that happens is the same each time. What
     * the other thread could write is before the load as long as nobody sees that, and behind it afterwards.
     */
    private static final int KEYS = 240;
    private static final int LOADS = 8;
    private static final FlexDBOptions OPTIONS =
            StoreDriver.WITHOUT_LARGE.withMemtableBytes(1 << 20).withMergeFunction(StoreOracle.TAIL);

    private final TestClock clock = new TestClock();
    private final StoreOracle oracle = new StoreOracle(clock); // knows of all that has happened
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final AtomicReference<Thread> otherThread = new AtomicReference<>();
    private final ExecutorService other = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "test-other");
        otherThread.set(thread);
        return thread;
    });
    private final List<FlexDBReader> readers = new ArrayList<>();
    private Random random;
    private FlexDB db;
    private Runnable beforeOperation = () -> {}; // of the thread that loads
    private boolean within; // what a hook does has none
    private int reading = -1; // the reader that goes on just now
    private Thread loader;
    private TreeMap<byte[], byte[]> loading; // what is on its way, null for nothing
    private long publishedBehind; // that write
    private Future<Long> asked; // of the other thread, not known to be done
    private List<Edit> askedEdits;
    private int besideLoads; // writes behind what memtables had, and before the load
    private int amidst; // states seen while a reader went on
    private Runnable amidstReads = () -> {}; // before each operation of a reader that goes on

    @BeforeEach
    void open() {
        db = StoreDriver.open(
                new HookedVfs(vfs, (kind, path) -> {
                    if (loading != null && Thread.currentThread() == loader && !within) {
                        within = true;
                        beforeOperation.run();
                        within = false;
                    }
                }),
                OPTIONS.withClock(clock));
    }

    @AfterEach
    void close() {
        readers.forEach(FlexDBReader::close);
        other.shutdownNow();
        db.close();
    }

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "key%04d", i).getBytes(StandardCharsets.UTF_8);
    }

    // ---- writes

    private void write(List<Edit> edits) {
        oracle.write(edits);
        assertEquals(oracle.sequence(), db.write(batch(edits)));
    }

    /** As a thread of the store would: so the log that is followed keeps its name when the next one begins. */
    private void prepareNextLog() {
        db.openStore().memLogs.prepare();
    }

    private void write(int key, int value) {
        write(List.of(new Edit(key(key), value(value))));
    }

    private static byte[] value(int value) {
        return ByteBuffer.allocate(12).putInt(value).array();
    }

    private static WriteBatch batch(List<Edit> edits) {
        WriteBatch batch = new WriteBatch();
        for (Edit edit : edits) {
            if (edit.isRange()) {
                batch.deleteRange(edit.key(), edit.to());
            } else if (edit.value() == null) {
                batch.delete(edit.key());
            } else if (edit.isMerge()) {
                batch.merge(edit.key(), edit.value());
            } else {
                batch.put(edit.key(), edit.value());
            }
        }
        return batch;
    }

    private void load(TreeMap<byte[], byte[]> pairs) {
        try (BulkLoad load = db.bulkLoad()) {
            pairs.forEach(load::add);
            loader = Thread.currentThread();
            loading = pairs;
            long before = load.commit();
            if (loading != null) { // else it was seen in the end
                published();
            }
            assertEquals(before, publishedBehind);
            settleAsked(true);
        }
    }

    private void published() {
        oracle.load(loading);
        loading = null;
        publishedBehind = oracle.sequence();
    }

    /** Asks the other thread for a write, and returns whether it could make it. */
    private boolean writeByOther(List<Edit> edits) {
        if (!settleAsked(false)) {
            return false;
        }
        WriteBatch batch = batch(edits);
        askedEdits = edits;
        asked = other.submit((Callable<Long>) () -> db.write(batch));
        return settleAsked(false);
    }

    /** Waits until the other thread has written, or waits for this one to give up the lock; false in that case. */
    private boolean settleAsked(boolean isFree) {
        if (asked == null) {
            return true;
        }
        while (!asked.isDone()) {
            if (!isFree && waitsForThisThread()) {
                return false;
            }
            Thread.onSpinWait();
        }
        if (loading != null
                && Arrays.equals(
                        db.get(loading.firstKey()), loading.firstEntry().getValue())) {
            published(); // and this thread had the lock from when the load was forced until it could be seen
        }
        oracle.write(askedEdits);
        try {
            assertEquals(oracle.sequence(), asked.get());
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError("the other thread", e);
        }
        asked = null;
        return true;
    }

    private boolean waitsForThisThread() {
        ThreadInfo info = ManagementFactory.getThreadMXBean()
                .getThreadInfo(otherThread.get().getId());
        return info != null && info.getLockOwnerId() == Thread.currentThread().getId();
    }

    // ---- readers

    /** Opens one, and has its state looked at in the midst of each going on. */
    private FlexDBReader reader() {
        int index = readers.size();
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            if (reading == index) {
                reading = -1;
                amidstReads.run();
                if (index < readers.size()) {
                    requireState(readers.get(index), 0, "amidst");
                    amidst++;
                }
                reading = index;
            }
        });
        reading = index;
        readers.add(FlexDB.openReadOnly(hooked, StoreDriver.DIRECTORY, OPTIONS.withClock(clock), true));
        reading = -1;
        return readers.get(index);
    }

    /** Has a reader go on, and requires of it all that has returned. */
    private void goOn(FlexDBReader reader, boolean withLoads, String at) {
        long before = Math.max(reader.sequence(), oracle.sequence());
        int least = withLoads ? oracle.writesSinceDurable() : 0;
        reading = readers.indexOf(reader);
        long sequence = withLoads ? reader.refreshWithLoads() : reader.refresh();
        reading = -1;
        assertTrue(sequence >= before, at);
        if (!requireState(reader, least, at)) {
            assertEquals(oracle.sequence(), reader.refreshWithLoads()); // it was told to
            assertTrue(requireState(reader, oracle.writesSinceDurable(), at), at);
        }
    }

    /** Returns false if it was overtaken. */
    private boolean requireState(FlexDBReader reader, int least, String at) {
        StoreOracle possible = oracle.copy();
        if (loading != null) {
            possible.load(loading);
        }
        try (FlexCursor cursor = reader.cursor()) {
            possible.found(StoreDriver.all(cursor), reader.sequence(), least, at);
            return true;
        } catch (ReaderOvertakenException e) {
            return false;
        }
    }

    // ---- what happens

    @Test
    void aLoadThatALogGoesOnOverIsShownInItsPlace() {
        FlexDBReader reader = reader();
        FlexDBReader slow = reader();
        for (int round = 1; round <= 4; round++) {
            write(10, round);
            write(11, round);
            prepareNextLog();
            goOn(reader, false, "before");
            int number = 1000 * round;
            int[] more = {0};
            long covered = oracle.sequence();
            beforeOperation = () -> {
                if (writeByOther(List.of(new Edit(key(100), value(number + more[0]++))))) {
                    besideLoads++;
                    goOn(reader, false, "write " + more[0] + " beside");
                }
            };
            TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
            pairs.put(key(9), value(-round));
            pairs.put(key(10), value(-round));
            load(pairs);
            assertTrue(oracle.sequence() > covered + 2, "the other thread has written");
            if (round % 2 == 0) {
                goOn(reader, true, "the load");
            }
            write(101, round); // into the same log
            goOn(reader, false, "behind");
            assertArrayEquals(value(-round), reader.get(key(10)));
            assertArrayEquals(value(round), reader.get(key(11)));
            goOn(slow, false, "much at once");
        }
    }

    /** Changes of keys that are not within bounds. */
    private List<Edit> edits(int from, int to) {
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            boolean below = from > 0 && (to >= KEYS || random.nextBoolean());
            int first = below ? 0 : to;
            int end = below ? from : KEYS;
            int key = first + random.nextInt(end - first);
            int kind = random.nextInt(8);
            if (kind == 0) {
                edits.add(Edit.range(key(key), key(Math.min(end, key + 1 + random.nextInt(40)))));
            } else if (kind == 1) {
                edits.add(new Edit(key(key), null));
            } else if (kind == 2) {
                edits.add(Edit.merge(key(key), value(random.nextInt())));
            } else {
                edits.add(new Edit(key(key), value(random.nextInt())));
            }
        }
        return edits;
    }

    private void loadSome(String at) {
        int from = random.nextInt(KEYS - 60);
        int to = from + 1 + random.nextInt(60);
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = from; i < to; i += 1 + random.nextInt(4)) {
            pairs.put(key(i), value(random.nextInt()));
        }
        beforeOperation = () -> {
            if (random.nextInt(3) == 0 && writeByOther(edits(from, to))) {
                besideLoads++;
            }
            if (random.nextInt(3) == 0 && settleAsked(false)) {
                goOn(readers.get(random.nextInt(2)), random.nextInt(4) == 0, at);
            }
        };
        load(pairs);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whateverIsWrittenBesideLoadsReadersShowOneOrder(long seed) {
        random = new Random(seed);
        FlexDBReader first = reader();
        FlexDBReader second = reader();
        for (int load = 0; load < LOADS; load++) {
            String at = "seed " + seed + ", load " + load;
            for (int i = 0; i < 12; i++) {
                write(edits(KEYS, KEYS));
                if (random.nextInt(3) == 0) {
                    goOn(random.nextBoolean() ? first : second, random.nextInt(4) == 0, at);
                }
            }
            if (random.nextInt(4) > 0) {
                prepareNextLog();
            }
            loadSome(at);
        }
        goOn(first, true, "in the end");
        goOn(second, true, "in the end");
        StoreOracle.assertSame(oracle.now(), StoreDriver.all(db), "the store");
        assertTrue(
                besideLoads > 2 * LOADS && amidst > 100, besideLoads + " writes beside loads, " + amidst + " amidst");
    }

    private void writeOrLoad() {
        if (random.nextInt(3) > 0) {
            write(edits(KEYS, KEYS));
            return;
        }
        int from = random.nextInt(KEYS - 60);
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = from; i < from + 60; i += 1 + random.nextInt(9)) {
            pairs.put(key(i), value(random.nextInt()));
        }
        load(pairs);
    }

    /** So a load may come between what a reader has found in the logs and the space that it reads next. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatIsLoadedWhileAReaderReadsIsShownInItsPlace(long seed) {
        random = new Random(seed);
        int[] most = {0};
        int[] all = {0};
        amidstReads = () -> {
            if (most[0] > 0 && random.nextInt(8) == 0) {
                most[0]--;
                all[0]++;
                writeOrLoad();
            }
        };
        for (int round = 0; round < 60; round++) {
            String at = "seed " + seed + ", round " + round;
            most[0] = 3;
            if (readers.size() < 2 || random.nextInt(10) == 0) {
                requireState(reader(), 0, at);
            }
            if (random.nextBoolean()) {
                prepareNextLog();
            }
            goOn(readers.get(random.nextInt(readers.size())), random.nextBoolean(), at);
            writeOrLoad();
        }
        assertTrue(all[0] > 60, all[0] + " writes and loads amidst");
    }
}
