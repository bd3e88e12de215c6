package io.flexdb.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
    private static final int LEAST = DirectMemory.LEAST_BYTES;

    private final DirectMemory memory = new DirectMemory(() -> Long.MAX_VALUE);

    @BeforeEach
    void begin() {
        assumeTrue(DirectMemory.awaitCalls(), "mapped memory needs Linux on x86-64, and native access for JNA");
        Waiting.collectWhile(() -> DirectMemory.mappedBytes() > 0);
    }

    @Test
    void buffersAreAsThoseOfTheJdk() {
        for (int bytes : new int[] {1, LEAST - 1, LEAST, 3 * LEAST + 17}) {
            ByteBuffer buffer = memory.allocate(bytes);
            assertTrue(buffer.isDirect());
            assertEquals(ByteOrder.BIG_ENDIAN, buffer.order());
            assertEquals(ByteBuffer.allocateDirect(bytes), buffer, "zeros from 0 to the capacity");
            Waiting.collectWhile(() -> DirectMemory.mappedBytes() > (bytes < LEAST ? 0 : bytes)); // the one before
            assertEquals(bytes < LEAST ? 0 : bytes, DirectMemory.mappedBytes());
            buffer.put(bytes - 1, (byte) 1);
        }
    }

    @Test
    void memoryStaysAsLongAsAPartOfIt() {
        List<ByteBuffer> parts = new ArrayList<>();
        for (int i = 1; i <= 16; i++) {
            ByteBuffer whole = memory.allocate(LEAST);
            while (whole.hasRemaining()) {
                whole.put((byte) i);
            }
            parts.add(whole.slice(i * 1000, 5000)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .duplicate()
                    .slice(10, 4000));
            whole = null;
            memory.allocate(LEAST); // is free at once, and its place is given out again
            Waiting.collect();
        }
        Waiting.collectWhile(() -> DirectMemory.mappedBytes() > 16L * LEAST);
        for (int i = 1; i <= 16; i++) {
            ByteBuffer part = parts.get(i - 1);
            while (part.hasRemaining()) {
                assertEquals(i, part.get());
            }
        }
        assertEquals(16L * LEAST, DirectMemory.mappedBytes());
        parts.clear();
        Waiting.collectWhile(() -> DirectMemory.mappedBytes() > 0);
    }

    @Test
    void theLimitHoldsUntilGarbageIsCollected() {
        DirectMemory limited = new DirectMemory(() -> 3L * LEAST - DirectMemory.mappedBytes());
        ByteBuffer first = limited.allocate(2 * LEAST);
        assertThrows(OutOfMemoryError.class, () -> limited.allocate(2 * LEAST));
        assertEquals(2L * LEAST, DirectMemory.mappedBytes(), "a refusal takes nothing");
        limited.allocate(LEAST); // garbage, which is collected where the next one has no place
        Waiting.whileTrue(() -> {
            try {
                limited.allocate(LEAST);
                return false;
            } catch (OutOfMemoryError e) {
                return true;
            }
        });
        assertEquals(0, first.get(2 * LEAST - 1));
    }
}
