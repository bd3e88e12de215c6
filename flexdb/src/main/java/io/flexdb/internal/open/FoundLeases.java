package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.Leases;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** The leases that readers have left in a store's directory, as its writer finds them. Fails for nothing. */
public final class FoundLeases implements Leases {
    private final Vfs vfs;
    private final Path directory;
    private final LongSupplier millis;

    /** @param millis a clock that the readers have, too */
    public FoundLeases(Vfs vfs, Path directory, LongSupplier millis) {
        this.vfs = vfs;
        this.directory = directory;
        this.millis = millis;
    }

    @Override
    public long now() {
        return millis.getAsLong();
    }

    /** Looks for the oldest state, and deletes leases that are over, such as those of readers that were killed. */
    @Override
    public long oldest() {
        long oldest = NONE;
        long now = now();
        try {
            for (String name : vfs.list(directory)) {
                LeaseName lease = LeaseName.of(name);
                if (lease != null && lease.isValid(now)) {
                    oldest = Math.min(oldest, lease.since());
                } else if (lease != null) {
                    delete(name);
                }
            }
        } catch (StorageException | OutOfMemoryError e) {
            // The leases found so far count: readers can do without the others.
        }
        return oldest;
    }

    private void delete(String name) {
        try {
            vfs.deleteIfExists(directory.resolve(name));
        } catch (StorageException e) {
            // It is somebody else's, perhaps; it is over all the same, and those behind it count.
        }
    }
}
