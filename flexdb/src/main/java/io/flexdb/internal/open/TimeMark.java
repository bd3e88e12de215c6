package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The latest time that a store had, as far as it was kept: a file without content that has it in its name, and so is
 * there whole or not at all. There may be several, of which the latest counts. Only stores with pairs that expire, or
 * with operands, have one.
 */
public final class TimeMark {
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final Pattern NAME = Pattern.compile("time-([0-9a-f]{16})");

    private TimeMark() {}

    /** Whether a file is one. */
    static boolean is(String name) {
        return NAME.matcher(name).matches();
    }

    /** The mark of a store, in milliseconds since 1970; {@link Long#MIN_VALUE} if there is none. */
    public static long read(Vfs vfs, Path directory) {
        long latest = Long.MIN_VALUE;
        for (String name : vfs.list(directory)) {
            Matcher matcher = NAME.matcher(name);
            if (matcher.matches()) {
                latest = Math.max(latest, Long.parseUnsignedLong(matcher.group(1), 16));
            }
        }
        return latest;
    }

    /**
     * Keeps a mark, and no other. Nothing depends on it as long as clocks go on, so a failure here is only logged.
     *
     * @param time not negative
     */
    public static void write(Vfs vfs, Path directory, long time) {
        String name = String.format(Locale.ROOT, "time-%016x", time);
        try {
            vfs.open(directory.resolve(name), OpenMode.CREATE).close();
            vfs.syncDirectory(directory);
            for (String other : vfs.list(directory)) {
                if (is(other) && !other.equals(name)) {
                    vfs.deleteIfExists(directory.resolve(other));
                }
            }
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "The time was not kept in " + directory, e);
        }
    }
}
