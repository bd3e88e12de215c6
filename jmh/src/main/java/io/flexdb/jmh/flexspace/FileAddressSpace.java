package io.flexdb.jmh.flexspace;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/** A plain file, read and written at positions. Nothing is preallocated. */
final class FileAddressSpace implements AddressSpace {
    /** How bytes are inserted. */
    enum Insertion {
        /**
         * The file system shifts what follows; offsets and lengths are multiples of its blocks. Linux, ext4 and XFS.
         */
        INSERT_RANGE("insert-range"),
        /** What follows is read and written again further back. */
        REWRITE("rewrite");

        final String label;

        Insertion(String label) {
            this.label = label;
        }
    }

    private static final int MOVED_AT_ONCE_BYTES = 1 << 20;

    private final FileChannel channel;
    private final Insertion insertion;
    private final LinuxFile linuxFile; // null unless the file system inserts
    private final ByteBuffer moved = ByteBuffer.allocateDirect(MOVED_AT_ONCE_BYTES);
    private long size;
    private long bytesWritten;

    /** Creates the file. */
    FileAddressSpace(Path file, Insertion insertion) throws IOException {
        this.channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        this.insertion = insertion;
        this.linuxFile = insertion == Insertion.INSERT_RANGE && LinuxFile.isAvailable() ? new LinuxFile(file) : null;
    }

    @Override
    public void insert(long logicalOffset, ByteBuffer buffer) throws IOException {
        if (logicalOffset < size) {
            shift(logicalOffset, buffer.remaining());
        }
        write(logicalOffset, buffer);
    }

    private void shift(long logicalOffset, int length) throws IOException {
        if (insertion == Insertion.REWRITE) {
            rewriteTail(logicalOffset, length);
            return;
        }
        if (linuxFile == null) {
            throw new UnsupportedOperationException("fallocate can't be called here");
        }
        linuxFile.insertRange(logicalOffset, length);
        size += length;
    }

    /** From the end on, so that nothing is overwritten that has not been moved. */
    private void rewriteTail(long logicalOffset, int length) throws IOException {
        long end = size;
        while (end > logicalOffset) {
            int piece = (int) Math.min(moved.capacity(), end - logicalOffset);
            end -= piece;
            read(end, moved.clear().limit(piece));
            write(end + length, moved.flip());
        }
    }

    @Override
    public void write(long logicalOffset, ByteBuffer buffer) throws IOException {
        long position = logicalOffset;
        while (buffer.hasRemaining()) {
            position += channel.write(buffer, position);
        }
        bytesWritten += position - logicalOffset;
        size = Math.max(size, position);
    }

    @Override
    public void read(long logicalOffset, ByteBuffer buffer) throws IOException {
        long position = logicalOffset;
        while (buffer.hasRemaining()) {
            int count = channel.read(buffer, position);
            if (count < 0) {
                throw new EOFException("nothing at " + position);
            }
            position += count;
        }
    }

    /** fdatasync: the least that makes data and size durable. */
    @Override
    public void barrier() throws IOException {
        channel.force(false);
    }

    @Override
    public long size() {
        return size;
    }

    /** What the file system writes beside the data isn't known. */
    @Override
    public OptionalLong bytesWritten() {
        return insertion == Insertion.REWRITE ? OptionalLong.of(bytesWritten) : OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            if (linuxFile != null) {
                linuxFile.close();
            }
        }
    }
}
