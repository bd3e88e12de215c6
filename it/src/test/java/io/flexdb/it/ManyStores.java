package io.flexdb.it;

import io.flexdb.FlexDB;
import io.flexdb.base.memory.DirectMemory;
import io.flexdb.testing.FilesInUse;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What {@link ManyStoresTest} runs in a JVM of its own: many stores with default options, all of them open and written
 * to. Ends with 0 if they take as little as was promised.
 */
final class ManyStores {
    private static final long MIB = 1 << 20;
    private static final long MOST_DIRECT_BYTES = 512 * MIB; // of 200
    private static final int MOST_THREADS = 10;
    private static final int PAIRS = 10;

    private ManyStores() {}

    /** Arguments: a directory, and how many stores. */
    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[1]);
        List<FlexDB> stores = new ArrayList<>();
        long mostThreads = 0;
        for (int i = 0; i < count; i++) {
            FlexDB db = FlexDB.open(Path.of(args[0], "store" + i));
            stores.add(db);
            for (int pair = 0; pair < PAIRS; pair++) {
                db.put(bytes("key" + pair), bytes("value" + i + "." + pair));
            }
            mostThreads = Math.max(mostThreads, threads());
        }
        for (int i = 0; i < count; i++) {
            for (int pair = 0; pair < PAIRS; pair++) {
                require(
                        Arrays.equals(
                                bytes("value" + i + "." + pair), stores.get(i).get(bytes("key" + pair))),
                        "store " + i);
            }
            mostThreads = Math.max(mostThreads, threads());
        }
        long direct = DirectMemory.mappedBytes()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        long mostDisk = 0;
        for (int i = 0; i < count; i++) {
            mostDisk = Math.max(mostDisk, FilesInUse.bytesBelow(Path.of(args[0], "store" + i)));
        }
        System.out.println(count + " stores: " + direct + " bytes of direct memory, at most " + mostThreads
                + " threads, at most " + mostDisk + " bytes on disk each, " + descriptors() + " descriptors");
        require(direct <= MOST_DIRECT_BYTES / 200 * count, "direct memory");
        require(mostThreads <= MOST_THREADS, "threads");
        require(mostDisk <= MIB, "disk");
        stores.forEach(FlexDB::close);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("flexdb-"))
                .count();
    }

    private static long descriptors() throws IOException {
        Path path = Path.of("/proc/self/fd");
        if (!Files.isDirectory(path)) {
            return -1; // another system
        }
        try (Stream<Path> open = Files.list(path)) {
            return open.count();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
