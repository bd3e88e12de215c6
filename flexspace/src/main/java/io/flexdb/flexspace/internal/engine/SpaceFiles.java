package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.internal.image.SavedRoot;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The three files of a space in a directory: what makes a directory a space, and how a new one comes to be. */
final class SpaceFiles {
    static final String DATA_NAME = "data";

    private SpaceFiles() {}

    /** Whether the directory holds a space. */
    static boolean exist(Vfs vfs, Path directory) {
        return vfs.exists(directory.resolve(TreeFileFormat.FILE_NAME));
    }

    /** Makes a directory and its missing parents, and their names durable. */
    static void createDirectory(Vfs vfs, Path directory) {
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = directory;
        while (existing.getParent() != null && !vfs.exists(existing)) {
            missing.push(existing);
            existing = existing.getParent();
        }
        // Whoever made this one may have been cut short before its name was durable; so it is done once more.
        syncName(vfs, existing);
        // Made one after the other, so that whoever is cut short leaves only the last one without a durable name.
        for (Path path : missing) {
            vfs.createDirectories(path);
            syncName(vfs, path);
        }
    }

    /**
     * Makes the name of a directory durable. For that its parent is forced. One that may be searched, and even written
     * to, but not read, as /home often is, can't be opened and so can't be forced. Then the directory itself is: on the
     * file systems that stores are made for, ext4, XFS and Btrfs, the force of a new directory takes along the change
     * that made it, name included. One that can't be opened either was made by others, and is theirs to keep.
     */
    private static void syncName(Vfs vfs, Path directory) {
        if (directory.getParent() == null) {
            return;
        }
        try {
            vfs.syncDirectory(directory.getParent());
        } catch (StoreIoException e) {
            requireUnreadable(e);
            syncIfReadable(vfs, directory);
        }
    }

    private static void syncIfReadable(Vfs vfs, Path directory) {
        try {
            vfs.syncDirectory(directory);
        } catch (StoreIoException e) {
            requireUnreadable(e);
        }
    }

    private static void requireUnreadable(StoreIoException e) {
        if (!(e.getCause() instanceof AccessDeniedException)) {
            throw e;
        }
    }

    /**
     * Creates a space. The FlexTree file gets its name last, so that a creation that was cut short leaves no space, and
     * can be begun again.
     *
     * @throws NotAStoreException if the directory has other files in it
     * @throws CorruptionException if it has the data of a space whose FlexTree file is gone
     */
    static void create(Vfs vfs, Path directory, long storeId, SpaceSettings settings, List<String> allowedNames) {
        createDirectory(vfs, directory);
        checkCreatable(vfs, directory, allowedNames);
        for (String name : vfs.list(directory)) {
            if (!allowedNames.contains(name)) {
                vfs.delete(directory.resolve(name));
            }
        }
        try (VfsFile data = vfs.open(directory.resolve(DATA_NAME), OpenMode.CREATE)) {
            data.write(FilePreamble.finish(FilePreamble.begin(FilePreamble.Kind.DATA, storeId)), 0);
            data.force();
        }
        LogicalLog.create(vfs, directory, storeId, 1, 1, List::of).close();
        Path unfinished = directory.resolve(TreeFileFormat.NAME_WHILE_MADE);
        try (VfsFile tree = vfs.open(unfinished, OpenMode.CREATE)) {
            ByteBuffer table = emptyTable();
            int crc = FilePreamble.crc(table, 0, table.remaining());
            int bytes = table.remaining();
            ByteBuffer unit = ByteBuffer.allocate(TreeFileFormat.UNIT_BYTES).put(table);
            unit.clear();
            tree.write(unit, TreeFileFormat.slotPosition(1));
            SavedRoot root = new SavedRoot(0, 0, 0, 0, 0);
            new TreeHeader(1, 0, root, 1, bytes, crc, settings.segmentBytes, settings.frameBytes, storeId).write(tree);
            tree.force();
        }
        vfs.rename(unfinished, directory.resolve(TreeFileFormat.FILE_NAME));
        vfs.syncDirectory(directory);
    }

    private static ByteBuffer emptyTable() {
        ByteBuffer table =
                ByteBuffer.allocate(TreeFileFormat.TABLE_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return table.putInt(0).putInt(-1).putInt(0).flip();
    }

    /** Whether a file of a space may have a name, be it for as long as it is being made. */
    static boolean isFileName(String name) {
        return name.equals(DATA_NAME)
                || name.equals(TreeFileFormat.FILE_NAME)
                || name.equals(TreeFileFormat.NAME_WHILE_MADE)
                || name.equals(LogicalLog.NAME_WHILE_MADE)
                || name.equals(LogicalLog.NAME_WHILE_RECOVERED)
                || LogFormat.generationOf(name) > 0;
    }

    /** Whether the directory has nothing but what a creation that was cut short may leave. */
    static void checkCreatable(Vfs vfs, Path directory, List<String> allowedNames) {
        List<String> names = vfs.list(directory);
        for (String name : names) {
            boolean ours = isFileName(name) && !name.equals(TreeFileFormat.FILE_NAME);
            if (!ours && !allowedNames.contains(name)) {
                throw new NotAStoreException(directory, name);
            }
        }
        for (String name : names) {
            boolean mayHoldData = name.equals(DATA_NAME) || LogFormat.generationOf(name) > 0;
            if (mayHoldData && size(vfs, directory.resolve(name)) > FilePreamble.BLOCK_BYTES) {
                throw new CorruptionException(
                        directory.resolve(TreeFileFormat.FILE_NAME), 0, "the FlexTree file of " + name, "no file");
            }
        }
    }

    private static long size(Vfs vfs, Path file) {
        try (VfsFile opened = vfs.open(file, OpenMode.READ)) {
            return opened.size();
        }
    }

    /** Opens the data file and checks that it is one. */
    static VfsFile openData(Vfs vfs, Path directory, long storeId) {
        VfsFile file = vfs.open(directory.resolve(DATA_NAME), OpenMode.READ_WRITE);
        try {
            FilePreamble.check(file.path(), 0, FilePreamble.read(file, 0), FilePreamble.Kind.DATA, 0, storeId);
            return file;
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }
}
