package io.flexdb.internal.wal;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.batch.WritePayload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Copies the beginning of a log that is in use. */
public final class WalCopy {
    private static final int PIECE_BYTES = 1 << 18;

    private WalCopy() {}

    /**
     * Copies all frames up to a sequence number, which is visible, into a file of the same name, and forces it, but not
     * its name. The log is not used again meanwhile, but may be appended to.
     *
     * @param to has the directory
     * @return the last sequence number in the copy; 0 if the log has no such frame, and none is made
     */
    public static long copy(Vfs vfs, Path log, long storeId, long lastSequence, Vfs to, Path directory) {
        try (WalReader reader = new WalReader(vfs, log, storeId)) {
            if (!nextUpTo(reader, lastSequence)) {
                return 0;
            }
            try (VfsFile file = to.open(directory.resolve(WalFormat.fileName(reader.number())), OpenMode.CREATE)) {
                return write(reader, file, storeId, lastSequence);
            }
        }
    }

    private static boolean nextUpTo(WalReader reader, long lastSequence) {
        return reader.next() && reader.lastSequence() <= lastSequence;
    }

    private static long write(WalReader reader, VfsFile file, long storeId, long lastSequence) {
        FrameHeader header = new FrameHeader(storeId, reader.generation());
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long written = WalFormat.START; // in the file; the header comes last
        long last;
        do {
            long position = reader.framePosition();
            int length = reader.payloadBytes();
            header.encode(position, length, reader.firstSequence(), WritePayload.checksum(reader.payload(), 0, length));
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
                piece.put(reader.payload(), done, ofPayload);
                for (int i = ofPayload; i < part; i++) {
                    piece.put((byte) 0);
                }
                done += part;
            }
            last = reader.lastSequence();
        } while (nextUpTo(reader, lastSequence));
        written += write(file, piece, written);
        writeHeader(reader, file, storeId, written);
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

    /** Makes the file as long as the log, since it says so itself, and says that all of it was forced. */
    private static void writeHeader(WalReader reader, VfsFile file, long storeId, long end) {
        long capacity = reader.fileBytes();
        if (end < capacity) {
            file.write(ByteBuffer.allocate(1), capacity - 1);
        }
        ByteBuffer block = ByteBuffer.allocate(WalFormat.START).order(ByteOrder.LITTLE_ENDIAN);
        WalFormat.encodeHeader(block, storeId, reader.number(), reader.generation(), capacity);
        block.putLong(WalFormat.MARK_POSITION, end);
        block.putInt(
                WalFormat.MARK_CHECKSUM, WalFormat.markChecksum(storeId, reader.number(), reader.generation(), end));
        file.write(block, 0);
    }
}
