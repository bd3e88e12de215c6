package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.interval.StagedPieces;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.read.Front;
import io.flexdb.internal.read.FrontCursor;
import io.flexdb.internal.read.PinnedVersion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Writes that are more than a memtable holds, of all kinds, on their way into a store. For one thread, once. */
public final class WritesLoad implements AutoCloseable {
    /*
     * StoreLoad takes pairs in key order; this takes all writes of a transaction that has spilled. It holds the keys,
     * makes a run of the writes and the space's pairs, and links it. So it is all or nothing, for readers and across a
     * crash, and durable when the call returns. Most of the work is the merge, done while the keys are held: the space
     * must not change meanwhile, neither under the merge nor under the check for conflicts.
     */
    private static final byte[] BEHIND_ALL = {(byte) 0xFF, (byte) 0xFF}; // keys that begin so have a head, see KeyHeads

    private final Loads loads;
    private final SpaceEngine engine;
    private final Front front;
    private final List<byte[]> ranges;
    private final StagedPieces staged;
    private byte[] from; // of the held keys
    private byte[] to;

    WritesLoad(Loads loads, Front front) {
        this.loads = loads;
        this.engine = loads.engine;
        this.front = front;
        this.ranges = front.deletedRanges();
        this.staged = loads.stage();
    }

    /** Holds these keys, too: from one on to before another, which is null for no end. Before {@link #commit}. */
    public void hold(byte[] alsoFrom, byte[] alsoTo) {
        byte[] end = alsoTo == null ? BEHIND_ALL : alsoTo;
        from = from == null || Arrays.compareUnsigned(alsoFrom, from) < 0 ? alsoFrom : from;
        to = to == null || Arrays.compareUnsigned(end, to) > 0 ? end : to;
    }

    /** Holds the keys from one on through another, too; null for no end. Before {@link #commit}. */
    public void holdThrough(byte[] alsoFrom, byte[] last) {
        hold(alsoFrom, last == null ? null : StoreLoad.behind(last));
    }

    /**
     * Has all of it in the store, durably, or throws and has nothing of it there.
     *
     * @param guard asked when nobody can write to the keys any more; null for none
     * @param beforeMerge run then, before anything is read
     * @return the sequence number of the last write before it
     * @throws io.flexdb.storage.StoreFullException if there is no space for it
     */
    public long commit(WriteGuard guard, WrittenKeys written, Runnable beforeMerge) {
        return loads.tasks.run(task -> commit(guard, written, beforeMerge, task::goOn));
    }

    private long commit(WriteGuard guard, WrittenKeys written, Runnable beforeMerge, Runnable goOn) {
        engine.health().requireUsable();
        byte[] firstWritten = null;
        byte[] endWritten = null;
        try (FrontCursor own = new FrontCursor(front)) {
            byte[] last = own.lastKey();
            own.seekToFirst();
            firstWritten = own.isValid() ? own.key() : null;
            endWritten = last == null ? null : StoreLoad.behind(last);
        }
        if (!ranges.isEmpty()) {
            byte[] first = ranges.get(0);
            byte[] end = ranges.get(ranges.size() - 1);
            firstWritten =
                    firstWritten == null || Arrays.compareUnsigned(first, firstWritten) < 0 ? first : firstWritten;
            endWritten = endWritten == null || Arrays.compareUnsigned(end, endWritten) > 0 ? end : endWritten;
        }
        if (firstWritten == null) {
            return loads.versions.visibleSequence(); // all was taken back
        }
        hold(firstWritten, endWritten);
        RunGate.Hold hold = loads.gate.hold(from, to, guard, goOn);
        try {
            beforeMerge.run();
            SortedRun run = merge(written, goOn);
            written.end();
            if (run.parts() == 0) {
                return loads.versions.visibleSequence();
            }
            return loads.link(run, staged, firstWritten, endWritten);
        } finally {
            hold.letGo();
        }
    }

    private SortedRun merge(WrittenKeys written, Runnable goOn) {
        ByteBuffer piece = loads.newPiece();
        try (PinnedVersion pin = loads.pinNewest.get();
                FrontCursor own = new FrontCursor(front)) {
            written.held(pin.sequence());
            for (int i = 0; i < ranges.size(); i += 2) {
                written.deletedRange(ranges.get(i), ranges.get(i + 1));
            }
            Function<byte[], MergedValue> merged = key -> loads.reader.mergedOrWaiting(key, pin, front);
            RunWriter out = new RunWriter(staged, engine.maxExtentBytes(), piece);
            return new WritesMerge(own, ranges, loads.spacePairs(pin), merged, out).merge(written, goOn);
        }
    }

    /** Gives segments back that were not linked. */
    @Override
    public void close() {
        staged.close();
        loads.ended(this);
    }
}
