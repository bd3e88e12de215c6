package io.flexdb.internal.files;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The directory of a store: its names, what makes it one, and how a new one comes to be. */
public final class StoreFiles {
    public static final String LOCK_NAME = "LOCK";
    static final String OPTIONS_NAME = "flexdb.options";
    public static final String SPACE_NAME = "space";
    public static final String WAL_NAME = "wal";
    public static final String ANCHORS_NAME = "anchors";
    public static final String FILTERS_NAME = "filters";
    static final String OUTLINES_NAME = "outlines";
    private static final String UNFINISHED_OPTIONS_NAME = OPTIONS_NAME + ".new";
    /** In a directory with this file a copy of a store is being made, or its making did not end. */
    public static final String UNFINISHED_COPY_NAME = "copy.unfinished";

    private static final int MAX_OPTIONS_BYTES = 4096;

    /**
     * Since 2 each pair has a checksum, since 3 the frames of write-ahead logs have no numbers, since 4 these may have
     * deleted ranges, since 5 keys that begin with 0xFF stand behind a head, which named keyspaces have, too, logs
     * and pairs may have times and operands, and frames of logs may say that they come behind a bulk load.
     */
    private static final int FORMAT = 5;

    private static final Pattern OPTIONS =
            Pattern.compile("# A FlexDB store\\. Do not edit\\.\nformat = ([0-9]{1,9})\nstore = ([0-9a-f]{16})\n"
                    + "checksum = ([0-9a-f]{8})\n");
    private static final Pattern FORMAT_LINE = Pattern.compile("(?m)^format = ([0-9]{1,9})$");

    private StoreFiles() {}

    /** Fails, before anything is changed, if a path can be neither opened as a store nor made one. */
    public static void checkOpenable(Vfs vfs, Path directory) {
        if (!vfs.exists(directory)) {
            return;
        }
        if (!vfs.isDirectory(directory)) {
            throw new NotAStoreException(directory, "a file");
        }
        if (vfs.exists(directory.resolve(OPTIONS_NAME))) {
            return;
        }
        List<String> ours = List.of(
                LOCK_NAME, SPACE_NAME, WAL_NAME, ANCHORS_NAME, FILTERS_NAME, OUTLINES_NAME, UNFINISHED_OPTIONS_NAME);
        for (String name : vfs.list(directory)) {
            if (!ours.contains(name) && LeaseName.of(name) == null && !TimeMark.is(name)) {
                throw new NotAStoreException(directory, name);
            }
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
     * The id of the store in a directory, which is made one if it is not. The file with the id comes last, so that a
     * creation that was cut short is finished by the next one.
     */
    public static long openOrCreate(Vfs vfs, Path directory, StoreSettings settings) {
        Path file = directory.resolve(OPTIONS_NAME);
        return vfs.exists(file) ? readStoreId(vfs, file) : create(vfs, directory, settings);
    }

    private static long create(Vfs vfs, Path directory, StoreSettings settings) {
        Path space = directory.resolve(SPACE_NAME);
        Path wal = directory.resolve(WAL_NAME);
        if (vfs.isDirectory(wal) && !vfs.list(wal).isEmpty()) {
            throw optionsMissing(directory, "write-ahead logs");
        }
        long storeId;
        if (SpaceEngine.exists(vfs, space)) {
            try (SpaceEngine engine = SpaceEngine.recover(vfs, space, 0, settings.space.settings(), new Epochs())) {
                if (engine.size() > 0 || engine.tag() > 0) {
                    throw optionsMissing(directory, "a space of " + engine.size() + " bytes");
                }
                storeId = engine.storeId();
            }
        } else {
            storeId = new SecureRandom().nextLong() | 1; // never 0, which stands for any
            SpaceEngine.create(vfs, space, storeId, settings.space.settings(), List.of());
        }
        SpaceEngine.createDirectory(vfs, wal);
        writeOptions(vfs, directory, storeId);
        return storeId;
    }

    private static CorruptionException optionsMissing(Path directory, String found) {
        return new CorruptionException(
                directory.resolve(OPTIONS_NAME), 0, "the file that belongs to the store", "no file, but " + found);
    }

    /** Makes a directory with all other files of a store a store, durably. */
    public static void writeOptions(Vfs vfs, Path directory, long storeId) {
        String text = "# A FlexDB store. Do not edit.\nformat = " + FORMAT + "\nstore = "
                + String.format(Locale.ROOT, "%016x", storeId) + "\n";
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        String checksum = String.format(Locale.ROOT, "checksum = %08x\n", crc(bytes));
        Path unfinished = directory.resolve(UNFINISHED_OPTIONS_NAME);
        vfs.deleteIfExists(unfinished);
        try (VfsFile file = vfs.open(unfinished, OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap((text + checksum).getBytes(StandardCharsets.US_ASCII)), 0);
            file.force();
        }
        vfs.rename(unfinished, directory.resolve(OPTIONS_NAME));
        vfs.syncDirectory(directory);
    }

    /** Makes a directory no store any more. */
    public static void deleteOptions(Vfs vfs, Path directory) {
        vfs.deleteIfExists(directory.resolve(OPTIONS_NAME));
        vfs.deleteIfExists(directory.resolve(UNFINISHED_OPTIONS_NAME));
    }

    private static int crc(byte[] bytes) {
        return FilePreamble.crc(ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    /** The file that makes a directory a store. */
    public static Path optionsFile(Path directory) {
        return directory.resolve(OPTIONS_NAME);
    }

    /** The id of the store in that file. */
    public static long readStoreId(Vfs vfs, Path path) {
        String text;
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(MAX_OPTIONS_BYTES, file.size()));
            file.readFully(bytes, 0);
            text = new String(bytes.array(), StandardCharsets.ISO_8859_1);
        }
        Matcher format = FORMAT_LINE.matcher(text);
        int version = format.find() ? Integer.parseInt(format.group(1)) : 0;
        if (version != 0 && version != FORMAT) {
            throw new UnsupportedFormatException(path, "store", version, FORMAT, FORMAT);
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
            throw new CorruptionException(path, 0, "format " + FORMAT, "format 0");
        }
        return Long.parseUnsignedLong(matcher.group(2), 16);
    }
}
