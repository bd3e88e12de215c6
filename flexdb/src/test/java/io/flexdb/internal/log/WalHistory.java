package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.StoreFailedException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** A random history of one log directory, and what has to be found after it. One thread, so that a seed repeats it. */
final class WalHistory {
    static final Path DIRECTORY = Path.of("/store/wal");
    static final long STORE_ID = 0x1234_5678_9abc_def0L;
    private static final int STEPS = 30;
    private static final int CAPACITY = 8192;
    private static final int PARTLY_ZEROED_CAPACITY = 4 * 4096;

    /** One write. */
    static final class Frame {
        final long firstSequence;
        final int entries;
        final byte[] payload;

        Frame(long firstSequence, int entries, byte[] payload) {
            this.firstSequence = firstSequence;
            this.entries = entries;
            this.payload = payload;
        }

        long lastSequence() {
            return firstSequence + entries - 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Frame
                    && ((Frame) other).firstSequence == firstSequence
                    && ((Frame) other).entries == entries
                    && Arrays.equals(((Frame) other).payload, payload);
        }

        @Override
        public int hashCode() {
            return Objects.hash(firstSequence, entries, Arrays.hashCode(payload));
        }

        @Override
        public String toString() {
            return "#" + firstSequence + "+" + entries;
        }
    }

    final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    final Set<String> sites = new TreeSet<>();
    final List<Frame> frames = new ArrayList<>(); // begun
    long acknowledged; // appended
    long covered;
    boolean closedCleanly;
    int zeroedByAppends; // logs that were zeroed further than their making had done
    int recycledPartlyZeroed;
    private final long seed;
    private final boolean partlyZeroed;
    private final Random random;
    private final ArrayDeque<WalWriter> writers = new ArrayDeque<>(); // frozen ones, then the active one
    private final SharedForce group = new SharedForce(0, new Health("the log", DIRECTORY, null), () -> {}, () -> {});
    private final ArrayDeque<WalWriter> coveredWriters = new ArrayDeque<>();
    private long nextNumber = 1;
    private long nextGeneration = 1;

    /** With an odd seed the place of logs is taken without zeros, which are written as the logs fill. */
    WalHistory(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.partlyZeroed = seed % 2 != 0;
        if (partlyZeroed) {
            vfs.allocateUnwritten();
        }
    }

    /** Runs a history to its end and returns how many file operations it makes. */
    static long operationCount(long seed) {
        return runUntilCut(seed, Long.MAX_VALUE).vfs.operationCount();
    }

    static WalHistory runUntilCut(long seed, long operation) {
        WalHistory history = new WalHistory(seed);
        if (operation < Long.MAX_VALUE) {
            history.vfs.crashAt(operation);
        }
        history.run();
        return history;
    }

    void run() {
        try {
            rotate();
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            writers.forEach(WalWriter::close);
            closedCleanly = true;
        } catch (SimulatedCrash e) {
            assertTrue(vfs.isDead());
        } catch (StoreFailedException e) {
            assertTrue(e.getCause() instanceof SimulatedCrash, e::toString);
        }
    }

    private void step() {
        int dice = random.nextInt(20);
        if (dice < 11) {
            append();
        } else if (dice < 14) {
            group.sync();
            assertEquals(acknowledged, group.durableSequence());
        } else if (dice < 15) {
            rotate();
        } else if (dice < 17 && !frames.isEmpty()) {
            group.awaitDurable(frames.get(random.nextInt(frames.size())).lastSequence());
        } else {
            cover();
        }
    }

    private void append() {
        int entries = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
        byte[] payload = payload(entries);
        boolean soon = partlyZeroed && random.nextInt(5) == 0; // or it would be zeroed to its end
        if (soon || !writers.getLast().hasRoom(payload.length)) {
            rotate();
        }
        frames.add(new Frame(acknowledged + 1, entries, payload));
        int checksum = WritePayload.checksum(payload, 0, payload.length);
        long zeroed = writers.getLast().zeroedPosition();
        writers.getLast()
                .append(new Payload().set(payload, payload.length, entries, 0, 0), checksum, acknowledged + 1, false);
        zeroedByAppends += writers.getLast().zeroedPosition() > zeroed ? 1 : 0;
        acknowledged += entries;
    }

    private byte[] payload(int entries) {
        byte[] payload = new byte[4000];
        int at = 0;
        for (int i = 0; i < entries; i++) {
            byte[] key = new byte[random.nextInt(20)];
            byte[] value =
                    new byte[random.nextInt(partlyZeroed ? 1 : 5) == 0 ? random.nextInt(800) : random.nextInt(60)];
            random.nextBytes(key);
            random.nextBytes(value);
            boolean put = random.nextInt(4) != 0;
            at = put
                    ? WritePayload.encodePutHeader(payload, at, key.length, value.length)
                    : WritePayload.encodeDeleteHeader(payload, at, key.length);
            System.arraycopy(key, 0, payload, at, key.length);
            at += key.length;
            if (put) {
                System.arraycopy(value, 0, payload, at, value.length);
                at += value.length;
            }
        }
        return Arrays.copyOf(payload, at);
    }

    private void rotate() {
        WalWriter next = coveredWriters.isEmpty() || random.nextInt(4) == 0 ? create() : recycle();
        group.add(next);
        writers.addLast(next);
    }

    private WalWriter create() {
        if (!partlyZeroed) {
            return Writes.create(vfs, DIRECTORY, nextNumber++, STORE_ID, nextGeneration++, CAPACITY, true);
        }
        int ahead = random.nextInt(2) * WalFormat.CAPACITY_UNIT;
        return create(vfs, nextNumber++, nextGeneration++, PARTLY_ZEROED_CAPACITY, ahead);
    }

    private static WalWriter create(SimulatedVfs vfs, long number, long generation, long capacity, int ahead) {
        return WalWriter.create(
                vfs,
                DIRECTORY,
                new WalId(STORE_ID, number, generation),
                capacity,
                new WalMode(true, true, ahead),
                filled -> {});
    }

    private WalWriter recycle() {
        WalWriter oldest = coveredWriters.removeFirst();
        recycledPartlyZeroed += oldest.zeroedPosition() < oldest.capacity() ? 1 : 0;
        WalWriter recycled = oldest.recycle(new WalId(STORE_ID, nextNumber++, nextGeneration++));
        assertEquals(oldest.zeroedPosition(), recycled.zeroedPosition(), this::toString);
        return recycled;
    }

    /** A commit of the oldest frozen file, taken to be durable at once. */
    private void cover() {
        if (writers.size() < 2) {
            return;
        }
        WalWriter oldest = writers.getFirst();
        group.awaitDurable(oldest.lastSequence());
        covered = Math.max(covered, oldest.lastSequence());
        writers.removeFirst();
        if (random.nextInt(4) == 0) {
            Path path = oldest.path();
            oldest.release();
            vfs.delete(path);
        } else {
            coveredWriters.addLast(oldest);
        }
    }

    long lastOf(List<Frame> recovered) {
        return recovered.isEmpty()
                ? covered
                : recovered.get(recovered.size() - 1).lastSequence();
    }

    /** Replays an image and checks that it is a prefix of what was begun and holds all that was durable. */
    List<Frame> check(SimulatedVfs image) {
        List<Frame> recovered = replay(image, covered);
        long last = lastOf(recovered);
        assertTrue(last >= group.durableSequence(), () -> this + " lost what follows " + last);
        int at = 0;
        while (at < frames.size() && frames.get(at).lastSequence() <= covered) {
            at++;
        }
        assertTrue(recovered.size() <= frames.size() - at, this::toString);
        assertEquals(frames.subList(at, at + recovered.size()), recovered, this::toString);
        return recovered;
    }

    /** After a clean close each log says that it was forced to its end. */
    void checkMark(SimulatedVfs image) {
        if (!closedCleanly) {
            return;
        }
        for (WalWriter writer : writers) {
            try (WalReader reader = new WalReader(image, writer.path(), STORE_ID)) {
                assertEquals(writer.appendedPosition(), reader.markPosition(), this::toString);
            }
        }
    }

    static List<Frame> replay(SimulatedVfs image, long coveredSequence) {
        List<Frame> recovered = new ArrayList<>();
        WalRecovery recovery = WalRecovery.open(image, DIRECTORY, STORE_ID);
        long last = recovery.replay(
                coveredSequence,
                (first, payload) -> recovered.add(
                        new Frame(first, payload.entries(), Arrays.copyOf(payload.bytes(), payload.length()))));
        assertEquals(
                recovered.isEmpty()
                        ? coveredSequence
                        : recovered.get(recovered.size() - 1).lastSequence(),
                last);
        return recovered;
    }

    /** What an owner does at open, with a cut before an operation; returns how many operations it made. */
    long recover(SimulatedVfs image, long cut) {
        if (partlyZeroed) {
            image.allocateUnwritten();
        }
        if (cut < Long.MAX_VALUE) {
            image.crashAt(cut);
        }
        List<WalWriter> copies = new ArrayList<>();
        try {
            WalRecovery recovery = WalRecovery.open(image, DIRECTORY, STORE_ID);
            long number = recovery.highest().number();
            long generation = recovery.highest().generation();
            recovery.replay(covered, (first, payload) -> {
                if (copies.isEmpty() || copies.size() < 3 && first % 5 == 0) {
                    int count = copies.size() + 1;
                    copies.add(create(image, number + count, generation + count, 8 * CAPACITY, 0));
                }
                copies.get(copies.size() - 1).append(payload, payload.checksum(), first, false);
            });
            copies.forEach(WalWriter::force);
            recovery.deleteReplayed();
            assertEquals(copies.size(), image.list(DIRECTORY).size(), this::toString);
        } catch (SimulatedCrash e) {
            assertTrue(image.isDead());
        }
        return image.operationCount();
    }

    /** Prints every log that is left. */
    void dump() {
        SimulatedVfs image = vfs.copy();
        for (String name : image.list(DIRECTORY)) {
            try (WalReader reader = new WalReader(image, DIRECTORY.resolve(name), STORE_ID)) {
                assertTrue(reader.dump().endsWith(": end\n"));
            }
        }
    }

    @Override
    public String toString() {
        return "history of seed " + seed + " (" + vfs.operationCount() + " operations, covered " + covered
                + ", durable " + group.durableSequence() + ", acknowledged " + acknowledged + ")";
    }
}
