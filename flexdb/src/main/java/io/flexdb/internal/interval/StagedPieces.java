package io.flexdb.internal.interval;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Pieces that go to segments of their own, while the store is open. For one thread at a time, but for {@link #close}. */
public final class StagedPieces implements PieceSink, AutoCloseable {
    /*
     * Nothing refers to these segments: no log, no memtable, and no lock that others wait for. A failure here makes the
     * store fail: the file is the engine's, and a failed force is reported only once. Closing the store waits for a
     * piece that is on its way.
     */
    private final SpaceEngine engine;
    private final Health health;
    private final LongTasks tasks;
    private final StagedBytes staged;
    private final BooleanSupplier makeRoom;

    /** @param makeRoom asked when there is no space, what was given back before perhaps: whether there is more now */
    public StagedPieces(SpaceEngine engine, LongTasks tasks, BooleanSupplier makeRoom) {
        this.makeRoom = makeRoom;
        this.engine = engine;
        this.health = engine.health();
        this.tasks = tasks;
        this.staged = engine.stage();
    }

    @Override
    public long append(ByteBuffer bytes) {
        return tasks.run(task -> {
            try {
                return appendOnce(bytes);
            } catch (StoreFullException e) {
                // Found when a segment is taken, all is as it was. Found by a write, nothing can be staged here any
                // more.
                if (staged.hasFailed() || !makeRoom.getAsBoolean()) {
                    throw e;
                }
                return appendOnce(bytes);
            }
        });
    }

    private long appendOnce(ByteBuffer bytes) {
        health.requireUsable();
        try {
            return staged.append(bytes);
        } catch (StoreFullException e) {
            throw e;
        } catch (OutOfMemoryError e) { // the user ends, and what was staged is given back
            throw new StoreMemoryException("a buffer of staged bytes", engine.maxExtentBytes(), e);
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
    }

    @Override
    public int room() {
        return staged.roomInSegment();
    }

    /** Forces all pieces. The log's batch that names them comes with a force; this one makes that one short. */
    public void force() {
        orFail(staged::force);
    }

    /** Ends it, so that all pieces can be linked, and forces them. */
    public void finishAndForce() {
        orFail(staged::finish);
        orFail(staged::force);
    }

    /** Ends it, so that all pieces can be read, and no buffer is held. */
    public void finish() {
        tasks.run(task -> {
            health.requireUsable();
            orFail(staged::finish);
            return null;
        });
    }

    private void orFail(Runnable change) {
        try {
            change.run();
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
    }

    /** Gives back what was not linked. Any thread; again does nothing. */
    @Override
    public void close() {
        staged.close();
    }
}
