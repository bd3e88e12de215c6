package io.flexdb.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.flexdb.base.memory.OffHeap.Use;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A budget that several accounts share. Of 1,000 bytes caches and memtables may have 750. */
class SharedMemoryTest {
    private final AtomicInteger collections = new AtomicInteger();
    private final SharedMemory hard = new SharedMemory(200, 1000, true, collections::incrementAndGet);
    private final SharedMemory soft = new SharedMemory(200, 1000, false, collections::incrementAndGet);
    private final OffHeap one = account();
    private final OffHeap other = account();

    private static OffHeap account() {
        return new OffHeap(ByteBuffer::allocateDirect, () -> Long.MAX_VALUE / 2, 0);
    }

    /** Of one buffer, which lets it go when it is asked. */
    private static final class Cache implements OffHeap.Giver {
        private final OffHeap account;
        private ByteBuffer bytes;
        private long uses;

        Cache(OffHeap account, int bytes) {
            this.account = account;
            this.bytes = account.tryAllocate(Use.CACHE, bytes);
            account.giver(this);
        }

        @Override
        public long giveBack(long wanted) {
            if (bytes == null) {
                return 0;
            }
            long given = bytes.capacity();
            account.letGo(Use.CACHE, given);
            bytes = null;
            return given;
        }

        @Override
        public long tryGiveBack(long wanted) {
            return giveBack(wanted);
        }

        @Override
        public long uses() {
            return uses;
        }
    }

    private void share(SharedMemory memory) {
        one.share(memory, 0);
        other.share(memory, 0);
    }

    @Test
    void nobodyGetsMoreThanAHardBudget() {
        share(hard);
        ByteBuffer table = one.take(Use.MEMTABLES, 500);
        assertNull(other.tryAllocate(Use.CACHE, 251), "of the budget 250 are left to whoever writes segments");
        assertTrue(isRefused(other, Use.MEMTABLES, 251));
        ByteBuffer segment = other.take(Use.SEGMENTS, 400);
        assertThrows(OutOfMemoryError.class, () -> one.allocate(Use.COMMITS, 101));
        assertEquals(900, hard.usedBytes());
        ByteBuffer index = other.allocate(Use.INDEX, 5000);
        assertEquals(900, hard.usedBytes(), "indexes grow with the data");
        assertEquals(5000, hard.heldBytes(Use.INDEX));
        Reference.reachabilityFence(List.of(table, segment, index));
    }

    /** Else a store that has filled its memtables finds no memory to commit them, nor does any other. */
    @Test
    void memtablesLeaveASegmentAndWhatAllCommitWith() {
        int segment = 4 << 20;
        int commit = 288 << 10;
        SharedMemory memory = new SharedMemory(10 << 20, 20 << 20, true);
        List<OffHeap> stores = new ArrayList<>();
        List<ByteBuffer> taken = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            OffHeap store = account();
            store.share(memory, 0, segment);
            stores.add(store);
        }
        for (int i = 0; i < 3; i++) { // the others commit for the first time when memtables have taken all they get
            taken.add(stores.get(i).take(Use.COMMITS, commit));
        }
        int full = 0;
        for (int i = 0; full < stores.size(); i++) {
            try {
                taken.add(stores.get(i % 5).take(Use.MEMTABLES, 73_728));
                full = 0;
            } catch (OutOfMemoryError e) {
                full++;
            }
        }
        for (int i = 3; i < 5; i++) {
            taken.add(stores.get(i).take(Use.COMMITS, commit));
        }
        for (OffHeap store : stores) {
            ByteBuffer buffer = store.take(Use.SEGMENTS, segment);
            store.giveBack(buffer);
        }
        Reference.reachabilityFence(taken);
    }

    @Test
    void whoHasMemoryForSegmentsIsToldThatOthersWait() {
        share(hard);
        AtomicInteger told = new AtomicInteger();
        ByteBuffer segment = one.take(Use.SEGMENTS, 150);
        one.whenWanted(told::incrementAndGet);
        other.whenWanted(() -> fail("it waits itself"));
        assertNull(other.tryAllocate(Use.SEGMENTS, 900));
        assertEquals(0, told.get(), "who only tries does not wait");
        assertTrue(isRefused(other, Use.SEGMENTS, 900));
        assertEquals(1, told.get());
        one.giveBack(segment);
        segment = other.take(Use.SEGMENTS, 150);
        assertTrue(isRefused(other, Use.SEGMENTS, 900));
        assertEquals(1, told.get(), "it has none");
        Reference.reachabilityFence(segment);
    }

    @Test
    void whatIsRecycledCountsUntilItIsUsedAgain() {
        share(hard);
        ByteBuffer segment = one.take(Use.SEGMENTS, 150);
        one.giveBack(segment);
        assertEquals(150, hard.usedBytes());
        assertEquals(150, hard.freeBytes());
        ByteBuffer rest = one.take(Use.SEGMENTS, 850);
        assertSame(segment, other.take(Use.SEGMENTS, 150));
        assertEquals(1000, hard.usedBytes());
        Reference.reachabilityFence(rest);
    }

    /** Else stores that have outgrown small buffers would have the large ones made anew each time. */
    @Test
    void whatNobodyTakesGivesWayToWhatIsTakenAgainAndAgain() {
        share(soft);
        List<ByteBuffer> small = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            small.add(one.take(Use.MEMTABLES, 50));
        }
        small.forEach(one::giveBack);
        assertEquals(200, soft.freeBytes());
        ByteBuffer large = one.take(Use.SEGMENTS, 120);
        one.giveBack(large);
        assertEquals(170, soft.freeBytes(), "the large one and a small one");
        assertSame(large, other.take(Use.SEGMENTS, 120));
        other.giveBack(large);
        ByteBuffer newer = one.take(Use.MEMTABLES, 60);
        one.giveBack(newer); // of a new size, which may be wanted more than those of 50
        assertEquals(180, soft.freeBytes());
        ByteBuffer again = one.take(Use.SEGMENTS, 120);
        assertSame(large, again);
        one.giveBack(one.take(Use.MEMTABLES, 200)); // this one may be, too
        assertEquals(200, soft.freeBytes());
        one.giveBack(again); // was taken before that size came
        assertEquals(200, soft.freeBytes());
        one.giveBack(one.allocate(Use.SEGMENTS, 201));
        assertEquals(200, soft.freeBytes(), "one that is larger than all that is kept makes nothing give way");
    }

    @Test
    void nothingIsKeptForOthersOnceNobodyIsThere() {
        share(soft);
        one.giveBack(one.take(Use.SEGMENTS, 150));
        one.end();
        assertEquals(150, soft.freeBytes(), "there is another one");
        other.end();
        assertEquals(0, soft.freeBytes());
    }

    @Test
    void cachesOfAllGiveWayAndGarbageIsCollectedForWhoNeedsMemory() {
        SharedMemory memory = new SharedMemory(0, 1000, true);
        share(memory);
        new Cache(one, 300);
        new Cache(other, 400);
        assertNull(other.tryAllocate(Use.CACHE, 100));
        AtomicReference<ByteBuffer> table = new AtomicReference<>();
        Waiting.whileTrue(
                () -> { // the collector takes its time to find what was let go of
                    try {
                        table.set(one.take(Use.MEMTABLES, 450));
                        return false;
                    } catch (OutOfMemoryError e) {
                        return true;
                    }
                });
        assertTrue(memory.usedBytes() <= 1000, memory.usedBytes() + " bytes");
        assertEquals(450, one.heldBytes(Use.MEMTABLES));
    }

    /** Gives back what is not refused. */
    private static boolean isRefused(OffHeap asking, Use use, int bytes) {
        try {
            asking.giveBack(asking.take(use, bytes));
            return false;
        } catch (OutOfMemoryError e) {
            return true;
        }
    }

    /** One that waits asks now and then, and one that has just given something back asks again at once. */
    @Test
    void whatBecomesFreeIsKeptForWhoWasRefused() {
        SharedMemory memory = new SharedMemory(1000, 1000, true, () -> {});
        share(memory);
        Waiting.whileTrue(
                () -> { // or the claim has lapsed, on a machine that was busy for so long
                    ByteBuffer much = other.take(Use.SEGMENTS, 400);
                    ByteBuffer more = other.take(Use.SEGMENTS, 300);
                    assertTrue(isRefused(one, Use.SEGMENTS, 400));
                    other.giveBack(much);
                    boolean isKept;
                    try {
                        much = other.take(Use.SEGMENTS, 400);
                        isKept = false;
                    } catch (OutOfMemoryError e) {
                        much = one.take(Use.SEGMENTS, 400);
                        one.giveBack(much);
                        much = other.take(Use.SEGMENTS, 400); // there is no claim any more
                        isKept = true;
                    }
                    other.giveBack(much);
                    other.giveBack(more);
                    return !isKept;
                });
    }

    @Test
    void readsHaveAPartOfALargeBudgetForThemselves() {
        int mib = 1 << 20;
        SharedMemory memory = new SharedMemory(0, 16 * mib, true, () -> {});
        share(memory);
        ByteBuffer all = other.take(Use.SEGMENTS, 15 * mib);
        assertTrue(isRefused(other, Use.SEGMENTS, mib));
        assertTrue(isRefused(other, Use.COMMITS, mib));
        assertNotNull(one.take(Use.READS, 256 << 10));
        Reference.reachabilityFence(all);
    }

    /** Reads need little, and leave a claim nothing. */
    @Test
    void readsGetWhatWasLetGoOfWhileAnotherStoreHasAClaim() {
        int mib = 1 << 20;
        SharedMemory memory = new SharedMemory(0, 16 * mib, true);
        share(memory);
        ByteBuffer readBefore = one.take(Use.READS, mib);
        ByteBuffer segments = other.take(Use.SEGMENTS, 7 * mib);
        AtomicReference<ByteBuffer> garbage = new AtomicReference<>(one.take(Use.SEGMENTS, 8 * mib));
        assertTrue(isRefused(other, Use.SEGMENTS, 9 * mib));
        garbage.set(null);
        one.letGo(Use.SEGMENTS, 8 * mib);
        assertFalse(isRefused(one, Use.READS, 32 << 10));
        Reference.reachabilityFence(List.of(readBefore, segments));
    }

    private void letGo(int bytes) {
        one.take(Use.SEGMENTS, bytes);
        one.letGo(Use.SEGMENTS, bytes);
    }

    /** A collection that was late says nothing of later garbage. */
    @Test
    void garbageIsCollectedAgainOnceWhatACollectionHasLeftIsGone() {
        AtomicBoolean late = new AtomicBoolean(true);
        SharedMemory memory = new SharedMemory(0, 1000, true, () -> {
            if (!late.get()) {
                System.gc();
            }
        });
        share(memory);
        letGo(800);
        assertTrue(isRefused(one, Use.SEGMENTS, 900));
        late.set(false);
        Waiting.collectWhile(() -> {
            memory.forgetGone();
            return memory.usedBytes() > 0;
        });
        letGo(600);
        assertFalse(isRefused(one, Use.SEGMENTS, 900));
    }

    @Test
    void aClaimEndsWithItsStore() {
        SharedMemory memory = new SharedMemory(1000, 1000, true, () -> {});
        share(memory);
        ByteBuffer much = other.take(Use.SEGMENTS, 700);
        assertTrue(isRefused(one, Use.SEGMENTS, 400));
        one.end();
        other.giveBack(much);
        other.giveBack(other.take(Use.SEGMENTS, 700));
    }

    @Test
    void theBudgetOfTheJvmIsAMeasureAndNoLimit() {
        share(soft);
        assertNotNull(one.tryAllocate(Use.CACHE, 700));
        ByteBuffer table = other.take(Use.MEMTABLES, 5000);
        assertNull(one.tryAllocate(Use.CACHE, 1));
        assertFalse(one.makeRoomForMemtable(100));
        assertEquals(0, collections.get());
        Reference.reachabilityFence(table);
    }

    @Test
    void whatWasLetGoOfDoesNotCountInTheBudgetOfTheJvm() {
        share(soft);
        ByteBuffer cache = one.tryAllocate(Use.CACHE, 700);
        one.letGo(Use.CACHE, 700);
        assertEquals(0, soft.usedBytes());
        ByteBuffer grown = other.tryAllocate(Use.CACHE, 700);
        assertEquals(700, soft.usedBytes());
        Reference.reachabilityFence(cache);
        cache = null;
        Waiting.collectWhile(() -> one.heldBytes() > 0);
        assertEquals(700, soft.usedBytes(), "it counts once");
        Reference.reachabilityFence(grown);
        other.end();
        assertEquals(0, soft.usedBytes());
        assertEquals(1, soft.accountCount());
        grown = null;
        Waiting.collectWhile(() -> other.heldBytes() > 0); // or another test would have it collected
    }

    @Test
    void whoHasAMeasureOfItsOwnBringsItAndTakesItAlong() {
        one.share(soft, 500);
        other.share(soft, 0);
        assertEquals(1500, soft.budgetBytes());
        one.end();
        one.end();
        assertEquals(1000, soft.budgetBytes());
    }

    @Test
    void whoNobodyHasClosedTakesNothingOfTheBudgetForEver() {
        forget();
        Waiting.collectWhile(() -> {
            account().share(soft, 0); // looks for those that nobody has any more
            return soft.budgetBytes() > 1000 || soft.usedBytes() > 0;
        });
    }

    private void forget() {
        OffHeap forgotten = account();
        forgotten.share(soft, 300);
        forgotten.allocate(Use.MEMTABLES, 100);
        assertEquals(1300, soft.budgetBytes());
        assertEquals(100, soft.usedBytes());
    }

    @Test
    void memtablesGetHalfOfTheBudgetFromCachesAndNoMore() {
        share(soft);
        Cache cache = new Cache(one, 700);
        assertTrue(other.makeRoomForMemtable(50), "there is room");
        assertNotNull(cache.bytes);
        assertFalse(other.makeRoomForMemtable(501), "that would be more than half");
        assertNotNull(cache.bytes);
        assertTrue(other.makeRoomForMemtable(500));
        assertNull(cache.bytes);
    }

    @Test
    void aCacheThatIsNotUsedGivesWayToOneThatWantsToGrow() {
        share(soft);
        Cache cache = new Cache(one, 750);
        cache.uses = 7;
        assertTrue(other.isThere(100), "the other one has more than both would have");
        assertNull(cache.bytes);
    }

    @Test
    void ofTwoCachesThatAreUsedTheSmallerOneDoesNotGiveWay() {
        share(soft);
        Cache mine = new Cache(other, 360);
        Cache cache = new Cache(one, 390);
        cache.uses = 7;
        assertFalse(other.isThere(100));
        assertNotNull(cache.bytes);
        assertNotNull(mine.bytes);
    }

    @Test
    void whoHasMoreMemtablesThanOthersGivesSomeUpOnceTheyHaveTooLittle() {
        SharedMemory memory = new SharedMemory(0, 16 << 20, false);
        share(memory);
        ByteBuffer much = one.take(Use.MEMTABLES, 6 << 20);
        ByteBuffer little = other.take(Use.MEMTABLES, 1 << 20);
        assertFalse(one.hasTooMuchForMemtables(), "nobody wants it");
        one.pressForMemtables();
        assertFalse(one.hasTooMuchForMemtables(), "it has its share");
        other.pressForMemtables();
        assertTrue(one.hasTooMuchForMemtables());
        assertFalse(other.hasTooMuchForMemtables());
        Reference.reachabilityFence(List.of(much, little));
    }

    /** Whoever takes and gives back at the same time, nobody ever sees more in use than there is. */
    @Test
    void aHardBudgetHoldsAtAnyTime() throws InterruptedException {
        int budget = 20_000;
        SharedMemory memory = new SharedMemory(5_000, budget, true);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int seed = i;
            users.add(new Thread(() -> use(memory, new Random(seed), failure)));
        }
        Thread observer = new Thread(() -> {
            while (!ended.get()) {
                long used = memory.usedBytes();
                if (used > budget || used < 0) {
                    failure.compareAndSet(null, new AssertionError(used + " bytes in use"));
                }
            }
        });
        observer.start();
        users.forEach(Thread::start);
        for (Thread user : users) {
            user.join();
        }
        ended.set(true);
        observer.join();
        assertNull(failure.get());
    }

    private static void use(SharedMemory memory, Random random, AtomicReference<Throwable> failure) {
        try {
            OffHeap account = account();
            account.share(memory, 0);
            ByteBuffer[] taken = new ByteBuffer[4];
            int took = 0;
            for (int i = 0; i < Effort.times(3000); i++) {
                took += takesOrGivesBack(account, taken, random) ? 1 : 0;
            }
            if (took == 0) { // others had it all as long as these few milliseconds, but not for ever
                Waiting.whileTrue(() -> !takesOrGivesBack(account, taken, random));
            }
            for (ByteBuffer buffer : taken) {
                if (buffer != null) {
                    account.giveBack(buffer);
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Takes a buffer, or gives one back that was taken before; returns whether it has taken one. */
    private static boolean takesOrGivesBack(OffHeap account, ByteBuffer[] taken, Random random) {
        int at = random.nextInt(taken.length);
        if (taken[at] != null) {
            account.giveBack(taken[at]); // and what is not kept is garbage
            taken[at] = null;
            return false;
        }
        int size = 500 * (1 + random.nextInt(4));
        Use use = random.nextBoolean() ? Use.SEGMENTS : Use.MEMTABLES;
        try {
            taken[at] = random.nextInt(4) > 0 ? account.take(use, size) : account.tryAllocate(Use.CACHE, size);
            return taken[at] != null;
        } catch (OutOfMemoryError e) {
            return false; // others have it all
        }
    }
}
