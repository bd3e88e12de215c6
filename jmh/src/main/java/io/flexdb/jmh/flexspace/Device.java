package io.flexdb.jmh.flexspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What the system tells of the disk beneath a directory. Linux; elsewhere it tells nothing. */
final class Device {
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
}
