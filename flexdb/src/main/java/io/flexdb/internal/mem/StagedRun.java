package io.flexdb.internal.mem;

import io.flexdb.flexspace.internal.segment.StagedBytes;

/** Records that were staged one after the other, and are given back together. See {@link LargeValues}. */
public final class StagedRun {
    final StagedBytes bytes;
    int users; // writes under way, and memtables with entries that refer to it; under the lock of LargeValues
    boolean sealed; // likewise

    StagedRun(StagedBytes bytes) {
        this.bytes = bytes;
    }
}
