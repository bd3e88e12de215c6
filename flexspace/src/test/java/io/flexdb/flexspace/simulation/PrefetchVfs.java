package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of the data file of which the kernel is told, in pieces that it takes at once. */
public final class PrefetchVfs extends ForwardingVfs {
    private static final int MOST_AT_ONCE = 128 << 10;

    /** Bytes so far. */
    public final AtomicLong told = new AtomicLong();

    public PrefetchVfs(Vfs vfs) {
        super(vfs);
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        return new ForwardingVfsFile(super.open(file, mode)) {
            @Override
            public void prefetch(long position, long bytes) {
                assertTrue(bytes > 0 && bytes <= MOST_AT_ONCE, bytes + " bytes at once");
                told.addAndGet(path().endsWith("data") ? bytes : 0);
                super.prefetch(position, bytes);
            }
        };
    }
}
