package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.RetiredTables;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Commits (flushes) frozen memtables, oldest first, on a thread that stores share; frees their logs and memory. */
public final class CommitThread {
    /*
     * The order of a commit, as the ordering rules ask, for one memtable or for several that go together (CommitChoice);
     * where there is no room, see CommitProgress:
     *   1. everything in the memtable is visible, its log is forced (O10), and the large values are in sealed segments;
     *   2. its entries are applied; roots are published now and then, while the memtable still hides partial work;
     *   3. a version without the memtable is published;
     *   4. data and logical log are forced, with the last sequence number as tag (O1);
     *   5. the log may be recycled (O6), and the memory be used again when no reader has it.
     */
    private static final long ENDS = -1;
    private static final long FIRST_MEMORY_WAIT_NANOS = 5_000_000;
    private static final long LONGEST_MEMORY_WAIT_NANOS = 80_000_000; // what becomes free is kept a little longer
    private static final int MAX_MEMORY_WAITS = 128; // ten seconds in all; then writers, or who closes, are told

    private final StoreVersions versions;
    private final Health health;
    final SpaceEngine engine;
    final Committer committer;
    final MemLogs memLogs;
    private final RetiredTables retired;
    final SharedForce sharedForce;
    final LargeValues large;
    private final CommitChoice choice;
    private final CommitProgress progress;
    private final Errands errands;
    private final Errands errandsBetween; // that are not done in the middle of a commit
    private final RunLinker linker;
    private final Compactor compactor;
    private final Upkeep upkeep;
    private final Scheduler scheduler;
    private final Beside beside;
    private final String name;
    // Made at opening: where the JVM makes the code of a lambda in a full heap, that may fail, and then it fails for
    // good.
    private final Scheduler.Work running = this::run;
    final Runnable publishing = this::publish;
    final Runnable publishingForReuse = this::publishForReuse;
    final Runnable publishingAndCollecting = this::publishAndCollect;
    private final BooleanSupplier committingOldest = this::commitOldest;
    private final BooleanSupplier applyingActive = this::applyNewest;
    private final BooleanSupplier applying = this::applyCommitting;
    private final BooleanSupplier applyingOldest = this::applyOldest;
    private volatile Scheduler.Task task; // null until it begins, and where writers commit themselves
    private volatile Thread thread; // that runs it; null while none does
    private volatile boolean isStopping;
    // By the task.
    private boolean over;
    private boolean awaitsRoom; // that a commit did not find
    private boolean awaitsMemory; // likewise, until it is due
    private long memoryDue;
    private boolean refinesOnly; // the store is read-only
    private CommitRequests work; // set once, before the thread begins, as is the next
    private Refiner refiner;
    private int memoryWaits; // since the last commit; by the thread
    private long rootsSequence; // no entry in the writer's roots has a higher sequence number
    private volatile CommitBatch committing; // null while none is
    private boolean isRecovering; // by whoever opens the store, before the thread begins

    public CommitThread(
            StoreSettings settings,
            StoreVersions versions,
            Committer committer,
            RetiredTables retired,
            SharedForce sharedForce,
            Scheduler scheduler) {
        this.large = committer.large;
        this.versions = versions;
        this.health = versions.health;
        this.engine = committer.engine;
        this.committer = committer;
        this.memLogs = retired.memLogs;
        this.retired = retired;
        this.sharedForce = sharedForce;
        this.rootsSequence = engine.tag();
        this.choice = new CommitChoice(versions, committer::isDiskRead, System::nanoTime);
        this.progress = new CommitProgress(committer);
        this.errands = new Errands(health);
        this.errandsBetween = new Errands(health);
        this.linker = new RunLinker(committer);
        this.compactor = new Compactor(committer);
        this.upkeep = new Upkeep(settings, versions, committer, compactor, this);
        this.scheduler = scheduler;
        this.beside = scheduler.choose(BesideTask::new, BesideCallers::new);
        this.name = "flexdb-commit " + health.directory();
    }

    /** Sets the sources of work. Once, before anything else. */
    void serve(CommitRequests writers, Refiner divisions) {
        work = writers;
        refiner = divisions;
    }

    /** Says who saves the state of the space while nobody writes to it. Once, before anything else. */
    public void serve(RestSaver saver) {
        upkeep.serve(saver);
    }

    /** Whether nobody has work for the thread. */
    boolean isFree() {
        return !isStopping && versions.oldestFrozen() == null && !hasErrands() && health.isUsable();
    }

    /** The turns on a processor while memtables are applied. */
    public CommitTurns turns() {
        return committer.turns();
    }

    /** Whether an interval is to be divided, or an errand to be done. Any thread. */
    public boolean isWanted() {
        return refiner.hasReady() || hasErrands();
    }

    /** Whether an errand is to be done. Any thread. */
    public boolean hasErrands() {
        return errands.any() || errandsBetween.any();
    }

    /**
     * Has something short done by the thread that commits, between two changes of the space, and returns or throws its
     * result. Any thread but that one; before it has begun, or without one, the caller does it.
     */
    public <T> T onErrand(Supplier<T> errand) {
        return task == null ? errand.get() : errands.run(errand, this::wakeForErrand);
    }

    /** Has something short done by the thread that commits, between two commits, and waits for that. */
    public <T> T onErrandBetween(Supplier<T> errand) {
        return task == null ? errand.get() : errandsBetween.run(errand, this::wakeForErrand);
    }

    private void wakeForErrand() {
        Scheduler.Task begun = task;
        if (begun != null) {
            begun.wakeFirst();
        }
        work.wake();
    }

    /**
     * Whether the space has exactly the writes up to the engine's tag, and bulk loads before the next one: no commit is
     * under way, or was cut short. By the thread, or in an errand.
     */
    public boolean isBetweenCommits() {
        return rootsSequence == engine.tag();
    }

    private void runErrands() {
        errands.runAll();
        errandsBetween.runAll();
    }

    /** Whether it is time for work that may wait. By the thread, with the write lock: it reads no files. */
    public boolean isSpareTimeWanted() {
        return upkeep.isDue();
    }

    /** How long to wait for such work, if nothing else comes, before asking again. By the thread. */
    public long nanosToNextLook() {
        return upkeep.nanosToNextLook();
    }

    /** Whether somebody, a snapshot perhaps, reads a memtable that is committed. Any thread. */
    public boolean areCommittedRead() {
        return !retired.isEmpty();
    }

    /** Begins to commit, where a task does it. */
    public void start() {
        beside.start();
    }

    /** How writers get their memtables, by whom commits are made. */
    MemtableRotation rotation(ActiveMemtable memtables, SpaceRetries retries, Runnable startTasks, long segmentBytes) {
        return beside.rotation(memtables, retries, startTasks, segmentBytes);
    }

    /** Makes the thread look for work soon. Any thread; takes no memory. */
    public void wake() {
        Scheduler.Task begun = task;
        if (begun != null) {
            begun.wake();
        }
    }

    /** Has commits wait for no further memtable until {@link #endHurry}. Under the write lock. */
    void beginHurry() {
        choice.beginHurry();
        wake();
    }

    /** See {@link #beginHurry}. Under the write lock. */
    void endHurry() {
        choice.endHurry();
    }

    /**
     * Whether the calling thread may change the space and the index: it runs the task, or there is none, not yet or no
     * more. Any thread.
     */
    public boolean isWriter() {
        return task == null || over || thread == Thread.currentThread();
    }

    /**
     * Does the work there is, and returns after how many nanoseconds to look again. If others wait for a worker it does
     * one piece, and comes again.
     */
    private long run() {
        if (over) {
            return Long.MAX_VALUE;
        }
        thread = Thread.currentThread();
        committer.runOnThisThread();
        long rest = ENDS;
        try {
            rest = refinesOnly ? refine() : work();
        } catch (UnreadableException e) {
            health.makeReadOnly(e.getCause());
            refinesOnly = true;
            rest = 0;
        } catch (Throwable e) {
            health.fail(e);
        } finally {
            thread = null;
            if (rest == ENDS) {
                end();
            }
        }
        return rest == ENDS ? Long.MAX_VALUE : rest;
    }

    private long work() {
        for (boolean first = true; ; first = false) {
            runErrands();
            if (awaitsRoom) {
                if (!work.beginRetry()) {
                    return Long.MAX_VALUE;
                }
                awaitsRoom = false;
                if (!health.isUsable()) {
                    return ENDS;
                }
            }
            if (awaitsMemory) {
                long left = memoryDue - System.nanoTime();
                if (left > 0 && health.isUsable()) {
                    return left;
                }
                awaitsMemory = false;
            }
            if (!first && scheduler.areScarce()) {
                giveBackMemory(); // for commits of other stores, which come first
                return 0;
            }
            if (!upkeep.isUnderWay()) {
                giveBackMemory(); // a store that is hardly written to keeps none for segments
            }
            MemLog log = upkeep.isUnderWay() ? work.pollWork() : work.findWork();
            if (log != null) {
                long wait = log.isFrozen() && health.isUsable() ? choice.nanosToWait(log) : 0;
                if (wait > 0) {
                    return wait;
                }
                boolean done = log.isFrozen() ? commit() : applyActive(log);
                if (!done && !triesForMemory()) {
                    work.refused(committer.refusal(), readsHoldSegments());
                    awaitsRoom = true;
                }
            } else if (!health.isUsable()) {
                return ENDS;
            } else if (refiner.hasReady()) {
                refineSome();
            } else if (!upkeep.doSome() && !hasErrands()) {
                return work.nanosToNextLook();
            }
        }
    }

    /** Goes on dividing intervals, which changes nothing in files. */
    private long refine() {
        do { // a thread that divides tells of the first only that is ready
            runErrands();
            refineSome();
        } while (health.isReadable() && isWanted() && !scheduler.areScarce());
        return !health.isReadable() ? ENDS : isWanted() ? 0 : Long.MAX_VALUE;
    }

    private void end() {
        over = true;
        refiner.end(); // nobody applies what its threads find
        errands.end();
        errandsBetween.end();
    }

    private boolean readsHoldSegments() {
        return engine.pinnedSegmentCount() > 0 || engine.awaitsShortReads();
    }

    /**
     * Whether to try again after a while, longer each time, since a commit was short of memory: others may free some,
     * and the garbage collector too.
     */
    private boolean triesForMemory() {
        if (!committer.lacksMemory() || memoryWaits == MAX_MEMORY_WAITS || !health.isUsable()) {
            return false;
        }
        giveBackMemory();
        awaitsMemory = true;
        memoryDue = System.nanoTime() + memoryWaitNanos(memoryWaits++);
        return true;
    }

    /** Gives back memory for segments, unless it is better kept for the next commit. */
    private void giveBackMemory() {
        if (memLogs.shouldKeepNothing()) {
            if (memLogs.isMemoryShort() && engine.canGiveBackMemory() && health.isUsable()) {
                // Bytes that garbage collection wrote since the last commit keep the memory until they are in the
                // file. The next commit may wait for another store that waits for this memory.
                engine.sync(engine.tag());
            }
            engine.giveBackMemory();
        }
    }

    private static long memoryWaitNanos(int waits) {
        return Math.min(LONGEST_MEMORY_WAIT_NANOS, FIRST_MEMORY_WAIT_NANOS << Math.min(waits, 8));
    }

    private void refineSome() {
        if (refiner.applySome() > 0) {
            publish();
        }
    }

    /** Saves the state of the space as if nobody had written for a while, on the caller's thread. */
    public void saveAtRestHere() {
        upkeep.saveAtRest();
    }

    /** Writes all fragmented intervals anew, on the caller's thread. For stores without a thread. */
    public void defragmentHere() {
        orStop(upkeep::defragmentAll);
    }

    /** Makes all filters that are missing, on the caller's thread. For stores without a thread. */
    public void buildFiltersHere() {
        upkeep.buildFilters();
    }

    /** Publishes the roots, whatever has brought entries into them. By the thread that commits. */
    public void publish() {
        versions.publishRoots(rootsSequence);
    }

    private void publishForReuse() {
        versions.publishForReuse(rootsSequence);
    }

    /** Divides and publishes in the middle of a commit, and does what may be done beside it. */
    private void publishAndCollect() {
        refiner.applySome();
        publish();
        beside.betweenPieces();
    }

    /** Bytes of intervals that were defragmented. Any thread. */
    public long defragmentedBytes() {
        return upkeep.defragmentedBytes();
    }

    /** Counts how often operands were left to wait in their pair because the merge function failed. Any thread. */
    public long failedMerges() {
        return committer.failedMerges();
    }

    /** How much of the frozen memtables that are committed is in the space, from 0 to 1. Any thread. */
    public double progress() {
        CommitBatch batch = committing;
        return batch == null ? 0 : Math.min(1, (double) committer.entriesApplied() / Math.max(1, batch.keys()));
    }

    /**
     * Commits frozen memtables, on the caller's thread, for stores without a thread.
     *
     * @throws StoreFullException if there is no room in the space; the store goes on
     */
    public void commitAll() {
        while (versions.oldestFrozen() != null) {
            orStop(committingOldest);
            beside.afterCommitHere();
        }
    }

    /**
     * Commits frozen memtables while a store is recovered; false if not all can be committed, whatever the reason.
     * Expired pairs stay: a write still to be recovered may have an operand that was made before.
     */
    public boolean tryCommitAll() {
        isRecovering = true;
        try {
            while (versions.oldestFrozen() != null) {
                if (!commit()) {
                    return false;
                }
            }
            return true;
        } catch (UnreadableException e) {
            return false; // the store becomes read-only when it is tried again
        } finally {
            isRecovering = false;
        }
    }

    /** Commits the oldest memtable, perhaps more, with some waits for memory that other stores may have for a moment. */
    private boolean commitOldest() {
        for (int waits = 0; ; waits++) {
            if (commit()) {
                return true;
            }
            if (!beside.awaitMemory(waits)) {
                return false;
            }
        }
    }

    /** Does work that returns false if there is no room. */
    private void orStop(BooleanSupplier work) {
        boolean done;
        try {
            done = work.getAsBoolean();
        } catch (UnreadableException e) {
            health.makeReadOnly(e.getCause());
            throw e.getCause();
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
        if (!done) {
            throw committer.refusal();
        }
    }

    /**
     * Commits the oldest memtable, which is frozen, and perhaps others.
     *
     * @return false if there is no room for the oldest; it stays then, and hides the changes that were made
     */
    private boolean commit() {
        long begin = System.nanoTime();
        EventSpan event = StoreEvents.commit();
        CommitBatch batch = choice.choose();
        upkeep.endRest();
        versions.awaitVisible(batch.lastSequence());
        sharedForce.awaitDurable(batch.lastSequence());
        large.seal();
        rootsSequence = Math.max(rootsSequence, batch.lastSequence());
        committing = batch;
        if (!reclaim(applying)) {
            return false;
        }
        memoryWaits = 0;
        int count = retire(batch.newestFirst(), event);
        publish(); // once more, so that the memtables are free soon and not only after the next commit
        versions.clock.keepMark();
        work.signalCommitted(count);
        choice.took(System.nanoTime() - begin);
        beside.afterCommit();
        return true;
    }

    /** Lets go of applied memtables, as far as they are wholly in the space, and returns how many are. */
    private int retire(MemLog[] newestFirst, EventSpan event) {
        int newest = newestFirst.length;
        long last = 0;
        long keys = 0;
        long bytes = 0;
        while (newest > 0 && progress.hasAll(newestFirst[newest - 1].table())) {
            MemLog log = newestFirst[--newest];
            last = log.table().lastSequence();
            keys += log.table().keyCount();
            bytes += log.table().memoryBytes();
            retired.beforeRetiring(log);
            versions.publishWithoutOldest(rootsSequence);
        }
        try {
            engine.sync(last);
        } catch (Throwable e) { // the store fails; no version lists these logs any more
            for (int i = newest; i < newestFirst.length; i++) {
                newestFirst[i].wal.release();
            }
            throw e;
        }
        committing = null; // or their memory would be kept until the next commit
        for (int i = newestFirst.length - 1; i >= newest; i--) {
            release(newestFirst[i]);
        }
        event.finish(keys, bytes);
        return newestFirst.length - newest;
    }

    /**
     * Changes the space, and leaves out expired pairs. If there may be operands, those with a time before the one that
     * counts are in the memtables that are listed then: no later write takes such a time, and writes that have got
     * their numbers are waited for.
     */
    boolean reclaim(BooleanSupplier change) {
        if (committer.reclaiming.isBegun()) { // an errand beside a commit, with the time of that
            return change.getAsBoolean();
        }
        long time = isRecovering ? Long.MIN_VALUE : versions.clock.beginReclaiming();
        MemTable[] tables = {};
        if (committer.merges.canMergeSome()) {
            versions.awaitVisible(work.lastSequence());
            tables = CommitBatch.tables(versions.current().logs());
        }
        committer.reclaiming.begin(time, tables);
        try {
            return change.getAsBoolean();
        } finally {
            committer.reclaiming.end();
        }
    }

    private boolean applyCommitting() {
        return applyInTurns() || applyOldest();
    }

    private boolean applyInTurns() {
        CommitTurns turns = committer.turns();
        if (Thread.currentThread() == thread) { // others do it while no writer is there, or are one
            turns.begin();
        }
        try {
            return progress.apply(committing.tables(), publishingForReuse, publishingAndCollecting);
        } finally {
            turns.end();
        }
    }

    /** Applies the oldest memtable, be it the active one, and all deletes there are; false if there is no room. */
    private boolean applyOldest() {
        long visible = versions.visibleSequence();
        sharedForce.awaitDurable(visible);
        large.seal();
        rootsSequence = Math.max(rootsSequence, visible);
        MemLog[] logs = versions.current().logs(); // which has all up to the number, as that was taken before
        return progress.applyOldest(CommitBatch.tables(logs), visible, publishingForReuse);
    }

    /**
     * Commits the active memtable because there is no space for another log, so that its own can be used again. Most of
     * it is applied before it is frozen, so that nobody waits for long; if there is no room, deletes find their place
     * in it.
     */
    private boolean applyActive(MemLog log) {
        upkeep.endRest();
        boolean applied = reclaim(applyingOldest);
        if (applied) {
            work.freeze(log); // unless a writer has begun another one meanwhile
        }
        return applied;
    }

    private boolean applyNewest() {
        return applyActive(versions.current().newest());
    }

    /**
     * Applies and commits the active memtable, on the caller's thread, for stores without a thread.
     *
     * @throws StoreFullException if there is no room in the space; the store goes on
     */
    public void commitActive() {
        orStop(applyingActive);
        commitAll();
    }

    /**
     * Brings a run into the space (ingestion), all of it at once for readers and across a crash. Nobody writes to its
     * keys meanwhile, and no memtable has any of them. When it returns, the run and all earlier visible writes are
     * durable.
     *
     * @param listed run before it is published, and the next afterwards; no write gets its number in between
     * @return the number of the last write before it
     * @throws StoreFullException if there is no room to link it; nothing has changed
     */
    public long link(SortedRun run, Runnable listed, Runnable published) {
        return onErrand(() -> linkHere(run, listed, published));
    }

    /*
     * A crash leaves a prefix of the visible writes. So the group, which is one batch of the log, stays open until
     * everything that is visible before the run is durable. The run becomes visible when it is durable itself, for
     * later writes may depend on it. Writes wait for both forces, but most of the bytes of the first were forced
     * before.
     */
    private long linkHere(SortedRun run, Runnable listed, Runnable published) {
        health.requireUsable();
        upkeep.endRest();
        if (!reserve(run)) {
            throw linker.refusal();
        }
        try {
            engine.beginGroup();
            linker.link(run);
            sharedForce.awaitDurable(versions.visibleSequence());
            long last = work.publishRun(before -> {
                rootsSequence = Math.max(rootsSequence, before);
                sharedForce.awaitDurable(before);
                engine.endGroup();
                engine.sync(engine.tag());
                listed.run();
                versions.countLoad();
                publish();
                published.run();
            });
            committer.forgetReplaced();
            upkeep.noteGarbage();
            if (versions.clock.mayHaveTimes() && run.parts() > 0) {
                upkeep.noteExpiring(run.partBegin(0), run.partEnd(run.parts() - 1));
            }
            return last;
        } catch (UnreadableException e) { // of the intervals at the run's ends
            health.fail(e.getCause());
            throw e.getCause();
        } catch (Throwable e) { // files and memory differ
            health.fail(e);
            throw e;
        }
    }

    private boolean reserve(SortedRun run) {
        try {
            return linker.reserve(run, publishingForReuse);
        } catch (Throwable e) { // of a log that was to be made, for example
            health.fail(e);
            throw e;
        }
    }

    /** Has segments become free that were staged and not linked. */
    public void takeGivenBack() {
        onErrand(() -> changeSpace(() -> {
            engine.sync(engine.tag());
            publishForReuse();
            return null;
        }));
    }

    /** Frees segments that were given back, and garbage, if nobody reads them; returns whether there is more room. */
    public boolean makeRoom() {
        return onErrand(() -> changeSpace(() -> {
            int before = engine.freeSegmentCount();
            engine.sync(engine.tag());
            engine.collectGarbage();
            publishForReuse();
            return engine.freeSegmentCount() > before;
        }));
    }

    // ---- compaction on demand

    /**
     * Writes some intervals of a range whole, without expired pairs.
     *
     * @param from a key of the first of them
     * @param to the first key behind the range; null if there is none
     * @throws io.flexdb.storage.CorruptionException if one of them is damaged; the store goes on, as if one can't
     *     be read
     */
    public Compactor.Step compactSome(byte[] from, byte[] to) {
        return onErrand(() -> changeSpace(() -> compactSomeHere(from, to)));
    }

    private Compactor.Step compactSomeHere(byte[] from, byte[] to) {
        Compactor.Step[] step = {null};
        reclaim(() -> {
            step[0] = compactor.compactSome(from, to, publishingForReuse);
            return true;
        });
        if (engine.collectSomeGarbage(true)) {
            publish();
        }
        return step[0];
    }

    /** Collects some garbage; false if there is none left that is worth it. */
    public boolean collectSome() {
        return onErrand(() -> changeSpace(() -> {
            boolean worked = engine.collectSlice(Long.MAX_VALUE);
            publish();
            return worked;
        }));
    }

    /**
     * Gives back to the disk the end of the data file, as far as nothing lives there and nobody reads it.
     *
     * @return whether more can be given back when {@link #collectSome} has moved the live bytes behind it
     */
    public boolean shorten() {
        return onErrand(() -> changeSpace(() -> {
            engine.sync(engine.tag());
            publishForReuse();
            return engine.shorten(true);
        }));
    }

    private <T> T changeSpace(Supplier<T> change) {
        health.requireUsable();
        try {
            upkeep.endRest();
            return change.get();
        } catch (UnreadableException e) { // an interval that can't be read was left as it is
            throw e.getCause();
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
    }

    private void release(MemLog log) {
        log.letRunsGo(large);
        memLogs.expectKeysLike(log.table());
        boolean hadAdopted = memLogs.hasAdopted();
        memLogs.covered(log.wal);
        if (hadAdopted && !memLogs.hasAdopted()) {
            engine.letGoKept(); // no log that was replayed refers to it any more
        }
        retired.retire(log);
    }

    /** Waits for the end of the thread, if there is one. An interrupt of the caller stays pending. */
    public void stop() {
        isStopping = true;
        Scheduler.Task begun = task;
        if (begun != null) {
            begun.end();
            end();
        }
    }

    /** Commits the rest, on the caller's thread. After {@link #stop}, when nobody writes any more. */
    public void commitRest() {
        commitAll();
        if (!health.hasFailed() && versions.current().logs().length > 0) {
            MemLog active = versions.current().newest();
            if (work.freeze(active)) {
                orStop(committingOldest);
            }
        }
    }

    // ---- beside commits

    /** The work beside commits, and when it is done. */
    private interface Beside {
        /** See {@link CommitThread#start}. */
        void start();

        /** See {@link CommitThread#rotation}. */
        MemtableRotation rotation(
                ActiveMemtable memtables, SpaceRetries retries, Runnable startTasks, long segmentBytes);

        /** Called in the middle of a commit, after a publication. */
        void betweenPieces();

        /** Called at the end of each commit. */
        void afterCommit();

        /** Called after a caller has committed a memtable. */
        void afterCommitHere();

        /**
         * Waits for memory that a commit in a caller lacked, if there is hope.
         *
         * @param waits of this commit, so far
         * @return whether to try again
         */
        boolean awaitMemory(int waits);
    }

    /** A task does it when there is nothing to commit, and as much in the middle of a commit as its writes ask for. */
    private final class BesideTask implements Beside {
        @Override
        public void start() {
            task = scheduler.add(name, running);
            task.wake();
        }

        @Override
        public MemtableRotation rotation(
                ActiveMemtable memtables, SpaceRetries retries, Runnable startTasks, long segmentBytes) {
            return new AwaitedRotation(memtables, retries, CommitThread.this, startTasks, segmentBytes);
        }

        @Override
        public void betweenPieces() {
            if (engine.collectSomeGarbage(true)) {
                publish();
            }
            if (Thread.currentThread() == thread) { // others do it while no writer is there
                errands.runAll();
                upkeep.sweepIfDue();
            }
        }

        @Override
        public void afterCommit() {
            upkeep.noteGarbage();
        }

        @Override
        public void afterCommitHere() {}

        @Override
        public boolean awaitMemory(int waits) {
            // Other stores may have it for a moment.
            if (!committer.lacksMemory() || waits == MAX_MEMORY_WAITS) {
                return false;
            }
            Pause.nanos(memoryWaitNanos(waits));
            return true;
        }
    }

    /** The caller who commits does all of it at once, when he has committed. */
    private final class BesideCallers implements Beside {
        @Override
        public void start() {}

        @Override
        public MemtableRotation rotation(
                ActiveMemtable memtables, SpaceRetries retries, Runnable startTasks, long segmentBytes) {
            return new OwnRotation(memtables, retries, CommitThread.this, segmentBytes);
        }

        @Override
        public void betweenPieces() {}

        @Override
        public void afterCommit() {
            if (engine.collectGarbage() > 0) {
                publish();
            }
            shorten();
            engine.giveBackMemory(); // as the task does when it has nothing else to do
        }

        private void shorten() {
            if (!engine.mayShorten()) {
                return; // emptied segments become free when the next change needs them
            }
            publishForReuse();
            while (engine.shorten(false)) {
                engine.collectGarbage();
                publishForReuse();
            }
        }

        @Override
        public void afterCommitHere() {
            if (health.isUsable()) {
                refiner.refineHere(Refiner.AT_ONCE, publishing);
                orStop(upkeep::sweepAll);
            }
        }

        @Override
        public boolean awaitMemory(int waits) {
            return false;
        }
    }
}
