package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** FlexSpace as what is measured. */
final class FlexAddressSpace implements AddressSpace {
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final int MOST_WAITS = 200;
    private static final long WAIT_MILLIS = 50;

    private final Path directory;
    private final FlexSpaceOptions options;
    private final boolean barrierIsCheckpoint;
    private FlexSpace space;

    /**
     * Measures the space of a directory, and closes it at the end.
     *
     * @param barrierIsCheckpoint whether a barrier writes the FlexTree, as in the paper, or the logical log alone
     */
    FlexAddressSpace(Path directory, FlexSpaceOptions options, boolean barrierIsCheckpoint) {
        this.directory = directory;
        this.options = options;
        this.barrierIsCheckpoint = barrierIsCheckpoint;
        this.space = FlexSpace.open(directory, options);
    }

    /** Opens the space anew, once nothing is mapped any more: the kernel drops no page that somebody has mapped. */
    @Override
    public void becomeCold() throws IOException {
        space.close();
        space = null;
        for (int i = 0; i < MOST_WAITS && isMapped(); i++) {
            System.gc(); // unmaps what nobody refers to
            try {
                Thread.sleep(WAIT_MILLIS);
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
        }
        if (isMapped()) {
            throw new IOException("the space in " + directory + " stays mapped, so it can't be read cold");
        }
        space = FlexSpace.open(directory, options);
    }

    private boolean isMapped() throws IOException {
        String data = directory.toRealPath().resolve("data").toString();
        return Files.exists(MAPPINGS) && Files.readAllLines(MAPPINGS).stream().anyMatch(line -> line.endsWith(data));
    }

    @Override
    public void insert(long logicalOffset, ByteBuffer buffer) {
        space.insertRange(logicalOffset, buffer);
    }

    @Override
    public void write(long logicalOffset, ByteBuffer buffer) {
        space.write(logicalOffset, buffer);
    }

    @Override
    public void read(long logicalOffset, ByteBuffer buffer) {
        space.read(logicalOffset, buffer);
    }

    @Override
    public void barrier() {
        if (barrierIsCheckpoint) {
            space.checkpoint();
        } else {
            space.sync();
        }
    }

    @Override
    public long size() {
        return space.size();
    }

    @Override
    public OptionalLong bytesWritten() {
        return OptionalLong.of(space.stats().written().totalBytes());
    }

    @Override
    public void close() {
        space.close();
    }
}
