package io.flexdb.internal.store;

import io.flexdb.internal.memtable.WritePayload;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The payload of a write of one entry, in memory that is used again. */
public final class PayloadBuffer {
    private static final int KEPT_BYTES = 1 << 20;

    /** The payload's bytes; the caller adds key and value where {@code begin…} says. */
    public byte[] bytes = new byte[1024];

    private int length;

    private PayloadBuffer() {}

    /** Writes what precedes a put's key, and returns where the key goes; the value goes right behind it. */
    public int beginPut(int keyLength, int valueLength) {
        room(WritePayload.putBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(bytes, 0, keyLength, valueLength);
    }

    /** Writes what precedes a delete's key, and returns where the key goes. */
    public int beginDelete(int keyLength) {
        room(WritePayload.deleteBytes(keyLength));
        return WritePayload.encodeDeleteHeader(bytes, 0, keyLength);
    }

    private void room(long needed) {
        length = Math.toIntExact(needed);
        if (bytes.length < length) {
            bytes = new byte[length];
        }
    }

    /** Bytes of the payload. */
    public int length() {
        return length;
    }

    /** A few buffers that threads borrow; threads may be virtual, so there is none per thread. */
    public static final class Pool {
        private static final int SLOTS = 64;

        private final AtomicReferenceArray<PayloadBuffer> slots = new AtomicReferenceArray<>(SLOTS);

        /** An empty pool. */
        public Pool() {}

        /** A buffer for this thread, until it is given back. */
        public PayloadBuffer borrow() {
            PayloadBuffer buffer = slots.getAndSet(slotOfThread(), null);
            return buffer != null ? buffer : new PayloadBuffer();
        }

        /** Takes a buffer back. */
        public void giveBack(PayloadBuffer buffer) {
            if (buffer.bytes.length <= KEPT_BYTES) {
                slots.lazySet(slotOfThread(), buffer);
            }
        }

        private static int slotOfThread() {
            return (int) Thread.currentThread().getId() & (SLOTS - 1);
        }
    }
}
