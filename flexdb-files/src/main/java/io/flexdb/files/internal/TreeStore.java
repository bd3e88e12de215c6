package io.flexdb.files.internal;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.Isolation;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.ReadOnlyFileSystemException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The two keyspaces of a file system, and how operations on them are made: each change is one serializable transaction,
 * run again after a conflict. None is made once it is closed, when another one may be open on the same keyspaces. Any
 * thread may use it.
 */
final class TreeStore {
    private static final int MAX_TRIES = 1000;
    private static final int TRIES_BESIDE_OTHERS = 30;
    private static final int MAX_TRIES_OF_READERS = 100;
    private static final int MAX_WAITS = 100;
    private static final int WAIT_NANOS = 20_000;
    private static final int MAX_PIECE_BYTES = 256 << 10;
    private static final int MEMTABLE_SHARE = 4;
    private static final int BLOCK_SHARE = 4;

    private final FlexDB db; // null if it is open to be read only
    private final FlexDBReader reader; // else null
    private final Keyspace entries; // null as db is
    private final Keyspace blocks;
    final String entriesName;
    final String blocksName;
    private final TreeView newest;
    final int blockBytes;
    final int smallBytes;
    private LostBlocks lost; // set before anybody else knows this
    private final InstantSource clock;

    /** Shared by changes: beside a transaction, to take it costs nothing. Who has it alone knows that none is under way. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private boolean closed; // by the gate

    /** Reads only. */
    interface Read<T> {
        T of(TreeView view) throws IOException;
    }

    /** What a change is made of; may be run several times. */
    interface Change<T> {
        T make(TreeChange change) throws IOException;
    }

    private TreeStore(FlexDB db, Keyspace entries, Keyspace blocks, TreeSettings settings, int blockBytes) {
        this(db, null, entries, blocks, new TreeView(entries.name(), entries, blocks), settings, blockBytes);
    }

    private TreeStore(
            FlexDB db,
            FlexDBReader reader,
            Keyspace entries,
            Keyspace blocks,
            TreeView newest,
            TreeSettings settings,
            int blockBytes) {
        this.db = db;
        this.reader = reader;
        this.entries = entries;
        this.blocks = blocks;
        this.entriesName = entriesOf(settings);
        this.blocksName = blocksOf(settings);
        this.newest = newest;
        this.blockBytes = blockBytes;
        this.smallBytes = Math.min(settings.smallBytes(), blockBytes);
        this.clock = settings.clock();
    }

    /** Opens the keyspaces of a name, or makes them. */
    static TreeStore open(FlexDB db, TreeSettings settings) throws IOException {
        try {
            Keyspace entries = db.createKeyspaceIfAbsent(entriesOf(settings));
            Keyspace blocks = db.createKeyspaceIfAbsent(blocksOf(settings));
            byte[] superblock = entries.get(TreeFormat.key(TreeFormat.SUPERBLOCK));
            int blockBytes = superblock == null ? settings.blockBytes() : blockBytes(entries.name(), superblock);
            int most = db.options().memtableBytes() / BLOCK_SHARE;
            if (blockBytes > most) {
                throw new IllegalArgumentException("blockBytes must be at most " + most
                        + " in a store with memtables of " + db.options().memtableBytes() + " bytes: " + blockBytes);
            }
            TreeStore store = new TreeStore(db, entries, blocks, settings, blockBytes);
            if (superblock == null) {
                requireEmpty(entries);
                requireEmpty(blocks);
                store.change(null, store::begin);
            }
            store.lost = LostBlocks.of(db, store);
            return store;
        } catch (StorageException e) {
            throw failure(e);
        }
    }

    /**
     * Opens the keyspaces of a name in a store that is read only.
     *
     * @throws NoSuchFileException if there is no file system of the name
     */
    static TreeStore openReadOnly(FlexDBReader reader, TreeSettings settings) throws IOException {
        try {
            TreeView newest = new TreeView(
                    entriesOf(settings), reader.keyspace(entriesOf(settings)), reader.keyspace(blocksOf(settings)));
            byte[] superblock = newest.entries.get(TreeFormat.key(TreeFormat.SUPERBLOCK));
            if (superblock == null) {
                throw missing(reader, settings);
            }
            TreeStore store = new TreeStore(
                    null, reader, null, null, newest, settings, blockBytes(entriesOf(settings), superblock));
            store.lost = LostBlocks.of(reader, store);
            return store;
        } catch (NoSuchKeyspaceException e) {
            throw (IOException) missing(reader, settings).initCause(e);
        } catch (StorageException e) {
            throw failure(e);
        }
    }

    private static NoSuchFileException missing(FlexDBReader reader, TreeSettings settings) {
        return new NoSuchFileException(
                reader.toString(), null, "it has no file system \"" + settings.name() + "\", or none yet");
    }

    private static String entriesOf(TreeSettings settings) {
        return settings.name() + ".entries";
    }

    private static String blocksOf(TreeSettings settings) {
        return settings.name() + ".blocks";
    }

    private static void requireEmpty(Keyspace keyspace) throws IOException {
        try (FlexCursor cursor = keyspace.cursor(ReadOptions.defaults().withExpectedPairs(1))) {
            cursor.seekToFirst();
            if (cursor.isValid()) {
                throw new IOException("keyspace " + keyspace.name() + " has pairs that are of no file system");
            }
        }
    }

    private static int blockBytes(String keyspace, byte[] superblock) {
        ByteBuffer from = ByteBuffer.wrap(superblock);
        if (superblock.length != TreeFormat.SUPERBLOCK_BYTES || from.getLong() != TreeFormat.MAGIC) {
            throw TreeFormat.damaged(keyspace, 0, "a file system", superblock.length + " other bytes");
        }
        int version = from.getInt();
        if (version != TreeFormat.VERSION) {
            throw TreeFormat.damaged(keyspace, Long.BYTES, "version " + TreeFormat.VERSION, "version " + version);
        }
        int blockBytes = from.getInt();
        if (blockBytes < TreeSettings.MIN_BLOCK_BYTES || blockBytes > TreeSettings.MAX_BLOCK_BYTES) {
            throw TreeFormat.damaged(
                    keyspace, Long.BYTES + Integer.BYTES, "a size of blocks", Integer.toString(blockBytes));
        }
        return blockBytes;
    }

    private Void begin(TreeChange change) {
        change.begin(TreeFormat.superblock(blockBytes));
        change.put(TreeFormat.ROOT, new Directory(TreeFormat.ROOT, Times.of(change.now)));
        change.put(TreeFormat.REMOVED, new Directory(TreeFormat.SUPERBLOCK, Times.of(change.now)));
        return null;
    }

    /** Blocks that are missing, and are no zeros. */
    LostBlocks lost() {
        return lost;
    }

    long now() {
        Instant now = clock.instant();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    /** The most bytes of content that one change is to write, so that it fits a memtable. */
    int pieceBytes() {
        int most = Math.min(MAX_PIECE_BYTES, db.options().memtableBytes() / MEMTABLE_SHARE);
        return Math.max(1, most / blockBytes) * blockBytes;
    }

    boolean isReadOnly() {
        return db == null;
    }

    /** Reads what is newest; each pair by itself. */
    <T> T read(Read<T> read) throws IOException {
        return untilNotOvertaken(() -> read.of(newest));
    }

    /** Reads as of one moment. */
    <T> T readAtOnce(Read<T> read) throws IOException {
        return untilNotOvertaken(() -> {
            try (Snapshot snapshot = snapshot()) {
                return read.of(view(snapshot));
            }
        });
    }

    private interface Attempt<T> {
        T run() throws IOException;
    }

    /** Reads again, from a newer state, if the writer of a store that is read only has overtaken it. */
    private <T> T untilNotOvertaken(Attempt<T> attempt) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return attempt.run();
            } catch (ReaderOvertakenException e) {
                if (tries == MAX_TRIES_OF_READERS) {
                    throw failure(e);
                }
                refresh();
            } catch (StorageException | IllegalStateException e) {
                throw failure(e);
            }
        }
    }

    private Snapshot snapshot() {
        return isReadOnly() ? reader.snapshot() : db.snapshot();
    }

    private TreeView view(Snapshot snapshot) {
        return isReadOnly()
                ? new TreeView(entriesName, snapshot.in(entriesName), snapshot.in(blocksName))
                : new TreeView(entriesName, snapshot.in(entries), snapshot.in(blocks));
    }

    /** Makes every change that has returned durable. */
    void force() throws IOException {
        if (!isReadOnly()) {
            try {
                db.sync();
            } catch (StorageException e) {
                throw failure(e);
            }
        }
    }

    /** Goes on to what the writer of a store that is read only has written. */
    void refresh() throws IOException {
        if (isReadOnly()) {
            try {
                reader.refresh();
            } catch (StorageException e) {
                throw failure(e);
            }
        }
    }

    /**
     * Makes a change. One that has met others too often is made while there are no others.
     *
     * @param atLeast a durability, or null for the store's
     */
    <T> T change(Durability atLeast, Change<T> change) throws IOException {
        if (isReadOnly()) {
            throw new ReadOnlyFileSystemException();
        }
        for (int tries = 1; ; tries++) {
            long now = now();
            Lock lock = tries <= TRIES_BESIDE_OTHERS ? gate.readLock() : gate.writeLock();
            lock.lock();
            try {
                return tryOnce(atLeast, change, now);
            } catch (ConflictException e) {
                if (tries == MAX_TRIES) {
                    throw failure(e);
                }
            } catch (StorageException | IllegalStateException | IllegalArgumentException e) {
                throw failure(e);
            } finally {
                lock.unlock();
            }
            giveWay(tries);
        }
    }

    private <T> T tryOnce(Durability atLeast, Change<T> change, long now) throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            T result = change.make(
                    new TreeChange(entriesName, transaction.in(entries), transaction.in(blocks), blockBytes, now));
            if (atLeast == null) {
                transaction.commit();
            } else {
                transaction.commit(atLeast);
            }
            return result;
        }
    }

    /** Waits for the changes that are under way, and lets none begin. */
    void close() {
        gate.writeLock().lock();
        closed = true;
        gate.writeLock().unlock();
    }

    /** Waits for a random time, so that one of those in a conflict goes through. An interrupt stays pending. */
    private static void giveWay(int conflicts) {
        int most = Math.min(conflicts, MAX_WAITS) * WAIT_NANOS;
        long rest = ThreadLocalRandom.current().nextInt(most);
        long end = System.nanoTime() + rest;
        boolean interrupted = false;
        for (; rest > 0; rest = end - System.nanoTime()) {
            LockSupport.parkNanos(rest);
            interrupted |= Thread.interrupted(); // or there would be no wait
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What users of files know for a failure of the store, for more held back by snapshots than it may, and for a change
     * that does not fit a memtable.
     */
    static IOException failure(RuntimeException e) {
        if (e instanceof ClosedFileSystemException closed) {
            throw closed;
        }
        if (e instanceof StoreClosedException) {
            ClosedFileSystemException closed = new ClosedFileSystemException();
            closed.initCause(e);
            throw closed;
        }
        return new IOException(e.getMessage(), e);
    }
}
