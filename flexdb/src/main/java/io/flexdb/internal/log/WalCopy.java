package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.Function;

/** Copies the beginning of a log that is in use. */
public final class WalCopy {
    private static final int PIECE_BYTES = 1 << 18;
    private static final int MORE_BYTES = 1 << 20;

    private WalCopy() {}

    /**
     * Copies all frames up to a sequence number, which is visible, into a file of the same name, and forces it, but not
     * its name. The log is not used again meanwhile, but may be appended to.
     *
     * <p>The frames of the copy contain the values that frames of the log refer to, so it may be longer than the log.
     *
     * @param log before its first frame
     * @param through up to this number the log has been written, as its writer knows: behind its mark a damaged frame
     *     looks like the end of the log, and only that number tells them apart
     * @param to has the directory
     * @param whole the bytes of a payload with the values that it refers to; its array, with more bytes perhaps, if it
     *     refers to none
     * @return the last sequence number in the copy; 0 if the log has no such frame, and none is made
     * @throws CorruptionException if the log lacks a frame
     */
    public static long copy(
            WalReader log, long lastSequence, long through, Vfs to, Path directory, Function<Payload, byte[]> whole) {
        long needed = Math.min(lastSequence, through);
        if (!nextUpTo(log, lastSequence, needed)) {
            return 0;
        }
        try (VfsFile file = to.open(directory.resolve(WalFormat.fileName(log.number())), OpenMode.CREATE)) {
            return write(log, file, lastSequence, needed, whole);
        }
    }

    private static boolean nextUpTo(WalReader reader, long lastSequence, long needed) {
        if (reader.next()) {
            return reader.lastSequence() <= lastSequence;
        }
        if (reader.lastSequence() < needed) {
            throw new CorruptionException(
                    reader.path(),
                    reader.position(),
                    "frames up to sequence number " + needed,
                    reader.lastSequence() == 0 ? "none" : "none behind " + reader.lastSequence());
        }
        return false;
    }

    private static long write(
            WalReader reader, VfsFile file, long lastSequence, long needed, Function<Payload, byte[]> whole) {
        FrameHeader header = new FrameHeader(reader.id().storeId(), reader.generation());
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long written = WalFormat.START; // in the file; the header comes last
        long position = WalFormat.FIRST_FRAME;
        long last;
        do {
            Payload found = reader.payload();
            byte[] payload = whole.apply(found);
            int length = payload == found.bytes() ? found.length() : payload.length;
            header.encode(position, length, reader.firstSequence(), WritePayload.checksum(payload, 0, length));
            position += WalFormat.frameBytes(length);
            if (piece.remaining() < WalFormat.START_BYTES + WalFormat.FRAME_HEADER_BYTES) {
                written += write(file, piece, written);
            }
            header.putTo(piece);
            int padded = (int) (WalFormat.frameBytes(length) - WalFormat.FRAME_HEADER_BYTES);
            for (int done = 0; done < padded; ) {
                if (!piece.hasRemaining()) {
                    written += write(file, piece, written);
                }
                int part = Math.min(padded - done, piece.remaining());
                int ofPayload = Math.max(0, Math.min(part, length - done));
                piece.put(payload, done, ofPayload);
                for (int i = ofPayload; i < part; i++) {
                    piece.put((byte) 0);
                }
                done += part;
            }
            last = reader.lastSequence();
        } while (nextUpTo(reader, lastSequence, needed));
        written += write(file, piece, written);
        writeHeader(reader, file, written);
        file.force();
        return last;
    }

    private static int write(VfsFile file, ByteBuffer piece, long position) {
        piece.flip();
        int bytes = piece.remaining();
        file.write(piece, position);
        piece.clear();
        return bytes;
    }

    /** Makes the file as long as the log, or longer, as it says itself, and says that all of it was forced. */
    private static void writeHeader(WalReader reader, VfsFile file, long end) {
        long longer = end + end / 8 + MORE_BYTES & -WalFormat.CAPACITY_UNIT; // a memtable of its size holds all of it
        long capacity = end == reader.position() ? reader.fileBytes() : Math.max(reader.fileBytes(), longer);
        if (end < capacity) {
            file.write(ByteBuffer.allocate(1), capacity - 1);
        }
        ByteBuffer block = ByteBuffer.allocate(WalFormat.START).order(ByteOrder.LITTLE_ENDIAN);
        WalFormat.encodeHeader(block, reader.id(), capacity);
        block.putLong(WalFormat.MARK_POSITION, end);
        block.putInt(WalFormat.MARK_CHECKSUM, WalFormat.markChecksum(reader.id(), end));
        file.write(block, 0);
    }
}
