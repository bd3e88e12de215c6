package io.flexdb.flexspace.internal.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The log entries since the last batch of the logical log, in the form in which they are written.
 *
 * <pre>
 * OFFSET       SIZE     FIELD
 * 0            8        tag: what the owner wants to find again with these edits
 * 8            4        edits
 * 12           4        segment notes
 * 16           24 each  edits: operation (2 bits) and logical offset (62 bits); address (48) and flags (16), or the
 *                       target of a move; length
 * then         16 each  segment notes: segment, generation, flags and first frame, frames; then their checksums, 4
 *                       bytes each
 * </pre>
 *
 * <p>There is one flag, sealed (bit 31). A note without it goes on with the frames of the open segment.
 */
public final class LogBatch {
    public static final int HEADER_BYTES = 16;
    public static final int EDIT_BYTES = 24;
    public static final int NOTE_BYTES = 16;

    public static final int INSERT = 0;
    public static final int COLLAPSE = 1;
    public static final int REMAP = 2;
    public static final int MOVE = 3;

    private static final int OPERATION_SHIFT = 62;
    public static final long OFFSET_MASK = (1L << OPERATION_SHIFT) - 1;
    public static final int SEALED = 1 << 31;
    public static final int FRAME_MASK = SEALED - 1;

    private static final int FIRST_BYTES = 4096;

    private ByteBuffer buffer = newBuffer(FIRST_BYTES);
    private ByteBuffer finished = buffer; // the last batch, which may be on its way to the log
    private int edits;
    private int notes;

    public LogBatch() {
        clear();
    }

    private static ByteBuffer newBuffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void clear() {
        buffer.clear().position(HEADER_BYTES);
        edits = 0;
        notes = 0;
    }

    public void edit(int operation, long logicalOffset, long length, long address, int flags) {
        put(operation, logicalOffset, address << 16 | flags, length);
    }

    /** @param target where the range goes, as an offset before the move */
    public void move(long logicalOffset, long length, long target) {
        put(MOVE, logicalOffset, target, length);
    }

    private void put(int operation, long logicalOffset, long where, long length) {
        room(EDIT_BYTES);
        buffer.putLong((long) operation << OPERATION_SHIFT | logicalOffset)
                .putLong(where)
                .putLong(length);
        edits++;
    }

    /**
     * Comes after all edits. The checksums are those of the frames from {@code first} to before {@code end}.
     *
     * @param flags {@link #SEALED} or 0
     */
    public void segmentNote(int segment, int generation, int flags, int first, int[] sums, int end) {
        room(NOTE_BYTES + (end - first) * Integer.BYTES);
        buffer.putInt(segment).putInt(generation).putInt(flags | first).putInt(end - first);
        for (int frame = first; frame < end; frame++) {
            buffer.putInt(sums[frame]);
        }
        notes++;
    }

    private void room(int bytes) {
        if (buffer.remaining() < bytes) {
            ByteBuffer larger = newBuffer(Math.max(buffer.capacity() * 2, buffer.position() + bytes));
            buffer = larger.put(buffer.flip());
        }
    }

    public boolean hasEdits() {
        return edits > 0;
    }

    public int edits() {
        return edits;
    }

    public int bytes() {
        return buffer.position();
    }

    /**
     * Ends the batch and begins the next one. Returns it as it is written, which it stays until the next one is ended.
     */
    public ByteBuffer finish(long tag) {
        buffer.putLong(0, tag).putInt(8, edits).putInt(12, notes);
        ByteBuffer payload = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN).flip();
        ByteBuffer next = finished == buffer ? newBuffer(FIRST_BYTES) : finished;
        finished = buffer;
        buffer = next;
        clear();
        return payload;
    }

    public static int operation(long word) {
        return (int) (word >>> OPERATION_SHIFT);
    }
}
