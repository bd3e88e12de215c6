package io.flexdb.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap.Use;
import io.flexdb.testing.Waiting;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The account of off-heap memory: what it counts, and who gives way when there is none. */
class OffHeapTest {
    private final AtomicLong room = new AtomicLong(1000);

    private ByteBuffer take(int bytes) {
        if (room.get() < bytes) {
            throw new OutOfMemoryError("for a test");
        }
        room.addAndGet(-bytes);
        return ByteBuffer.allocateDirect(bytes);
    }

    private final OffHeap memory = new OffHeap(this::take, room::get, 100);

    @Test
    void memoryIsCountedByUseUntilItIsCollected() {
        ByteBuffer index = memory.allocate(Use.INDEX, 300);
        ByteBuffer part = memory.allocate(Use.READS, 200).slice(10, 20);
        assertEquals(300, memory.heldBytes(Use.INDEX));
        assertEquals(500, memory.heldBytes());
        Reference.reachabilityFence(index);
        index = null;
        Waiting.collectWhile(() -> memory.heldBytes(Use.INDEX) > 0);
        assertEquals(200, memory.heldBytes()); // a slice keeps the whole
        assertEquals(20, part.capacity());
    }

    @Test
    void whoTriesLeavesAReserveAndAsksNobody() {
        memory.giver(bytes -> {
            throw new AssertionError("asked for " + bytes);
        });
        assertNotNull(memory.tryAllocate(Use.CACHE, 850));
        assertNull(memory.tryAllocate(Use.CACHE, 51));
        assertNotNull(memory.tryAllocate(Use.CACHE, 50));
        assertEquals(900, memory.heldBytes());
    }

    @Test
    void whetherThereIsMemoryForWhoTriesIsKnownBefore() {
        assertTrue(memory.isThere(900));
        assertFalse(memory.isThere(901));
        room.set(99);
        assertFalse(memory.isThere(0));
        assertFalse(new OffHeap().isThere(1), "that is not known");
    }

    @Test
    void whatEndedAccountsHoldIsCollectedOnceForWhoNeedsAsMuch() {
        AtomicInteger collections = new AtomicInteger();
        OffHeap memory = new OffHeap(this::take, room::get, 100, collections::incrementAndGet);
        OffHeap other = new OffHeap(this::take, room::get, 100);
        ByteBuffer held = other.allocate(Use.MEMTABLES, 400);
        memory.collectEnded(4000);
        assertEquals(0, collections.get(), "it may still be used");
        other.end();
        memory.collectEnded(500);
        assertEquals(0, collections.get(), "there is enough");
        memory.collectEnded(4000);
        assertEquals(0, collections.get(), "it is not worth it");
        memory.collectEnded(501);
        assertEquals(1, collections.get());
        memory.collectEnded(501);
        assertEquals(1, collections.get(), "it was to no avail");
        Reference.reachabilityFence(held);
        memory.end();
        memory.collectEnded(501);
        assertEquals(1, collections.get(), "it holds nothing");
    }

    @Test
    void whoNeedsMemoryGetsWhatTheGiverHas() {
        List<Long> asked = new ArrayList<>();
        memory.giver(bytes -> {
            asked.add(bytes);
            room.addAndGet(asked.size() == 1 ? 300 : 0);
            return asked.size() == 1 ? 300 : 0;
        });
        memory.allocate(Use.CACHE, 900);
        ByteBuffer tree = memory.allocate(Use.TREE, 400);
        assertEquals(400, tree.capacity());
        assertEquals(List.of(400L), asked);
        assertThrows(OutOfMemoryError.class, () -> memory.allocate(Use.TREE, 400));
        assertEquals(1300, memory.heldBytes());
        assertTrue(memory.toString().contains("TREE=400"), memory.toString());
    }

    @Test
    void othersGiveBackWhatOneNeedsThatHasNothingToSpare() {
        SharedMemory shared = new SharedMemory(0, Long.MAX_VALUE / 4, false);
        OffHeap other = new OffHeap(this::take, room::get, 0);
        memory.share(shared, 0);
        other.share(shared, 0);
        memory.giver(bytes -> 0);
        other.giver(bytes -> {
            room.addAndGet(bytes);
            return bytes;
        });
        memory.allocate(Use.TREE, 900);
        assertEquals(500, memory.allocate(Use.TREE, 500).capacity());
        other.end();
        assertThrows(OutOfMemoryError.class, () -> memory.allocate(Use.TREE, 500));
    }

    @Test
    void whatIsKeptForOthersGoesBeforeAnybodyFindsNoMemory() {
        SharedMemory shared = new SharedMemory(1000, Long.MAX_VALUE / 4, false);
        memory.share(shared, 0);
        memory.giver(bytes -> 0);
        memory.giveBack(memory.take(Use.SEGMENTS, 600));
        assertEquals(600, shared.freeBytes());
        room.set(500);
        assertThrows(OutOfMemoryError.class, () -> memory.take(Use.MEMTABLES, 700)); // nothing is collected here
        assertEquals(0, shared.freeBytes());
    }

    @Test
    void aBufferThatIsGivenBackTwiceGetsOneOwnerOnly() {
        SharedMemory shared = new SharedMemory(1000, Long.MAX_VALUE / 4, false);
        OffHeap account = new OffHeap();
        account.share(shared, 0);
        ByteBuffer buffer = account.take(Use.SEGMENTS, 300);
        account.giveBack(buffer);
        account.giveBack(buffer);
        account.giveBack(ByteBuffer.allocateDirect(300)); // not of this account
        assertEquals(300, shared.freeBytes());
        assertSame(buffer, account.take(Use.SEGMENTS, 300));
        assertEquals(300, account.heldBytes());
    }

    @Test
    void aBufferThatOneGivesBackIsTakenByTheOther() {
        SharedMemory shared = new SharedMemory(500, Long.MAX_VALUE / 4, false);
        OffHeap other = new OffHeap();
        OffHeap first = new OffHeap();
        first.share(shared, 0);
        other.share(shared, 0);
        ByteBuffer buffer = first.take(Use.SEGMENTS, 300);
        ByteBuffer tooMuch = first.take(Use.SEGMENTS, 300);
        first.giveBack(buffer);
        first.giveBack(tooMuch);
        assertEquals(300, shared.freeBytes());
        assertEquals(300, first.heldBytes(), "what is not kept is garbage of this account");
        assertSame(buffer, other.take(Use.MEMTABLES, 300));
        assertEquals(300, other.heldBytes(Use.MEMTABLES));
        assertNotSame(tooMuch, other.take(Use.MEMTABLES, 300));
    }

    @Test
    void aPoolWithoutMemoryStaysAsItIs() {
        NodePool pool = new NodePool(
                new Epochs(),
                64,
                new OffHeap(this::take, room::get, 0),
                Use.TREE); // the first chunks have 1 KiB, 2 KiB, 4 KiB, and a line each
        assertThrows(OutOfMemoryError.class, pool::allocate);
        assertThrows(OutOfMemoryError.class, () -> pool.ensure(1));
        assertEquals(0, pool.liveCount());
        assertEquals(0, pool.memoryBytes());
        room.set((16 + 32 + 64) * 64 + 3 * 64);
        pool.ensure(48); // node 0 does not exist, so that is three chunks
        for (int i = 0; i < 16 + 32 + 64 - 1; i++) {
            pool.allocate();
        }
        assertThrows(OutOfMemoryError.class, pool::allocate);
        assertEquals(111, pool.liveCount());
    }
}
