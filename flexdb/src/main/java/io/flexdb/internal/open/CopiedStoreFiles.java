package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.log.WalFormat;
import java.nio.file.Path;
import java.util.function.Predicate;

/** The files of a space and the write-ahead logs in a directory that is known to be ours, to be deleted. */
public final class CopiedStoreFiles {
    private CopiedStoreFiles() {}

    /**
     * Deletes them, and the directories that are empty then. Files with other names stay, and so does anything that
     * only a symbolic link leads to.
     */
    public static void deleteAll(Vfs vfs, Path directory) {
        deleteAll(vfs, directory.resolve(StoreFiles.SPACE_NAME), SpaceEngine::isFileName);
        deleteAll(vfs, directory.resolve(StoreFiles.WAL_NAME), WalFormat::isFileName);
    }

    private static void deleteAll(Vfs vfs, Path below, Predicate<String> isOurs) {
        if (!vfs.isPlainDirectory(below)) {
            return;
        }
        boolean all = true;
        for (String name : vfs.list(below)) {
            all &= isOurs.test(name) && deleteFile(vfs, below.resolve(name));
        }
        if (all) {
            vfs.delete(below);
        }
    }

    /** Deletes a regular file, if there is one of this name, and returns whether there is nothing then. */
    public static boolean deleteFile(Vfs vfs, Path path) {
        if (vfs.isPlainFile(path)) {
            vfs.delete(path);
            return true;
        }
        return !vfs.exists(path);
    }
}
