package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.base.memory.SharedMemory;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MemLogsTest {
    private static final int ROUNDS = Effort.times(4000);
    private static final int IN_USE = 3;
    private static final Path DIRECTORY = Path.of("/wal");

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final MemLogs logs;

    MemLogsTest() {
        vfs.createDirectories(DIRECTORY);
        logs = new MemLogs(
                vfs,
                DIRECTORY,
                new WalId(1, 0, 0),
                new MemtableSizes(MemTable.MIN_ARENA_BYTES, false, 8),
                new OffHeap(),
                true);
    }

    /** A writer takes the next memtable in the very moment in which it is ready. */
    @Test
    void noMemtableIsInUseTwice() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread maker = new Thread(() -> {
            while (!over.get()) {
                logs.prepare();
            }
        });
        maker.start();
        try {
            MemLog[] inUse = new MemLog[IN_USE];
            Set<MemTable> tables = Collections.newSetFromMap(new IdentityHashMap<>());
            for (int i = 0; i < ROUNDS; i++) {
                MemLog done = inUse[i % IN_USE];
                if (done != null) {
                    tables.remove(done.table());
                    logs.covered(done.wal);
                    logs.unread(done);
                }
                MemLog next = logs.poll(i);
                while (next == null) {
                    Thread.onSpinWait();
                    next = logs.poll(i);
                }
                assertTrue(tables.add(next.table()), "memtable " + i + " is in use already");
                inUse[i % IN_USE] = next;
            }
        } finally {
            over.set(true);
            maker.join();
        }
    }

    /** A close does not wait until a large file is full of zeros, and leaves none of it. */
    @Test
    void aLogThatIsBeingMadeWhenTheStoreClosesIsGivenUp() {
        MemLogs large = new MemLogs(
                vfs, DIRECTORY, new WalId(1, 0, 0), new MemtableSizes(32 << 20, false, 8), new OffHeap(), true);
        MemLog before = large.take(1);
        large.beginClose();
        assertThrows(StoreClosedException.class, large::prepare);
        assertEquals(List.of(before.wal.path().getFileName().toString()), vfs.list(DIRECTORY));
        large.covered(before.wal);
        large.deleteAll();
        assertEquals(List.of(), vfs.list(DIRECTORY));
    }

    /** Or who follows them would take an older one for the last. */
    @Test
    void coveredLogsLoseTheirNamesInTheirOrder() {
        List<MemLog> taken = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            taken.add(i == 6 ? logs.takeLarge(2 * MemTable.MIN_ARENA_BYTES, 100, i) : logs.take(i));
        }
        for (int i = 0; i < taken.size(); i++) {
            if (i == 3) {
                logs.hold();
            }
            if (i == 8) {
                logs.letGo();
            }
            logs.covered(taken.get(i).wal);
            boolean hasName = false;
            for (MemLog log : taken) {
                boolean before = hasName;
                hasName = vfs.exists(log.wal.path());
                assertTrue(hasName || !before, log.wal.path() + " has gone before an older one");
            }
        }
        logs.deleteAll();
        assertEquals(List.of(), vfs.list(DIRECTORY));
    }

    @Test
    void aMemtableWhoseLogCannotBeMadeServesTheNextTry() {
        vfs.setCapacity(1);
        assertThrows(StoreFullException.class, logs::prepare);
        long kept = logs.spareTableBytes();
        assertEquals(MemTable.tableBytes(MemTable.MIN_ARENA_BYTES), kept);
        vfs.setCapacity(Long.MAX_VALUE);
        logs.prepare();
        assertEquals(kept, logs.spareTableBytes());
    }

    private MemLogs growing(OffHeap memory) {
        return new MemLogs(vfs, DIRECTORY, new WalId(1, 0, 0), new MemtableSizes(2 << 20, true, 4), memory, true);
    }

    @Test
    void memtablesGrowFromOneToTheNextUntilTheyHaveTheirSize() {
        MemLogs own = growing(new OffHeap());
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            MemLog next = own.takeFor(new Payload().set(new byte[100], 100, 1, 0, 1000), i);
            sizes.add(next.table().arenaBytes() >> 10);
            assertTrue(next.wal.capacity() <= next.table().arenaBytes() + 8192, next.wal.toString());
            own.keepReserve();
            assertEquals(i >= 3, own.hasReserve(), "after " + (i + 1));
        }
        assertEquals(List.of(64, 128, 256, 1024, 2048, 2048), sizes);
    }

    @Test
    void aWriteGetsAMemtableThatItFits() {
        MemLogs own = growing(new OffHeap());
        own.prepare();
        MemLog large = own.takeFor(new Payload().set(new byte[600 << 10], 600 << 10, 1, 0, 610 << 10), 1);
        assertEquals(1 << 20, large.table().arenaBytes());
        assertEquals(1, vfs.list(DIRECTORY).size(), "the one that was ready is gone: " + vfs.list(DIRECTORY));
    }

    @Test
    void afterARecoveryItGoesOnWithTheSizeOfWhatWasFound() {
        MemLogs own = growing(new OffHeap());
        own.beginWith(100 << 10);
        assertEquals(256 << 10, own.take(1).table().arenaBytes());
        own = growing(new OffHeap());
        own.beginWith(1L << 40);
        assertEquals(2 << 20, own.take(1).table().arenaBytes());
    }

    @Test
    void nothingButASmallOneStaysWhenNobodyWrites() {
        SharedMemory recycled = new SharedMemory(1 << 30, Long.MAX_VALUE / 4, false);
        OffHeap memory = new OffHeap();
        memory.share(recycled, 0);
        MemLogs own = growing(memory);
        List<MemLog> taken = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            taken.add(own.take(i));
        }
        own.prepare();
        own.keepReserve();
        assertTrue(own.isGrown());
        for (MemLog done : taken) {
            own.covered(done.wal);
            own.unread(done);
        }
        own.wantGiveBack();
        own.prepare();
        assertFalse(own.isGrown());
        assertEquals(MemTable.tableBytes(64 << 10), memory.heldBytes());
        assertTrue(recycled.freeBytes() >= 2 * MemTable.tableBytes(2 << 20), recycled.freeBytes() + " bytes");
        assertEquals(1, vfs.list(DIRECTORY).size(), () -> vfs.list(DIRECTORY).toString());
    }

    /** Or each of many stores that are written to now and then has a segment in memory besides, which is more. */
    @Test
    void nothingElseIsKeptUntilMemtablesAreLarge() {
        MemtableSizes sizes = new MemtableSizes(24 << 20, true, 4);
        MemLogs own = new MemLogs(vfs, DIRECTORY, new WalId(1, 0, 0), sizes, new OffHeap(), false);
        for (int arena = 0; arena < 4 << 20; ) {
            assertTrue(own.shouldKeepNothing(), "after one of " + arena);
            arena = own.take(1).table().arenaBytes();
        }
        assertTrue(own.isGrown());
        assertTrue(own.shouldKeepNothing());
        assertEquals(16 << 20, own.take(1).table().arenaBytes());
        assertFalse(own.shouldKeepNothing());
    }

    /** A store that has little memory keeps what it needs again and again. */
    @Test
    void memtablesThatAreAsLargeAsTheyGetKeepWhatIsNeeded() {
        MemLogs own = growing(new OffHeap());
        for (int arena = 0; arena < 1 << 20; ) {
            arena = own.take(1).table().arenaBytes();
        }
        assertFalse(own.shouldKeepNothing());
    }

    /** Who waits for memory must not do so for a disk that is full. */
    @Test
    void itIsNotMemoryThatIsShortWhereAMemtableIsFree() {
        AtomicBoolean noMemory = new AtomicBoolean();
        OffHeap memory = new OffHeap(
                bytes -> {
                    if (noMemory.get()) {
                        throw new OutOfMemoryError("none, for a test");
                    }
                    return ByteBuffer.allocateDirect(bytes);
                },
                () -> Long.MAX_VALUE,
                0);
        MemLogs own = new MemLogs(
                vfs,
                DIRECTORY,
                new WalId(1, 0, 0),
                new MemtableSizes(MemTable.MIN_ARENA_BYTES, false, 8),
                memory,
                true);
        MemLog used = own.take(1);
        noMemory.set(true);
        assertThrows(StoreFullException.class, own::prepare);
        assertTrue(own.lacksMemory());
        own.unread(used);
        vfs.setCapacity(1);
        assertThrows(StoreFullException.class, own::prepare);
        assertFalse(own.lacksMemory(), "it is the disk");
    }
}
