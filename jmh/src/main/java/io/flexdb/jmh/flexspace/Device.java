package io.flexdb.jmh.flexspace;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What the system tells of the disk beneath a directory, and its page cache. Linux; elsewhere it tells nothing. */
final class Device {
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
    private static final int SECTORS_WRITTEN_FIELD = 6;
    private static final int SECTOR_BYTES = 512; // whatever the disk's own are

    private final Path directory;
    private final Path statistics;

    Device(Path directory) throws IOException {
        this.directory = directory;
        this.statistics = Path.of("/sys/class/block", nameOf(directory), "stat");
    }

    private static String nameOf(Path directory) throws IOException {
        Path source = Path.of(Files.getFileStore(directory).name());
        if (Files.exists(source)) {
            source = source.toRealPath(); // names of the device mapper are links
        }
        Path name = source.getFileName();
        return name == null ? "none" : name.toString();
    }

    /**
     * Writes what the file system has in memory, and tells the bytes that the disk was given to write since the system
     * started: by everybody, and without what the disk makes of them inside.
     */
    OptionalLong bytesWritten() throws IOException {
        if (!Files.isReadable(statistics) || !LinuxFile.isAvailable()) {
            return OptionalLong.empty();
        }
        LinuxFile.syncFileSystem(directory);
        String[] fields = Files.readString(statistics).trim().split("\\s+");
        return OptionalLong.of(Long.parseLong(fields[SECTORS_WRITTEN_FIELD]) * SECTOR_BYTES);
    }

    /** Whether {@link #dropPageCache} works; says so if not. */
    static boolean canDropPageCache(PrintStream progress) {
        if (Files.isWritable(DROP_CACHES)) {
            return true;
        }
        progress.println("no cold reads: only root can drop the page cache, through " + DROP_CACHES);
        return false;
    }

    /** Empties the page cache of the whole system; what isn't on disk yet stays. */
    static void dropPageCache() throws IOException {
        Files.writeString(DROP_CACHES, "1\n");
    }
}
