package io.flexdb.it;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What {@link FullMemoryTest} runs in a JVM of its own, again and again in the same directory: threads write and read
 * while something else fills the heap now and then. Each key's value counts its writes, and a file says for each what
 * was tried and what was acknowledged, so the next process knows what must be there.
 */
final class FullHeapStore {
    /** The code for something wrong. */
    static final int WRONG = 3;
    /** The code if somebody hangs. */
    static final int HANGS = 2;
    /** The code of a JDK that ends the process, as by a kill, since its own cleaner found no memory. */
    static final int ENDED_BY_THE_JDK = 1;

    private static final int WRITERS = 3;
    private static final int READERS = 2;
    private static final int KEYS = 1500 * WRITERS;
    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int MAX_HOG = 3_000_000;
    private static final int MOST_TURNS_LOG = 15; // of all threads, between two times at which the heap is full
    private static final long MAX_SECONDS_TO_END = 300; // on a machine that is busy with other things

    private final FlexDB db;
    private final MappedByteBuffer notes; // for each key: writes tried, writes acknowledged
    private final byte[][] keys = new byte[KEYS][];
    private final AtomicReference<Throwable> wrong = new AtomicReference<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong turns = new AtomicLong(); // operations that have ended, well or not
    private volatile long awaitedTurns = Long.MAX_VALUE; // from how many on each wakes the main thread
    private final Object turn = new Object(); // it waits for that; a monitor, as its wait needs no heap
    private volatile int running; // threads; written under the monitor
    private volatile boolean over;
    // A string literal is made where code comes to it first, which may be while the heap is full: so not there.
    private final String nobodyWrites;
    private final String nobodyDoesAnything;

    private FullHeapStore(FlexDB db, MappedByteBuffer notes) {
        this.db = db;
        this.notes = notes;
        this.nobodyWrites = "nobody writes";
        this.nobodyDoesAnything = "nobody reads or writes";
        for (int key = 0; key < KEYS; key++) {
            keys[key] = ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
        }
    }

    /** Arguments: the directory, seconds, a seed. Ends with one of the codes above. */
    public static void main(String[] args) {
        int code;
        try {
            code = run(args);
        } catch (Throwable e) {
            e.printStackTrace(System.out);
            code = WRONG;
        }
        Runtime.getRuntime().halt(code);
    }

    private static int run(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        long seed = Long.parseLong(args[2]);
        SplittableRandom random = new SplittableRandom(seed);
        boolean capped = random.nextInt(3) == 0;
        FlexDBOptions options = FlexDBOptions.defaults()
                .withDurability(Durability.values()[random.nextInt(3)])
                .withMemtableBytes(256 << 10)
                .withCacheBytes(1 << 20)
                .withMemoryBytes(32 << 20)
                .withSpace(FlexSpaceOptions.defaults()
                        .withSegments(SEGMENT_BYTES, 4096)
                        .withMaxDataBytes(capped ? 60 * SEGMENT_BYTES : Long.MAX_VALUE));
        FullHeapStore store =
                new FullHeapStore(FlexDB.open(directory.resolve("store"), options), map(directory.resolve("notes")));
        store.requireAcknowledged();
        store.run(Integer.parseInt(args[1]), random);
        boolean killed = random.nextBoolean();
        if (!killed) {
            store.closeInTime();
        }
        System.out.println(store.acknowledged + " writes acknowledged, " + store.errors + " ended for want of memory, "
                + (killed ? "killed, " : "closed, ") + store.db.health());
        Throwable found = store.wrong.get();
        if (found != null) {
            found.printStackTrace(System.out);
        }
        return found == null ? 0 : WRONG;
    }

    private static MappedByteBuffer map(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, 2L * Long.BYTES * KEYS);
        }
    }

    private long tried(int key) {
        return notes.getLong(2 * Long.BYTES * key);
    }

    private void noteTried(int key, long count) {
        notes.putLong(2 * Long.BYTES * key, count);
    }

    private long acknowledged(int key) {
        return notes.getLong(2 * Long.BYTES * key + Long.BYTES);
    }

    private void noteAcknowledged(int key, long count) {
        notes.putLong(2 * Long.BYTES * key + Long.BYTES, count);
    }

    /** All that the last process was told is there; what it tried only, may be. */
    private void requireAcknowledged() {
        for (int key = 0; key < KEYS; key++) {
            byte[] value = db.get(keys[key]);
            long found = value == null ? 0 : ByteBuffer.wrap(value).getLong();
            requireBetween(key, found, acknowledged(key), tried(key));
            noteAcknowledged(key, found);
            noteTried(key, found);
        }
    }

    private static void requireBetween(int key, long found, long least, long most) {
        if (found < least || found > most) {
            throw new IllegalStateException(
                    "key " + key + ": write " + found + " is there, which should be from " + least + " to " + most);
        }
    }

    private void run(int seconds, SplittableRandom random) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS + READERS; i++) {
            SplittableRandom own = random.split();
            int which = i;
            Runnable operation = () -> {
                try {
                    if (which < WRITERS) {
                        write(which + WRITERS * own.nextInt(KEYS / WRITERS), own);
                    } else {
                        read(own.nextInt(KEYS));
                    }
                } finally {
                    endTurn();
                }
            };
            threads.add(new Thread(() -> {
                repeat(operation);
                endThread();
            }));
        }
        repeat(
                () -> { // what it uses itself to tell errors apart is had before the heap is full
                    throw new StoreClosedException("the first error");
                });
        running = threads.size();
        threads.forEach(thread -> thread.setDaemon(true));
        threads.forEach(Thread::start);
        fillHeapNowAndThen(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds), random);
        long before = acknowledged.get();
        // Then somebody goes on, unless one of those under way has met the full heap, and the store fails.
        awaitedTurns = 0;
        long latest = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS_TO_END);
        synchronized (turn) {
            while (mustGoOn(before)) {
                awaitTurn(latest, nobodyWrites);
            }
        }
        over = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(MAX_SECONDS_TO_END));
            if (thread.isAlive()) {
                hang(thread.getName() + " hangs");
            }
        }
    }

    private void endTurn() {
        if (turns.incrementAndGet() >= awaitedTurns) {
            synchronized (turn) {
                turn.notifyAll();
            }
        }
    }

    private void endThread() {
        synchronized (turn) {
            running--;
            turn.notifyAll();
        }
    }

    /** Under the monitor: waits for a turn, or the end of a thread. */
    private void awaitTurn(long latest, String otherwise) throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.toMillis(latest - System.nanoTime());
        if (left <= 0) {
            hang(otherwise);
        }
        turn.wait(left);
    }

    /** Returns after so many more turns, or when all threads have ended. Allocates nothing. */
    private void awaitTurns(int more) throws InterruptedException {
        long awaited = turns.get() + more;
        awaitedTurns = awaited;
        long latest = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS_TO_END);
        synchronized (turn) {
            while (turns.get() < awaited && running > 0) {
                awaitTurn(latest, nobodyDoesAnything);
            }
        }
        awaitedTurns = Long.MAX_VALUE;
    }

    private boolean mustGoOn(long before) {
        return acknowledged.get() == before
                && running > 0
                && wrong.get() == null
                && db.health().state() == StoreHealth.State.USABLE;
    }

    private void hang(String what) {
        System.out.println(what + ", " + db.health());
        if (wrong.get() != null) {
            wrong.get().printStackTrace(System.out);
        }
        Thread.getAllStackTraces().forEach((thread, stack) -> { // those of the store, too: it may be them
            IllegalStateException where = new IllegalStateException(thread.getName());
            where.setStackTrace(stack);
            where.printStackTrace(System.out);
        });
        Runtime.getRuntime().halt(HANGS);
    }

    private void closeInTime() throws InterruptedException {
        Thread closing = new Thread(() -> {
            try {
                db.close();
            } catch (StoreFailedException | StoreFullException e) {
                // what is acknowledged is in the logs
            } catch (Throwable e) {
                wrong.compareAndSet(null, e);
            }
        });
        closing.setDaemon(true);
        closing.start();
        closing.join(TimeUnit.SECONDS.toMillis(MAX_SECONDS_TO_END));
        if (closing.isAlive()) {
            hang("close hangs");
        }
    }

    private void repeat(Runnable operation) {
        while (!over) {
            try {
                operation.run();
            } catch (StoreFullException | StoreMemoryException | OutOfMemoryError e) {
                errors.incrementAndGet();
            } catch (StoreFailedException | StoreClosedException e) {
                return;
            } catch (Throwable e) {
                wrong.compareAndSet(null, e);
                return;
            }
        }
    }

    private void write(int key, SplittableRandom random) {
        byte[] value = new byte[Long.BYTES + random.nextInt(1000)];
        long count = tried(key) + 1;
        ByteBuffer.wrap(value).putLong(count);
        noteTried(key, count);
        db.put(keys[key], value);
        noteAcknowledged(key, count);
        acknowledged.incrementAndGet();
    }

    private void read(int key) {
        long least = acknowledged(key);
        byte[] value = db.get(keys[key]);
        requireBetween(key, value == null ? 0 : ByteBuffer.wrap(value).getLong(), least, tried(key));
    }

    private void fillHeapNowAndThen(long end, SplittableRandom random) throws InterruptedException {
        byte[][] hog = new byte[MAX_HOG][];
        int count = 0;
        while (System.nanoTime() < end && running > 0) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(40));
            int left = 1 << random.nextInt(16);
            for (int bytes = 1 << 20; bytes > left || System.nanoTime() < until; ) {
                try {
                    hog[count] = new byte[bytes];
                    count++;
                } catch (OutOfMemoryError e) {
                    bytes = Math.max(left, bytes / 2);
                }
            }
            while (count > 0) {
                hog[--count] = null;
            }
            awaitTurns(1 << random.nextInt(MOST_TURNS_LOG));
        }
    }
}
