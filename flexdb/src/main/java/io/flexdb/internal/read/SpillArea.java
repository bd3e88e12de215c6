package io.flexdb.internal.read;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.StagedPieces;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Where one user's writes go that memory has no room for. For one thread at a time, but for {@link #close}. */
public final class SpillArea implements AutoCloseable {
    private static final int MAX_WINDOWS_KEPT = 2 * SpilledRuns.JOINED;

    final SpaceEngine engine;
    final StoreVersions versions;
    final OffHeap memory;
    private final Supplier<StagedPieces> stage;
    private final Runnable whenDropped;
    private final Consumer<SpillArea> whenClosed;
    private final List<SpilledRun> runs = new ArrayList<>(); // of which something is staged
    private final Deque<Window> windows = new ArrayDeque<>(); // that nobody uses
    private final ByteBuffer scratch;
    private final ByteBuffer piece; // that is being written
    private long operandTime;

    /**
     * An area without a run.
     *
     * @param stage makes segments to write to
     * @param whenDropped has segments that were given back be free
     * @param whenClosed told when it is closed, which may be more than once
     */
    public SpillArea(
            SpaceEngine engine,
            StoreVersions versions,
            OffHeap memory,
            Supplier<StagedPieces> stage,
            Runnable whenDropped,
            Consumer<SpillArea> whenClosed) {
        this.engine = engine;
        this.versions = versions;
        this.memory = memory;
        this.stage = stage;
        this.whenDropped = whenDropped;
        this.whenClosed = whenClosed;
        this.scratch = RunWriter.newPiece(memory, engine.maxExtentBytes());
        this.piece = RunWriter.newPiece(memory, engine.maxExtentBytes());
    }

    /**
     * Brings what a memtable has to the data file. If it throws, nothing has changed.
     *
     * @param first the lowest number that an entry of it may have
     * @param last the highest
     * @param marks where somebody may go back to
     * @throws io.flexdb.storage.StoreFullException if there is no space for it
     */
    SpilledRun spill(MemTable table, long first, long last, Marks marks) {
        StagedPieces staged = stage.get();
        try {
            SpillWriter out = new SpillWriter(staged, piece, first, marks, null);
            out.addAll(table, last);
            return made(staged, new SpilledRun(this, staged, out.end(table.ranges()), last, 0));
        } catch (Throwable e) {
            staged.close();
            throw e;
        }
    }

    /**
     * Makes one run of several that follow one another, which stay. If it throws, nothing has changed.
     *
     * @return null if they have too much for one
     * @throws io.flexdb.storage.StoreFullException if there is no space for it
     */
    SpilledRun join(List<SpilledRun> oldestFirst, Marks marks) {
        long first = oldestFirst.get(0).first();
        SpilledRun newest = oldestFirst.get(oldestFirst.size() - 1);
        if (newest.through() - first > Window.MAX_NUMBER) {
            return null;
        }
        StagedPieces staged = stage.get();
        try {
            SpillWriter out = new SpillWriter(staged, piece, first, marks, null);
            if (!RunJoin.join(oldestFirst, out)) {
                staged.close();
                return null;
            }
            DeletedRanges ranges = RunJoin.joinRanges(oldestFirst, marks);
            int tier = newest.tier() + 1;
            return made(staged, new SpilledRun(this, staged, out.end(ranges), newest.through(), tier));
        } catch (Throwable e) {
            staged.close();
            throw e;
        }
    }

    private SpilledRun made(StagedPieces staged, SpilledRun run) {
        staged.finish();
        synchronized (runs) {
            runs.add(run);
        }
        return run;
    }

    /** Gives runs back, each once nobody reads it any more. */
    void drop(List<SpilledRun> dropped) {
        dropped.forEach(SpilledRun::drop);
        if (!dropped.isEmpty()) {
            whenDropped.run();
        }
    }

    void close(SpilledRun run) {
        synchronized (runs) {
            runs.remove(run);
        }
        Window window = run.takeWindow();
        if (window != null) {
            giveBack(window);
        }
        run.close();
    }

    /** Has all operands be made at a time, in whatever is read from now on. No cursor is open. */
    public void setOperandTime(long time) {
        operandTime = time;
        synchronized (runs) {
            runs.forEach(SpilledRun::forgetWindow);
        }
        windows.forEach(Window::forget);
    }

    long operandTime() {
        return operandTime;
    }

    ByteBuffer scratch() {
        return scratch;
    }

    Window takeWindow() {
        Window window = windows.poll();
        return window == null ? new Window(memory) : window;
    }

    void giveBack(Window window) {
        window.forget();
        if (windows.size() < MAX_WINDOWS_KEPT) {
            windows.add(window);
        }
    }

    /** Gives all runs back. Nobody reads them, and none is made any more. */
    @Override
    public void close() {
        synchronized (runs) {
            runs.forEach(SpilledRun::close);
            runs.clear();
        }
        whenClosed.accept(this);
    }
}
