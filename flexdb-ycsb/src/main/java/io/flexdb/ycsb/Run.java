package io.flexdb.ycsb;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/**
 * A load and several workloads on one store, which stays open throughout; then the store is closed, opened again and
 * its records counted.
 */
final class Run {
    /*
     * Workloads that insert are why a run keeps account of the key sequence. YCSB numbers records from 0, and a
     * workload takes "recordcount" both for the records that exist and for the number of its first insert. So each
     * workload must be told how far the one before it has come: too small a number inserts records a second time, too
     * large a one reads records that never existed.
     */
    private static final String LOAD = "load";

    private final Settings settings;
    private final List<Workloads.Named> workloads;
    private final Progress progress;
    private final Report report = new Report();
    private final StringBuilder summary = new StringBuilder();
    private long nextKey;
    private long expectedRecords;
    private boolean good = true;

    Run(Settings settings, List<Workloads.Named> workloads, Progress progress) {
        this.settings = settings;
        this.workloads = workloads;
        this.progress = progress;
    }

    /** What to run. {@code properties} go to YCSB and to the binding, and override those of the workload files. */
    record Settings(Path directory, int records, int operations, int threads, Map<String, String> properties) {}

    Report report() {
        return report;
    }

    /** What does not fit the table, in some lines. */
    String summary() {
        return summary.toString();
    }

    /** Does it all; true if every operation ended well and the records are complete. */
    boolean execute() throws WorkloadException, DBException, InterruptedException, IOException {
        Properties storeProperties = propertiesFor(new Properties());
        // Read by YCSB's own measurements, which the core workload wants although this runner has its own.
        site.ycsb.measurements.Measurements.setProperties(storeProperties);
        SharedStore shared = SharedStore.acquire(settings.directory(), FlexDBClient.optionsFrom(storeProperties));
        try {
            phase(shared, LOAD, true, workloads.get(0).properties(), settings.records());
            for (Workloads.Named workload : workloads) {
                phase(shared, workload.name(), false, workload.properties(), settings.operations());
            }
        } finally {
            long start = System.nanoTime();
            shared.release();
            summary.append(String.format(Locale.ROOT, "Closed in %.2f s", (System.nanoTime() - start) / 1e9));
        }
        countRecords(storeProperties);
        reportWrongValues();
        return good;
    }

    private void phase(SharedStore shared, String name, boolean load, Properties ofWorkload, int operations)
            throws WorkloadException, DBException, InterruptedException, IOException {
        Properties properties = propertiesFor(ofWorkload);
        properties.setProperty("recordcount", Long.toString(load ? settings.records() : nextKey));
        properties.setProperty("operationcount", Integer.toString(operations));
        Phase.Result result =
                new Phase(name, load, properties, operations, settings.threads(), FlexDBClient::new).run(progress);
        nextKey += result.inserts();
        expectedRecords += result.successfulInserts();

        long written = shared.store().stats().written().totalBytes();
        report.add(result, bytesOfFiles(), (double) written / Math.max(shared.putBytes(), 1));
        summary.append(name).append(": ").append(result.disturbances()).append('\n');
        result.measurements().failures().forEach((what, count) -> {
            good = false;
            System.err.printf(Locale.ROOT, "%s: %s %,d times%n", name, what, count);
        });
        if (result.measurements().operations() != operations) {
            good = false;
            System.err.printf(Locale.ROOT, "%s: broke off%n", name);
        }
    }

    private long bytesOfFiles() throws IOException {
        AtomicLong sum = new AtomicLong();
        Files.walkFileTree(settings.directory(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sum.addAndGet(attributes.size());
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE; // the store is open, and has just removed or renamed it
            }
        });
        return sum.get();
    }

    private Properties propertiesFor(Properties ofWorkload) {
        Properties properties = new Properties();
        properties.putAll(ofWorkload);
        properties.putAll(settings.properties());
        return properties;
    }

    private void countRecords(Properties storeProperties) {
        long start = System.nanoTime();
        try (FlexDB store = FlexDB.open(settings.directory(), FlexDBClient.optionsFrom(storeProperties))) {
            double openSeconds = (System.nanoTime() - start) / 1e9;
            long found = 0;
            try (FlexCursor cursor = store.cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    found++;
                }
            }
            summary.append(String.format(
                    Locale.ROOT,
                    ", opened again in %.2f s, %,d of %,d records found.",
                    openSeconds,
                    found,
                    expectedRecords));
            good &= found == expectedRecords;
        }
    }

    /** What YCSB's check of the values said, if it was asked for. */
    private void reportWrongValues() throws IOException {
        if (!Boolean.parseBoolean(settings.properties().get("dataintegrity"))) {
            return;
        }
        VerifyCounts counts = new VerifyCounts();
        site.ycsb.measurements.Measurements.getMeasurements().exportMeasurements(counts);
        summary.append(String.format(
                Locale.ROOT,
                "%nChecked the values of %,d reads: %,d were wrong.",
                counts.right + counts.wrong,
                counts.wrong));
        good &= counts.wrong == 0;
    }

    /** Picks the results of YCSB's value check from its measurements. */
    private static final class VerifyCounts implements MeasurementsExporter {
        private long right;
        private long wrong;

        @Override
        public void write(String metric, String measurement, int count) {
            if (metric.equals("VERIFY") && measurement.equals("Return=OK")) {
                right += count;
            } else if (metric.equals("VERIFY") && measurement.startsWith("Return=")) {
                wrong += count;
            }
        }

        @Override
        public void write(String metric, String measurement, long value) {
            // Latencies of the check are of no interest.
        }

        @Override
        public void write(String metric, String measurement, double value) {
            // Latencies of the check are of no interest.
        }

        @Override
        public void close() {
            // Nothing was opened.
        }
    }
}
