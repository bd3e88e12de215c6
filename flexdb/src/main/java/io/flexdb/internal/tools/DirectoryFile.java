package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file that makes a directory one of backups.
 *
 * @param storeId of the store that the backups are of
 * @param last the greatest number that a backup was given, be it deleted or never finished; 0 if there is none
 */
record DirectoryFile(long storeId, long last) {
    static final String NAME = "flexdb.backups";
    static final String UNFINISHED_NAME = NAME + CheckedText.UNFINISHED;
    private static final String TITLE = "Backups of a FlexDB store.";

    /** Puts the file into a directory, durably and in one step. */
    void write(Vfs vfs, Path directory) {
        List<String> lines = List.of("store = " + Long.toHexString(storeId), "last = " + last);
        CheckedText.write(vfs, directory.resolve(NAME), TITLE, lines);
    }

    static DirectoryFile read(Vfs vfs, Path directory) {
        Path path = directory.resolve(NAME);
        List<String> lines = CheckedText.read(vfs, path);
        if (lines.size() != 2
                || !lines.get(0).matches("store = [0-9a-f]{1,16}")
                || !lines.get(1).matches("last = [0-9]{1,18}")) {
            throw new CorruptionException(path, 0, "lines store and last", lines.toString());
        }
        long storeId = Long.parseUnsignedLong(lines.get(0).substring("store = ".length()), 16);
        return new DirectoryFile(storeId, Long.parseLong(lines.get(1).substring("last = ".length())));
    }
}
