package io.flexdb;

import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.txn.OwnWrites;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.internal.write.WriteGuard;
import io.flexdb.internal.write.WritesLoad;
import io.flexdb.internal.write.WrittenKeys;

/** Writes a batch that is larger than a memtable, as a transaction does that asks for no conflicts. */
final class LargeBatch {
    private static final WrittenKeys NOBODY = new WrittenKeys() {
        @Override
        public void held(long through) {
            // a batch replaces whatever there is
        }

        @Override
        public void deletedRange(byte[] from, byte[] to) {
            // the same
        }

        @Override
        public void wrote(byte[] key) {
            // the same
        }

        @Override
        public void end() {
            // the same
        }
    };

    private LargeBatch() {}

    /** Writes it, durably, and returns the number of the last write before it. */
    static long write(Store store, BatchPayload payload, WriteGuard guard) {
        OwnWrites writes = store.ownWrites.borrow();
        try {
            spill(store.writer(), writes, payload);
            try (WritesLoad load = store.loadWrites(writes.front())) {
                return load.commit(
                        guard,
                        NOBODY,
                        new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                            @Override
                            public void run() {
                                writes.setOperandTime(store.writer().now());
                            }
                        });
            }
        } finally {
            writes.clear();
            store.ownWrites.giveBack(writes);
        }
    }

    private static void spill(StoreWriter writer, OwnWrites writes, BatchPayload payload) {
        PayloadReader reader = new PayloadReader().reset(payload.bytes(), 0, payload.length());
        int from = 0;
        while (reader.next()) {
            int end = reader.keyIndex() + reader.keyLength() + reader.tailLength();
            long bodyBytes = MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
            if (!writer.fits(
                    (long) writes.length() + end - from, writes.bodyBytes() + bodyBytes, writes.entries() + 1)) {
                writer.requireFits(end - from, bodyBytes, 1);
                writes.spill(false);
            }
            writes.addEncoded(payload.bytes(), from, end, reader.type(), bodyBytes);
            from = end;
        }
        writes.spill(false);
    }
}
