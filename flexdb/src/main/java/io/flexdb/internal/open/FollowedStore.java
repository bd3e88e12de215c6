package io.flexdb.internal.open;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.base.memory.DirectMemory;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.engine.FilesSeen;
import io.flexdb.flexspace.internal.engine.FoundTag;
import io.flexdb.flexspace.internal.vfs.ReadOnlyVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.HolderLog;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.read.Holders;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.storage.StoreReplacedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** A store as a reader beside its writer sees it (a read-only follower): its newest state, and the way to the next. */
public final class FollowedStore implements AutoCloseable {
    /*
     * A refresh reads on in the write-ahead logs, as long as they lead on; its cost follows the bytes written. When a
     * log was missed, or the memtables become too large, everything is read anew, which costs as much as an opening,
     * and another state replaces the one before. Cursors and snapshots hold the old one; its files are closed behind
     * the last of them.
     *
     * When logs have led far away from a state, the writer reuses its space by and by, and cursors come upon that. So a
     * state that the writer has overtaken is read anew at the next refresh as soon as somebody has missed a part of it;
     * and in any case when it is twenty times as old as its reading took long. So reading takes a twentieth of the time
     * at most.
     *
     * B1  States come in the order of their sequence numbers.
     * B2  A read that was overtaken is done again in a state that was read after it. If the very same frame is wrong
     *     there in the same life of its segment, it is damage: before a reuse the later state would have seen the
     *     segment given up.
     * B3  Nothing is tried for ever: a writer may be faster than a reader of his files.
     *
     * A reader that was overtaken asks the writer for time from then on, by a lease: not to reuse segments that became
     * free after the oldest existing state was read. The writer heeds it as far as he likes, so nothing relies on it.
     *
     * Epochs, cache and memory are shared by all states. One thread at a time changes anything, under the lock.
     */
    private static final int MAX_LOADS = 30; // of one attempt to get a state
    private static final int MAX_READS = 10; // of one value
    private static final int GAP_LOADS = 5; // until a gap in the logs is believed
    private static final int MANY_TABLES = 32; // for reads to look into
    private static final int RESERVED_SHARE = 16; // of what direct buffers may take: the cache leaves it alone

    final Vfs vfs; // changes nothing
    final Path directory;
    final StoreSettings settings; // with all that was derived
    final KeyspaceRegistry registry;
    final MergeCalls merges;
    final MemoryBudget budget;
    private final long ownBytes;
    final OffHeap memory;
    final Scheduler scheduler;
    final Epochs epochs = new Epochs();
    final Health health;
    final StoreClock clock;
    final HolderLog holderLog;
    final IntervalCache cache;
    final long storeId;
    final ReaderLease lease; // under the lock

    private final Vfs filesBeside;
    private final Path space;
    private final boolean mapped;
    private final ReentrantLock lock = new ReentrantLock(); // no monitor: virtual threads wait for it, and with it
    private final Map<Long, FollowedState> earlier = new HashMap<>(); // by handle; under the lock, as all below
    private final RetiredQueue retired = new RetiredQueue(epochs, this::unread);
    private long nextHandle;
    private long tableBytesLoaded;
    private long earlierBytes;
    private boolean closed;
    private volatile boolean wantsTime;
    private volatile FollowedState current;

    private FollowedStore(Vfs vfs, Path directory, StoreSettings settings, Scheduler scheduler) {
        JvmMemory jvm = JvmMemory.ofThisProcess();
        this.filesBeside = vfs;
        this.vfs = new ReadOnlyVfs(vfs);
        this.directory = directory.toAbsolutePath().normalize();
        this.space = this.directory.resolve(StoreFiles.SPACE_NAME);
        this.budget = MemoryBudget.of(settings, jvm);
        this.settings = budget.applyTo(settings);
        this.ownBytes = budget.ownBytes(settings, jvm);
        this.registry = new KeyspaceRegistry(settings);
        this.merges = new MergeCalls(registry);
        this.memory =
                new OffHeap(new DirectMemory(jvm::directRoom), jvm::directRoom, jvm.directBytes() / RESERVED_SHARE);
        this.scheduler = scheduler;
        this.clock = new StoreClock(settings.clock);
        this.holderLog = new HolderLog(this.directory, scheduler);
        this.health = new Health("the reader", this.directory, settings.healthListener);
        this.storeId = StoreFiles.requireStore(this.vfs, this.directory);
        clock.beginAt(TimeMark.read(this.vfs, this.directory), time -> {}); // the writer's
        this.mapped = settings.mappedReads && this.vfs.mapsSafely(this.directory);
        this.cache = new IntervalCache(epochs, budget.directoryBytes(mapped), memory);
        this.lease = new ReaderLease(vfs, this.directory, System::currentTimeMillis);
        memory.giver(new OffHeap.Giver() {
            @Override
            public long giveBack(long bytes) {
                return FollowedStore.this.giveBack(bytes);
            }

            @Override
            public long tryGiveBack(long bytes) {
                return cache.tryGiveBack(bytes);
            }

            @Override
            public long uses() {
                return cache.uses();
            }
        });
    }

    /** Opens a store to read its files. Nothing is changed, and no lock is taken. */
    public static FollowedStore open(Vfs vfs, Path directory, StoreSettings settings, Scheduler scheduler) {
        FollowedStore store = new FollowedStore(vfs, directory, settings, scheduler);
        try {
            StoreResources shared = StoreOpener.resources(settings);
            store.memory.share(shared.memory, shared.isLimited ? 0 : store.ownBytes);
            store.memory.collectEnded(store.budget.totalBytes());
            StoreClasses.initialize();
            store.replace(store.load(tries -> store.readAll(0, tries)));
            return store;
        } catch (OutOfMemoryError e) {
            StoreMemoryException refusal = store.wantOfMemory(e);
            store.memory.end();
            throw refusal;
        } catch (Throwable e) {
            store.memory.end();
            throw e;
        }
    }

    private StoreMemoryException wantOfMemory(OutOfMemoryError e) {
        return new StoreMemoryException(directory, "more than " + memory.heldBytes() + " bytes of direct memory", e);
    }

    private long giveBack(long bytes) {
        FollowedState state = current;
        long given = state == null ? 0 : state.engine().reads().giveBackCache(bytes);
        given += given < bytes ? cache.giveBack(bytes - given) : 0;
        return state != null && given < bytes ? given + state.leaveUnused(bytes - given) : given;
    }

    boolean isMapped() {
        return mapped;
    }

    /** The state to read. */
    public FollowedState current() {
        FollowedState state = current;
        if (!health.isReadable()) {
            throw health.refusal();
        }
        return state;
    }

    /** Calls the merge function. */
    public MergeCalls merges() {
        return merges;
    }

    /** The directory. */
    public Path directory() {
        return directory;
    }

    /** The file system for files that are none of the store's. */
    public Vfs filesBeside() {
        return filesBeside;
    }

    /** The id of the store. */
    public long storeId() {
        return storeId;
    }

    /** The file of all pairs. */
    public Path dataFile() {
        FollowedState state = current;
        return state == null ? space.resolve("data") : state.dataFile();
    }

    // ---- states

    /**
     * Reads a state, again and again as long as the writer gets in the way.
     *
     * @param reading reads one; gets how often it has been tried, from 1 on
     */
    private FollowedState load(IntFunction<FollowedState> reading) {
        try {
            return loadInTheWay(reading);
        } catch (OutOfMemoryError e) {
            throw wantOfMemory(e);
        }
    }

    private FollowedState loadInTheWay(IntFunction<FollowedState> reading) {
        for (int tries = 1; ; tries++) {
            FilesSeen before = FilesSeen.of(vfs, space);
            requireSameStore();
            if (wantsTime) {
                lease.renew(oldestSince(lease.now()));
            }
            try {
                FollowedState state = reading.apply(tries);
                CorruptionException gap = state.gap();
                if (gap == null) {
                    return state;
                }
                state.close();
                if (tries >= GAP_LOADS) {
                    throw gap;
                }
            } catch (CorruptionException | StoreIoException | ReaderOvertakenException e) {
                boolean moved = e instanceof ReaderOvertakenException || !before.equals(FilesSeen.of(vfs, space));
                if (!moved) {
                    requireSameStore();
                    throw e;
                }
                if (tries >= MAX_LOADS) {
                    throw new StoreIoException(
                            "reading beside the writer",
                            directory,
                            new IOException("the writer has replaced what was read, each of " + tries + " times", e));
                }
            }
        }
    }

    /** Follows that somebody was overtaken. */
    void wantTime() {
        wantsTime = settings.maxLeasedBytes > 0;
    }

    /** The time when the oldest state was read; the time given if none is older. */
    private long oldestSince(long now) {
        long oldest = now;
        for (FollowedState state : earlier.values()) {
            oldest = Math.min(oldest, state.beganMillis());
        }
        return current != null && !current.isLost() ? Math.min(oldest, current.beganMillis()) : oldest;
    }

    private FollowedState readAll(long usedContents, int tries) {
        return FollowedState.load(this, usedContents, tries == 1 ? FoundTag.of(vfs, space, storeId) : 0);
    }

    /** Throws if the directory has another store, or none. */
    void requireSameStore() {
        long found = StoreFiles.requireStore(vfs, directory);
        if (found != storeId) {
            throw new StoreReplacedException(
                    directory, "store " + Long.toHexString(storeId), "store " + Long.toHexString(found));
        }
    }

    private void replace(FollowedState next) {
        FollowedState before = current;
        current = next;
        tableBytesLoaded = next.tableBytes();
        if (before != null) {
            earlier.put(nextHandle, before);
            earlierBytes = bytesOfEarlier();
            retired.retire(nextHandle++, before.firstVersion());
            next.publishAgain();
        }
        reclaim();
        if (wantsTime) {
            lease.renew(oldestSince(next.beganMillis())); // space that only the one before needed may go
        }
    }

    /** Closes states that nobody reads any more. */
    private void reclaim() {
        if (!earlier.isEmpty()) {
            for (int phase = 0; phase < 3; phase++) {
                epochs.tryNextPhase();
            }
            retired.reclaim();
            earlierBytes = bytesOfEarlier();
            for (FollowedState state = oldest(); earlierBytes > settings.maxPinnedBytes && state != null; ) {
                state = expire(state) ? oldest() : null;
            }
        }
    }

    private FollowedState oldest() {
        return earlier.values().stream()
                .min(Comparator.comparingLong(FollowedState::firstVersion))
                .orElse(null);
    }

    /** Ends the holders of a state, and returns whether it is closed. */
    private boolean expire(FollowedState state) {
        int before = earlier.size();
        state.holders().takeBackLost();
        for (Holders.Open one : state.holders().open()) {
            if (one.mayExpire()) {
                state.holders()
                        .expire(
                                one,
                                state.memoryBytes(),
                                "all earlier states of the reader take " + earlierBytes
                                        + " bytes, more than maxPinnedBytes " + settings.maxPinnedBytes
                                        + ". Close cursors and snapshots sooner, or raise maxPinnedBytes");
            }
        }
        retired.reclaim();
        earlierBytes = bytesOfEarlier();
        return earlier.size() < before;
    }

    private void unread(long handle) {
        earlier.remove(handle).close();
    }

    private long bytesOfEarlier() {
        return earlier.values().stream().mapToLong(FollowedState::memoryBytes).sum();
    }

    // ---- going on

    /**
     * Goes on to the newest write, and returns its number.
     *
     * @param withLoads whether to bulk loads, too, which go past the logs
     */
    public long refresh(boolean withLoads) {
        lock.lock();
        try {
            requireOpen();
            reclaim();
            if (lease.isDue() && current.isOvertaken()) {
                lease.renew(oldestSince(lease.now()));
            }
            if (isToBeReadAnew() || withLoads && current.isOvertaken()) {
                loadNext();
            } else if (!follow()) {
                loadAll();
            } else if (current.isBehindLoad()) {
                loadSpace();
            }
            return current.sequence();
        } finally {
            lock.unlock();
        }
    }

    /** Gets the next state in any case. */
    private void loadNext() {
        if (follow()) {
            loadSpace();
        } else {
            loadAll();
        }
    }

    /** Goes on with the logs; false if they lead no further. */
    private boolean follow() {
        try {
            return current.follow();
        } catch (CorruptionException | StoreIoException e) {
            return false; // if it is damage, it will be met again
        } catch (OutOfMemoryError e) {
            throw wantOfMemory(e);
        }
    }

    private boolean isToBeReadAnew() {
        long grown = current.tableBytes() - tableBytesLoaded;
        boolean large = grown > (long) budget.memtables().count() * settings.memtableBytes;
        boolean old = current.tableCount() > MANY_TABLES || current.isOld();
        return current.isLost() || current.isBehindLoad() || (large || old) && current.isOvertaken();
    }

    /** Reads everything anew. */
    private void loadAll() {
        FollowedState before = current;
        replaceWithLater(load(tries -> readAll(before.lastContent(), tries)));
    }

    private void replaceWithLater(FollowedState next) {
        FollowedState before = current;
        if (next.sequence() < before.sequence()) { // B1
            long found = next.sequence();
            next.close();
            throw new StoreReplacedException(
                    directory, "writes up to sequence number " + before.sequence(), "writes up to " + found);
        }
        replace(next);
    }

    /** Reads the space anew; the logs are known up to their end. */
    private void loadSpace() {
        FollowedState before = current;
        replaceWithLater(load(tries -> FollowedState.loadBehind(before)));
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException("the reader");
        }
    }

    /** Reads from the current state; where the writer has overtaken that, from a later one. */
    public <T> T read(Supplier<T> read) {
        FollowedState before = current;
        try {
            return read.get();
        } catch (StorageException e) {
            return again(before, e, read);
        }
    }

    /**
     * Repeats a read that failed from later states, if a state that the writer has overtaken is the reason.
     *
     * @param state that was current before the read
     * @throws StorageException as it was given, if that is not the reason; B2 and B3 say when the repeating ends
     */
    public <T> T again(FollowedState state, StorageException failure, Supplier<T> read) {
        FollowedState before = state;
        StorageException e = failure;
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            last = requireLater(before, e, last, tries);
            before = current;
            try {
                return read.get();
            } catch (StorageException next) {
                e = next;
            }
        }
    }

    /**
     * Gets a state later than one that a read failed on, unless there is one; throws the failure if none would help.
     *
     * @param last the result of this for the same read before, or null
     * @param tries how often the read has failed
     * @return the next {@code last}
     */
    private StorageException requireLater(FollowedState state, StorageException e, StorageException last, int tries) {
        boolean isReplaced = state != current && health.isReadable();
        boolean isGone = e instanceof ReaderOvertakenException || e instanceof StoreClosedException && isReplaced;
        if (!isGone || tries >= MAX_READS) {
            throw e;
        }
        if (isSameDamage(e, last)) {
            throw (StorageException) e.getCause(); // B2
        }
        lock.lock();
        try {
            requireOpen();
            if (state != current) {
                return null; // another state, but perhaps not one that was read since
            }
            loadNext();
            return e;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the same frame in the same life of its segment was wrong: then the expected checksums are equal. */
    static boolean isSameDamage(StorageException e, StorageException last) {
        return last != null
                && e.getCause() instanceof CorruptionException now
                && last.getCause() instanceof CorruptionException before
                && now.position() == before.position()
                && now.file().equals(before.file())
                && now.expected().equals(before.expected());
    }

    /** Closes all states, once no short read is under way. */
    @Override
    public void close() {
        health.beginClose();
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                epochs.awaitNoReaders();
                try {
                    current.close();
                } finally {
                    earlier.values().forEach(FollowedState::close);
                    earlier.clear();
                    lease.close();
                    current = null; // a reference to a closed reader does not keep its memory
                    cache.giveBack(Long.MAX_VALUE);
                    memory.end();
                }
            }
        } finally {
            lock.unlock();
        }
        health.endClose();
    }

    @Override
    public String toString() {
        return "FollowedStore[" + current + ", earlier=" + earlier.size() + "]";
    }
}
