package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private static final int BYTES = 4096;

    private final Epochs epochs = new Epochs();
    private int memoryFor = Integer.MAX_VALUE; // so many buffers
    private final BufferPool pool = new BufferPool(BYTES, 3, epochs, bytes -> {
        if (memoryFor-- == 0) {
            throw new OutOfMemoryError("no memory");
        }
        return ByteBuffer.allocateDirect(bytes);
    });

    @Test
    void thereAreNeverMoreBuffersThanTheLimit() {
        for (int i = 0; i < 3; i++) {
            assertNotNull(pool.poll());
        }
        assertNull(pool.poll());
        assertEquals(3 * BYTES, pool.memoryBytes());
        assertEquals(0, pool.freeBytes());
    }

    @Test
    void whatTheWriterCanNotDoWithoutIsThereFromTheBeginning() {
        pool.reserve(2, 2);
        memoryFor = 0;
        assertEquals(2 * BYTES, pool.freeBytes());
        assertNotNull(pool.poll());
        assertNotNull(pool.poll());
        assertNull(pool.poll());
    }

    @Test
    void memoryThatCanNotBeHadIsAskedForOnce() {
        pool.reserve(1, 3);
        memoryFor = 0;
        ByteBuffer only = pool.poll();
        assertNull(pool.poll());
        assertEquals(-1, memoryFor);
        assertNull(pool.poll());
        assertEquals(-1, memoryFor);
        pool.retire(only);
        pool.awaitReaders();
        assertSame(only, pool.poll());
    }

    @Test
    void anOpeningWithoutMemoryForOneBufferFails() {
        memoryFor = 1;
        assertThrows(OutOfMemoryError.class, () -> pool.reserve(2, 4));
    }

    /** A snapshot needs the file of a sealed segment, and not its buffer. */
    @Test
    void aPinnedVersionHoldsNoBuffer() {
        epochs.advance();
        epochs.pin(epochs.writerEpoch() - 1);
        ByteBuffer buffer = pool.poll();
        pool.retire(buffer);
        assertTrue(pool.areRetired());
        pool.awaitReaders();
        assertFalse(pool.areRetired());
        assertSame(buffer, pool.poll());
        assertEquals(0, pool.waits());
    }

    @Test
    void aBufferIsNotUsedAgainWhileAReadThatBeganBeforeGoesOn() {
        ByteBuffer buffer = pool.poll();
        int ticket = epochs.enter();
        pool.retire(buffer);
        for (int i = 0; i < 10; i++) {
            epochs.advance();
            pool.reclaim();
            int later = epochs.enter(); // readers that come later change nothing
            assertTrue(pool.areRetired());
            epochs.exit(later);
        }
        epochs.exit(ticket);
        pool.awaitReaders();
        assertSame(buffer, pool.poll());
    }

    @Test
    void theWriterWaitsForAReaderEvenIfItIsInterrupted() throws Exception {
        ByteBuffer buffer = pool.poll();
        int ticket = epochs.enter();
        pool.retire(buffer);
        boolean[] stillInterrupted = {false};
        Thread writer = new Thread(() -> {
            pool.awaitReaders();
            stillInterrupted[0] = Thread.interrupted();
        });
        writer.start();
        Waiting.whileTrue(() -> writer.getState() != Thread.State.WAITING);
        writer.interrupt();
        Waiting.whileTrue(() -> writer.isInterrupted() || writer.getState() != Thread.State.WAITING);
        epochs.exit(ticket);
        writer.join();
        assertTrue(stillInterrupted[0]);
        assertEquals(1, pool.waits());
        assertSame(buffer, pool.poll());
    }
}
