package io.flexdb.internal.write;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.base.RecordHead;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.mem.ArrayChannel;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.LongBase;
import io.flexdb.internal.mem.LongList;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.OperandFold;
import io.flexdb.internal.mem.OvergrownKeys;
import io.flexdb.internal.mem.RecordStager;
import io.flexdb.internal.mem.StagedWrite;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.ReadContext;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** Merges operands, for a commit, into the entries below them or the values in the space. One thread. */
final class OperandMerger {
    /*
     * Operands are merged into the entry below them in the memtables that are applied, or else into the value in the
     * space, which is looked up for that. So the space has values, each with the number of its newest operand. A later
     * commit reclaims such a value that has expired: as long as its operands are in a memtable, its end has to be
     * known. If the merge function fails, only the key is affected: the operands wait in the pair with the value below
     * them, and the next commit with another operand of the key tries again. The function is called in no short read
     * and under no lock: a slow one makes commits slow, and nothing else.
     *
     * There may be no memory for the value below an operand, or for the merged value, and one key must not stop all
     * others. Then the operands wait, too. The value below is copied by parts into a record that is staged, and linked
     * as those of large values are. A value that was made but has no room in a buffer is staged likewise. The cost: the
     * value is written once more by each commit that has one more operand. A commit that is done again finds that the
     * pair has all operands, and leaves it.
     */
    static final int LONG_BYTES = Interval.MAX_BYTES; // of a value for which memory may be short by itself

    private final SpaceEngine engine;
    private final Epochs epochs;
    private final SparseIndex index;
    private final IntervalReader reader;
    private final CommitReservation reservation;
    private final ReadContext context; // for values below operands
    private final OperandFold fold;
    private final OvergrownKeys overgrown;
    private final LargeValues large;
    private final EntryKey key = new EntryKey();
    private final ToLongFunction<LongSupplier> roomToStage = this::stageWithRoom; // made here: memory is short then
    private final LongFunction<LongBase.Parts> partsFrom = SpaceParts::new; // likewise
    private Thread ownThread; // null if others commit
    private Runnable publishForRoom;
    private byte[] merging; // the key whose operands are being merged, or failed to be; else null
    private int source; // of its newest operand
    private StagedPair stagedPair; // that operands have just made, and that was staged; else null
    private boolean stagesLong; // long pairs that operands have made, of the interval for which memory was short
    private volatile long failedMerges; // written by the one thread

    OperandMerger(
            SpaceEngine engine,
            IntervalReader reader,
            CommitReservation reservation,
            MergeCalls merges,
            OvergrownKeys overgrown,
            LargeValues large) {
        this.engine = engine;
        this.epochs = engine.owner().epochs();
        this.index = reader.intervals().index;
        this.reader = reader;
        this.reservation = reservation;
        this.context = new ReadContext(engine.owner().memory(), OffHeap.Use.COMMITS);
        this.fold = new OperandFold(merges, large);
        this.overgrown = overgrown;
        this.large = large;
    }

    /** Counts how often operands were left to wait because the merge function failed. Any thread. */
    long failedMerges() {
        return failedMerges;
    }

    /** Says that commits are made by the caller's thread, which is the store's own. */
    void runOnThisThread() {
        ownThread = Thread.currentThread();
    }

    /**
     * Begins a commit.
     *
     * @param publish called when earlier versions should go, so that there is room
     */
    void begin(Runnable publish) {
        stagesLong = false;
        merging = null;
        publishForRoom = publish;
    }

    /** Whether long pairs are staged that operands make. */
    boolean stagesLong() {
        return stagesLong;
    }

    /** Has long pairs staged that operands make, instead of being held in memory; or not any more. */
    void stageLong(boolean whether) {
        stagesLong = whether;
    }

    /** The key whose operands could not be merged; once. Null if there is none. */
    byte[] takeKey() {
        byte[] taken = merging;
        merging = null;
        return taken;
    }

    /** Lets go of operands and values. */
    void end() {
        fold.clear();
    }

    /** Lets go of the memory that a large value needed. */
    void shrink() {
        if (context.largeBytes() > 0) {
            context.letMemoryGo();
        }
    }

    /** Gathers what the operand at which a walk stands makes with the entry, or the value, below it. */
    void gather(EntryRange range, NewestEntries entries, GatheredEntries gathered) {
        key.set(entries.table(), entries.ref());
        byte[] bytes = key.copy();
        merging = bytes;
        source = entries.source();
        MergedValue value;
        try {
            value = merged(range, bytes);
        } finally {
            if (Thread.currentThread() == ownThread) {
                Thread.interrupted(); // nobody but the function has set that
            }
        }
        if (value != null && stagesLong && value.bytes().length >= LONG_BYTES) {
            stage(bytes, value.head(bytes.length), new ArrayChannel(value.bytes()));
        }
        if (stagedPair != null) {
            gathered.addStaged(entries.source(), entries.ref(), stagedPair);
            stagedPair = null;
        } else if (value != null) {
            gathered.add(entries.source(), entries.ref(), value);
        }
        merging = null;
    }

    /**
     * The value that an operand makes with the one below; or operands that wait, where the function fails; null if that
     * was staged, or the pair in the space has all of it.
     */
    private MergedValue merged(EntryRange range, byte[] bytes) {
        Throwable failure;
        try {
            takeOperands(range, bytes);
            MergedValue value = fold.fold();
            overgrown.note(bytes, 0);
            return value;
        } catch (StoreMemoryException e) {
            return mergedByParts(range, bytes, e);
        } catch (MergeException | OutOfMemoryError e) { // which may be the function's, too
            failure = e;
        }
        try {
            takeOperands(range, bytes); // again, as the function may have changed what it was given
            return waiting(bytes, failure);
        } catch (StoreMemoryException e) {
            return mergedByParts(range, bytes, e);
        } catch (OutOfMemoryError e) {
            return mergedByParts(range, bytes, new StoreMemoryException("a value to be merged into", e));
        }
    }

    private MergedValue waiting(byte[] bytes, Throwable failure) {
        try {
            MergedValue waiting = fold.waiting(overgrown.longestList(), failure);
            failedMerges = failedMerges + 1;
            overgrown.note(bytes, fold.operandBytes());
            return waiting;
        } catch (MergeException tooMuch) {
            throw new StoreFullException(tooMuch.getMessage());
        }
    }

    /**
     * Has operands wait if there is no memory for the value below, which is copied by parts.
     *
     * @throws StoreMemoryException as given, if that is nothing to be copied by parts
     */
    private MergedValue mergedByParts(EntryRange range, byte[] bytes, StoreMemoryException failure) {
        fold.clear();
        context.letMemoryGo();
        try {
            if (!takeOperandsByParts(range, bytes)) {
                throw failure;
            }
            if (!fold.hasLongBase()) { // the value below is over
                return foldOrWait(range, bytes);
            }
            if (!fold.hasOperands()) {
                return null;
            }
            LongList list = fold.longList(overgrown.longestList(), failure);
            failedMerges = failedMerges + 1;
            overgrown.note(bytes, list.operandBytes());
            stage(bytes, new RecordHead(bytes.length, list.length(), list.expiry(), list.through(), true), list);
            return null;
        } catch (StoreMemoryException | StoreFullException e) {
            throw e; // which says nothing of the file
        } catch (MergeException tooMuch) {
            throw new StoreFullException(tooMuch.getMessage());
        } catch (BadRecordException e) {
            throw new UnreadableException(reader.pairs().corruption(context.interval.logicalOffset(), e));
        } catch (CorruptionException | StoreIoException e) {
            throw new UnreadableException(e);
        }
    }

    private MergedValue foldOrWait(EntryRange range, byte[] bytes) {
        try {
            MergedValue value = fold.fold();
            overgrown.note(bytes, 0);
            return value;
        } catch (MergeException e) {
            takeOperandsByParts(range, bytes);
            return waiting(bytes, e);
        }
    }

    /** False if the value below is not long. */
    private boolean takeOperandsByParts(EntryRange range, byte[] bytes) {
        LongBase base = gatherOperands(range, bytes) ? fold.gatheredBase() : longInSpace(bytes);
        if (base == null || base.length() < LONG_BYTES) {
            return false;
        }
        fold.take(bytes, base);
        return true;
    }

    private LongBase longInSpace(byte[] bytes) {
        index.find(index.current(), bytes, 0, bytes.length, context.interval);
        if (!reader.isByHeads(context.interval.lengthBytes())) {
            return null;
        }
        int ticket = epochs.enter();
        try {
            return reader.findLong(engine.current(), context, bytes, bytes.length, partsFrom);
        } finally {
            epochs.exit(ticket);
        }
    }

    /** A value in the space, which nobody moves within it but this thread. */
    private final class SpaceParts implements LongBase.Parts {
        private final long logicalOffset;

        SpaceParts(long logicalOffset) {
            this.logicalOffset = logicalOffset;
        }

        @Override
        public void read(int from, ByteBuffer to) {
            int ticket = epochs.enter();
            try {
                reader.readPart(engine.current(), logicalOffset + from, to);
            } finally {
                epochs.exit(ticket);
            }
        }
    }

    /** Stages a long pair that operands have made, to be linked. */
    private void stage(byte[] bytes, RecordHead head, ReadableByteChannel source) {
        RecordStager stager = large.stagerOfCommit(bytes, head, source, roomToStage);
        StagedWrite write;
        try {
            write = stager.stage();
        } catch (IOException e) {
            throw new UncheckedIOException("a value of the store ended early", e);
        }
        large.seal(); // so that it can be linked; if that fails, so does the store
        ByteBuffer reference = ByteBuffer.wrap(write.payload.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        int at = stager.referenceAt();
        int referenceBytes = stager.referenceBytes();
        stagedPair = new StagedPair(write, reference, at, referenceBytes, head);
    }

    /** Stages a piece; where there is no room, once more after garbage was collected. */
    private long stageWithRoom(LongSupplier staging) {
        try {
            return staging.getAsLong();
        } catch (StoreFullException e) {
            if (large.hasFailed() || !makeRoomToStage()) {
                throw e;
            }
        }
        return staging.getAsLong();
    }

    /** Collects garbage; returns whether there is more room then. No group may be open. */
    private boolean makeRoomToStage() {
        reservation.drop();
        int before = engine.freeSegmentCount();
        engine.sync(engine.tag());
        engine.collectGarbage();
        publishForRoom.run();
        return engine.freeSegmentCount() > before;
    }

    /** Gathers the operands of a key; returns whether a memtable has the entry below them. */
    private boolean gatherOperands(EntryRange range, byte[] bytes) {
        long hash = KeyHash.hash(bytes, 0, bytes.length);
        MemTable[] tables = range.newestFirst();
        fold.clear();
        boolean ended = false;
        for (int i = source; i < tables.length && !ended; i++) {
            ended = fold.gather(tables[i], bytes, bytes.length, hash, range.through());
        }
        return ended;
    }

    private void takeOperands(EntryRange range, byte[] bytes) {
        boolean ended = gatherOperands(range, bytes);
        try {
            if (ended) {
                fold.take(bytes);
            } else {
                fold.take(bytes, valueInSpace(bytes));
            }
        } catch (StoreMemoryException e) {
            throw e; // which says nothing of the file
        } catch (BadRecordException e) {
            throw new UnreadableException(reader.pairs().corruption(context.interval.logicalOffset(), e));
        } catch (StorageException e) {
            throw new UnreadableException(e);
        }
    }

    private MergedValue valueInSpace(byte[] bytes) {
        index.find(index.current(), bytes, 0, bytes.length, context.interval);
        int ticket = epochs.enter();
        try {
            return reader.value(engine.current(), context, bytes, bytes.length);
        } finally {
            epochs.exit(ticket);
        }
    }
}
