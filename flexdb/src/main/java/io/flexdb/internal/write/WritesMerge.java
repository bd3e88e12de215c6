package io.flexdb.internal.write;

import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.FrontCursor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Makes a run that can be linked of writes of all kinds, and of the space's pairs between them. For one thread. */
final class WritesMerge {
    /*
     * As with RunMerge, pairs of the space that stay are in the run, or between two of its parts: whichever is cheaper.
     * A part begins where something changes. Pairs that only go are covered by a part as well, which may have no pair
     * at all. A delete of keys that are not there changes nothing, so no part begins.
     */
    private final FrontCursor own;
    private final List<byte[]> ranges; // that were deleted: from and to in turn
    private final SpacePairs space;
    private final Function<byte[], MergedValue> merged;
    private final RunWriter out;
    private final ByteBuffer gap =
            ByteBuffer.allocateDirect(RunMerge.MAX_COPIED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private byte[] behind; // the key before which the part may end, at the earliest; null if none has begun

    /**
     * A merge.
     *
     * @param own all keys that were written, with the newest entry of each
     * @param ranges that were deleted, whatever was put there afterwards: from and to in turn, ascending, apart
     * @param space the pairs there are, which nobody changes
     * @param merged the value of a key of which the newest entry is an operand, or operands that wait; null for none
     */
    WritesMerge(
            FrontCursor own,
            List<byte[]> ranges,
            SpacePairs space,
            Function<byte[], MergedValue> merged,
            RunWriter out) {
        this.own = own;
        this.ranges = ranges;
        this.space = space;
        this.merged = merged;
        this.out = out;
    }

    /**
     * Merges.
     *
     * @param written told of each key, in order
     * @param goOn called now and then; may throw
     * @return a run, without parts if nothing changes
     */
    SortedRun merge(WrittenKeys written, Runnable goOn) {
        own.seekToFirst();
        int range = 0;
        while (own.isValid() || range < ranges.size()) {
            goOn.run();
            byte[] key = own.isValid() ? own.key() : null;
            if (range < ranges.size() && (key == null || Arrays.compareUnsigned(ranges.get(range), key) <= 0)) {
                passTo(ranges.get(range));
                delete(ranges.get(range), ranges.get(range + 1));
                range += 2;
            } else {
                written.wrote(key);
                passTo(key);
                write(key);
                own.next();
            }
        }
        endPart();
        return out.run();
    }

    private void endPart() {
        gap.clear(); // which stays where it is
        if (behind != null) {
            out.endPart(behind);
            behind = null;
        }
    }

    /** Goes to the space's pairs from a key on; those before it and behind the last change are in the gap. */
    private void passTo(byte[] key) {
        if (behind == null) {
            space.seek(key);
            return;
        }
        while (space.isValid() && space.compare(key) < 0) {
            if (space.bytes() > gap.remaining()) {
                endPart();
                space.seek(key);
                return;
            }
            int to = gap.position();
            gap.put(to, space.buffer(), space.position(), space.bytes());
            gap.position(to + space.bytes());
            space.next();
        }
    }

    private void copyGap() {
        RunMerge.copyPairs(gap, 0, gap.position(), out);
        gap.clear();
    }

    /** Has a change from a key on to before another be in a part, with what is in the gap. */
    private void change(byte[] at, byte[] newBehind) {
        if (behind == null) {
            out.beginPart(at);
        } else {
            copyGap();
        }
        if (behind == null || Arrays.compareUnsigned(behind, newBehind) < 0) {
            behind = newBehind;
        }
    }

    private void delete(byte[] from, byte[] to) {
        if (space.isValid() && space.compare(to) < 0) {
            change(from, to);
            space.seek(to);
        }
    }

    private void write(byte[] key) {
        boolean exists = space.isValid() && space.compare(key) == 0;
        boolean isPut = put(key);
        if (exists && !isPut) {
            change(key, StoreLoad.behind(key));
        }
        if (exists) {
            space.next();
        }
    }

    /** Adds the pair, if there is one. */
    private boolean put(byte[] key) {
        MemTable table = own.table();
        int ref = own.ref();
        int type = table.type(ref);
        if (type == WritePayload.DELETE || own.isDeletedByRange(key)) {
            return false;
        }
        if (type == WritePayload.MERGE) {
            MergedValue value = merged.apply(key);
            if (value != null) {
                change(key, StoreLoad.behind(key));
                out.add(key, value);
            }
            return value != null;
        }
        int position = table.valuePosition(ref);
        ByteBuffer value = table.buffer()
                .duplicate()
                .limit(position + table.valueLength(ref))
                .position(position);
        put(key, value, table.expiry(ref));
        return true;
    }

    private void put(byte[] key, ByteBuffer value, long expiry) {
        change(key, StoreLoad.behind(key));
        out.add(key, value, expiry);
    }
}
