package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * A batch on its way to the logical log, with all that it names (O1). By the writer, or by a thread for which it waits.
 *
 * @param data the file to be forced before, or null
 * @param log what the batch is appended to, which has been told of it
 * @param payload the batch
 * @param requireOwnership run at the end, before anything counts as durable; throws if the files are another process's
 */
public record BatchWrite(VfsFile data, LogicalLog log, ByteBuffer payload, Runnable requireOwnership)
        implements Supplier<Void> {
    /** Makes data and batch durable. */
    @Override
    public Void get() {
        forceData();
        log.append(payload);
        log.force();
        requireOwnership.run();
        return null;
    }

    private void forceData() {
        if (data != null) {
            data.force();
        }
    }
}
