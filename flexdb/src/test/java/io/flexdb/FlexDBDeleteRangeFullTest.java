package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges that are deleted where room is short: they are never refused, make room, and hide what they should. */
class FlexDBDeleteRangeFullTest {

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    /** A store that takes no more is emptied by one call, and then takes as much again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneCallEmptiesAFullStore(boolean inline) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40 * 64L * 512));
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline)) {
            int first = fill(db);
            for (int round = 0; round < 3; round++) {
                db.deleteRange(new byte[0], null);
                assertEquals(0, StoreDriver.all(db).size());
                for (int i = 0; i < first / 2; i++) {
                    db.put(key(i), value(i, 300)); // never refused
                }
                assertEquals(first / 2, StoreDriver.all(db).size());
                fill(db);
            }
            db.deleteRange(key(10), null);
            assertEquals(10, StoreDriver.all(db).size());
        }
        try (FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline)) {
            assertEquals(10, StoreDriver.all(again).size());
            assertNull(again.get(key(10)));
        }
    }

    private static int fill(FlexDB db) {
        int refusals = 0;
        int number = 0;
        while (refusals < 20) {
            assertTrue(number < 30_000, "never refused");
            try {
                db.put(key(number), value(number, 300));
                number++;
            } catch (StoreFullException e) {
                refusals++;
            }
        }
        return number;
    }

    /** Puts and ranges on a store that is full again and again: what is refused has not happened, all else has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreAtItsCapIsWhatItsAcceptedWritesMakeOfASortedMap(boolean inline) {
        for (long seed = 0; seed < Effort.times(4); seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDBOptions options =
                    StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(36 * 64L * 512));
            TreeMap<byte[], byte[]> model = StoreOracle.newMap();
            for (int life = 0; life < 3; life++) {
                FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
                for (int step = 0; step < 3000; step++) {
                    int number = random.nextInt(6000);
                    byte[] key = key(number);
                    try {
                        if (random.nextInt(400) == 0) {
                            byte[] to = key(number + random.nextInt(1500));
                            db.deleteRange(key, to);
                            model.subMap(key, to).clear();
                        } else {
                            byte[] value = value(step, 300);
                            db.put(key, value);
                            model.put(key, value);
                        }
                    } catch (StoreFullException e) {
                        int to = number + 400;
                        db.deleteRange(key, key(to));
                        model.subMap(key, key(to)).clear();
                    }
                    if (step % 200 == 0) {
                        StoreOracle.assertSame(model, StoreDriver.all(db), "seed " + seed + ", step " + step);
                    }
                }
                if (life == 1) {
                    vfs = vfs.kill();
                } else {
                    try {
                        db.close();
                    } catch (StoreFullException e) {
                        // what is not committed is in the logs
                    }
                }
            }
            try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline)) {
                StoreOracle.assertSame(model, StoreDriver.all(db), "seed " + seed);
            } catch (StoreFullException e) {
                // closing it found no room; nothing is lost
            }
        }
    }

    /**
     * The memtable that takes writes is the oldest and has no room in the space; then it takes a pair before the place
     * where its commit goes on, and the next memtable a range that covers it. The range is cut out first, once.
     */
    @Test
    void whatTheOldestMemtableTookAfterATryStaysDeletedByARangeOfTheNext() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, true);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        put(db, model, 1, 300);
        long oneMemtable = db.stats().commits().memtableBytes();
        int count = 2;
        for (; count < 2000; count++) {
            put(db, model, count, 300);
        }
        vfs.setCapacity(FlexDBFullTest.bytesOf(vfs) + (60 << 10)); // too little for a log
        int most = count + 10_000;
        for (boolean refused = false; !refused; count++) {
            assertTrue(count < most, "never refused");
            try {
                put(db, model, count, 4000);
            } catch (StoreFullException e) {
                refused = true;
            }
        }
        assertEquals(oneMemtable, db.stats().commits().memtableBytes(), "it takes writes and is the oldest");
        put(db, model, 0, 1);
        vfs.setCapacity(Long.MAX_VALUE);
        while (db.stats().commits().memtableBytes() == oneMemtable) {
            put(db, model, ++count, 100); // until there is a next one
        }
        assertEquals(2 * oneMemtable, db.stats().commits().memtableBytes());
        db.deleteRange(null, key(1));
        model.remove(key(0));
        for (int i = 0; i < 2000; i++) {
            put(db, model, ++count, 300);
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "all committed");
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    private static void put(FlexDB db, TreeMap<byte[], byte[]> model, int number, int bytes) {
        db.put(key(number), value(number, bytes));
        model.put(key(number), value(number, bytes));
    }
}
