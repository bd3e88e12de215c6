package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk is full at whatever moment of the life of large values. */
class FlexDBLargeValuesFullTest {
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL.withLargeValueBytes(2000);

    /** What the disk has no room for. */
    private enum Moment {
        STAGING,
        LOGGING,
        COMMITTING
    }

    private final Random random = new Random(5);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    /** Large values, every other from a channel; some with others, some longer than a memtable, some deleted. */
    private void write(StoreDriver store, int i) {
        switch (i % 6) {
            case 0 -> store.put(key(i % 17), value(3000 + random.nextInt(30_000)));
            case 1 -> store.put(key(i % 13), value(2100 + random.nextInt(3000)));
            case 2 -> store.put(key(50 + i % 40), value(700));
            case 3 ->
                store.batch(
                        List.of(new Edit(key(i % 11), value(5000)), new Edit(key(i % 7), value(9))),
                        store.options.durability());
            case 4 -> store.put(key(30 + i % 2), value(80_000));
            default -> store.delete(key(random.nextInt(20)));
        }
    }

    /** The disk has so little room that each growth of a file may be one too much; there is more of it, bit by bit. */
    @ParameterizedTest
    @EnumSource
    void onADiskOfAnySizeNothingAcknowledgedIsLostAndDeletesMakeRoom(Durability durability) {
        int refusals = 0;
        for (int kibibytes = 900; kibibytes < 1300; kibibytes += Effort.step(31)) {
            refusals += fill(durability, kibibytes << 10);
        }
        assertTrue(refusals > Effort.times(20), refusals + " writes were refused");
    }

    private int fill(Durability durability, int capacity) {
        String at = durability + ", " + capacity + " bytes";
        StoreDriver store = new StoreDriver(OPTIONS.withDurability(durability));
        store.put(key(0), value(10));
        store.vfs.setCapacity(capacity);
        int refusals = 0;
        for (int i = 0; i < 250 && refusals < 4; i++) {
            try {
                write(store, i);
            } catch (StoreFullException e) {
                refusals++;
                store.oracle.forgetLast();
                store.writing = false;
                store.assertSame(at + ", refused");
            }
        }
        store.assertSame(at + ", full");
        if ((capacity >> 10) % 2 == 0) {
            store.vfs = store.vfs.kill();
            store.vfs.setCapacity(Long.MAX_VALUE); // an opening needs room for logs
            store.open();
            store.assertSame(at + ", killed");
        }
        List<byte[]> keys = new ArrayList<>(store.oracle.now().keySet());
        for (byte[] key : keys) {
            store.delete(key);
        }
        assertEquals(0, store.oracle.now().size());
        for (int i = 0; i < 60; i++) {
            store.put(key(i % 2), value(i % 3 == 0 ? 60_000 : 3000));
        }
        store.assertSame(at + ", with room again");
        assertEquals(List.of(), store.db.check().findings(), at);
        store.db.close();
        store.open();
        store.assertSame(at + ", reopened");
        store.db.close();
        return refusals;
    }

    /**
     * One operation meets a full disk, each in its turn: a write is refused and can be made again, or the store stops,
     * and opens with all that it has acknowledged. Each moment is met.
     */
    @ParameterizedTest
    @EnumSource(names = {"OS", "SYNC"})
    void anyOperationMayMeetAFullDisk(Durability durability) {
        FlexDBOptions options = OPTIONS.withDurability(durability);
        List<Moment> moments = new ArrayList<>();
        StoreDriver counting = StoreDriver.closed(options, new SimulatedVfs());
        counting.setHook((kind, path) -> {
            if (kind != HookedVfs.Kind.READ) {
                moments.add(moment(path));
            }
        });
        counting.open();
        int first = moments.size();
        for (int i = 0; i < 90; i++) {
            write(counting, i);
        }
        counting.db.close();
        Set<Moment> met = EnumSet.noneOf(Moment.class);
        int refused = 0;
        int step = Math.max(1, moments.size() / Effort.times(120));
        for (int operation = first; operation < moments.size(); operation += step) {
            refused += meet(options, operation, met);
        }
        assertEquals(EnumSet.allOf(Moment.class), met);
        assertTrue(refused > Effort.times(5), refused + " writes were refused, of " + moments.size() + " operations");
    }

    private static Moment moment(Path path) {
        String name = path.toString();
        return name.endsWith("space/data") ? Moment.STAGING : name.contains("wal") ? Moment.LOGGING : Moment.COMMITTING;
    }

    private int meet(FlexDBOptions options, int operation, Set<Moment> met) {
        String at = options.durability() + ", operation " + operation;
        StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
        int[] count = {0};
        store.setHook((kind, path) -> {
            if (kind != HookedVfs.Kind.READ && count[0]++ == operation) {
                met.add(moment(path));
                store.vfs.failAt(store.vfs.operationCount() + 1, Fault.ENOSPC);
            }
        });
        int refused = 0;
        boolean stopped = false;
        store.open();
        byte[] later = value(50_000);
        boolean done = false;
        for (int i = 0; !done && !stopped; i++) {
            try {
                if (i < 90) {
                    write(store, i);
                } else { // refused once at most
                    store.put(key(70), later);
                    done = true;
                }
            } catch (StoreFullException | StoreFailedException e) {
                refused++;
                stopped = hasFailed(store);
                if (!stopped) {
                    store.oracle.forgetLast();
                    store.writing = false;
                    store.assertSame(at + ", refused");
                }
            }
        }
        if (!stopped) {
            store.assertSame(at);
        }
        SimulatedVfs killed = store.vfs.kill();
        try (FlexDB db = StoreDriver.open(killed, options.withMergeFunction(StoreOracle.TAIL))) {
            StoreOracle oracle = store.oracle.copy();
            int least = oracle.writesSinceDurable() - (stopped ? 1 : 0);
            oracle.found(StoreDriver.all(db), db.stats().lastSequence(), least, at);
            assertEquals(List.of(), db.check().findings(), at);
            if (!stopped) {
                assertArrayEquals(later, db.get(key(70)), at);
            }
        }
        return refused; // its files are no more
    }

    private static boolean hasFailed(StoreDriver store) {
        try {
            store.db.stats();
            return false;
        } catch (StoreFailedException e) {
            return true;
        }
    }
}
