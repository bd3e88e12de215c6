package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Tells with which number a log begins, at the cost of one small read; believes nothing else that it finds. */
final class WalStart {
    private final Vfs vfs;
    private final long storeId;
    private final ByteBuffer bytes =
            ByteBuffer.allocateDirect(WalFormat.FIRST_FRAME).order(ByteOrder.LITTLE_ENDIAN);
    private long fileBytes;
    private long generation;

    WalStart(Vfs vfs, long storeId) {
        this.vfs = vfs;
        this.storeId = storeId;
    }

    /**
     * The sequence number of a log's first entry; 0 if it has none, or this is no log, or it is gone.
     *
     * @throws StoreIoException if that can't be known
     */
    long of(Path path) {
        bytes.clear();
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            fileBytes = file.size();
            file.readFully(bytes, 0);
        } catch (CorruptionException e) {
            return 0; // too short
        } catch (StoreIoException e) {
            if (vfs.exists(path)) {
                throw e;
            }
            return 0;
        }
        long sequence = bytes.getLong(WalFormat.START);
        generation = bytes.getLong(WalFormat.HEADER_GENERATION);
        FrameHeader header = new FrameHeader(storeId, generation);
        boolean begun = sequence > 0 && bytes.getInt(WalFormat.START_CHECK) == header.startCheck(sequence);
        return begun ? sequence : 0;
    }

    /** Whether a log that was opened still has its name, and so is neither deleted nor on its way to another use. */
    boolean isStillThere(WalReader log) {
        return of(log.openedPath()) == log.startSequence() && generation == log.generation();
    }

    /** Bytes of the file that was asked for last. */
    long fileBytes() {
        return fileBytes;
    }
}
