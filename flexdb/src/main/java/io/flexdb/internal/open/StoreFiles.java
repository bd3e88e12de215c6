package io.flexdb.internal.open;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.log.WalFormat;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The directory of a store: the names in it, the signs of a store, and the steps of a creation. */
public final class StoreFiles {
    public static final String LOCK_NAME = "LOCK";
    static final String OPTIONS_NAME = "flexdb.options";
    public static final String SPACE_NAME = "space";
    public static final String WAL_NAME = "wal";
    public static final String INTERVALS_NAME = "intervals";
    static final String DIRECTORIES_NAME = "directories";
    static final String UNFINISHED_DIRECTORIES_NAME = DIRECTORIES_NAME + ".new";
    /** Such files of an open store to which nobody writes, see {@link RestedState}. */
    static final String RESTED_INTERVALS_NAME = INTERVALS_NAME + ".rested";

    static final String RESTED_DIRECTORIES_NAME = DIRECTORIES_NAME + ".rested";
    /** Old versions that open snapshots keep beside memory. Nothing of it is needed after the store's end. */
    public static final String OLD_VERSIONS_NAME = "old-versions";

    private static final String UNFINISHED_OPTIONS_NAME = OPTIONS_NAME + ".new";
    /** In a directory with this file a copy of a store is being made, or its making did not end. */
    public static final String UNFINISHED_COPY_NAME = "copy.unfinished";

    private static final int MAX_OPTIONS_BYTES = 4096;

    private static final Pattern OPTIONS =
            Pattern.compile("# A FlexDB store\\. Do not edit\\.\nformat = ([0-9]{1,9})\nstore = ([0-9a-f]{16})\n"
                    + "checksum = ([0-9a-f]{8})\n");
    private static final Pattern FORMAT_LINE = Pattern.compile("(?m)^format = ([0-9]{1,9})$");

    private StoreFiles() {}

    /*
     * A creation makes the lock file, then the file of options under a temporary name, and makes that name durable;
     * then the rest, in any order. All of it is durable, names and contents, before the file of options gets its own
     * name, as the last step. Each of these names may be somebody else's in a directory that is no store, so nothing is
     * taken for ours without proof:
     *
     * C1 With the file of options the directory is a store, whatever else it has.
     * C2 With the temporary one a creation has begun, in a directory that had a lock file at most. So space and logs
     *    are its own, and any part of them may be missing or torn: they are made anew.
     * C3 With neither, a file that is marked as a space's or a log's shows a store that has lost its file of options.
     * C4 Otherwise there may be a lock file only, and nothing but what a holder writes may be in it.
     * C5 With the marker of a copy, and no file of options, it is no store and is not made one: of an unfinished copy a
     *    power cut leaves any part, such as the data file alone.
     */

    /**
     * Fails, before anything is changed, if a path can be neither opened as a store nor made one. Others may be making
     * one there, or may begin to: so check once more under the lock.
     *
     * @throws io.flexdb.storage.StoreLockedException if a copy of a store is being made there
     */
    public static void checkOpenable(Vfs vfs, Path directory) {
        checkOpenable(vfs, directory, false);
    }

    private static void checkOpenable(Vfs vfs, Path directory, boolean locked) {
        if (!vfs.exists(directory)) {
            return;
        }
        if (!vfs.isDirectory(directory)) {
            throw new NotAStoreException(directory, "a file");
        }
        List<String> names = vfs.list(directory);
        boolean begun = names.contains(UNFINISHED_OPTIONS_NAME);
        if (names.contains(OPTIONS_NAME)) {
            return;
        }
        if (names.contains(UNFINISHED_COPY_NAME)) { // whatever else is there
            if (!locked && names.contains(LOCK_NAME)) {
                vfs.lock(directory.resolve(LOCK_NAME)).close(); // throws if one is being made
            }
            if (hasLostOptions(vfs, directory, names)) {
                throw optionsMissing(directory, UNFINISHED_COPY_NAME + ", so a copy that was not finished: delete it");
            }
            throw new NotAStoreException(directory, UNFINISHED_COPY_NAME);
        }
        if (!begun && hasLostOptions(vfs, directory, names)) {
            return;
        }
        for (String name : names) {
            boolean ours = begun
                    ? LeaseName.of(name) != null
                            || List.of(LOCK_NAME, UNFINISHED_OPTIONS_NAME, SPACE_NAME, WAL_NAME)
                                    .contains(name)
                    : LeaseName.of(name) != null // has no content, and is deleted for its name when it is over
                            || name.equals(LOCK_NAME)
                                    && (locked || SpaceEngine.isLockFile(vfs, directory.resolve(name)));
            if (!ours) {
                throw new NotAStoreException(directory, name);
            }
        }
    }

    /** C3. */
    private static boolean hasLostOptions(Vfs vfs, Path directory, List<String> names) {
        if (names.contains(SPACE_NAME) && SpaceEngine.isOne(vfs, directory.resolve(SPACE_NAME))) {
            return true;
        }
        Path wal = directory.resolve(WAL_NAME);
        if (!names.contains(WAL_NAME) || !vfs.isDirectory(wal)) {
            return false;
        }
        return vfs.list(wal).stream().anyMatch(name -> WalFormat.isFileName(name) && isLog(vfs, wal.resolve(name)));
    }

    private static boolean isLog(Vfs vfs, Path path) {
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            return FilePreamble.isOf(FormatVersion.WAL, FilePreamble.read(file, 0));
        } catch (StoreIoException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return false; // the process that has the lock has deleted it meanwhile
            }
            throw e;
        }
    }

    /** The id of the store that a directory has, which is left as it is. */
    public static long requireStore(Vfs vfs, Path directory) {
        if (!vfs.isDirectory(directory)) {
            throw new NotAStoreException(directory, vfs.exists(directory) ? "a file" : "nothing");
        }
        Path file = directory.resolve(OPTIONS_NAME);
        if (!vfs.exists(file)) {
            throw new NotAStoreException(directory, "no file " + OPTIONS_NAME);
        }
        return readStoreId(vfs, file);
    }

    /**
     * A store that is being opened.
     *
     * @param format the step of its format
     * @param isNew whether its opening has made all of it
     */
    public record Found(long storeId, int format, boolean isNew) {}

    /**
     * The store in a directory, which is made one if it is not. The file with the id comes last, so that a creation
     * that was cut short is begun anew by the next one. Under the lock. The name of the directory is durable then.
     */
    public static Found openOrCreate(Vfs vfs, Path directory, StoreSettings settings) {
        Path file = directory.resolve(OPTIONS_NAME);
        if (vfs.exists(file)) {
            SpaceEngine.syncName(vfs, directory);
            return read(vfs, file);
        }
        checkOpenable(vfs, directory, true); // others may have used it since
        Path space = directory.resolve(SPACE_NAME);
        Path wal = directory.resolve(WAL_NAME);
        if (vfs.isDirectory(wal) && !vfs.list(wal).isEmpty()) {
            throw optionsMissing(directory, "write-ahead logs");
        }
        boolean begun = vfs.exists(directory.resolve(UNFINISHED_OPTIONS_NAME));
        if (begun && SpaceEngine.mayHaveData(vfs, space)) {
            throw optionsMissing(directory, "a space that was used");
        }
        if (begun || !SpaceEngine.exists(vfs, space)) {
            return new Found(create(vfs, directory, settings), FormatVersion.LADDER.written(), true);
        }
        SpaceEngine.syncName(vfs, directory);
        return new Found(takeEmptySpace(vfs, directory, settings), FormatVersion.LADDER.written(), false);
    }

    /** Makes a store of an empty space that has lost its file of options. */
    private static long takeEmptySpace(Vfs vfs, Path directory, StoreSettings settings) {
        Path space = directory.resolve(SPACE_NAME);
        long storeId;
        SpaceSettings toLook = OwnedSpaces.settings(settings.space).copy();
        toLook.segmentBuffers = 0;
        try (SpaceEngine engine = SpaceEngine.recover(vfs, space, 0, toLook, new Epochs())) {
            if (engine.size() > 0 || engine.tag() > 0) {
                throw optionsMissing(directory, "a space of " + engine.size() + " bytes");
            }
            storeId = engine.storeId();
        }
        SpaceEngine.createDirectory(vfs, directory.resolve(WAL_NAME));
        writeOptions(vfs, directory, storeId);
        return storeId;
    }

    private static long create(Vfs vfs, Path directory, StoreSettings settings) {
        long storeId = new SecureRandom().nextLong() | 1; // never 0, which stands for any
        Path space = directory.resolve(SPACE_NAME);
        beginCreation(vfs, directory);
        try (VfsFile options = vfs.open(directory.resolve(UNFINISHED_OPTIONS_NAME), OpenMode.READ_WRITE)) {
            options.truncate(0); // an earlier creation may have begun
            options.write(options(storeId), 0);
            options.startWriting(0, options.size());
            vfs.createDirectories(space);
            vfs.createDirectories(directory.resolve(WAL_NAME));
            SpaceEngine.createPart(vfs, space, storeId, OwnedSpaces.settings(settings.space));
            options.force();
        }
        vfs.syncDirectory(directory); // with the names of space and logs
        SpaceEngine.syncName(vfs, directory);
        publishOptions(vfs, directory);
        return storeId;
    }

    /** C2. */
    private static void beginCreation(Vfs vfs, Path directory) {
        Path unfinished = directory.resolve(UNFINISHED_OPTIONS_NAME);
        if (!vfs.exists(unfinished)) {
            vfs.open(unfinished, OpenMode.CREATE).close();
        }
        vfs.syncDirectory(directory);
    }

    private static CorruptionException optionsMissing(Path directory, String found) {
        return new CorruptionException(
                directory.resolve(OPTIONS_NAME), 0, "the file that belongs to the store", "no file, but " + found);
    }

    /**
     * To be called for a store without the file of intervals of a clean close. A closed store had no log: the file is
     * written when all logs are gone, and every opening makes it invalid. So only a closed store may lack the directory
     * of logs; copies often do, because it is empty.
     *
     * @throws CorruptionException if the directory of logs is missing
     */
    public static void requireLogs(Vfs vfs, Path directory) {
        Path wal = directory.resolve(WAL_NAME);
        if (!vfs.exists(wal)) {
            throw new CorruptionException(
                    wal,
                    0,
                    "the directory of the write-ahead logs, which may hold writes of a store that was not closed",
                    "nothing, and no file " + INTERVALS_NAME + " that proves that the store was closed;"
                            + " copy the directory too, or bring what the rest has into a new store by FlexDBSalvage");
        }
    }

    /** Makes a directory with all other files of a store a store, durably. */
    public static void writeOptions(Vfs vfs, Path directory, long storeId) {
        Path unfinished = directory.resolve(UNFINISHED_OPTIONS_NAME);
        vfs.deleteIfExists(unfinished);
        try (VfsFile file = vfs.open(unfinished, OpenMode.CREATE)) {
            file.write(options(storeId), 0);
            file.force();
        }
        publishOptions(vfs, directory);
    }

    private static void publishOptions(Vfs vfs, Path directory) {
        vfs.rename(directory.resolve(UNFINISHED_OPTIONS_NAME), directory.resolve(OPTIONS_NAME));
        vfs.syncDirectory(directory);
    }

    private static ByteBuffer options(long storeId) {
        String text = "# A FlexDB store. Do not edit.\nformat = " + FormatVersion.LADDER.written() + "\nstore = "
                + String.format(Locale.ROOT, "%016x", storeId) + "\n";
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        String checksum = String.format(Locale.ROOT, "checksum = %08x\n", crc(bytes));
        return ByteBuffer.wrap((text + checksum).getBytes(StandardCharsets.US_ASCII));
    }

    /** Deletes the file that makes a directory a store. */
    public static void deleteOptions(Vfs vfs, Path directory) {
        vfs.deleteIfExists(directory.resolve(OPTIONS_NAME));
        vfs.deleteIfExists(directory.resolve(UNFINISHED_OPTIONS_NAME));
    }

    private static int crc(byte[] bytes) {
        return FilePreamble.crc(ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    /** The directory of a store and those in it. */
    public static List<Path> directories(Path directory) {
        return List.of(directory, directory.resolve(SPACE_NAME), directory.resolve(WAL_NAME));
    }

    /** The file that makes a directory a store. */
    public static Path optionsFile(Path directory) {
        return directory.resolve(OPTIONS_NAME);
    }

    /**
     * Brings a store to the step of the format that this build writes, durably, if it is of an older one. Releases that
     * do not know that step refuse it from then on; before, they refuse each file that was written in it. To be called by
     * an opening to write, when nothing of the store can be a reason any more to refuse it.
     */
    public static void goToWrittenFormat(Vfs vfs, Path directory, Found found) {
        if (found.format() != FormatVersion.LADDER.written()) {
            writeOptions(vfs, directory, found.storeId());
        }
    }

    /** The id of the store in that file. */
    public static long readStoreId(Vfs vfs, Path path) {
        return read(vfs, path).storeId();
    }

    private static Found read(Vfs vfs, Path path) {
        String text;
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(MAX_OPTIONS_BYTES, file.size()));
            file.readFully(bytes, 0);
            text = new String(bytes.array(), StandardCharsets.ISO_8859_1);
        }
        Matcher format = FORMAT_LINE.matcher(text);
        int version = format.find() ? Integer.parseInt(format.group(1)) : 0;
        if (version != 0) {
            FormatVersion.LADDER.requireReadable(path, "store", version);
        }
        Matcher matcher = OPTIONS.matcher(text);
        if (!matcher.matches()) {
            throw new CorruptionException(path, 0, "the lines format, store and checksum", "other text");
        }
        int found = crc(text.substring(0, text.indexOf("checksum")).getBytes(StandardCharsets.ISO_8859_1));
        int expected = Integer.parseUnsignedInt(matcher.group(3), 16);
        if (found != expected) {
            throw new CorruptionException(
                    path, 0, "checksum " + Integer.toHexString(expected), Integer.toHexString(found));
        }
        if (version == 0) { // no release has written it
            throw new CorruptionException(path, 0, "format " + FormatVersion.LADDER.written(), "format 0");
        }
        return new Found(Long.parseUnsignedLong(matcher.group(2), 16), version, false);
    }
}
