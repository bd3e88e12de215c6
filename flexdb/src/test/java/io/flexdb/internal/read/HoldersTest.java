package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreOpener;
import io.flexdb.storage.SnapshotTooOldException;
import io.flexdb.storage.StoreClosedException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldersTest {
    private final AtomicLong millis = new AtomicLong(1_000_000);
    private final List<String> told = new ArrayList<>();
    private final Logger log = Logger.getLogger("io.flexdb");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            told.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final Store store = open();

    private Store open() {
        log.addHandler(handler);
        StoreSettings settings = new StoreSettings();
        settings.memtableBytes = StoreSettings.MIN_MEMTABLE_BYTES;
        settings.cacheBytes = 1 << 20;
        settings.clock = (InstantSource) () -> Instant.ofEpochMilli(millis.get());
        return StoreOpener.open(new SimulatedVfs(), Path.of("/store"), settings, new NoThreads());
    }

    @AfterEach
    void close() {
        log.removeHandler(handler);
        store.close();
    }

    private int openCount() {
        return store.holders().open().size();
    }

    @Test
    void whatNobodyHasAnyMoreIsTakenBackAndTold() {
        PinnedVersion pin = store.pinNewest(HolderKind.TRANSACTION);
        List<String> cleaned = new ArrayList<>();
        pin.whenLost(() -> cleaned.add("lost"));
        assertEquals(1, openCount());
        millis.addAndGet(7_000);
        pin.holder.enqueue(); // as the garbage collector does
        assertEquals(0, openCount());
        assertEquals(List.of("lost"), cleaned);
        assertEquals(1, told.size());
        assertTrue(told.get(0).contains("the transaction at sequence number 0"), told.get(0));
        assertTrue(told.get(0).contains("7 s ago, was never closed"), told.get(0));
        assertFalse(store.figures(now -> now).logs().length > 1);
        pin.close(); // does nothing
        assertThrows(StoreClosedException.class, pin::beginRead);
    }

    /** Or a store in which anybody has ever opened a cursor would be taken for one that is held. */
    @Test
    void whatRestsToBeOpenedAgainHoldsNothing() {
        Holders holders = store.holders();
        assertFalse(holders.areAny());
        PinnedVersion pin = store.pinNewest(HolderKind.CURSOR);
        assertTrue(holders.areAny());
        pin.beginRead();
        assertTrue(pin.closeToReopen());
        assertTrue(holders.areAny(), "it is read still");
        pin.endRead();
        assertFalse(holders.areAny());
        pin.openNewest();
        assertTrue(holders.areAny());
        pin.close();
        assertFalse(holders.areAny());
    }

    /** A cursor that rests may be opened at the moment at which the store ends, or be made then. */
    @Test
    void afterTheStoreHasEndedNoneIsMadeOrOpened() {
        PinnedVersion resting = store.pinNewest(HolderKind.CURSOR);
        PinnedVersion other = store.pinNewest(HolderKind.SNAPSHOT);
        assertTrue(resting.closeToReopen());
        StoreReader reader = store.reader();
        store.close();
        assertThrows(StoreClosedException.class, resting::openNewest);
        assertThrows(StoreClosedException.class, () -> resting.openAgain(other));
        assertThrows(StoreClosedException.class, () -> reader.cursor(null, null, Scan.ALL)); // makes one
    }

    @Test
    void whatWasClosedIsNotToldOf() {
        PinnedVersion pin = store.pinNewest(HolderKind.SNAPSHOT);
        pin.whenLost(() -> told.add("lost"));
        pin.close();
        pin.holder.enqueue();
        assertEquals(0, openCount());
        assertEquals(List.of(), told);
    }

    /** A store that rests looks for them, and must not fail on a full heap. */
    @Test
    void whereNothingWasLostNothingIsAllocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        Holders holders = store.holders();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 100; round++) {
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < 100; i++) {
                holders.takeBackLost();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        assertTrue(least < 1000, least + " bytes for 100 looks");
    }

    @Test
    void whatIsOldOrKeepsMuchIsToldOfOnce() {
        PinnedVersion old = store.pinNewest(HolderKind.SNAPSHOT);
        millis.addAndGet(Holders.LONG.toMillis());
        PinnedVersion young = store.pinNewest(HolderKind.CURSOR);
        PinnedVersion copy = store.pinNewest(HolderKind.COPY);
        Holders holders = store.holders();
        holders.warn(holders.open(), one -> 5, 5);
        assertEquals(1, told.size());
        assertTrue(told.get(0).contains("the snapshot"), told.get(0));
        assertTrue(told.get(0).contains(Holders.LONG.toSeconds() + " s ago"), told.get(0));
        holders.warn(holders.open(), one -> 6, 5);
        assertEquals(1, told.size(), told::toString);
        millis.addAndGet(Holders.NOT_SHORT.toMillis());
        holders.warn(holders.open(), one -> 6, 5);
        assertEquals(2, told.size(), told::toString);
        assertTrue(told.get(1).contains("the cursor"), told.get(1));
        holders.warn(holders.open(), one -> 7, 5);
        assertEquals(2, told.size(), told::toString);
        List.of(old, young, copy).forEach(PinnedVersion::close);
    }

    @Test
    void aReadUnderWayKeepsThePinThatHasEnded() {
        PinnedVersion pin = store.pinNewest(HolderKind.SNAPSHOT);
        long id = pin.version().id();
        pin.beginRead();
        Holders holders = store.holders();
        assertTrue(holders.expire(holders.open().get(0), 1, "too much"));
        assertThrows(SnapshotTooOldException.class, pin::beginRead);
        assertEquals(id, pin.version().id());
        pin.close();
        assertEquals(id, pin.version().id(), "while it is read");
        pin.endRead();
        assertThrows(StoreClosedException.class, pin::beginRead);
        assertEquals(0, openCount());
    }

    @Test
    void anOpeningThatIsOverEndsNoLaterOne() {
        PinnedVersion pin = new PinnedVersion(store.holders().versions(), HolderKind.CURSOR);
        pin.openNewest();
        Holders.Open first = store.holders().open().get(0);
        assertTrue(pin.closeToReopen());
        pin.openNewest();
        assertFalse(store.holders().expire(first, 1, "too much"));
        pin.beginRead();
        pin.endRead();
        millis.addAndGet(2_000);
        assertEquals(
                Duration.ofSeconds(2), store.holders().open().get(0).age(millis.get()), "it is as old as this opening");
        pin.close();
    }

    @Test
    void whatIsDroppedWithItsPoolTakesNoRoom() {
        PinnedVersion kept = store.pinNewest(HolderKind.SNAPSHOT);
        for (int i = 0; i < 1000; i++) {
            PinnedVersion pin = new PinnedVersion(store.holders().versions(), HolderKind.CURSOR);
            pin.openNewest();
            assertTrue(pin.closeToReopen());
            pin.holder.clear(); // as the garbage collector does
        }
        assertTrue(
                store.holders().room() <= 32,
                () -> "room for " + store.holders().room());
        assertEquals(1, openCount());
        kept.close();
    }
}
