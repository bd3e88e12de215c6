package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Files of which parts can't be read. Zeros stand for these; each piece of 4 KiB is reported once. Only for files in
 * which every byte has a checksum, for which zeros never pass. For one thread.
 */
final class PatchedVfs extends ForwardingVfs {
    private static final int PIECE_BYTES = 4096;

    private record Piece(Path file, long position) {}

    private final Consumer<StoreIoException> told;
    private final Set<Piece> unreadable = new HashSet<>();

    PatchedVfs(Vfs vfs, Consumer<StoreIoException> told) {
        super(vfs);
        this.told = told;
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode != OpenMode.READ) {
            throw new IllegalArgumentException("mode must be READ: " + mode);
        }
        return new PatchedFile(super.open(file, mode));
    }

    private final class PatchedFile implements VfsFile {
        private final VfsFile file;

        PatchedFile(VfsFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            int start = dst.position();
            try {
                return file.read(dst, position);
            } catch (StoreIoException e) {
                dst.position(start);
                return readPiece(dst, position);
            }
        }

        /** Reads to the end of a piece at most. */
        private int readPiece(ByteBuffer dst, long position) {
            long piece = position & -PIECE_BYTES;
            int start = dst.position();
            int limit = dst.limit();
            int bytes = (int) Math.min(dst.remaining(), Math.min(piece + PIECE_BYTES, file.size()) - position);
            if (bytes <= 0) {
                return -1;
            }
            dst.limit(start + bytes);
            try {
                file.readFully(dst, position);
            } catch (StoreIoException e) {
                if (unreadable.add(new Piece(path(), piece))) {
                    told.accept(e);
                }
                dst.position(start);
                while (dst.hasRemaining()) {
                    dst.put((byte) 0);
                }
            } finally {
                dst.limit(limit);
            }
            return bytes;
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void write(ByteBuffer src, long position) {
            throw new UnsupportedOperationException("write");
        }

        @Override
        public void truncate(long bytes) {
            throw new UnsupportedOperationException("truncate");
        }

        @Override
        public void force() {
            throw new UnsupportedOperationException("force");
        }

        @Override
        public MappedFile map(long bytes) {
            throw new UnsupportedOperationException("map");
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
