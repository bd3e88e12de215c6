package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;

/**
 * The header of a logical log.
 *
 * @param generation of the log
 * @param treeVersion the version of the tree that it extends
 * @param continues the generation of the log that it continues; 0 if there was none to continue
 * @param continuesSequence the sequence of the last frame of that log
 */
public record LogHeader(long generation, long treeVersion, long continues, long continuesSequence) {
    /** Of a log that continues none. */
    LogHeader(long generation, long treeVersion) {
        this(generation, treeVersion, 0, 0);
    }

    /** @throws io.flexdb.storage.CorruptionException if it is damaged, or of another store */
    static LogHeader read(VfsFile file, long storeId) {
        ByteBuffer block = FilePreamble.check(
                file.path(), 0, FilePreamble.read(file, 0), FilePreamble.Kind.LOG, LogFormat.FIELD_BYTES, storeId);
        return new LogHeader(block.getLong(), block.getLong(), block.getLong(), block.getLong());
    }

    void write(VfsFile file, long storeId) {
        ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.LOG, storeId);
        block.putLong(generation).putLong(treeVersion).putLong(continues).putLong(continuesSequence);
        file.write(FilePreamble.finish(block), 0);
    }
}
