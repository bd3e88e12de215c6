package io.flexdb;

import static io.flexdb.Limits.localPath;
import static io.flexdb.Limits.notNull;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.salvage.StoreSalvage;
import io.flexdb.internal.store.Store;
import io.flexdb.internal.store.StoreOpener;
import io.flexdb.storage.TargetNotEmptyException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

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

    private FlexDBSalvage() {}

    /** Salvages a store with default options, as {@link #salvage(Path, Path, FlexDBOptions, Progress)} does. */
    public static FlexDBSalvageReport salvage(Path damaged, Path fresh) {
        return salvage(damaged, fresh, FlexDBOptions.defaults(), Progress.NONE);
    }

    /**
     * Brings every readable pair of a damaged store that nobody has open into a new one, and says what is lost. What is
     * damaged is left out: pairs in damaged frames, with those behind them in the same extent; the ranges of the address
     * space that damaged nodes of the FlexTree had; writes in a log from a damaged one on, and logs whose headers are
     * damaged. Without any header of the FlexTree only the write-ahead logs are left.
     *
     * <p>As long as the FlexTree and the logs are whole, what was deleted stays so. Otherwise deleted pairs may be back,
     * and values be earlier ones, or lack operands; {@link FlexDBSalvageReport#mayHoldRemovedPairs()} says so.
     *
     * <p>If this throws, or is cut short, what is in the new directory is a part; delete it.
     *
     * @param damaged the directory of a store, or what is left of it
     * @param fresh an empty or missing directory
     * @param options of the new store; a pair that its memtables can't hold is left out, and told. They need the merge
     *     function if the logs of the damaged store may have operands
     * @param progress is told how far it is, and may end it
     * @throws io.flexdb.storage.NotAStoreException if there is nothing of a store
     * @throws io.flexdb.storage.StoreLockedException if the damaged store is open, here or in another process
     * @throws io.flexdb.storage.MergeException if there are operands in logs, and no function
     * @throws TargetNotEmptyException if the new directory has something in it; nothing is changed
     */
    public static FlexDBSalvageReport salvage(Path damaged, Path fresh, FlexDBOptions options, Progress progress) {
        localPath(damaged, "damaged");
        localPath(fresh, "fresh");
        return salvage(
                new RealVfs(), damaged, fresh, notNull(options, "options"), notNull(progress, "progress"), false);
    }

    static FlexDBSalvageReport salvage(
            Vfs vfs, Path damaged, Path fresh, FlexDBOptions options, Progress progress, boolean inline) {
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
        try (Store store =
                StoreOpener.open(vfs, to, options.withClock(BEGINNING).settings(), inline)) {
            return FlexDBSalvageReport.of(
                    StoreSalvage.run(vfs, from, store.writer(), store.settings(), progress::done));
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }
}
