package io.flexdb;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.tools.RunFileReader;
import io.flexdb.internal.tools.RunFileWriter;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.storage.TargetNotEmptyException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Writes what a view shows to a file, and loads such a file. */
final class RunFiles {
    private static final int BYTES_OF_A_STEP = 1 << 20;
    private static final int BYTES_OF_A_PART = 128 << 10; // of a value that is longer
    private static final String UNFINISHED = ".new";

    private RunFiles() {}

    /** Writes pairs to a new file, which has its name only once it is whole and durable; returns how many. */
    static long write(ReadView view, Path target, ReadOptions options, Progress progress) {
        Path absolute = target.toAbsolutePath().normalize();
        String own = Long.toHexString(ThreadLocalRandom.current().nextLong()); // others may export to the same name
        Path unfinished = absolute.resolveSibling(absolute.getFileName() + "." + own + UNFINISHED);
        Vfs vfs = view.source.vfs();
        long storeId = view.source.storeId();
        if (vfs.exists(absolute)) {
            throw new TargetNotEmptyException(absolute);
        }
        try (FlexCursor cursor = view.cursor(options)) {
            long pairs;
            try (VfsFile file = vfs.open(unfinished, OpenMode.CREATE)) {
                pairs = write(
                        cursor,
                        orNoMemory(() -> new RunFileWriter(
                                file, storeId, ThreadLocalRandom.current().nextLong())),
                        progress);
            }
            if (vfs.exists(absolute)) { // by now
                throw new TargetNotEmptyException(absolute);
            }
            vfs.rename(unfinished, absolute);
            vfs.syncDirectory(absolute.getParent());
            return pairs;
        } catch (RuntimeException | Error e) {
            discard(vfs, unfinished, e);
            throw e;
        }
    }

    private static <T> T orNoMemory(Supplier<T> newBuffers) {
        try {
            return newBuffers.get();
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("blocks of a file of pairs", e);
        }
    }

    private static void discard(Vfs vfs, Path unfinished, Throwable cause) {
        try {
            vfs.deleteIfExists(unfinished);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static long write(FlexCursor cursor, RunFileWriter writer, Progress progress) {
        long told = 0;
        byte[] part = new byte[BYTES_OF_A_PART];
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            long expiry = cursor.expiresAt().map(Instant::toEpochMilli).orElse(RecordFormat.NEVER);
            int length = cursor.valueLength();
            writer.begin(cursor.key(), length, expiry);
            for (int done = 0; done < length; ) {
                ByteBuffer to = ByteBuffer.wrap(part, 0, Math.min(part.length, length - done));
                cursor.valuePart(done, to);
                writer.addToValue(part, to.limit());
                done += to.limit();
            }
            if (writer.bytes() - told >= BYTES_OF_A_STEP) {
                told = writer.bytes();
                progress.done(told, told);
            }
        }
        writer.finish();
        progress.done(writer.bytes(), writer.bytes());
        return writer.pairs();
    }

    /** Loads the pairs of a file, all or none; returns how many. */
    static long load(Keyspace to, Path source) {
        Path absolute = source.toAbsolutePath().normalize();
        try (BulkLoad load = to.bulkLoad();
                VfsFile file = to.access.store().vfs().open(absolute, OpenMode.READ)) {
            RunFileReader reader = orNoMemory(() -> new RunFileReader(file, Limits.MAX_VALUE_BYTES));
            while (reader.next()) {
                load.addImported(reader.key(), reader.valueLength(), reader::readValue, reader.expiry());
            }
            load.commit();
            return reader.pairs();
        }
    }
}
