package io.flexdb.files;

import io.flexdb.Durability;
import io.flexdb.files.internal.FileContent;
import io.flexdb.files.internal.OpenFile;
import io.flexdb.files.internal.RangeLocks;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The file that a channel reads and writes. Any thread may call it. */
interface ChannelFile {
    /** Bytes of the file. */
    long size() throws IOException;

    /** Reads at a position into buffers, one after another; returns the bytes read, or -1 at the end or behind it. */
    long read(long position, ByteBuffer... to) throws IOException;

    /** Writes at a position, or at the end if that is negative; returns the position behind what was written. */
    long write(long position, ByteBuffer from) throws IOException;

    /** The most bytes that one change writes. */
    int pieceBytes();

    /** Cuts it behind its first bytes. */
    void truncate(long size) throws IOException;

    /** The locks that are held on it. */
    RangeLocks locks();

    /** Ends its use; to be called once. */
    void close(boolean delete) throws IOException;

    /** A file that is open. */
    record OfFile(FileContent content, OpenFile file, Durability atLeast) implements ChannelFile {
        @Override
        public long size() throws IOException {
            return content.size(file);
        }

        @Override
        public long read(long position, ByteBuffer... to) throws IOException {
            return content.read(file, position, to);
        }

        @Override
        public long write(long position, ByteBuffer from) throws IOException {
            return content.write(file, position, from, atLeast);
        }

        @Override
        public int pieceBytes() {
            return content.pieceBytes();
        }

        @Override
        public void truncate(long size) throws IOException {
            content.truncate(file, size, atLeast);
        }

        @Override
        public RangeLocks locks() {
            return file.locks();
        }

        @Override
        public void close(boolean delete) throws IOException {
            try {
                if (delete) {
                    content.delete(file);
                }
            } finally {
                content.close(file);
            }
        }
    }

    /** A directory, which kernels open as well: to be forced, and not to be read. Nobody writes by a channel of it. */
    record OfDirectory(RangeLocks locks) implements ChannelFile {
        @Override
        public long size() {
            return 0;
        }

        @Override
        public long read(long position, ByteBuffer... to) throws IOException {
            throw new IOException("Is a directory");
        }

        @Override
        public long write(long position, ByteBuffer from) throws IOException {
            throw new IOException("Is a directory");
        }

        @Override
        public int pieceBytes() {
            return 1;
        }

        @Override
        public void truncate(long size) throws IOException {
            throw new IOException("Is a directory");
        }

        @Override
        public void close(boolean delete) {
            // It stays: to delete it is tried only, and it may have something in it.
        }
    }
}
