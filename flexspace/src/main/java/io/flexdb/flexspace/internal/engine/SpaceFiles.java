package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SegmentSizes;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.checkpoint.SavedTable;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.vfs.HolderRecord;
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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The three files of a space in a directory: what makes a directory a space, and how a new one comes to be. */
final class SpaceFiles {
    static final String DATA_NAME = "data";
    static final String DATA_NAME_WHILE_COPIED = "data.new";
    static final String LINKED_DATA_NAME = SpaceCopy.LINKED_DATA_NAME;
    static final String BEGUN_NAME = "flexspace.new";

    /** Of the first log of a space whose creation is the opening that uses it: each opening has one that is greater. */
    private static final long FIRST_GENERATION = 2;

    private static final int MAX_LOCK_BYTES = 4096;

    private SpaceFiles() {}

    /** Whether the directory holds a space. */
    static boolean exist(Vfs vfs, Path directory) {
        return vfs.exists(directory.resolve(TreeFileFormat.FILE_NAME));
    }

    /** Whether the directory has a file of a space that says of itself that it is one. */
    static boolean isOne(Vfs vfs, Path directory) {
        return vfs.isDirectory(directory) && hasProof(vfs, directory, vfs.list(directory));
    }

    private static boolean hasProof(Vfs vfs, Path directory, List<String> names) {
        for (String name : names) {
            Path file = directory.resolve(name);
            if (isFileName(name) && !vfs.isDirectory(file) && saysSo(vfs, file)) {
                return true;
            }
        }
        return false;
    }

    private static boolean saysSo(Vfs vfs, Path path) {
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer first = FilePreamble.read(file, 0);
            return FilePreamble.isOf(FilePreamble.Kind.DATA, first)
                    || FilePreamble.isOf(FilePreamble.Kind.LOG, first)
                    || isTree(file, 0)
                    || isTree(file, 1);
        } catch (StoreIoException e) {
            requireMissing(e);
            return false;
        }
    }

    /** A look without the lock may find that a file is gone again. */
    private static void requireMissing(StoreIoException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
            throw e;
        }
    }

    private static boolean isTree(VfsFile file, long treeVersion) {
        ByteBuffer block = FilePreamble.read(file, TreeFileFormat.headerPosition(treeVersion));
        return FilePreamble.isOf(FilePreamble.Kind.TREE, block);
    }

    /**
     * Whether a file with the name of a lock file may be one. A text that no holder writes is somebody else's.
     *
     * @throws io.flexdb.storage.StoreLockedException if it is locked
     */
    static boolean isLockFile(Vfs vfs, Path file) {
        if (vfs.isDirectory(file)) {
            return false;
        }
        try (VfsFile opened = vfs.open(file, OpenMode.READ)) {
            ByteBuffer content = ByteBuffer.allocate((int) Math.min(MAX_LOCK_BYTES, opened.size()));
            opened.readFully(content, 0);
            return opened.size() < MAX_LOCK_BYTES && HolderRecord.mayBeOne(content.array());
        }
    }

    /** Makes a directory and its missing parents, and their names durable. */
    static void createDirectory(Vfs vfs, Path directory) {
        makeDirectory(vfs, directory);
        syncName(vfs, directory);
    }

    /** Does the same, but that the name of the directory itself is not durable yet: {@link #syncName} does that. */
    static void makeDirectory(Vfs vfs, Path directory) {
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = directory;
        while (existing.getParent() != null && !vfs.exists(existing)) {
            missing.push(existing);
            existing = existing.getParent();
        }
        // Made one after the other, so that whoever is cut short leaves only the last one without a durable name. So
        // may have been he who made this one, and it is done once more.
        for (Path path : missing) {
            syncName(vfs, existing);
            vfs.createDirectories(path);
            existing = path;
        }
    }

    /**
     * Makes the name of a directory durable. For that its parent is forced. One that may be searched, and even written
     * to, but not read, as /home often is, can't be opened and so can't be forced. Then the directory itself is: on the
     * file systems that stores are made for, ext4, XFS and Btrfs, the force of a new directory takes along the change
     * that made it, name included. One that can't be opened either was made by others, and is theirs to keep.
     */
    static void syncName(Vfs vfs, Path directory) {
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
     * can be begun again. It must be known that files with the names of a space's are such: they are deleted.
     *
     * @throws NotAStoreException if the directory has other files in it
     * @throws CorruptionException if it has the data of a space whose FlexTree file is gone
     */
    static void create(Vfs vfs, Path directory, long storeId, SpaceSettings settings, List<String> allowedNames) {
        createDirectory(vfs, directory);
        deleteLeft(vfs, directory, allowedNames);
        try (VfsFile data = vfs.open(directory.resolve(DATA_NAME), OpenMode.CREATE)) {
            writeEmptyData(data, storeId);
            data.force();
        }
        LogicalLog.create(vfs, directory, storeId, 1, 1, List::of).close();
        Path unfinished = directory.resolve(TreeFileFormat.NAME_WHILE_MADE);
        try (VfsFile tree = vfs.open(unfinished, OpenMode.CREATE)) {
            writeEmptyTree(tree, storeId, settings);
            tree.force();
        }
        vfs.rename(unfinished, directory.resolve(TreeFileFormat.FILE_NAME));
        vfs.syncDirectory(directory);
    }

    /**
     * Creates a space that is part of something larger, whose owner knows that it is none before it has returned, and
     * has it be created anew if it has not. So files and names need no order here: they are written first, and then
     * forced, which the file system can do at once.
     *
     * @param directory that there is
     */
    static void createPart(Vfs vfs, Path directory, long storeId, SpaceSettings settings) {
        deleteLeft(vfs, directory, List.of());
        Path firstLog = directory.resolve(LogFormat.fileName(FIRST_GENERATION));
        try (VfsFile data = vfs.open(directory.resolve(DATA_NAME), OpenMode.CREATE);
                VfsFile log = vfs.open(firstLog, OpenMode.CREATE);
                VfsFile tree = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.CREATE)) {
            writeEmptyData(data, storeId);
            LogicalLog.writeEmpty(log, storeId, FIRST_GENERATION, 1);
            writeEmptyTree(tree, storeId, settings);
            for (VfsFile file : List.of(data, log, tree)) {
                file.startWriting(0, file.size());
            }
            data.force();
            log.force();
            tree.force();
        }
        vfs.syncDirectory(directory);
    }

    private static void deleteLeft(Vfs vfs, Path directory, List<String> allowedNames) {
        List<String> names = vfs.list(directory);
        for (String name : names) {
            if (!allowedNames.contains(name) && !isLeft(vfs, directory.resolve(name))) {
                throw new NotAStoreException(directory, name);
            }
        }
        requireNoData(vfs, directory, names);
        for (String name : names) {
            if (!allowedNames.contains(name)) {
                vfs.delete(directory.resolve(name));
            }
        }
    }

    private static void writeEmptyData(VfsFile data, long storeId) {
        data.write(FilePreamble.finish(FilePreamble.begin(FilePreamble.Kind.DATA, storeId)), 0);
    }

    private static void writeEmptyTree(VfsFile tree, long storeId, SpaceSettings settings) {
        TreeHeader.claimPlaces(tree);
        ByteBuffer bytes = emptyTable();
        SavedTable table = SavedTable.of(bytes, 1);
        ByteBuffer unit = ByteBuffer.allocate(TreeFileFormat.UNIT_BYTES).put(bytes);
        unit.clear();
        tree.write(unit, table.position());
        SavedRoot root = new SavedRoot(0, 0, 0, 0, 0);
        SegmentSizes sizes = new SegmentSizes(settings.segmentBytes, settings.frameBytes);
        new TreeHeader(1, 0, root, table, sizes, storeId).write(tree);
    }

    private static ByteBuffer emptyTable() {
        ByteBuffer table =
                ByteBuffer.allocate(TreeFileFormat.TABLE_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return table.putInt(0).putInt(-1).putInt(0).flip();
    }

    /** Whether a file of a space may have a name, be it for as long as it is being made. */
    static boolean isFileName(String name) {
        return name.equals(DATA_NAME)
                || name.equals(DATA_NAME_WHILE_COPIED)
                || name.equals(LINKED_DATA_NAME)
                || name.equals(TreeFileFormat.FILE_NAME)
                || name.equals(TreeFileFormat.NAME_WHILE_MADE)
                || name.equals(LogicalLog.NAME_WHILE_MADE)
                || name.equals(LogicalLog.NAME_WHILE_RECOVERED)
                || LogFormat.generationOf(name) > 0;
    }

    /**
     * Says, by the name of an empty file, that a creation has begun in a directory where nobody else has anything; from
     * then on {@link #checkCreatable} takes what it finds for what the creation has left.
     */
    static void beginCreation(Vfs vfs, Path directory) {
        Path begun = directory.resolve(BEGUN_NAME);
        if (!vfs.exists(begun)) {
            vfs.open(begun, OpenMode.CREATE).close();
        }
        vfs.syncDirectory(directory);
    }

    /** Ends it, when the space is there. */
    static void endCreation(Vfs vfs, Path directory) {
        Path begun = directory.resolve(BEGUN_NAME);
        if (vfs.exists(begun)) {
            vfs.delete(begun);
        }
    }

    /**
     * Checks that the directory has nothing but what a creation that was cut short may leave. Names are no proof of
     * that: the creation says that it has begun, or one of the files says that it is one of a space.
     */
    static void checkCreatable(Vfs vfs, Path directory, List<String> allowedNames) {
        List<String> names = vfs.list(directory);
        if (names.contains(TreeFileFormat.FILE_NAME)) {
            return; // it has become a space
        }
        boolean begun = names.contains(BEGUN_NAME) || hasProof(vfs, directory, names);
        for (String name : names) {
            boolean allowed = allowedNames.contains(name)
                    || begun && (name.equals(BEGUN_NAME) || isLeft(vfs, directory.resolve(name)));
            if (!allowed) {
                throw new NotAStoreException(directory, name);
            }
        }
        requireNoData(vfs, directory, names);
    }

    private static boolean isLeft(Vfs vfs, Path file) {
        return isFileName(file.getFileName().toString()) && !vfs.isDirectory(file);
    }

    private static void requireNoData(Vfs vfs, Path directory, List<String> names) {
        for (String name : names) {
            if (mayHaveData(vfs, directory.resolve(name))) {
                throw new CorruptionException(
                        directory.resolve(TreeFileFormat.FILE_NAME), 0, "the FlexTree file of " + name, "no file");
            }
        }
    }

    /** Whether a directory has a file that no creation leaves, but only a space that was used. */
    static boolean mayHaveData(Vfs vfs, Path directory, List<String> names) {
        return names.stream().anyMatch(name -> mayHaveData(vfs, directory.resolve(name)));
    }

    private static boolean mayHaveData(Vfs vfs, Path file) {
        String name = file.getFileName().toString();
        boolean mayHave = name.equals(DATA_NAME) || name.equals(LINKED_DATA_NAME) || LogFormat.generationOf(name) > 0;
        return mayHave && size(vfs, file) > FilePreamble.BLOCK_BYTES;
    }

    private static long size(Vfs vfs, Path file) {
        try (VfsFile opened = vfs.open(file, OpenMode.READ)) {
            return opened.size();
        } catch (StoreIoException e) {
            requireMissing(e);
            return 0;
        }
    }
}
