package io.flexdb.flexspace.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;

/** Memory for one read of frames: a buffer and a checksum, reused so that reads make no garbage. */
final class ReadScratch {
    final ByteBuffer buffer;
    final CRC32C crc = new CRC32C();

    private ReadScratch(int bytes) {
        buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A few scratches that threads borrow; threads may be virtual, so there is none per thread. */
    static final class Pool {
        private static final int SLOTS = 64;

        private final int scratchBytes;
        private final AtomicReferenceArray<ReadScratch> slots = new AtomicReferenceArray<>(SLOTS);

        Pool(int scratchBytes) {
            this.scratchBytes = scratchBytes;
        }

        ReadScratch borrow() {
            ReadScratch scratch = slots.getAndSet(slotOfThread(), null);
            return scratch != null ? scratch : new ReadScratch(scratchBytes);
        }

        void giveBack(ReadScratch scratch) {
            slots.lazySet(slotOfThread(), scratch);
        }

        private static int slotOfThread() {
            return (int) Thread.currentThread().getId() & (SLOTS - 1);
        }
    }
}
