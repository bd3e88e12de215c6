package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.interval.StagedPieces;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** A bulk load (ingestion): pairs in key order on their way into a store, all at once. For one thread at a time. */
public final class StoreLoad implements AutoCloseable {
    /*
     * Added pairs go to segments of their own, which nothing refers to. There is no log, no memtable, and no lock that
     * others wait for. These are the steps of a commit:
     *
     *   1. force it, which is most of the work, while everybody goes on;
     *   2. have all committed that memtables hold, and hold the range of keys from then on (RunGate);
     *   3. read the space's pairs between these keys, and write pairs once more that have to be mixed (RunMerge);
     *   4. link it, publish it and force the log, by the commit thread (RunLinker);
     *   5. let the range go.
     *
     * Until 4 has made the log durable nothing has happened: staged bytes are free by themselves after a crash, and
     * given back otherwise.
     */
    private final Loads loads;
    private final SpaceEngine engine;
    private final Health health;
    private final LongTasks tasks;
    private final StagedPieces staged;
    private final ByteBuffer piece;
    private final RunWriter writer;
    private byte[] lastKey = {};
    private boolean open = true;

    StoreLoad(Loads loads) {
        this.loads = loads;
        this.engine = loads.engine;
        this.health = engine.health();
        this.tasks = loads.tasks;
        this.piece = loads.newPiece();
        this.staged = loads.stage();
        this.writer = new RunWriter(staged, engine.maxExtentBytes(), piece);
    }

    /** Throws if it has ended. */
    public void requireOpen() {
        if (!open) {
            throw new StoreClosedException("the load");
        }
    }

    /** Pairs added so far. */
    public long pairs() {
        return writer.run().pairs();
    }

    /** Bytes of them as they are stored. */
    public long bytes() {
        return writer.run().bytes();
    }

    /** The key that was added last, as it is stored; no bytes if there is none. Nobody may change it. */
    public byte[] lastKey() {
        return lastKey;
    }

    /**
     * Adds a pair. If it throws, nothing more can be added.
     *
     * @param key as it is stored, above the last one; kept, not copied
     * @param value between position and limit, which stay
     * @param expiry in milliseconds since 1970, or {@link RecordFormat#NEVER}
     */
    public void add(byte[] key, ByteBuffer value, long expiry) {
        add(key, value.remaining(), () -> writer.add(key, value, expiry));
    }

    /**
     * Adds a pair; each part of the value is asked for when it is needed. If it throws, nothing more can be added.
     *
     * @param value fills a buffer with the next bytes
     */
    public void add(byte[] key, int valueLength, Consumer<ByteBuffer> value, long expiry) {
        add(key, valueLength, () -> writer.add(key, valueLength, value, expiry));
    }

    private void add(byte[] key, int valueLength, Runnable adding) {
        requireOpen();
        assert Arrays.compareUnsigned(lastKey, key) < 0;
        try {
            adding.run();
        } catch (OutOfMemoryError e) {
            close();
            throw new StoreMemoryException("a pair of a load", key.length + (long) valueLength, e);
        } catch (Throwable e) {
            close();
            throw e;
        }
        lastKey = key;
    }

    /**
     * Has all of it in the store, durably, or throws and has nothing of it there. It has ended then.
     *
     * @param guard asked when nobody can write to the keys any more; null for none
     * @return the sequence number of the last write before it
     */
    public long commit(WriteGuard guard) {
        requireOpen();
        try {
            if (lastKey.length == 0) {
                health.requireUsable();
                return loads.versions.visibleSequence();
            }
            byte[] end = behind(lastKey);
            writer.endPart(end);
            return tasks.run(task -> commit(end, guard, task::goOn));
        } finally {
            close();
        }
    }

    private long commit(byte[] end, WriteGuard guard, Runnable goOn) {
        health.requireUsable();
        SortedRun run = writer.run();
        byte[] from = run.anchor(0);
        staged.force();
        RunGate.Hold hold = loads.gate.hold(from, end, guard, goOn);
        try {
            return loads.link(merge(run, end, goOn), staged, from, end);
        } finally {
            hold.letGo();
        }
    }

    private SortedRun merge(SortedRun run, byte[] end, Runnable goOn) {
        try (PinnedVersion pin = loads.pinNewest.get()) {
            RunWriter out = new RunWriter(staged, engine.maxExtentBytes(), piece);
            return new RunMerge(run, loads.spacePairs(pin), engine.reads(), out).merge(end, goOn);
        }
    }

    /** The first key behind another one that there may be. */
    static byte[] behind(byte[] key) {
        return key.length < RecordFormat.MAX_KEY_BYTES ? Arrays.copyOf(key, key.length + 1) : KeyHeads.behind(key);
    }

    /** Ends it, and gives segments back that are not in the store. Any thread. */
    @Override
    public void close() {
        open = false;
        staged.close();
        loads.ended(this);
    }
}
