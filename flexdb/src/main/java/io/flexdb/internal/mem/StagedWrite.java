package io.flexdb.internal.mem;

import java.util.List;

/** A write of which the large values are in the data file: its payload has references in their place. */
public final class StagedWrite implements AutoCloseable {
    public final Payload payload;
    /** Bytes of the large values' records. */
    public final long recordBytes;

    /** Where they are, each once; held until this is closed. */
    public final List<StagedRun> runs;

    private final LargeValues values;

    StagedWrite(LargeValues values, List<StagedRun> runs, Payload payload, long recordBytes) {
        this.values = values;
        this.runs = runs;
        this.payload = payload;
        this.recordBytes = recordBytes;
    }

    /** Lets it go: a memtable holds the runs by now, or nobody will. */
    @Override
    public void close() {
        for (StagedRun run : runs) {
            values.release(run);
        }
    }
}
