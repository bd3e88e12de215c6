package io.flexdb.internal.write;

import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ranges of keys that nobody may write to for a while. All of it under the write lock. */
final class HeldRanges {
    /*
     * A sorted run goes into the space below all memtables. So no entry of these may stand in its range when it is
     * linked. While the range is held a write to it waits before it gets a number, and all others go on.
     */
    /** One of them: from a key on to before another. */
    record Range(byte[] from, byte[] to) {
        private boolean covers(byte[] bytes, int begin, int end) {
            return Arrays.compareUnsigned(bytes, begin, end, from, 0, from.length) >= 0
                    && Arrays.compareUnsigned(bytes, begin, end, to, 0, to.length) < 0;
        }
    }

    private final List<Range> ranges = new ArrayList<>();
    private final PayloadReader reader = new PayloadReader();
    private long linkedRuns;

    /** Runs that have been linked. */
    long linkedRuns() {
        return linkedRuns;
    }

    /** One more has been. */
    void linked() {
        linkedRuns++;
    }

    /** Whether something of a range is held. */
    boolean overlap(byte[] from, byte[] to) {
        for (Range range : ranges) {
            if (Arrays.compareUnsigned(from, range.to) < 0 && Arrays.compareUnsigned(range.from, to) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Holds a range, and returns it to be let go. */
    Range hold(byte[] from, byte[] to) {
        Range range = new Range(from, to);
        ranges.add(range);
        return range;
    }

    void letGo(Range range) {
        ranges.remove(range);
    }

    /** Whether a write has to wait. */
    boolean holdBack(Payload payload) {
        if (ranges.isEmpty()) {
            return false;
        }
        reader.reset(payload.bytes(), 0, payload.length());
        boolean held = false;
        while (!held && reader.next()) {
            held = holdBackEntry(payload.bytes());
        }
        reader.reset(null, 0, 0);
        return held;
    }

    private boolean holdBackEntry(byte[] payload) {
        int key = reader.keyIndex();
        int keyEnd = key + reader.keyLength();
        for (Range range : ranges) {
            if (reader.type() != WritePayload.DELETE_RANGE) {
                if (range.covers(payload, key, keyEnd)) {
                    return true;
                }
                continue;
            }
            int end = keyEnd + reader.valueLength();
            boolean endsBefore =
                    end > keyEnd && Arrays.compareUnsigned(payload, keyEnd, end, range.from, 0, range.from.length) <= 0;
            if (!endsBefore && Arrays.compareUnsigned(payload, key, keyEnd, range.to, 0, range.to.length) < 0) {
                return true;
            }
        }
        return false;
    }
}
