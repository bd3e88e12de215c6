package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.base.memory.SharedMemory;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.testing.Waiting;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Reads of two stores that have memory for four reads together. */
class ReadContextsTest {
    private static final int READ_BYTES = 32 << 10;
    private static final int READS = 4; // as many as are kept for one thread

    private final SharedMemory shared = new SharedMemory(1 << 20, READS * READ_BYTES, true);
    private final ReadContexts busy = contexts();
    private final ReadContexts other = contexts();

    private ReadContexts contexts() {
        OffHeap memory = new OffHeap(ByteBuffer::allocateDirect, () -> Long.MAX_VALUE / 2, 0);
        memory.share(shared, 0);
        ReadContexts contexts = new ReadContexts(memory, 1 << 20);
        memory.giver(contexts::leaveUnused);
        return contexts;
    }

    private static ReadContext read(ReadContexts contexts) {
        ReadContext context = contexts.borrow();
        context.memory(100);
        return context;
    }

    private static List<ReadContext> reads(ReadContexts contexts, int count) {
        List<ReadContext> begun = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            begun.add(read(contexts));
        }
        return begun;
    }

    private static Set<ByteBuffer> memory(List<ReadContext> contexts) {
        Set<ByteBuffer> memory = Collections.newSetFromMap(new IdentityHashMap<>());
        contexts.forEach(context -> memory.add(context.memory(100)));
        return memory;
    }

    @Test
    void aReadTakesTheMemoryThatReadsOfAnotherStoreNeedNoMore() {
        List<ReadContext> ended = reads(busy, READS);
        Set<ByteBuffer> memory = memory(ended);
        ended.forEach(busy::giveBack);
        assertEquals(READS * READ_BYTES, shared.usedBytes());
        assertEquals(memory, memory(reads(other, READS)), "not even the garbage collector is needed");
        assertEquals(READS * READ_BYTES, shared.usedBytes());
    }

    @Test
    void memoryThatIsNotKeptIsCollectedForTheNextRead() {
        List<ReadContext> some = reads(busy, READS / 2);
        List<ReadContext> more = reads(busy, READS / 2);
        some.forEach(busy::giveBack);
        for (ReadContext context : more) {
            context.letMemoryGo();
        }
        assertEquals(READS, reads(other, READS).size());
        assertEquals(READS * READ_BYTES, shared.usedBytes());
    }

    @Test
    void aReadWaitsForAnotherOneToEnd() throws InterruptedException {
        List<ReadContext> begun = reads(busy, READS);
        AtomicReference<Object> got = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            for (int tries = 1; got.get() == null; tries++) { // a busy machine may take longer than a read waits
                try {
                    got.set(read(other).memory(100));
                } catch (StoreMemoryException e) {
                    if (tries == 100) {
                        got.set(e);
                    }
                }
            }
        });
        waiting.start();
        Waiting.whileTrue(() -> waiting.getState() != Thread.State.TIMED_WAITING);
        ByteBuffer left = begun.get(3).memory(100);
        busy.giveBack(begun.get(3));
        waiting.join();
        assertSame(left, got.get());
    }

    @Test
    void aReadIsRefusedWhileTooManyGoOn() {
        List<ReadContext> begun = reads(busy, READS);
        StoreMemoryException e = assertThrows(StoreMemoryException.class, () -> read(other));
        assertTrue(e.getMessage().contains("131072 bytes, of which 131072 are in use"), e.getMessage());
        begun.forEach(busy::giveBack);
        read(other);
    }

    /** Or memory that is garbage would count as in use: caches would give way, and reads be refused. */
    @Test
    void memoryThatIsReplacedOrTooMuchToBeKeptIsLetGo() {
        SharedMemory measure = new SharedMemory(1 << 20, 1 << 30, false);
        OffHeap memory = new OffHeap(ByteBuffer::allocateDirect, () -> Long.MAX_VALUE / 2, 0);
        memory.share(measure, 0);
        ReadContexts contexts = new ReadContexts(memory, 0);
        List<ByteBuffer> notCollected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ReadContext context = contexts.borrow();
            notCollected.add(context.memory(100));
            assertEquals(READ_BYTES, measure.usedBytes());
            ByteBuffer large = context.memory(ReadContext.SMALL_BYTES + 1);
            notCollected.add(large);
            assertEquals(large.capacity(), measure.usedBytes());
            contexts.giveBack(context);
            assertEquals(0, measure.usedBytes());
        }
        Reference.reachabilityFence(notCollected);
    }

    /** Sizes of large values are many, and memory of none of them is wanted again soon. */
    @Test
    void memoryOfALargeValueIsLeftToTheGarbageCollector() {
        ReadContext large = busy.borrow();
        ByteBuffer memory = large.memory(ReadContext.SMALL_BYTES + 1);
        busy.giveBack(large);
        long used = shared.usedBytes();
        assertTrue(busy.leaveUnused(1) > ReadContext.SMALL_BYTES);
        assertFalse(busy.leaveUnused(1) > 0);
        assertEquals(used, shared.usedBytes());
        assertEquals(0, shared.freeBytes());
        Reference.reachabilityFence(memory); // or it could be collected before
    }
}
