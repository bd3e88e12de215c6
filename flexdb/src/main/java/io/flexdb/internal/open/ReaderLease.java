package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.LongSupplier;

/** A reader's request to the writer, as a file in the store's directory. Never throws. For one thread at a time. */
public final class ReaderLease implements AutoCloseable {
    private static final long DUE_MILLIS = LeaseName.MAX_MILLIS / 3;

    private final Vfs vfs;
    private final Path directory;
    private final LongSupplier millis;
    private final long id = new SecureRandom().nextLong();
    private LeaseName current; // null if there is none

    /**
     * Asks for nothing yet.
     *
     * @param millis a clock that the writer has, too
     */
    public ReaderLease(Vfs vfs, Path directory, LongSupplier millis) {
        this.vfs = vfs;
        this.directory = directory;
        this.millis = millis;
    }

    /** The time by the clock. */
    public long now() {
        return millis.getAsLong();
    }

    /**
     * Asks the writer not to reuse segments that became free after a time. If nobody may write to the directory, there
     * is no lease.
     */
    public void renew(long since) {
        LeaseName next = new LeaseName(id, since, now() + LeaseName.MAX_MILLIS);
        if (next.equals(current)) {
            return;
        }
        LeaseName before = current;
        try {
            vfs.open(directory.resolve(next.toString()), OpenMode.CREATE).close();
            current = next;
        } catch (StorageException e) {
            current = null;
        }
        delete(before);
    }

    /** Whether there is a lease that ends soon. */
    public boolean isDue() {
        return current != null && current.until() - now() < DUE_MILLIS;
    }

    private void delete(LeaseName lease) {
        if (lease == null) {
            return;
        }
        try {
            vfs.deleteIfExists(directory.resolve(lease.toString()));
        } catch (StorageException e) {
            // It ends by itself.
        }
    }

    /** Asks for nothing any more. */
    @Override
    public void close() {
        delete(current);
        current = null;
    }
}
