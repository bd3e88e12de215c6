package io.flexdb.internal.large;

import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.memtable.MemTable;

/** A write of which the large values are in the data file: its payload has references in their place. */
public final class StagedWrite implements AutoCloseable {
    public final byte[] payload;
    /** The payload's {@link WritePayload#checksum}. */
    public final int checksum;
    /** The sum of {@link MemTable#bodyBytes} over its entries. */
    public final long bodyBytes;
    /** Bytes of the large values' records. */
    public final long recordBytes;

    public final StagedRun run;
    private final LargeValues values;

    StagedWrite(LargeValues values, StagedRun run, byte[] payload, long bodyBytes, long recordBytes) {
        this.values = values;
        this.run = run;
        this.payload = payload;
        this.checksum = WritePayload.checksum(payload, 0, payload.length);
        this.bodyBytes = bodyBytes;
        this.recordBytes = recordBytes;
    }

    /** Lets it go: a memtable holds the run by now, or nobody will. */
    @Override
    public void close() {
        values.release(run);
    }
}
