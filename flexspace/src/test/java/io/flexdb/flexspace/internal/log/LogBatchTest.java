package io.flexdb.flexspace.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class LogBatchTest {
    private final LogBatch batch = new LogBatch();

    @Test
    void anEditIsThreeWords() {
        long offset = LogBatch.OFFSET_MASK - 1;
        batch.edit(LogBatch.REMAP, offset, 77, FlexTree.HOLE, 0xFFFF);
        assertTrue(batch.hasEdits());
        ByteBuffer payload = batch.finish(-5);
        assertEquals(LogBatch.HEADER_BYTES + LogBatch.EDIT_BYTES, payload.remaining());
        assertEquals(-5, payload.getLong());
        assertEquals(1, payload.getInt());
        assertEquals(0, payload.getInt());
        long first = payload.getLong();
        assertEquals(LogBatch.REMAP, LogBatch.operation(first));
        assertEquals(offset, first & LogBatch.OFFSET_MASK);
        assertEquals(-1L, payload.getLong());
        assertEquals(77, payload.getLong());
    }

    @Test
    void aMoveHasItsTargetWhereOthersHaveAnAddress() {
        batch.move(17, 5, LogBatch.OFFSET_MASK);
        ByteBuffer payload = batch.finish(0);
        payload.position(LogBatch.HEADER_BYTES);
        long first = payload.getLong();
        assertEquals(LogBatch.MOVE, LogBatch.operation(first));
        assertEquals(17, first & LogBatch.OFFSET_MASK);
        assertEquals(LogBatch.OFFSET_MASK, payload.getLong());
        assertEquals(5, payload.getLong());
        assertFalse(payload.hasRemaining());
    }

    @Test
    void aNoteCarriesTheChecksumsOfItsFrames() {
        batch.edit(LogBatch.COLLAPSE, 1, 2, 0, 0);
        batch.segmentNote(3, 4, 0, 1, new int[] {10, 11, 12, 13}, 3);
        batch.segmentNote(5, 6, LogBatch.SEALED, 0, null, 0);
        ByteBuffer payload = batch.finish(1);
        payload.position(LogBatch.HEADER_BYTES + LogBatch.EDIT_BYTES);
        int[] expected = {3, 4, 1, 2, 11, 12, 5, 6, LogBatch.SEALED, 0};
        for (int word : expected) {
            assertEquals(word, payload.getInt());
        }
        assertFalse(payload.hasRemaining());
        assertEquals(2, payload.getInt(12));
    }

    @Test
    void aBatchGrowsAndTheNextOneIsEmpty() {
        for (int i = 0; i < 10_000; i++) {
            batch.edit(LogBatch.INSERT, i, i + 1, i, 0);
        }
        assertEquals(LogBatch.HEADER_BYTES + 10_000 * LogBatch.EDIT_BYTES, batch.bytes());
        ByteBuffer payload = batch.finish(0);
        assertEquals(9999, payload.getLong(LogBatch.HEADER_BYTES + 9999 * LogBatch.EDIT_BYTES));
        assertFalse(batch.hasEdits());
        assertEquals(LogBatch.HEADER_BYTES, batch.bytes());
    }
}
