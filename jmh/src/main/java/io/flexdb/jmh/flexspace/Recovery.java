package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.CheckReport;
import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.RandomNumbers;
import io.flexdb.jmh.flexdb.KeyValue;
import io.flexdb.jmh.flexspace.Table2Settings.RecoveryCase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * How long it takes to open a space after a clean close, and after a crash; what is read is in the page cache. And how
 * fast a space is checked that is not, if the page cache can be dropped, next to reading its files.
 */
final class Recovery {
    static final String CLEAN = "opened after a close";
    static final String CRASHED = "opened after a crash";
    static final String LOG = "log after the crash";
    static final String CHECK = "check";
    static final String READ = "reading the files";

    private static final String COPY_NAME = "flexdb-table2-copy";
    private static final String LOCK_NAME = "LOCK";
    private static final String LOG_PREFIX = "log-";
    private static final long MORE_THAN_ANY_LOG = 1L << 50;
    private static final int LOG_BYTES_OF_AN_INSERTION = 24;
    private static final int MOST_LOGS = 2; // as long as one that begins a checkpoint: then changes wait
    private static final int READ_BYTES = 1 << 20;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final Subject subject;
    private final boolean cold;

    /**
     * Measures as the settings say.
     *
     * @param cold whether the page cache can be dropped
     */
    Recovery(Table2Settings settings, Measurements measurements, boolean cold) {
        this.settings = settings;
        this.measurements = measurements;
        this.cold = cold;
        this.subject = settings.ours();
    }

    /** The name of an experiment. */
    static String experiment(String metric, RecoveryCase recovery) {
        return metric + ", " + recovery.bytes() + " bytes, " + recovery.extents() + " extents";
    }

    /** One space for each case. */
    void run() throws IOException {
        for (RecoveryCase recovery : settings.recoveries) {
            measure(recovery);
        }
    }

    private void measure(RecoveryCase recovery) throws IOException {
        Path copy = subject.directory().resolve(COPY_NAME);
        subject.remove();
        KeyValue.remove(copy);
        try {
            long size;
            // A crash when the log is longest. No file changes while it is copied.
            FlexSpaceOptions options = subject.options().withCheckpointLogBytes(MORE_THAN_ANY_LOG);
            try (FlexSpace space = FlexSpace.open(subject.files(), options)) {
                long inLog = MOST_LOGS * subject.options().checkpointLogBytes() / LOG_BYTES_OF_AN_INSERTION;
                insertAll(space, recovery, recovery.extents() - inLog);
                space.sync();
                size = space.size();
                long logBytes = copyAsAfterCrash(subject.files(), copy);
                measurements.add(experiment(LOG, recovery), subject.name(), logBytes, "bytes");
            }
            open(subject.files(), size, experiment(CLEAN, recovery));
            open(copy, size, experiment(CRASHED, recovery));
            check(recovery);
        } finally {
            subject.remove();
            KeyValue.remove(copy);
        }
    }

    /** @param checkpointAt insertions before a checkpoint; none if negative */
    private static void insertAll(FlexSpace space, RecoveryCase recovery, long checkpointAt) {
        RandomNumbers random = new RandomNumbers();
        int length = recovery.blockBytes();
        ByteBuffer block = BlockWorkload.newBlock(length);
        for (int i = 0; i < recovery.extents(); i++) {
            if (i == checkpointAt) {
                space.checkpoint();
            }
            // Between earlier insertions, so that none is cut in two.
            space.insertRange(random.below(i + 1) * length, block.clear());
        }
    }

    /** What a killed process leaves is what the files hold after a sync. Returns the bytes of logical log among it. */
    private static long copyAsAfterCrash(Path source, Path target) throws IOException {
        List<Path> files;
        try (Stream<Path> list = Files.list(source)) {
            files = list.toList();
        }
        Files.createDirectory(target);
        long logBytes = 0;
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (!name.equals(LOCK_NAME)) {
                Path copy = target.resolve(name);
                Files.copy(file, copy);
                try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                    channel.force(true); // or recovery would have to write it all
                }
                logBytes += name.startsWith(LOG_PREFIX) ? Files.size(file) : 0;
            }
        }
        return logBytes;
    }

    private void open(Path directory, long size, String experiment) throws IOException {
        long start = System.nanoTime();
        try (FlexSpace space = FlexSpace.open(directory, subject.options())) {
            measurements.add(experiment, subject.name(), (System.nanoTime() - start) / 1e9, "s");
            if (space.size() != size) {
                throw new IOException(directory + " has " + space.size() + " bytes after it was opened, not " + size);
            }
        }
    }

    private void check(RecoveryCase recovery) throws IOException {
        dropPageCache();
        long start = System.nanoTime();
        long bytes = readAll(subject.files());
        measurements.add(
                experiment(READ, recovery), subject.name(), (double) bytes / (System.nanoTime() - start), "GB/s");
        try (FlexSpace space = FlexSpace.open(subject.files(), subject.options())) {
            dropPageCache();
            start = System.nanoTime();
            CheckReport report = space.check();
            double rate = (double) report.bytesRead() / (System.nanoTime() - start);
            measurements.add(experiment(CHECK, recovery), subject.name(), rate, "GB/s");
            if (!report.isSound()) {
                throw new IOException(report.toString());
            }
        }
    }

    private void dropPageCache() throws IOException {
        if (cold) {
            PageCache.drop();
        }
    }

    private static long readAll(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> list = Files.list(directory)) {
            files = list.toList();
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
        long bytes = 0;
        for (Path file : files) {
            try (FileChannel channel = FileChannel.open(file)) {
                for (int read; (read = channel.read(buffer.clear())) > 0; ) {
                    bytes += read;
                }
            }
        }
        return bytes;
    }
}
