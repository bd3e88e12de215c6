package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.Zeros;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the whole frames of a logical log. */
public final class LogicalLogReader {
    private static final int PIECE_BYTES = 256 << 10;

    private final VfsFile file;
    private final Path path;
    private final LogHeader header;
    private final long generation;
    private final long size;
    private ByteBuffer piece = ByteBuffer.allocate(0); // payloads are slices of it: another one for each read
    private long pieceStart;
    private long position = LogFormat.FRAMES_OFFSET; // of the next frame
    private long frames; // read so far
    private long digest;

    /** Opens a log whose name gives its generation; the caller closes the file. */
    public LogicalLogReader(VfsFile file, long storeId, long generationInName) {
        this.file = file;
        this.path = file.path();
        this.size = file.size();
        this.header = LogHeader.read(file, storeId);
        this.generation = header.generation();
        if (size < LogFormat.FRAMES_OFFSET) {
            // A log gets its name when it is whole. Without its first block nobody could tell what was synced.
            throw new CorruptionException(path, size, LogFormat.FRAMES_OFFSET + " bytes at least", size + " bytes");
        }
        if (generation != generationInName) {
            throw new CorruptionException(
                    path,
                    LogFormat.GENERATION_OFFSET,
                    "generation " + generationInName + " as in the name of the file",
                    Long.toString(generation));
        }
    }

    /** The header of the log. */
    public LogHeader header() {
        return header;
    }

    /**
     * The payloads of the next whole frames, in memory that is not used again.
     *
     * @param mostBytes of payloads, but for one frame, which may be longer
     * @return none if there are no more
     * @throws CorruptionException if a frame below the synced-up-to mark is not whole, when it would be the first to
     *     return
     */
    List<ByteBuffer> next(int mostBytes) {
        List<ByteBuffer> payloads = new ArrayList<>();
        long bytes = 0;
        while (bytes < mostBytes) {
            ByteBuffer payload = payloadAt(position, frames + 1);
            if (payload == null) {
                if (payloads.isEmpty()) {
                    checkEnd();
                }
                return payloads;
            }
            payloads.add(payload);
            bytes += payload.remaining();
            position += LogFormat.frameBytes(payload.remaining());
            digest = digest * 0x9E3779B97F4A7C15L + FilePreamble.crc(payload, 0, payload.remaining());
            frames++;
        }
        return payloads;
    }

    /** The tag of the last whole batch, or -1 if there is none. Reads all of the log. */
    public long lastTag() {
        long tag = -1;
        for (List<ByteBuffer> some = next(PIECE_BYTES); !some.isEmpty(); some = next(PIECE_BYTES)) {
            tag = some.get(some.size() - 1).getLong(0);
        }
        return tag;
    }

    private void checkEnd() {
        long synced = syncedUpTo(file, generation);
        if (position < synced) {
            throw new CorruptionException(
                    path, position, "a whole frame below the synced-up-to mark " + synced, "a damaged frame");
        }
    }

    /**
     * After the last frame: whether there may have been others. A log is never used twice, so bytes behind its frames
     * were written to it: by a batch that a crash has cut, or it is a frame that was whole, and is damaged.
     */
    boolean mayLackFrames() {
        for (long at = position; at < size; at += piece.capacity()) {
            piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, size - at));
            file.readFully(piece, at);
            if (!Zeros.are(piece, 0, piece.capacity())) {
                return true;
            }
        }
        ByteBuffer mark = ByteBuffer.allocate(LogFormat.MARK_BYTES);
        file.readFully(mark, LogFormat.MARK_OFFSET);
        return !Zeros.are(mark, 0, LogFormat.MARK_BYTES) && syncedUpTo(file, generation) == 0;
    }

    /** Whole frames read so far. */
    long frames() {
        return frames;
    }

    /** Where the next frame would begin. */
    long position() {
        return position;
    }

    /** Tells whether the frames read were the same as others. */
    long digest() {
        return digest;
    }

    /** Whether there is a whole frame, or must have been one. */
    public boolean hasFrames() {
        return payloadAt(LogFormat.FRAMES_OFFSET, 1) != null || syncedUpTo(file, generation) > LogFormat.FRAMES_OFFSET;
    }

    private ByteBuffer payloadAt(long position, long sequence) {
        if (position + LogFormat.FRAME_HEADER_BYTES > size) {
            return null;
        }
        ByteBuffer header = bytesAt(position, LogFormat.FRAME_HEADER_BYTES);
        boolean sound = LogFormat.isFrameHeader(header, 0, generation, size - position - LogFormat.FRAME_HEADER_BYTES)
                && header.getLong(LogFormat.FRAME_SEQUENCE_OFFSET) == sequence;
        if (!sound) {
            return null;
        }
        int bytes = header.getInt(LogFormat.FRAME_PAYLOAD_BYTES_OFFSET);
        ByteBuffer payload = bytesAt(position + LogFormat.FRAME_HEADER_BYTES, bytes);
        return FilePreamble.crc(payload, 0, bytes) == header.getInt(LogFormat.FRAME_PAYLOAD_CRC_OFFSET)
                ? payload
                : null;
    }

    /** Bytes that the file has. Frames may be short and many, so what follows is read with them. */
    private ByteBuffer bytesAt(long position, int bytes) {
        if (position < pieceStart || position + bytes > pieceStart + piece.capacity()) {
            piece = ByteBuffer.allocate((int) Math.max(bytes, Math.min(PIECE_BYTES, size - position)));
            file.readFully(piece, position);
            pieceStart = position;
        }
        return piece.slice((int) (position - pieceStart), bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The position in the mark of a log, 0 if it is damaged. */
    public static long syncedUpTo(VfsFile file, long generation) {
        ByteBuffer mark = ByteBuffer.allocate(LogFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(mark, LogFormat.MARK_OFFSET);
        int end = LogFormat.MARK_BYTES - Integer.BYTES;
        boolean sound = mark.getInt(end) == FilePreamble.crc(mark, 0, end) && mark.getLong(0) == generation;
        return sound ? mark.getLong(Long.BYTES) : 0;
    }
}
