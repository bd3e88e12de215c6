package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.base.PendingResult;
import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A log of any length, read in pieces, each of them beside whoever works on the one before; but a short one takes less
 * time than a thread to begin. For one thread.
 */
public final class LogPieces implements AutoCloseable {
    /** Bytes of payloads that are read at once; two pieces are in memory. */
    static final int PIECE_BYTES = 4 << 20;

    private static final int SHORT_BYTES = 512 << 10;

    private static final BackgroundTask ENDED = new BackgroundTask() {
        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public void await() {
            // It has ended.
        }
    };

    private final VfsFile file;
    private final BackgroundWorker beside; // null if the log is short
    private final LogicalLogReader reader;
    private PendingResult<List<ByteBuffer>> ahead; // null when there is no more

    /** Begins to read. */
    public LogPieces(Vfs vfs, Path path, long storeId, long generation, BackgroundWorker beside) {
        this.file = vfs.open(path, OpenMode.READ);
        try {
            this.beside = file.size() > SHORT_BYTES ? beside : null;
            this.reader = new LogicalLogReader(file, storeId, generation);
            readAhead();
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private void readAhead() {
        ahead = new PendingResult<>(this::start, () -> reader.next(PIECE_BYTES));
    }

    private BackgroundTask start(Runnable reading) {
        if (beside != null) {
            return beside.start(reading);
        }
        reading.run();
        return ENDED;
    }

    /** The payloads of the next frames; empty after the last one. Throws as {@link LogicalLogReader#next} does. */
    public List<ByteBuffer> next() {
        if (ahead == null) {
            return List.of();
        }
        List<ByteBuffer> payloads = ahead.get();
        ahead = null;
        if (!payloads.isEmpty()) {
            readAhead();
        }
        return payloads;
    }

    /** Frames read, all of them once {@link #next} has returned nothing. */
    public long frames() {
        return reader.frames();
    }

    /** Whether there may have been more frames, once {@link #next} has returned nothing. */
    public boolean mayLackFrames() {
        return reader.mayLackFrames();
    }

    /** Where they end, once {@link #next} has returned nothing. */
    public long position() {
        return reader.position();
    }

    /** A checksum over the checksums of all frames read. */
    public long digest() {
        return reader.digest();
    }

    @Override
    public void close() {
        if (ahead != null) {
            ahead.await();
        }
        file.close();
    }
}
