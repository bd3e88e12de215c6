package io.flexdb;

import static io.flexdb.Limits.localPath;
import static io.flexdb.Limits.notNull;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.base.waiting.Pause;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.FilePermissions;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.KeyspaceSettings;
import io.flexdb.internal.base.LibraryVersion;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.open.Checkpoints;
import io.flexdb.internal.open.FollowedStore;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreChecker;
import io.flexdb.internal.open.StoreOpener;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreHealth;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An embedded ordered key-value store. Keys and values are bytes; keys are ordered as unsigned bytes, a shorter key
 * before a longer one that it begins. The methods that read and write pairs are in {@link ReadView} and {@link
 * Keyspace}: the store itself is its default keyspace, and others are made by {@link #createKeyspace}.
 *
 * <pre>{@code
 * try (FlexDB db = FlexDB.open(Path.of("data"))) {
 *     db.put(key, value);
 *     byte[] found = db.get(key); // null if absent
 *     try (FlexCursor cursor = db.cursor()) {
 *         for (cursor.seek(key); cursor.isValid(); cursor.next()) {
 *             use(cursor.key(), cursor.value());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> Any thread may call any method at any time, virtual threads too. Reads take no lock and never wait
 * for writes or commits. Writes wait for each other only for the moment in which they get their sequence numbers, and
 * for the commit thread when it falls two memtables behind. Interrupting a thread neither fails its operation nor harms
 * the store.
 *
 * <p><b>Durability.</b> See {@link Durability}; the default survives the death of the process at once. Whatever the
 * mode, after a crash the store is as it was after some write, and a batch is there whole or not at all.
 *
 * <p><b>Limits.</b> Keys have 1 to 65,535 bytes, 65,528 at most if they begin with 0xFF; values up to
 * {@link #MAX_VALUE_BYTES}; a key with its value must fit a memtable, but for large values.
 *
 * <p><b>Errors.</b> A bad argument gives an {@link IllegalArgumentException}, null where null means nothing a {@link
 * NullPointerException}; both name the argument and change nothing. Every byte that comes
 * from a file is verified: damage gives a {@link io.flexdb.storage.CorruptionException}, never a wrong value. After a
 * failed write or force the store is stopped, since what is on disk is unknown: all methods but {@link #close()} throw
 * {@link io.flexdb.storage.StoreFailedException} until it is opened again. A commit that needs what is damaged or can't
 * be read makes the store read-only: writes throw {@link io.flexdb.storage.StoreReadOnlyException}, everything else
 * goes on, and nothing acknowledged is lost. Snapshots, cursors and transactions that keep too much memory are ended,
 * and throw {@link io.flexdb.storage.SnapshotTooOldException}; see {@link FlexDBOptions#withMaxPinnedBytes}. {@link
 * #health()} tells, and {@link FlexDBOptions#withHealthListener} when it changes. After {@link #close()} all methods
 * throw {@link io.flexdb.storage.StoreClosedException}.
 */
public final class FlexDB extends Keyspace implements AutoCloseable {
    /** The longest value: 1 MiB less than 1 GiB. */
    public static final int MAX_VALUE_BYTES = Limits.MAX_VALUE_BYTES;

    private static final int MAX_TRIES = 1000; // of a transaction
    private static final int WAIT_NANOS = 20_000;
    private static final int MAX_WAITS = 100;

    private FlexDB(Store store) {
        super(new StoreAccess(store), KeyHeads.DEFAULT, null);
    }

    /**
     * The version of this library, such as {@code 0.1.0}, for logs and reports of faults.
     *
     * @return {@code unknown} if its classes don't come from a jar of a build
     */
    public static String version() {
        return LibraryVersion.get();
    }

    /** Opens the store in a directory with default options, or creates one if it is empty or missing. */
    public static FlexDB open(Path directory) {
        return open(directory, FlexDBOptions.defaults());
    }

    /**
     * Opens the store in a directory, or creates one if it is empty or missing. After a crash, everything that the
     * write-ahead log has is recovered first.
     *
     * @throws io.flexdb.storage.StoreLockedException if it is open already, here or in another process
     * @throws io.flexdb.storage.NotAStoreException if the path is a file, or a directory with other files in it
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release wrote it; no file is changed
     * @throws io.flexdb.storage.CorruptionException if a file is damaged; no file is changed
     * @throws io.flexdb.storage.StoreIoException if a file can't be read or written
     * @throws io.flexdb.storage.MergeException if its logs have merges into a keyspace, named or the default one, that has no
     *     merge function; no file is changed
     * @throws io.flexdb.storage.StoreMemoryException if there is not enough for its indexes, which grow with the data;
     *     the message says how much it takes; no file is changed
     * @throws IllegalArgumentException if the memory that the options ask for does not fit what the JVM allows; the
     *     message is the sum. Or if the path is not one of the default file system
     */
    public static FlexDB open(Path directory, FlexDBOptions options) {
        localPath(directory, "directory");
        FilePermissions permissions =
                notNull(options, "options").readableByGroup() ? FilePermissions.GROUP_READS : FilePermissions.OWNER;
        return open(new RealVfs(permissions), directory, options, false);
    }

    /**
     * Opens a store to be read with default options, beside its writer, which may be another process, this one, or
     * nobody. No file is changed and none is locked. The reader has everything that was written before the call
     * began, and {@linkplain FlexDBReader#refresh follows}. A store with operands of a merge function needs
     * {@link #openReadOnly(Path, FlexDBOptions)}, which also lists the errors.
     *
     * @param directory the store's directory, of the default file system
     */
    public static FlexDBReader openReadOnly(Path directory) {
        return openReadOnly(directory, FlexDBOptions.defaults());
    }

    /**
     * Opens a store to be read beside its writer, which may be another process, this one, or nobody; any number of
     * readers may. No file is changed and none is locked, so the right to read is enough. The reader has everything that
     * was written before the call began, with any {@link Durability}, and {@linkplain FlexDBReader#refresh follows}.
     *
     * @param options what is said of memory, reads, the clock and the merge functions; the functions have to be those of
     *     the writer
     * @throws io.flexdb.storage.NotAStoreException if there is no store; none is made
     * @throws io.flexdb.storage.UnsupportedFormatException if another release wrote it
     * @throws io.flexdb.storage.CorruptionException if a file is damaged
     * @throws io.flexdb.storage.StoreIoException if a file can't be read, or if the writer replaces files faster than
     *     they can be read, many times in a row
     * @throws io.flexdb.storage.StoreMemoryException if there is not enough for the indexes
     * @throws io.flexdb.storage.MergeException if operands wait to be merged, and there is no function for their keyspace
     */
    public static FlexDBReader openReadOnly(Path directory, FlexDBOptions options) {
        localPath(directory, "directory");
        return openReadOnly(new RealVfs(), directory, notNull(options, "options"), false);
    }

    static FlexDBReader openReadOnly(Vfs vfs, Path directory, FlexDBOptions options, boolean inline) {
        StoreSettings settings = options.settings();
        return new FlexDBReader(FollowedStore.open(vfs, directory, settings, scheduler(settings, inline)));
    }

    static FlexDB open(Vfs vfs, Path directory, FlexDBOptions options, boolean inline) {
        StoreSettings settings = options.settings();
        return new FlexDB(StoreOpener.open(vfs, directory, settings, scheduler(settings, inline)));
    }

    static FlexDB open(
            Vfs vfs, Path directory, FlexDBOptions options, boolean inline, JvmMemory jvm, OffHeap.Source source) {
        StoreSettings settings = options.settings();
        return new FlexDB(StoreOpener.open(vfs, directory, settings, scheduler(settings, inline), jvm, source));
    }

    /** The threads that stores share; or none, for tests that are to run the same way each time. */
    static Scheduler scheduler(StoreSettings settings, boolean inline) {
        return inline ? new NoThreads() : StoreOpener.resources(settings).threads;
    }

    // ---- named keyspaces

    /**
     * Makes a keyspace, empty, with the store's durability.
     *
     * @param name any text that has 1 to 255 bytes in UTF-8
     * @throws io.flexdb.storage.KeyspaceExistsException if there is one of this name
     * @throws IllegalArgumentException if the name is empty, too long, or has half of a surrogate pair
     */
    public Keyspace createKeyspace(String name) {
        return keyspace(access.store().keyspaces().create(name, false, access.durability.force()));
    }

    /** The keyspace of a name, which is made if there is none, as by {@link #createKeyspace}. */
    public Keyspace createKeyspaceIfAbsent(String name) {
        return keyspace(access.store().keyspaces().create(name, true, access.durability.force()));
    }

    /**
     * The keyspace of a name, with options; it is made if there is none, as by {@link #createKeyspace}. Its time to live is
     * that of the options from now on, for all who use it, until it is given another one or the store is closed.
     *
     * <p>A keyspace that has no merge function gets that of the options, if there is one, until the store is closed. One
     * that has a function keeps it, be it its own or the store's, and so does the range filter. Rather give both when the
     * store is opened, by {@link FlexDBOptions#withKeyspace}: a store that was killed can't be opened without the
     * functions for what its logs have.
     *
     * @throws IllegalArgumentException if the keyspace has another merge function than the options, or has a range filter
     *     where they say none, or none where they say one; or the name is empty, too long, or has half of a surrogate pair
     */
    public Keyspace createKeyspaceIfAbsent(String name, KeyspaceOptions options) {
        KeyspaceSettings settings = notNull(options, "options").settings();
        KeyspaceDirectory keyspaces = access.store().keyspaces();
        keyspaces.requireGivable(name, settings);
        KeyspaceState made = keyspaces.create(name, true, access.durability.force());
        keyspaces.give(made, settings);
        return keyspace(made);
    }

    /**
     * The keyspace of a name.
     *
     * @throws io.flexdb.storage.NoSuchKeyspaceException if there is none
     */
    public Keyspace keyspace(String name) {
        return keyspace(access.store().keyspaces().get(name));
    }

    private Keyspace keyspace(KeyspaceState state) {
        return new Keyspace(access, state.heads(), state);
    }

    /** The names of all keyspaces but the default one, in order. */
    public List<String> keyspaces() {
        return access.store().keyspaces().names();
    }

    /**
     * Drops a keyspace with all that it has, atomically, with the store's durability. Like
     * {@link #deleteRange(byte[], byte[])} it returns after one append to the write-ahead log, whatever there was. What is
     * made by the same name later is another keyspace. A transaction that has written to it can't commit any more.
     *
     * @return the sequence number of the write
     * @throws io.flexdb.storage.NoSuchKeyspaceException if there is none of this name
     */
    public long dropKeyspace(String name) {
        return access.store().keyspaces().drop(name, access.durability.force());
    }

    // ---- batches

    /**
     * Applies a batch, all of it or nothing. One that is larger than a memtable is merged into the store at once, as a
     * large {@link Transaction} is: it is durable when this returns, and takes no sequence number.
     *
     * @return the sequence number of its last operation, or of the last write before it if it takes none; an empty batch
     *     gives that of the last visible write
     * @throws io.flexdb.storage.NoSuchKeyspaceException if it writes to a keyspace that is dropped; nothing was written
     * @throws IllegalArgumentException if it writes to a keyspace of another store, one of its entries is too large, or
     *     the merge function {@linkplain MergeFunction#checkOperand refuses} one of its operands; nothing was written
     * @throws IllegalStateException if it merges into a keyspace that has no merge function
     */
    public long write(WriteBatch batch) {
        return write(batch, access.durability);
    }

    /**
     * Applies a batch with at least the durability given: a weaker one than the store's is raised to it.
     *
     * @return the sequence number of its last operation; an empty batch gives that of the last visible write
     */
    public long write(WriteBatch batch, Durability atLeast) {
        notNull(batch, "batch");
        Durability mode = access.raised(atLeast);
        Store store = access.store();
        batch.keyspaces().requireIn(store.keyspaces(), access);
        if (batch.size() == 0) {
            access.health.requireUsable();
            return store.visibleSequence();
        }
        BatchPayload payload = batch.payload();
        payload.beginWrite();
        EventSpan event = StoreEvents.operation("write");
        long begun = store.operations.begin(Operations.WRITES);
        try {
            long sequence = write(store, batch, payload, mode);
            store.operations.count(Operations.BATCHES);
            Operations.end(store.operations.writes, begun);
            event.finish();
            return sequence;
        } finally {
            payload.endWrite();
        }
    }

    private static long write(Store store, WriteBatch batch, BatchPayload payload, Durability mode) {
        if (payload.hasOperands()) {
            Limits.operands(store, payload);
        }
        if (!store.writer().fits(payload)) {
            payload.setTimes(store.writer().now());
            return LargeBatch.write(store, payload, batch.keyspaces());
        }
        long sequence = StoreWriter.TOO_OLD;
        while (sequence == StoreWriter.TOO_OLD) {
            sequence = write(store.writer(), batch, payload, mode);
        }
        return sequence;
    }

    private static long write(StoreWriter writer, WriteBatch batch, BatchPayload payload, Durability mode) {
        long now = payload.hasTimes() ? writer.now() : 0;
        payload.setTimes(now);
        return writer.write(
                payload,
                mode.force(),
                null,
                batch.keyspaces().isEmpty() ? null : batch.keyspaces(),
                payload.hasOperands() ? now : Long.MAX_VALUE);
    }

    // ---- transactions and snapshots

    /** Begins a transaction under {@linkplain Isolation#SNAPSHOT snapshot isolation}. To be closed. */
    public Transaction begin() {
        return begin(Isolation.SNAPSHOT);
    }

    /** Begins a transaction. To be closed. */
    public Transaction begin(Isolation isolation) {
        return new Transaction(access, notNull(isolation, "isolation"));
    }

    /** Work in a transaction that has a result, and may throw an exception of its own. */
    @FunctionalInterface
    public interface TransactionWork<T, X extends Exception> {
        /** Does the work; it may be run several times. It neither commits nor closes the transaction. */
        T run(Transaction transaction) throws X;
    }

    /** Work in a transaction that has no result, and may throw an exception of its own. */
    @FunctionalInterface
    public interface TransactionAction<X extends Exception> {
        /** Does the work; it may be run several times. It neither commits nor closes the transaction. */
        void run(Transaction transaction) throws X;
    }

    /**
     * Runs work in a transaction under {@linkplain Isolation#SNAPSHOT snapshot isolation} and commits it, as
     * {@link #transact(Isolation, TransactionWork)}.
     *
     * @return the result of the run that was committed
     */
    public <T, X extends Exception> T transact(TransactionWork<T, X> work) throws X {
        return transact(Isolation.SNAPSHOT, work);
    }

    /**
     * Runs work in a transaction and commits it. If there was a conflict, runs it again in a new transaction, until there is
     * none. Use this for read-modify-write.
     *
     * <pre>{@code
     * long next = db.transact(transaction -> {
     *     long number = decode(transaction.get(COUNTER)) + 1;
     *     transaction.put(COUNTER, encode(number));
     *     return number;
     * });
     * }</pre>
     *
     * @param work may be run several times. An exception of it ends the transaction without a commit, and is thrown to the
     *     caller as it is, checked ones, too; a {@link ConflictException} has it run again
     * @return the result of the run that was committed
     * @throws ConflictException if there was a conflict each of many times
     */
    public <T, X extends Exception> T transact(Isolation isolation, TransactionWork<T, X> work) throws X {
        notNull(isolation, "isolation");
        notNull(work, "work");
        for (int tries = 1; ; tries++) {
            try (Transaction transaction = begin(isolation)) {
                T result = work.run(transaction);
                transaction.commit();
                return result;
            } catch (ConflictException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
            }
            giveWay(tries);
        }
    }

    /**
     * Runs an action in a transaction under {@linkplain Isolation#SNAPSHOT snapshot isolation} and commits it, as
     * {@link #transact(Isolation, TransactionWork)} does with work that has a result.
     */
    public <X extends Exception> void transactWithoutResult(TransactionAction<X> action) throws X {
        transactWithoutResult(Isolation.SNAPSHOT, action);
    }

    /**
     * Runs an action in a transaction and commits it, as {@link #transact(Isolation, TransactionWork)} does with work that
     * has a result.
     */
    public <X extends Exception> void transactWithoutResult(Isolation isolation, TransactionAction<X> action) throws X {
        notNull(action, "action");
        transact(
                isolation,
                new TransactionWork<Void, X>() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public Void run(Transaction transaction) throws X {
                        action.run(transaction);
                        return null;
                    }
                });
    }

    /** Waits for a random time, longer the more often there was a conflict, so that one of those in it goes through. */
    private static void giveWay(int conflicts) {
        int most = Math.min(conflicts, MAX_WAITS) * WAIT_NANOS;
        Pause.nanos(ThreadLocalRandom.current().nextInt(most));
    }

    /** The store as it is now, to be read later. To be closed. */
    public Snapshot snapshot() {
        return new Snapshot(access, access.store().pinNewest(HolderKind.SNAPSHOT));
    }

    // ---- durability and figures

    /** Makes every write that has returned durable, whatever its mode. */
    public void sync() {
        access.store().sync();
    }

    /**
     * Returns once a write and all before it are durable, whatever their {@link Durability}. Callers that wait at the same
     * time share forces of the log. So one that writes many things with {@link Durability#OS} or {@link Durability#NONE} waits
     * once, for the last of them.
     *
     * @param sequence the number that the write has returned, or any before it
     * @throws IllegalArgumentException if no write has had that number yet; nothing was forced
     * @throws io.flexdb.storage.StoreFailedException if a force has failed
     */
    public void awaitDurable(long sequence) {
        access.store().awaitDurable(sequence);
    }

    /**
     * A future of the moment at which a write and all before it are durable, whatever their {@link Durability}. The log is
     * forced for it at once, as by {@link #awaitDurable}, but no thread waits: thousands of these futures share a force.
     *
     * <pre>{@code
     * long sequence = db.put(key, value);
     * db.whenDurable(sequence).thenRun(() -> acknowledge(key));
     * }</pre>
     *
     * <p>Actions that are hung onto it without an executor run on a thread of the store, one after another, and never under
     * a lock; they may use the store, and close it. An action that takes long holds up those of the other futures, and one
     * that waits for another of these futures may wait for ever: give such actions an executor ({@code thenRunAsync}). To
     * cancel the future has no effect on the write.
     *
     * @param sequence the number that the write has returned, or any before it
     * @return is completed exceptionally where {@link #awaitDurable} would throw: with a {@link
     *     io.flexdb.storage.StoreFailedException} if a force has failed, and with a {@link
     *     io.flexdb.storage.StoreClosedException} if the store was closed before the call. A close of the store makes
     *     durable what is pending, and completes it
     * @throws IllegalArgumentException if no write has had that number yet
     */
    public CompletableFuture<Void> whenDurable(long sequence) {
        Store open;
        try {
            open = access.store();
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        }
        return open.whenDurable(sequence);
    }

    /**
     * Commits every write that has returned from memtables into the space, and waits for that. They are durable then,
     * in every mode, and data that they have deleted or overwritten take no disk space for longer than readers need
     * them. The store does this itself when a memtable is full. For durability alone {@link #sync()} is cheaper.
     *
     * @throws io.flexdb.storage.StoreFullException if there is no room in the space; the writes stay in the write-ahead
     *     logs, and the store goes on
     * @throws io.flexdb.storage.StoreReadOnlyException if the store takes no writes because of damage
     * @throws io.flexdb.storage.StoreClosedException if the store is closed meanwhile
     * @see #compact()
     */
    public void flush() {
        access.store().flush();
    }

    /** Every write up to this sequence number is durable. Never falls. */
    public long durableSequence() {
        return access.store().durableSequence();
    }

    /**
     * Copies the store, while reads and writes go on, into a directory that is a store of its own then. The copy has
     * every write that was visible when the call began, and is durable when this returns. If the call fails, the
     * directory is no store. See {@link #checkpoint(Path, Progress)} for what the copy shares with the store, and for
     * the errors.
     *
     * @param target an empty or missing directory
     * @return the sequence number of the last write that the copy has
     */
    public long checkpoint(Path target) {
        return checkpoint(target, Progress.NONE);
    }

    /**
     * Copies the store, while reads and writes go on, into a directory that is a store of its own then: it has every
     * write that was visible when the call began, perhaps later ones, and none but a prefix of all. When this returns
     * the copy is durable, whatever the {@link Durability}. If it fails or is cut short the directory is no store: what
     * was made in it is deleted or, after a crash, refused by {@link #open(Path)}.
     *
     * <p>Writers wait for the commit thread as long as a {@link #sync()} of the space takes, no longer. What is removed
     * or overwritten meanwhile keeps its disk space until the copy has ended, and memtables of the moment their memory,
     * as with a {@link #snapshot()}.
     *
     * <p>On the same file system the copy shares what is written once, where that can be done: the blocks of segments (XFS
     * and Btrfs, where native access is granted), or the data file itself, of which it gets a further name (a hard link).
     * Nothing is read and written then but indexes and logs, and nothing is verified; damage of what is shared is damage
     * of both. With a shared file, what the copy needs keeps its disk space until the copy has been deleted, or opened to
     * be written; such an opening copies it first, unless nobody else has it any more. Elsewhere every byte is copied, and
     * verified on its way.
     *
     * @param target an empty or missing directory
     * @param progress is told how far it is, and may end it
     * @return the sequence number of the last write that the copy has
     * @throws io.flexdb.storage.TargetNotEmptyException if the target has something in it; nothing is changed
     * @throws io.flexdb.storage.CorruptionException if data of the store is damaged; the store goes on
     * @throws io.flexdb.storage.StoreIoException if a file can't be read or written; the store goes on
     * @throws io.flexdb.storage.StoreFullException if the target's disk is full; the store goes on
     * @throws io.flexdb.storage.StoreReadOnlyException if the store takes no writes because of damage; see
     *     {@link FlexDBSalvage}
     * @throws io.flexdb.storage.StoreClosedException if the store is closed before the copy has ended
     */
    public long checkpoint(Path target, Progress progress) {
        localPath(target, "target");
        notNull(progress, "progress");
        Store open = access.store();
        Limits.requireOutside(target, "target", access.directory, "the store's own directory");
        return Checkpoints.write(open.vfs(), target, open.tasks(), open::beginCopy, progress::done);
    }

    Store openStore() {
        return access.store();
    }

    /**
     * Checks the store as it is when the call begins, while reads and writes go on: every frame, node, log and pair
     * by its checksum, the order of keys, and the sparse index. It reads all data, so it takes long for a large
     * store. See {@link #check(Progress)} for what it finds and what it costs.
     *
     * @return all that is wrong, not only the first fault
     */
    public FlexDBCheckReport check() {
        return check(Progress.NONE);
    }

    /**
     * Checks the store as it is when the call begins, while reads and writes go on: every frame, node and log of its
     * files by checksum, the FlexTree, every pair by its own checksum, the order of keys, and the sparse index. All that
     * is wrong is reported, not only the first. It reads everything twice, once in the order of the files and once in
     * that of the keys; what is overwritten or removed meanwhile keeps its disk space until it has ended, as with a
     * {@link #snapshot()}. A store that is read-only can be checked, too.
     *
     * @param progress is told how far it is; it may slow the check down, or end it
     * @throws io.flexdb.storage.StoreClosedException if the store is closed before it has ended
     */
    public FlexDBCheckReport check(Progress progress) {
        notNull(progress, "progress");
        Store open = access.store();
        return Reports.checked(open.tasks().run(task -> {
            try (StoreChecker checker = open.beginCheck()) {
                return checker.check(task, progress::done);
            }
        }));
    }

    /** What the store still does, and why not more. In any state, closed included. */
    public StoreHealth health() {
        return access.health.current();
    }

    /** The settings as they have taken effect, with all that was derived from what the JVM allows. */
    public FlexDBOptions options() {
        return FlexDBOptions.of(access.settings);
    }

    /** Divides all coarse intervals now. For tests of stores without threads. */
    void refine() {
        access.store().refineHere();
    }

    /** Makes all range filters that are missing now. For tests of stores without threads. */
    void buildFilters() {
        access.store().buildFiltersHere();
    }

    /** Bytes of the range filters that are in use. For tests. */
    long filterBytes() {
        return access.store().filters.usedBytes();
    }

    /** Writes all fragmented intervals in one piece now. For tests of stores without threads. */
    void defragment() {
        access.store().defragmentHere();
    }

    /** Saves what an open store saves while nobody writes to it. For tests of stores without threads. */
    void saveAtRest() {
        access.store().saveAtRestHere();
    }

    /** Figures of this moment. */
    public FlexDBStats stats() {
        Store open = access.store();
        open.health().requireReadable();
        FlexDBHolders holders = Figures.holders(open); // outside the short read, as the clock is the user's
        return open.figures(now -> Figures.of(open, now, holders));
    }

    /**
     * Closes the store. Operations under way finish, writes are committed to the space and made durable, and the files
     * are closed and unlocked. Closing again does nothing; after a failure nothing is written. A store that is
     * read-only leaves to the write-ahead logs what it can't commit, and forces them.
     *
     * @throws io.flexdb.storage.StorageException if the last commit meets a full disk or damage, with everything kept
     *     in the write-ahead logs; or if a write fails. The store is closed all the same
     */
    @Override
    public void close() {
        access.close();
    }

    @Override
    public String toString() {
        return "FlexDB[" + access.directory
                + (access.health.isUsable()
                        ? "]"
                        : ", " + access.health.current().state().label() + "]");
    }
}
