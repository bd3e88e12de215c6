package io.flexdb.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An open file. What is written is in the store when the call returns, for all to see, and {@link #force} makes it
 * durable. Threads take turns where they use the position; reads and writes at a position of their own go on beside each
 * other.
 *
 * <p>Closing waits for the operations under way, so that none takes effect later. No operation waits for anything but the
 * store. Therefore an interrupt closes the channel when the operation ends, in the thread that was interrupted: whoever
 * interrupts a thread runs nothing of ours, and the store never sees a broken operation.
 *
 * <p>The locks come in this order: {@code turn}, {@code use}, those of the tree.
 */
final class FlexChannel extends FileChannel {
    private static final int TRANSFERRED_AT_ONCE = 256 << 10;

    private final FlexFileSystem fileSystem;
    private final ChannelFile file;
    private final OpenFlags flags;
    private final ReentrantLock turn = new ReentrantLock(); // no monitors: virtual threads wait for the store with them
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock(); // shared by operations, alone for the end
    private long position; // who uses it takes his turn
    private volatile boolean kept;
    private volatile boolean interruptible;

    FlexChannel(FlexFileSystem fileSystem, ChannelFile file, OpenFlags flags) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.flags = flags;
    }

    /**
     * From now on an interrupt closes the channel. It does not close those that {@link java.nio.file.Files} reads and
     * writes whole files with, which it gets as channels of bytes, nor those of streams.
     */
    FlexChannel closedByInterrupts() {
        interruptible = true;
        return this;
    }

    // ---- operations and their end

    private interface Operation {
        long run() throws IOException;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void requireReadable() throws ClosedChannelException {
        requireOpen();
        if (!flags.read()) {
            throw new NonReadableChannelException();
        }
    }

    private void requireWritable() throws ClosedChannelException {
        requireOpen();
        if (!flags.write()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requireNotNegative(long value, String name) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
    }

    /** Runs an operation of a channel that was open when it was called. */
    private long run(Operation operation) throws IOException {
        requireNoInterrupt(null);
        long result;
        try {
            result = runOpen(operation);
        } catch (IOException | RuntimeException e) {
            requireNoInterrupt(e);
            throw e;
        }
        requireNoInterrupt(null);
        return result;
    }

    /** Runs an operation that uses the position, one at a time. */
    private long runInTurn(Operation operation) throws IOException {
        turn.lock();
        try {
            return run(operation);
        } finally {
            turn.unlock();
        }
    }

    private long runOpen(Operation operation) throws IOException {
        use.readLock().lock();
        try {
            if (!isOpen()) {
                throw new AsynchronousCloseException();
            }
            return operation.run();
        } finally {
            use.readLock().unlock();
        }
    }

    private void requireNoInterrupt(Exception failure) throws ClosedByInterruptException {
        if (interruptible && Thread.currentThread().isInterrupted()) {
            throw closed(new ClosedByInterruptException(), failure);
        }
    }

    /** Closes the channel for a reason, which is returned. */
    private <X extends Exception> X closed(X reason, Exception failure) {
        if (failure != null) {
            reason.addSuppressed(failure);
        }
        try {
            close();
        } catch (IOException | RuntimeException e) {
            reason.addSuppressed(e);
        }
        return reason;
    }

    @Override
    protected void implCloseChannel() throws IOException {
        use.writeLock().lock();
        try {
            fileSystem.closed(this);
            file.locks().removeOf(this);
            file.close(flags.deleteOnClose() && !kept);
        } finally {
            use.writeLock().unlock();
        }
    }

    /** Closes it without deleting the file. */
    void release() throws IOException {
        kept = true;
        close();
    }

    // ---- reading

    @Override
    public int read(ByteBuffer to) throws IOException {
        requireReadable();
        requireWritableBuffer(to);
        return (int) readInTurn(to);
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        requireReadable();
        ByteBuffer[] used = new ByteBuffer[length];
        System.arraycopy(to, offset, used, 0, length);
        for (ByteBuffer each : used) {
            requireWritableBuffer(each);
        }
        return readInTurn(used);
    }

    private static void requireWritableBuffer(ByteBuffer to) {
        if (to.isReadOnly()) {
            throw new IllegalArgumentException("a buffer to read into must not be read-only: " + to);
        }
    }

    private long readInTurn(ByteBuffer... to) throws IOException {
        return runInTurn(() -> {
            long count = read(position, to);
            position += Math.max(0, count);
            return count;
        });
    }

    private long read(long at, ByteBuffer... to) throws IOException {
        return BufferArrays.remaining(to) == 0 ? 0 : file.read(at, to);
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
        Objects.requireNonNull(to, "to");
        requireNotNegative(at, "position");
        requireReadable();
        requireWritableBuffer(to);
        return (int) run(() -> read(at, to));
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        return run(file::size);
    }

    // ---- writing

    @Override
    public int write(ByteBuffer from) throws IOException {
        requireWritable();
        Objects.requireNonNull(from, "from");
        return (int) runInTurn(() -> writeNext(from));
    }

    private int writeNext(ByteBuffer from) throws IOException {
        int count = from.remaining();
        if (count > 0) {
            position = file.write(flags.append() ? -1 : position, from);
        }
        return count;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        requireWritable();
        ByteBuffer[] used = new ByteBuffer[length];
        for (int i = 0; i < length; i++) {
            used[i] = Objects.requireNonNull(from[offset + i], "from");
        }
        return runInTurn(() -> {
            long total = BufferArrays.remaining(used);
            for (long left = total; left > 0; ) { // as few pieces as a buffer of all of it would take
                ByteBuffer piece = BufferArrays.gather(used, file.pieceBytes());
                int count = writeNext(piece);
                BufferArrays.advance(used, count);
                left -= count;
            }
            return total;
        });
    }

    /** Writes to the end, whatever the position, if the channel appends: so do kernels. */
    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        Objects.requireNonNull(from, "from");
        requireNotNegative(at, "position");
        requireWritable();
        return (int) run(() -> {
            int count = from.remaining();
            if (count > 0) {
                file.write(flags.append() ? -1 : at, from);
            }
            return count;
        });
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requireOpen();
        requireNotNegative(size, "size");
        requireWritable();
        runInTurn(() -> {
            file.truncate(size);
            position = Math.min(position, size);
            return 0;
        });
        return this;
    }

    /** Makes all that the store has durable. */
    @Override
    public void force(boolean metaData) throws IOException {
        requireOpen();
        run(() -> {
            fileSystem.tree().force();
            return 0;
        });
    }

    // ---- the position

    @Override
    public long position() throws IOException {
        requireOpen();
        return runInTurn(() -> flags.append() ? file.size() : position);
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requireOpen();
        requireNotNegative(newPosition, "newPosition");
        runInTurn(() -> position = newPosition);
        return this;
    }

    // ---- to and from other channels, which may keep a thread waiting: meanwhile no operation of this one is under way

    @Override
    public long transferTo(long at, long count, WritableByteChannel target) throws IOException {
        requireOpen();
        if (!target.isOpen()) {
            throw new ClosedChannelException();
        }
        requireReadable();
        if (target instanceof FlexChannel other) {
            other.requireWritable();
        }
        requireNotNegative(at, "position");
        requireNotNegative(count, "count");
        long most = Math.min(count, Math.max(0, size() - at));
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(most, TRANSFERRED_AT_ONCE));
        long done = 0;
        try {
            while (done < most) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), most - done));
                if (read(buffer, at + done) <= 0) {
                    break;
                }
                buffer.flip();
                done += target.write(buffer);
                if (buffer.hasRemaining()) {
                    break;
                }
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e; // else the next call meets it
            }
        }
        return done;
    }

    /** A position behind the end makes the file longer, as Java says from version 21 on. */
    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
        requireOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        requireWritable();
        if (source instanceof FlexChannel other) {
            other.requireReadable();
        }
        requireNotNegative(at, "position");
        requireNotNegative(count, "count");
        run(() -> 0); // an interrupt closes this channel, and not the other one
        long most = count;
        if (source instanceof FlexChannel other) { // which may be of the same file, and have what is written here
            most = Math.min(count, Math.max(0, other.size() - other.position()));
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(most, TRANSFERRED_AT_ONCE));
        long done = 0;
        try {
            while (done < most) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), most - done));
                if (source.read(buffer) <= 0) {
                    break;
                }
                done += write(buffer.flip(), at + done);
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e; // else the next call meets it
            }
        }
        return done;
    }

    // ---- mapping and locks

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) throws IOException {
        Objects.requireNonNull(mode, "mode");
        requireOpen();
        requireNotNegative(at, "position");
        requireNotNegative(size, "size");
        if (mode != MapMode.READ_ONLY) {
            requireWritable();
        }
        requireReadable();
        throw new UnsupportedOperationException("what is in a store can't be mapped; read it instead");
    }

    @Override
    public FileLock lock(long at, long size, boolean shared) throws IOException {
        FileLock lock = tryLock(at, size, shared);
        if (interruptible && Thread.currentThread().isInterrupted()) {
            throw closed(new FileLockInterruptionException(), null);
        }
        return lock;
    }

    @Override
    public FileLock tryLock(long at, long size, boolean shared) throws IOException {
        requireOpen();
        if (shared) {
            requireReadable();
        } else {
            requireWritable();
        }
        long locked = size == 0 ? Long.MAX_VALUE - Math.max(0, at) : size; // as Java says from version 22 on
        FlexFileLock lock = new FlexFileLock(this, file.locks(), at, locked, shared);
        runOpen(() -> {
            file.locks().add(lock);
            return 0;
        });
        return lock;
    }
}
