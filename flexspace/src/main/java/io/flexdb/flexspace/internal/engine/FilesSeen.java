package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells two moments of a space that somebody else writes to apart: the headers of the FlexTree, which logs there are,
 * and up to where the newest was forced. No segment, node slot or log is used again, or deleted, without a change of
 * one of these before.
 */
public record FilesSeen(List<String> logs, ByteBuffer headers, ByteBuffer mark) {
    private static final int HEADER_BYTES = 128; // more than a header has

    /** Looks at a space; what can't be read counts as nothing. */
    public static FilesSeen of(Vfs vfs, Path directory) {
        List<String> logs;
        try {
            logs = vfs.list(directory).stream()
                    .filter(name -> LogFormat.generationOf(name) > 0)
                    .toList();
        } catch (StorageException e) {
            logs = List.of();
        }
        long newest = logs.stream().mapToLong(LogFormat::generationOf).max().orElse(0);
        int headerBytes = TreeFileFormat.SLOT_BYTES + HEADER_BYTES; // both slots
        ByteBuffer headers = read(vfs, directory.resolve(TreeFileFormat.FILE_NAME), 0, headerBytes);
        ByteBuffer mark =
                read(vfs, directory.resolve(LogFormat.fileName(newest)), LogFormat.MARK_OFFSET, LogFormat.MARK_BYTES);
        return new FilesSeen(logs, headers, mark);
    }

    private static ByteBuffer read(Vfs vfs, Path path, long position, int bytes) {
        ByteBuffer content = ByteBuffer.allocate(bytes);
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            file.readFully(content, position);
        } catch (StorageException e) {
            content.clear();
        }
        return content.flip();
    }
}
