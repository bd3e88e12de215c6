package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.FilesBefore;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.UnsupportedFormatException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Damages each file of a store: what comes then is an exception that says so, or what was written, and nothing else.
 */
class FlexDBCorruptionTest {
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL;

    private static SimulatedVfs closed;
    private static SimulatedVfs killed;
    private static TreeMap<byte[], byte[]> inClosed;
    private static TreeMap<byte[], byte[]> inKilled;

    @BeforeAll
    static void makeStores() {
        StoreDriver store = new StoreDriver(OPTIONS);
        fill(store, 400);
        store.db.close();
        closed = store.vfs.copy();
        inClosed = new TreeMap<>(store.oracle.now());
        store.open();
        fill(store, 700);
        store.sync(); // a write that was never forced may be lost to damage, as to a cut
        killed = store.vfs.kill();
        inKilled = new TreeMap<>(store.oracle.now());
    }

    private static void fill(StoreDriver store, int count) {
        for (int i = 0; i < count; i++) {
            store.put(key(i * 37 % 500), value(i));
        }
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int i) {
        byte[] value = new byte[i % 50 == 0 ? 3000 : 40 + i % 200];
        Arrays.fill(value, (byte) i);
        return value;
    }

    @Test
    void oneFlippedBitGivesAnExceptionOrTheDataOfAClosedStore() {
        flipBits(closed, inClosed, Effort.times(500));
    }

    @Test
    void oneFlippedBitGivesAnExceptionOrTheDataOfAKilledStore() {
        flipBits(killed, inKilled, Effort.times(500));
    }

    private static void flipBits(SimulatedVfs files, TreeMap<byte[], byte[]> expected, int flips) {
        SplittableRandom random = new SplittableRandom(flips);
        List<Path> paths = new ArrayList<>(files.files());
        int found = 0;
        for (int i = 0; i < flips; i++) {
            Path path = paths.get(i % paths.size());
            byte[] content = files.content(path);
            if (content.length == 0 || path.endsWith("LOCK")) {
                continue;
            }
            int at = random.nextInt(random.nextBoolean() ? content.length : Math.min(content.length, 200));
            content[at] ^= (byte) (1 << random.nextInt(8));
            found += check(files, path, content, expected, "bit at " + at + " of " + path) ? 1 : 0;
        }
        assertTrue(found > flips / 10, found + " of " + flips + " found");
    }

    @Test
    void sectorsThatAreZeroedOrSwappedGiveAnExceptionOrTheData() {
        SplittableRandom random = new SplittableRandom(5);
        for (SimulatedVfs files : List.of(closed, killed)) {
            TreeMap<byte[], byte[]> expected = files == closed ? inClosed : inKilled;
            for (Path path : files.files()) {
                for (int i = 0; i < Effort.times(20); i++) {
                    byte[] content = files.content(path);
                    int sectors = content.length / 512;
                    if (sectors < 2) {
                        break;
                    }
                    int a = random.nextInt(sectors) * 512;
                    int b = random.nextInt(sectors) * 512;
                    byte[] first = Arrays.copyOfRange(content, a, a + 512);
                    System.arraycopy(content, b, content, a, 512);
                    System.arraycopy(i % 2 == 0 ? first : new byte[512], 0, content, b, 512);
                    check(files, path, content, expected, "sectors " + a + " and " + b + " of " + path);
                }
            }
        }
    }

    @Test
    void aFileThatIsCutOrGrownGivesAnExceptionOrTheData() {
        for (SimulatedVfs files : List.of(closed, killed)) {
            TreeMap<byte[], byte[]> expected = files == closed ? inClosed : inKilled;
            for (Path path : files.files()) {
                byte[] content = files.content(path);
                for (int part = 0; part < 12; part++) {
                    int length =
                            part < 10 ? (int) ((long) content.length * part / 10) : content.length + (part - 10) - 1;
                    byte[] other = Arrays.copyOf(content, Math.max(0, part == 11 ? content.length + 4096 : length));
                    check(files, path, other, expected, other.length + " of " + content.length + " bytes of " + path);
                }
            }
        }
    }

    @Test
    void aFileOfAnotherStoreGivesAnException() {
        StoreDriver other = new StoreDriver(OPTIONS);
        fill(other, 400);
        other.db.close();
        int found = 0;
        for (Path path : closed.files()) {
            if (other.vfs.files().contains(path) && !path.endsWith("LOCK")) {
                byte[] content = other.vfs.content(path);
                found += check(closed, path, content, inClosed, "another store's " + path) ? 1 : 0;
            }
        }
        assertTrue(found >= 4, found + " found");
    }

    @Test
    void aFileThatIsMissingGivesAnExceptionOrTheData() {
        for (SimulatedVfs files : List.of(closed, killed)) {
            for (Path path : files.files()) {
                if (path.startsWith(StoreDriver.DIRECTORY.resolve("wal"))) {
                    continue; // nothing tells that there was a log
                }
                check(files, path, null, files == closed ? inClosed : inKilled, "no " + path);
            }
        }
    }

    /** Opens a copy in which one file is different; true if that was found out. */
    private static boolean check(
            SimulatedVfs files, Path path, byte[] content, TreeMap<byte[], byte[]> expected, String at) {
        SimulatedVfs damaged = files.copy();
        if (content == null) {
            damaged.delete(path);
        } else {
            damaged.setContent(path, content);
        }
        FilesBefore before = FilesBefore.of(damaged);
        FlexDB db;
        try {
            db = StoreDriver.open(damaged, OPTIONS);
        } catch (CorruptionException | UnsupportedFormatException | NotAStoreException e) {
            before.assertUnchanged(at);
            return true;
        } catch (StorageException e) {
            if (content == null) {
                before.assertUnchanged(at);
                return true;
            }
            throw new AssertionError(at, e);
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
        return isFoundByReading(db, expected, at);
    }

    private static boolean isFoundByReading(FlexDB db, TreeMap<byte[], byte[]> expected, String at) {
        boolean found = false;
        for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
            try {
                assertArrayEquals(entry.getValue(), db.get(entry.getKey()), at);
            } catch (CorruptionException e) {
                found = true;
            }
        }
        try {
            StoreOracle.assertSame(expected, StoreDriver.all(db), at);
        } catch (CorruptionException e) {
            found = true;
        }
        try {
            db.close();
        } catch (CorruptionException e) {
            found = true; // the commit of what was in the log met it
        }
        return found;
    }
}
