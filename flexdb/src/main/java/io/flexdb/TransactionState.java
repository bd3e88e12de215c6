package io.flexdb;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.txn.Footprint;
import io.flexdb.internal.txn.OwnWrites;
import io.flexdb.internal.txn.WrittenKeysCheck;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.internal.write.WritesLoad;
import io.flexdb.storage.ConflictException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/** What a transaction has read and written, in all keyspaces; keys are as they are stored. For one thread at a time. */
final class TransactionState extends Confined {
    private static final String WHAT = "the transaction";

    private final StoreAccess access; // by which it keeps nothing of a store that is closed
    private final Durability durability;
    private final Isolation isolation;
    private final long begun;
    private final Footprint footprint;
    private final List<FlexCursor> cursors = new ArrayList<>(); // open ones, and some that were closed
    private final List<Transaction.Savepoint> savepoints = new ArrayList<>();
    private int cursorsToKeep = 16;
    private byte[] foundKey; // that was looked for last among own writes
    // Held by steps that another thread must not cut short by closing the transaction: they use segments of the store.
    private final ReentrantLock whole = new ReentrantLock();
    final PinnedVersion pin;
    OwnWrites writes; // null once it is closed

    TransactionState(StoreAccess access, Isolation isolation) {
        Store store = access.store();
        this.access = access;
        this.durability = access.durability;
        this.isolation = isolation;
        this.footprint = store.newFootprint();
        this.begun = store.beginTransaction();
        long runs = store.publishedRuns(); // before the version is taken
        try {
            this.pin = store.pinNewest(HolderKind.TRANSACTION);
            this.writes = store.ownWrites.borrow();
        } catch (Throwable e) {
            store.endTransaction(begun);
            throw e;
        }
        access.operations.count(Operations.TRANSACTIONS);
        footprint.reset(pin.sequence(), runs);
        writes.setOperandTime(pin.time());
        pin.whenStoreEnds(lettingGo(footprint));
        pin.whenLost(cleanup(store, begun, writes));
    }

    // No lambdas: the JVM makes the code of one where it gets there first, and in a full heap may fail for good.

    private static Runnable lettingGo(Footprint footprint) {
        return new Runnable() {
            @Override
            public void run() {
                footprint.letGo();
            }
        };
    }

    /** The end of a transaction that is never closed. It knows nothing of the transaction, or that would stay. */
    private static Runnable cleanup(Store store, long begun, OwnWrites writes) {
        return new Runnable() {
            @Override
            public void run() {
                store.endTransaction(begun);
                if (writes.isSpilled()) { // to give that back may wait for the thread that runs this
                    try {
                        Thread thread = new Thread("flexdb-holders") {
                            @Override
                            public void run() {
                                writes.abandon();
                            }
                        };
                        thread.setDaemon(true);
                        thread.start();
                    } catch (OutOfMemoryError e) {
                        // There is no memory, or no thread: then it is free when the store is closed.
                    }
                }
            }
        };
    }

    private boolean isSerializable() {
        return isolation == Isolation.SERIALIZABLE;
    }

    void requireOpen() {
        requireNotEnded();
        access.health.requireReadable(); // or what it has written could be read in a store that is closed
    }

    private void requireNotEnded() {
        if (hasEnded()) {
            throw ended(WHAT);
        }
        access.store(); // which throws if it is closed, or called by the merge function
        enter(WHAT);
    }

    // ---- reading

    /**
     * The own entry of a key that counts, as {@link OwnWrites#find}. If the answer depends on the store, which it does if
     * there is none, or an operand, it is noted that the key was read.
     *
     * @param key not copied unless it has to be noted
     */
    int find(byte[] key) {
        requireOpen();
        int ref = writes.find(key, key.length);
        foundKey = key;
        // An operand is a write of the key and would be a conflict by itself, but a rollback may take it back.
        if (isSerializable() && (ref == MemTable.NONE || isOperand(ref))) {
            footprint.addKey(key);
        }
        return ref;
    }

    private boolean isOperand(int ref) {
        return ref != OwnWrites.DELETED && writes.found().type(ref) == WritePayload.MERGE;
    }

    /** What the own entry that was found last, an operand, makes of what is below; null if it is none, or over. */
    private MergedValue merged(int ref) {
        return isOperand(ref) ? access.reader().merged(foundKey, pin, writes.front()) : null;
    }

    /** Whether an own entry of a key that was found has a value of its own. */
    private boolean isPresent(int ref) {
        return ref != OwnWrites.DELETED && writes.found().expiry(ref) > pin.time();
    }

    /** When the value of an own entry that was found last expires, as {@link StoreReader#expiry}. */
    long expiry(int ref) {
        if (isOperand(ref)) {
            return access.reader().expiryOfMerged(foundKey, pin, writes.front());
        }
        return isPresent(ref) ? writes.found().expiry(ref) : Long.MIN_VALUE;
    }

    /** The time so much later, in milliseconds since 1970. */
    long expiryIn(long millis) {
        requireOpen();
        return StoreClock.later(access.writer().now(), millis);
    }

    /** Bytes of the value of an own entry that was found last, or -1. */
    int valueLength(int ref) {
        MergedValue merged = merged(ref);
        if (merged != null) {
            return merged.bytes().length;
        }
        return isPresent(ref) ? writes.found().valueLength(ref) : -1;
    }

    /** A copy of the value of an own entry that was found last, or null. */
    byte[] value(int ref) {
        MergedValue merged = merged(ref);
        if (merged != null) {
            return merged.bytes();
        }
        if (!isPresent(ref)) {
            return null;
        }
        MemTable table = writes.found();
        byte[] value = StoreReader.newValue(table.valueLength(ref));
        table.buffer().get(table.valuePosition(ref), value);
        return value;
    }

    /** A cursor over what the transaction sees now. */
    FlexCursor cursor(Scan scan) {
        requireOpen();
        if (cursors.size() >= cursorsToKeep) {
            forgetClosedCursors();
            cursorsToKeep = 2 * cursors.size() + 16;
        }
        FlexCursor cursor = new FlexCursor();
        cursor.belongTo(isSerializable() ? new RangesRead(this, footprint, scan) : this);
        cursors.add(cursor);
        cursor.open(access.reader().cursor(pin, writes.front(), scan));
        return cursor;
    }

    private void forgetClosedCursors() {
        for (Iterator<FlexCursor> all = cursors.iterator(); all.hasNext(); ) {
            if (!all.next().isOpen()) {
                all.remove();
            }
        }
    }

    // ---- writing

    /** Has room in memory for one more entry, or throws. */
    void requireFits(long payloadBytes, long bodyBytes) {
        requireOpen();
        boolean fits = access.writer()
                .fits(writes.length() + payloadBytes, writes.bodyBytes() + bodyBytes, writes.entries() + 1);
        if (!fits) {
            access.writer().requireFits(payloadBytes, bodyBytes, 1);
            spill();
        }
    }

    /** Has what is in memory in the data file. */
    void spill() {
        whole.lock();
        try {
            requireOpen();
            forgetClosedCursors();
            writes.spill(!cursors.isEmpty());
        } finally {
            whole.unlock();
        }
    }

    Transaction.Savepoint savepoint() {
        requireOpen();
        Transaction.Savepoint savepoint = new Transaction.Savepoint(writes.state());
        savepoints.add(savepoint);
        return savepoint;
    }

    void rollbackTo(Transaction.Savepoint savepoint) {
        whole.lock();
        try {
            rollBack(savepoint);
        } finally {
            whole.unlock();
        }
    }

    private void rollBack(Transaction.Savepoint savepoint) {
        requireOpen();
        int index = savepoints.indexOf(savepoint);
        if (index < 0) {
            throw new IllegalArgumentException("the savepoint is of another transaction, or was taken back");
        }
        savepoints.subList(index + 1, savepoints.size()).clear();
        closeCursors();
        savepoint.state.restore();
    }

    // ---- the end

    long commit(Durability atLeast) {
        whole.lock();
        try {
            Operations operations = access.operations;
            EventSpan event = StoreEvents.operation("commit");
            long begun = Operations.now();
            long last = commitWhole(atLeast);
            operations.count(Operations.COMMITTED);
            Operations.end(operations.transactionCommits, begun);
            event.finish();
            return last;
        } catch (ConflictException e) {
            access.operations.count(Operations.CONFLICTED);
            throw e;
        } finally {
            whole.unlock();
        }
    }

    private long commitWhole(Durability atLeast) {
        requireNotEnded();
        try {
            access.health.requireUsable();
            pin.requireNotExpired(); // it could not say any more what it has read
            if (writes.isEmpty()) {
                return pin.sequence();
            }
            for (FlexCursor cursor : cursors) {
                cursor.endTrace();
            }
            if (writes.isSpilled()) {
                return link();
            }
            long last = StoreWriter.TOO_OLD;
            while (last == StoreWriter.TOO_OLD) {
                last = write(atLeast);
            }
            if (last == StoreWriter.REFUSED) {
                throw WrittenKeysCheck.conflict(footprint);
            }
            return last;
        } finally {
            close();
        }
    }

    /** Brings in what is more than a memtable holds. */
    private long link() {
        closeCursors();
        if (writes.hasOperands()) {
            writes.spill(false); // since the table does not learn of their time
        }
        try (WritesLoad load = access.store().loadWrites(writes.front())) {
            footprint.reads(new BiConsumer<>() {
                @Override
                public void accept(byte[] alsoFrom, byte[] last) {
                    load.holdThrough(alsoFrom, last);
                }
            });
            Runnable beforeMerge = new Runnable() {
                @Override
                public void run() {
                    writes.setOperandTime(access.writer().now());
                }
            };
            return load.commit(null, new WrittenKeysCheck(footprint), beforeMerge);
        }
    }

    private long write(Durability atLeast) {
        long operandTime = Long.MAX_VALUE;
        if (writes.hasOperands()) {
            operandTime = access.writer().now();
            writes.setOperandTimes(operandTime);
        }
        footprint.setWrites(writes);
        // No guard of keyspaces: to drop one is to delete its range, which is a conflict with what is written
        // there.
        Force force = atLeast.orStronger(durability).force();
        return access.writer().write(writes, force, footprint, null, operandTime);
    }

    private void closeCursors() {
        for (FlexCursor cursor : cursors) {
            cursor.close();
        }
        cursors.clear();
    }

    void close() {
        whole.lock();
        try {
            closeWhole();
        } finally {
            whole.unlock();
        }
    }

    private void closeWhole() {
        End end = end();
        if (end == End.AGAIN) {
            return;
        }
        try {
            closeCursors();
        } finally {
            pin.close(); // first, as it keeps what was spilled from being free
            Store open = access.storeIfOpen();
            if (open != null) {
                open.endTransaction(begun);
            }
            OwnWrites ended = writes;
            writes = null;
            footprint.letGo();
            savepoints.clear();
            if (open != null && end == End.ALONE) {
                ended.clear();
                open.ownWrites.giveBack(ended);
            } else {
                ended.abandon();
            }
        }
    }

    @Override
    public String toString() {
        return "Transaction[" + isolation + " at " + pin.sequence()
                + (writes != null ? ", " + writes.entries() + " writes in memory]" : ", closed]");
    }
}
