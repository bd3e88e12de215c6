package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLogReader;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;

/** The tag of a space, for whoever needs nothing else of it. */
public final class FoundTag {
    private FoundTag() {}

    /**
     * The tag of the last batch of the newest log, or that of the FlexTree if this log has none: what a recovery that
     * begins later finds at least.
     *
     * @return 0 if it can't be told
     */
    public static long of(Vfs vfs, Path directory, long storeId) {
        try {
            long newest = 0;
            for (String name : vfs.list(directory)) {
                newest = Math.max(newest, LogFormat.generationOf(name));
            }
            try (VfsFile log = vfs.open(directory.resolve(LogFormat.fileName(newest)), OpenMode.READ)) {
                long tag = new LogicalLogReader(log, storeId, newest).lastTag();
                if (tag >= 0) {
                    return tag;
                }
            }
            try (VfsFile tree = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.READ)) {
                return TreeHeader.readNewest(tree, storeId).tag();
            }
        } catch (StorageException e) {
            return 0;
        }
    }
}
