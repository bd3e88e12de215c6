package io.flexdb.jmh.flexspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/** The most that can be expected of the disk: writes of 4 MiB one behind the other, and one fdatasync. */
final class RawWrites {
    static final String EXPERIMENT = "raw writes";

    private static final int WRITE_BYTES = 4 << 20;

    private final Table2Settings settings;
    private final Measurements measurements;

    RawWrites(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
    }

    /** As many bytes as the smallest address space has, in the directory of each subject. */
    void run() throws IOException {
        long bytes = (long) settings.blocks * settings.blockSizes.get(0);
        ByteBuffer buffer = BlockWorkload.newBlock(WRITE_BYTES);
        for (Subject subject : settings.subjects()) {
            subject.remove();
            long start = System.nanoTime();
            try (FileChannel channel =
                    FileChannel.open(subject.files(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (long position = 0; position < bytes; position += WRITE_BYTES) {
                    buffer.clear();
                    while (buffer.hasRemaining()) {
                        channel.write(buffer);
                    }
                }
                channel.force(false);
                long written = channel.position();
                measurements.add(EXPERIMENT, subject.name(), (double) written / (System.nanoTime() - start), "GB/s");
            } finally {
                subject.remove();
            }
        }
    }
}
