package io.flexdb.internal.read;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.MemLog;
import java.util.List;
import java.util.function.Consumer;

/** The version to read and the number of the last visible write; publishes the next version. */
public final class StoreVersions {
    /*
     * The lock is for one publication at a time and is never held for anything slow. It comes after the writer's.
     *
     * I1  version.storeSequence <= visibleSequence for a reader that took visibleSequence first and checks.
     * I2  Versions with the same id have the same roots; the commit thread alone makes new ids.
     */
    public final Epochs epochs;
    public final Health health;
    public final StoreClock clock;
    public final Holders holders;
    private final SpaceEngine engine;
    final SparseIndex index;
    private final Object lock = new Object();
    private final VisibleSequence visible;
    private volatile Version current;
    private long loads; // by the commit thread
    private boolean wasRead; // since somebody asked last; roughly, and only written if that changes it
    private volatile int freeSegments; // of the last publication; only the commit thread may ask the engine

    /**
     * @param traced whether it is kept where what keeps versions was opened
     * @param tell gets what is to stand in the log of it
     */
    public StoreVersions(
            SpaceEngine engine, SparseIndex index, StoreClock clock, boolean traced, Consumer<List<String>> tell) {
        this.epochs = engine.owner().epochs();
        this.health = engine.health();
        this.clock = clock;
        this.engine = engine;
        this.index = index;
        this.holders = new Holders(this, traced, tell);
        long lastSequence = engine.tag();
        this.current =
                new Version(epochs.writerEpoch(), index.current(), engine.current(), Version.NO_LOGS, lastSequence, 0);
        this.visible = new VisibleSequence(lastSequence, health);
        epochs.advance();
        this.freeSegments = engine.freeSegmentCount();
    }

    // ---- reading

    /** Begins a short read. */
    public int enter() {
        return health.enter(epochs);
    }

    /** Begins a short read of somebody who uses the store. */
    int enterToRead() {
        if (!wasRead) {
            wasRead = true;
        }
        return enter();
    }

    /** Whether somebody has read since this was asked last. By one thread; it may miss what was a moment ago. */
    public boolean takeRead() {
        boolean was = wasRead;
        wasRead = false;
        return was;
    }

    /** Ends a short read. */
    public void exit(int ticket) {
        epochs.exit(ticket);
    }

    /** The version to read, for a reader that has taken {@link #visibleSequence()} before. */
    public Version current() {
        return current;
    }

    /** The sequence number of the last visible write. */
    public long visibleSequence() {
        return visible.get();
    }

    /** Pins the version published last, and returns its id. */
    public long pinNewest() {
        int ticket = enter();
        try {
            long id = current.id();
            epochs.pin(id);
            return id;
        } finally {
            epochs.exit(ticket);
        }
    }

    // ---- by writers

    /** All writes up to this number are inserted, and visible from now on. Where nobody else writes. */
    public void setVisible(long sequence) {
        visible.set(sequence);
    }

    /** Makes an inserted write visible, in its turn, and returns when it is. Any thread. */
    public void advanceVisible(long first, long last) {
        visible.advance(first, last);
    }

    /** Waits until all writes up to this number, the last one of a write, are visible. Any thread. */
    public void awaitVisible(long sequence) {
        visible.await(sequence);
    }

    /** To be called when the store's health has changed: some may wait for what never comes. */
    public void healthChanged() {
        visible.healthChanged();
    }

    /** Publishes a memtable that takes writes from now on. */
    public void addNewest(MemLog next) {
        synchronized (lock) {
            current = current.withNewest(next);
        }
    }

    // ---- by the commit thread

    /** The oldest memtable if it takes no more writes, else null. Any thread. */
    public MemLog oldestFrozen() {
        Version now = current;
        return now.logs().length > 0 && now.oldest().isFrozen() ? now.oldest() : null;
    }

    /**
     * Publishes the writer's roots, with the memtables there are.
     *
     * @param storeSequence the highest number of an entry that they may have, unless an earlier one was higher
     */
    public void publishRoots(long storeSequence) {
        publish(storeSequence, false);
    }

    /** Follows that a sorted run was brought into the roots, which are published next. */
    public void countLoad() {
        loads++;
    }

    /** Publishes the writer's roots so that readers of earlier ones are gone afterwards, unless they take long. */
    public void publishForReuse(long storeSequence) {
        for (int phase = 0; phase < 3; phase++) {
            publishRoots(storeSequence);
        }
    }

    /** Publishes the writer's roots without the oldest memtable, which is wholly in them. */
    public void publishWithoutOldest(long storeSequence) {
        publish(storeSequence, true);
    }

    private void publish(long storeSequence, boolean withoutOldest) {
        synchronized (lock) {
            Version now = current;
            current = new Version(
                    epochs.writerEpoch(),
                    index.current(),
                    engine.current(),
                    withoutOldest ? now.withoutOldest() : now.logs(),
                    Math.max(now.storeSequence(), storeSequence),
                    loads);
            epochs.advance();
        }
        engine.reclaim();
        index.reclaim();
        freeSegments = engine.freeSegmentCount();
    }

    /** Has what no version shows any more be used again, as far as one step goes. By the thread that publishes. */
    public void reclaim() {
        engine.reclaim();
        index.reclaim();
    }

    /** Bytes of nodes in memory that only old versions have. Any thread, for which it is about so many. */
    public long retiredNodeBytes() {
        return engine.figures().retiredNodeBytes() + index.retiredNodeBytes();
    }

    /** Free segments as of the last publication. Any thread. */
    public int freeSegments() {
        return freeSegments;
    }
}
