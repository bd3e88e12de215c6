package io.flexdb.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operating system's page cache, that of the whole machine. Linux. */
public final class PageCache {
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

    private PageCache() {}

    /** Whether {@link #drop} works; says so if not. */
    public static boolean canDrop(PrintStream progress) {
        if (Files.isWritable(DROP_CACHES)) {
            return true;
        }
        progress.println("no cold reads: only root can drop the page cache, through " + DROP_CACHES);
        return false;
    }

    /** Empties it; what isn't on disk yet stays. */
    public static void drop() throws IOException {
        Files.writeString(DROP_CACHES, "1\n");
    }
}
