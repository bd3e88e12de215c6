package io.flexdb.ycsb;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What may have held operations up that no store can do anything about, since the start of the machine or of this
 * process.
 *
 * @param collectionMillis time that the JVM's garbage collectors took
 * @param stolenTicks hundredths of a second, summed over processors, that a hypervisor gave to others; 0 if not known
 */
record Disturbances(long collectionMillis, long stolenTicks) {
    private static final Path STAT = Path.of("/proc/stat");
    private static final int STOLEN_FIELD = 8; // of the first line, after its name; see proc(5)

    static Disturbances soFar() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += Math.max(0, collector.getCollectionTime());
        }
        return new Disturbances(millis, stolen());
    }

    private static long stolen() {
        try {
            List<String> lines = Files.readAllLines(STAT, StandardCharsets.US_ASCII);
            String[] fields = lines.get(0).trim().split("\\s+");
            return Long.parseLong(fields[STOLEN_FIELD]);
        } catch (IOException | RuntimeException e) {
            return 0; // not Linux, or a kernel that does not tell
        }
    }

    Disturbances since(Disturbances earlier) {
        return new Disturbances(collectionMillis - earlier.collectionMillis, stolenTicks - earlier.stolenTicks);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%,d ms of garbage collection, %,d ms stolen", collectionMillis, 10 * stolenTicks);
    }
}
