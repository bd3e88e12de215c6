package io.flexdb.it;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Monitor;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.StoreHealth;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What {@link FullMemoryTest} runs in a JVM of its own: the heap is full to the last byte when what must work even then
 * is used for the first time. Ends with 0 if it works.
 */
final class FullHeapMonitor {
    private static final int MAX_PIECE = 1 << 18;
    private static final long WHILE_NANOS = 10_000_000;
    private static final int KEY_BYTES = 1000;
    private static final int MODEL_KEYS = 200;

    private static Object[] hog; // arrays, each with the one before as its first element
    private static volatile boolean told;
    private static Throwable thrown;

    private FullHeapMonitor() {}

    /** Argument: the method to run. */
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "lock" -> lock();
            case "await" -> await(monitor -> monitor.await());
            case "await for a while" -> await(monitor -> monitor.await(WHILE_NANOS));
            case "insert" -> insert();
            case "reset" -> reset();
            default -> fail();
        }
        emptyHeap();
        if (thrown != null) {
            thrown.printStackTrace(System.out);
        }
        Runtime.getRuntime().halt(thrown == null && told ? 0 : 1);
    }

    /** Whoever finds the lock taken waits for it. */
    private static void lock() throws Exception {
        Monitor monitor = new Monitor();
        Thread main = Thread.currentThread();
        Thread holder = new Thread(() -> {
            monitor.lock();
            isWaiting(main); // while there is memory for what this uses for the first time
            told = true;
            emptyHeapOnceHeWaits(main);
            monitor.unlock();
        });
        holder.start();
        while (!told) {
            Thread.yield();
        }
        fillHeap();
        try {
            monitor.lock();
            monitor.unlock();
        } catch (Throwable e) {
            thrown = e;
        }
        told = hog == null;
        emptyHeap();
        holder.join();
    }

    /** Whoever waits has the lock afterwards. */
    private static void await(Consumer<Monitor> wait) throws Exception {
        Monitor monitor = new Monitor();
        Thread main = Thread.currentThread();
        Thread waker = new Thread(() -> {
            emptyHeapOnceHeWaits(main);
            told = true;
            monitor.wake();
        });
        monitor.lock();
        isWaiting(main);
        waker.start();
        fillHeap();
        try {
            while (!told) {
                wait.accept(monitor);
            }
            monitor.unlock();
        } catch (Throwable e) {
            thrown = e;
        }
        emptyHeap();
        waker.join();
    }

    /** A store that fails has failed, and whoever waits is told. */
    private static void fail() {
        Health health = new Health("the store", Path.of("store"), null);
        Error cause = new OutOfMemoryError("for a test");
        Monitor monitor = new Monitor();
        health.onChange(monitor::wake);
        health.onChange(() -> told = true);
        fillHeap();
        try {
            health.fail(cause);
        } catch (Throwable e) {
            thrown = e;
        }
        emptyHeap();
        told &= health.hasFailed() && health.current().state() == StoreHealth.State.FAILED;
    }

    /** What has its place in a memtable gets there: whoever is stopped midway leaves a node locked. */
    private static void insert() throws Exception {
        Class.forName(MemLogs.class.getName()); // as an opening does
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        byte[] payload = new byte[10];
        int key = WritePayload.encodeDeleteHeader(payload, 0, 1);
        int reserved = table.reserve(MemTable.bodyBytes(1, 0), 1, 1);
        fillHeap();
        try {
            table.insertAll(payload, 0, key + 1, 1, reserved);
        } catch (Throwable e) {
            thrown = e;
        }
        emptyHeap();
        told = table.entryCount() == 1;
    }

    /** A memtable begins, though there is no memory to guess what its keys will look like. */
    private static void reset() throws Exception {
        Class.forName(MemLogs.class.getName()); // as an opening does
        MemTable model = MemTable.allocate(1, 16 * MemTable.MIN_ARENA_BYTES);
        byte[] payload = new byte[KEY_BYTES + 10];
        int key = WritePayload.encodeDeleteHeader(payload, 0, KEY_BYTES);
        for (int i = 1; i <= MODEL_KEYS; i++) {
            payload[key] = (byte) i;
            int reserved = model.reserve(MemTable.bodyBytes(KEY_BYTES, 0), 1, i);
            model.insertAll(payload, 0, key + KEY_BYTES, i, reserved);
        }
        MemTable table = MemTable.allocate(2, MemTable.MIN_ARENA_BYTES);
        fillHeap();
        try {
            table.reset(3, model);
        } catch (Throwable e) {
            thrown = e;
        }
        emptyHeap();
        told = table.id() == 3 && table.isEmpty();
    }

    /** Comes back when there is memory again: right after a heap was full, JDK 25 may still refuse the smallest object. */
    private static void emptyHeap() {
        hog = null;
        while (true) {
            try {
                hog = new Object[MAX_PIECE];
                hog = null;
                return;
            } catch (OutOfMemoryError e) {
                Thread.onSpinWait();
            }
        }
    }

    private static void emptyHeapOnceHeWaits(Thread he) {
        while (hog == null || !isWaiting(he)) {
            if (thrown != null) {
                return;
            }
            Thread.onSpinWait();
        }
        hog = null;
    }

    private static boolean isWaiting(Thread he) {
        return he.getState() == Thread.State.TIMED_WAITING;
    }

    /** Leaves no room for any object, whatever this thread had put aside for its next ones. */
    private static void fillHeap() {
        for (int length = MAX_PIECE; length > 0; ) {
            try {
                Object[] piece = new Object[length];
                piece[0] = hog;
                hog = piece;
            } catch (OutOfMemoryError e) {
                length /= 2;
            }
        }
    }
}
