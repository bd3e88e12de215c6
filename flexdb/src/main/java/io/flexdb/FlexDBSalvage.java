package io.flexdb;

import static io.flexdb.Limits.localPath;
import static io.flexdb.Limits.notNull;

import io.flexdb.flexspace.internal.vfs.LockWatch;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.open.NewStoreDirectory;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreOpener;
import io.flexdb.internal.tools.StoreSalvage;
import io.flexdb.storage.TargetNotEmptyException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings what can be read of a damaged store into a new one.
 *
 * <p>Where a backup exists, restoring it gives a state that was; this gives all pairs that are sound, of perhaps
 * different moments. It never changes a file of the damaged store, but for
 * the lock file that it holds meanwhile, and never brings over a byte that was not verified.
 */
public final class FlexDBSalvage {
    /** Before all times at which something expires: until a store is whole nothing of it does. */
    private static final InstantSource BEGINNING = InstantSource.fixed(Instant.ofEpochMilli(Long.MIN_VALUE));

    /** The keyspace of a salvaged store that has its {@link #lostRanges}, if there are any. */
    public static final String LOST_KEYSPACE = StoreSalvage.LOST_KEYSPACE;

    private FlexDBSalvage() {}

    /**
     * Brings every readable pair of a damaged store that nobody has open into a new one with default options, and
     * reports what is lost. It never changes a file of the damaged store but its lock file. If this throws, delete
     * the new directory. See {@link #salvage(Path, Path, FlexDBOptions, Progress)} for the errors; a store with
     * operands in its logs needs it.
     *
     * @param damaged the directory of a store, or what is left of it
     * @param fresh an empty or missing directory
     */
    public static FlexDBSalvageReport salvage(Path damaged, Path fresh) {
        return salvage(damaged, fresh, FlexDBOptions.defaults(), Progress.NONE);
    }

    /**
     * Brings every readable pair of a damaged store that nobody has open into a new one, and says what is lost. It
     * leaves out pairs in damaged frames, with those behind them in the same extent; the ranges of the address space
     * that damaged nodes of the FlexTree had; damaged writes in logs. Without any header of the FlexTree only the
     * write-ahead logs are left.
     *
     * <p>The end of the last log needs not be known: a write that a power cut has torn, which was never acknowledged as
     * durable, looks like one that was damaged. Then a finding says that the store may lack it.
     *
     * <p>Pairs of a named keyspace whose name is lost are in one called "recovered-" and its number. The new store knows
     * which keys may be missing, see {@link #lostRanges}.
     *
     * <p>As long as the FlexTree and the logs are whole, deleted pairs stay deleted. Otherwise deleted pairs may be
     * back, and values be earlier ones, or lack operands; {@link FlexDBSalvageReport#mayHoldRemovedPairs()} says so.
     *
     * <p>If this throws, or is cut short, the new directory has only a part, which can't be opened; delete it.
     *
     * @param damaged the directory of a store, or what is left of it
     * @param fresh an empty or missing directory
     * @param options of the new store; a pair that its memtables can't hold is left out, and told. They need the merge
     *     functions of all keyspaces if the logs of the damaged store may have operands; what was merged into a keyspace
     *     whose name is lost waits in the new store, for the function that it is opened with for the name that it got
     * @param progress is told how far it is, and may end it
     * @throws io.flexdb.storage.NotAStoreException if there is nothing of a store
     * @throws io.flexdb.storage.StoreLockedException if the damaged store is open, here or in another process
     * @throws io.flexdb.storage.MergeException if there are operands in logs, and no function for their keyspace
     * @throws TargetNotEmptyException if the new directory has something in it; nothing is changed
     */
    public static FlexDBSalvageReport salvage(Path damaged, Path fresh, FlexDBOptions options, Progress progress) {
        localPath(damaged, "damaged");
        localPath(fresh, "fresh");
        Scheduler scheduler = FlexDB.scheduler(notNull(options, "options").settings(), false);
        return salvage(new RealVfs(), damaged, fresh, options, notNull(progress, "progress"), scheduler);
    }

    static FlexDBSalvageReport salvage(
            Vfs vfs, Path damaged, Path fresh, FlexDBOptions options, Progress progress, Scheduler scheduler) {
        Path from = damaged.toAbsolutePath().normalize();
        Path to = fresh.toAbsolutePath().normalize();
        Limits.requireOutside(fresh, "fresh", damaged, "the damaged store's directory");
        StoreSalvage.requireStore(vfs, from);
        if (vfs.exists(to)) {
            if (!vfs.isDirectory(to)) {
                throw new TargetNotEmptyException(to, "a file");
            }
            for (String name : vfs.list(to)) {
                throw new TargetNotEmptyException(to, name);
            }
        }
        VfsLock lock = StoreSalvage.lock(vfs, from);
        try {
            StoreSalvage.Result result;
            long id;
            try (Store store =
                    StoreOpener.open(vfs, to, options.withClock(BEGINNING).settings(), scheduler)) {
                id = store.engine.storeId();
                NewStoreDirectory.unfinish(vfs, to);
                result = StoreSalvage.run(vfs, from, store, progress::done);
            }
            if (lock != null) {
                new LockWatch(lock, System::nanoTime).requireHeld(); // or it may have been changed
            }
            NewStoreDirectory.finish(vfs, to, id);
            return Reports.salvaged(result);
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }

    /**
     * The keys of a store made by a salvage that may be missing because they were lost, as ranges; empty if none may.
     * They are in the store itself, in the keyspace {@link #LOST_KEYSPACE}, until that is dropped. Where the damaged store
     * has lost its last writes alone, or pairs of which a log has a later value, they are not among them.
     */
    public static List<LostRange> lostRanges(FlexDB db) {
        return notNull(db, "db").keyspaces().contains(LOST_KEYSPACE)
                ? lostRanges(db.keyspace(LOST_KEYSPACE))
                : List.of();
    }

    /** The lost ranges of a store that is read beside its writer, as {@link #lostRanges(FlexDB)} tells them. */
    public static List<LostRange> lostRanges(FlexDBReader reader) {
        return notNull(reader, "reader").keyspaces().contains(LOST_KEYSPACE)
                ? lostRanges(reader.keyspace(LOST_KEYSPACE))
                : List.of();
    }

    private static List<LostRange> lostRanges(ReadView keyspace) {
        List<LostRange> ranges = new ArrayList<>();
        try (FlexCursor cursor = keyspace.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                ranges.add(lostRange(cursor.key(), cursor.value()));
            }
        }
        return ranges;
    }

    private static LostRange lostRange(byte[] key, byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        byte[] name = new byte[bytes.getShort()];
        byte[] from = new byte[bytes.getInt()];
        int toLength = bytes.getInt();
        byte[] to = toLength < 0 ? null : new byte[toLength];
        bytes.get(name).get(from);
        if (to != null) {
            bytes.get(to);
        }
        return new Reports.LostRange(
                new String(name, StandardCharsets.UTF_8),
                from,
                to,
                ByteBuffer.wrap(key).getLong());
    }

    /**
     * A range of the keys of one keyspace in which pairs may have been lost. A pair that is in it is sound. Later
     * releases may add figures. Only the library implements this interface.
     */
    public sealed interface LostRange permits Reports.LostRange {
        /** The name of the keyspace; empty for the default one. */
        String keyspace();

        /** The first key of the range; empty for the first of all. A copy each time. */
        byte[] from();

        /** The key behind the last one of the range; null if there is no last. A copy each time. */
        byte[] to();

        /** A number that ranges of one salvage share; a salvaged store may have been salvaged again. */
        long salvage();
    }
}
