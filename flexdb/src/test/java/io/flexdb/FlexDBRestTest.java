package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An open store to which nobody writes saves its index: for an opening after a kill, and for no later state. */
class FlexDBRestTest {
    private static final Path INTERVALS = StoreDriver.DIRECTORY.resolve("intervals.rested");
    private static final Path DIRECTORIES = StoreDriver.DIRECTORY.resolve("directories.rested");
    private static final int KEYS = 3000;

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private void fill() {
        for (int i = 0; i < KEYS; i++) {
            store.put(key(i * 7 % KEYS), new byte[20 + i % 60]);
        }
        store.flush();
    }

    private void assertSaved(boolean expected) {
        assertEquals(expected, store.vfs.exists(INTERVALS));
        assertEquals(expected, store.vfs.exists(DIRECTORIES));
    }

    /** How often opening after a kill reads data. */
    private int readsAfterKill() {
        SimulatedVfs killed = store.vfs.copy().kill();
        AtomicInteger reads = new AtomicInteger();
        HookedVfs counting = new HookedVfs(killed, (kind, path) -> {
            if (kind == HookedVfs.Kind.READ && path.endsWith("data")) {
                reads.incrementAndGet();
            }
        });
        FlexDB db = StoreDriver.open(counting, store.options);
        int ofOpening = reads.get();
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "after a kill");
        db.close();
        for (Path file : List.of(INTERVALS, DIRECTORIES)) {
            assertFalse(killed.exists(file), "the close has saved it");
        }
        return ofOpening;
    }

    @Test
    void aStoreThatWasKilledAtRestIsOpenedAsOneThatWasClosed() {
        fill();
        int withoutRest = readsAfterKill();
        store.db.saveAtRest();
        assertSaved(true);
        int rested = readsAfterKill();
        assertTrue(rested < withoutRest, rested + " reads, and " + withoutRest + " without");
        store.db.close();
        assertSaved(false);
    }

    @Test
    void writesThatAreNotCommittedYetAreFoundToo() {
        fill();
        store.db.saveAtRest();
        store.put(key(5), new byte[30]);
        store.delete(key(6));
        assertSaved(true);
        readsAfterKill();
    }

    @Test
    void whatWasSavedIsGoneBeforeTheSpaceChanges() {
        fill();
        store.db.saveAtRest();
        store.put(key(5), new byte[30]);
        store.flush();
        assertSaved(false);
        readsAfterKill();
        store.deleteRange(key(100), key(2000));
        store.flush();
        store.db.saveAtRest();
        assertSaved(true);
        store.db.defragment();
        store.compact(null, null); // has no new sequence number
        store.db.saveAtRest();
        store.kill("killed at rest");
        assertFalse(store.vfs.exists(INTERVALS));
    }

    /** Until it ends, it has the tag of the commit before; and here the space has as many bytes as at the rest. */
    @Test
    void aCommitThatIsCutShortIsNotTakenForTheRest() {
        fill();
        store.db.saveAtRest();
        for (Path file : List.of(INTERVALS, DIRECTORIES)) { // as the kernel does in time
            try (VfsFile written = store.vfs.open(file, OpenMode.READ_WRITE)) {
                written.force();
            }
        }
        store.vfs.syncDirectory(StoreDriver.DIRECTORY);
        for (int i = 0; i + 350 < KEYS; i += 10) { // neighbours in the order of keys, in different intervals
            store.delete(key(i));
            store.put((String.format(Locale.ROOT, "key%05d", i + 1) + "x").getBytes(StandardCharsets.UTF_8), sizeOf(i));
        }
        store.sync();
        int[] operations = {0};
        store.setHook((kind, path) -> {
            if (kind != HookedVfs.Kind.READ) {
                assertRecovered(store.vfs.copy().kill(), "killed at " + operations[0]);
                assertRecovered(store.vfs.copy().crash(++operations[0]), "cut at " + operations[0]);
            }
        });
        store.flush();
        store.setHook((kind, path) -> {});
        assertTrue(operations[0] > 10, operations[0] + " operations");
    }

    private static byte[] sizeOf(int key) {
        int written = 0;
        while (written * 7 % KEYS != key) {
            written++;
        }
        return new byte[20 + written % 60 - 1]; // its key is longer by one
    }

    private void assertRecovered(SimulatedVfs found, String at) {
        FlexDB db = StoreDriver.open(found, store.options);
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), at);
        db.close();
    }

    @Test
    void aCloseThatHasNothingToWriteLeavesItsOwnFilesAlone() {
        fill();
        store.db.saveAtRest();
        store.kill("killed at rest");
        assertFalse(store.vfs.exists(INTERVALS));
        assertTrue(store.vfs.exists(DIRECTORIES), "in use");
        store.db.saveAtRest();
        assertSaved(true);
        store.kill("killed at rest again");
        store.db.saveAtRest();
        store.db.close();
        assertSaved(false);
        store.open();
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(store.db), "closed behind a rest");
        store.db.close();
    }

    @Test
    void theThreadThatCommitsSavesWhenNobodyWrites(@TempDir Path directory) {
        AtomicLong nanos = new AtomicLong();
        StoreSettings settings = FlexDBOptions.defaults().settings().copy();
        settings.nanoClock = nanos::get;
        try (FlexDB db = FlexDB.open(directory, FlexDBOptions.of(settings))) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i), new byte[1000]);
            }
            db.flush();
            Waiting.whileTrue(() -> {
                nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
                return !Files.exists(directory.resolve("intervals.rested"));
            });
            db.put(key(1), new byte[500]);
            db.flush();
            assertFalse(Files.exists(directory.resolve("intervals.rested")));
        }
    }

    @Test
    void onAFullDiskNothingIsSavedAndCommitsHaveTheRoomOfWhatWas() {
        fill();
        long used = usedBytes();
        store.vfs.setCapacity(used + 1000);
        store.db.saveAtRest();
        assertSaved(false);
        assertEquals(StoreHealth.State.USABLE, store.db.health().state());
        store.vfs.setCapacity(Long.MAX_VALUE);
        store.db.saveAtRest();
        assertSaved(true);
        store.vfs.setCapacity(usedBytes());
        for (int i = 0; i < 200; i++) {
            store.put(key(i), new byte[100]); // more than the space and its logs have left
        }
        store.flush();
        assertSaved(false);
        store.vfs.setCapacity(Long.MAX_VALUE);
        store.kill("killed");
    }

    private long usedBytes() {
        return store.vfs.files().stream()
                .mapToLong(file -> store.vfs.content(file).length)
                .sum();
    }

    /** A file that only a close makes proves that no log is missing. */
    @Test
    void aStoreThatHasRestedNeedsItsLogs() {
        fill();
        store.db.saveAtRest();
        SimulatedVfs killed = store.vfs.copy().kill();
        Path wal = StoreDriver.DIRECTORY.resolve("wal");
        for (String name : killed.list(wal)) {
            killed.delete(wal.resolve(name));
        }
        killed.delete(wal);
        assertThrows(CorruptionException.class, () -> StoreDriver.open(killed, store.options));
    }

    @Test
    void aDamagedFileCostsTimeOnly() {
        fill();
        store.db.saveAtRest();
        for (Path file : List.of(INTERVALS, DIRECTORIES)) {
            byte[] content = store.vfs.content(file);
            for (int at = 0; at < content.length; at += 1 + content.length / 50) {
                SimulatedVfs damaged = store.vfs.copy().kill();
                byte[] changed = content.clone();
                changed[at] ^= 4;
                damaged.setContent(file, changed);
                FlexDB db = StoreDriver.open(damaged, store.options);
                StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), file + " at " + at);
            }
        }
    }
}
