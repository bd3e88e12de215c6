package io.flexdb.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * Measures the calls of one client thread to the binding.
 *
 * <p>It stands where YCSB's own wrapper would, whose measurements are one object for the life of the process, cannot be
 * reset between workloads and have no finer unit than a microsecond.
 */
final class MeasuredDb extends DB {
    private final DB binding;
    private final Measurements measurements = new Measurements();
    private long inserts;
    private long successfulInserts;
    private long lastReadStart;
    private long lastUpdateEnd;

    MeasuredDb(DB binding) {
        this.binding = binding;
    }

    Measurements measurements() {
        return measurements;
    }

    /** How many records the workload has asked to insert, which is how far its key sequence has moved. */
    long inserts() {
        return inserts;
    }

    long successfulInserts() {
        return successfulInserts;
    }

    /** Records the time from the beginning of the last read to the end of the last update. */
    void recordReadModifyWrite() {
        measurements.recordLatency(Operation.READ_MODIFY_WRITE, lastUpdateEnd - lastReadStart);
    }

    @Override
    public void setProperties(Properties properties) {
        binding.setProperties(properties);
    }

    @Override
    public Properties getProperties() {
        return binding.getProperties();
    }

    @Override
    public void init() throws DBException {
        binding.init();
    }

    @Override
    public void cleanup() throws DBException {
        binding.cleanup();
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        lastReadStart = System.nanoTime();
        Status status = binding.read(table, key, fields, result);
        record(Operation.READ, lastReadStart, System.nanoTime(), status);
        return status;
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        long start = System.nanoTime();
        Status status = binding.scan(table, startKey, recordCount, fields, result);
        record(Operation.SCAN, start, System.nanoTime(), status);
        if (status.isOk() && result.isEmpty()) {
            // The workload scans from keys of records that exist.
            measurements.countFailure(Operation.SCAN, "EMPTY");
        }
        return status;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        long start = System.nanoTime();
        Status status = binding.update(table, key, values);
        lastUpdateEnd = System.nanoTime();
        record(Operation.UPDATE, start, lastUpdateEnd, status);
        return status;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        inserts++;
        long start = System.nanoTime();
        Status status = binding.insert(table, key, values);
        record(Operation.INSERT, start, System.nanoTime(), status);
        if (status.isOk()) {
            successfulInserts++;
        }
        return status;
    }

    @Override
    public Status delete(String table, String key) {
        return binding.delete(table, key);
    }

    private void record(Operation operation, long start, long end, Status status) {
        measurements.recordLatency(operation, end - start);
        if (!status.isOk()) {
            measurements.countFailure(operation, status.getName());
        }
    }
}
