package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.Zeros;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A log that an earlier process has left, as far as it was replayed.
 *
 * @param mark up to where the file says it was forced
 * @param end where its last whole frame ends
 * @param lastSequence the number of the last entry before that
 */
record FoundLog(Path path, WalId id, long capacity, long mark, long end, long lastSequence) {
    private static final int PIECE_BYTES = 1 << 16;

    /** Of a reader that has come to the end. */
    static FoundLog of(WalReader reader) {
        return new FoundLog(
                reader.path(),
                reader.id(),
                reader.fileBytes(),
                reader.markPosition(),
                reader.position(),
                reader.lastSequence());
    }

    /**
     * Writes what is not known to be durable once more where it is, so that the disk gets it even if the write of an
     * earlier process was lost without a word; behind it, zeros in place of the header of a frame that was not whole, so
     * that none appears there later. Forces all of it.
     */
    void rewriteTail(VfsFile file) {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        long from = mark > WalFormat.FIRST_FRAME ? mark : WalFormat.START;
        for (long position = from; position < end; position += piece.capacity()) {
            piece.clear().limit((int) Math.min(piece.capacity(), end - position));
            file.readFully(piece, position);
            file.write(piece.flip(), position);
        }
        Zeros.write(file, end, Math.min(WalFormat.FRAME_HEADER_BYTES, capacity - end));
        file.force();
    }
}
