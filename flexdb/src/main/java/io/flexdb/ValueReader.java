package io.flexdb;

import io.flexdb.internal.read.OpenValue;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A value that is read by parts: a channel over what it was when it was opened, whatever is written meanwhile. No more of
 * a value of some size is read, or in memory, than is asked for; each byte is verified by the checksum of its frame
 * before it is returned, and damage is a {@link io.flexdb.storage.CorruptionException}.
 *
 * <p>To be closed: like a snapshot it holds back memory and disk that later writes would free, and throws a {@link
 * io.flexdb.storage.SnapshotTooOldException} once the store has ended it since it kept too much. Any thread may use
 * {@link #read(ByteBuffer, long)}; the position is for one thread at a time. After it or the store is closed, reading
 * throws {@link StoreClosedException}, which is unchecked; nothing here throws a checked exception. One of a {@link
 * FlexDBReader} throws {@link io.flexdb.storage.ReaderOvertakenException} where the writer has used the disk space
 * again. A read costs a lookup of where the bytes are, and one access for each piece of at most 128 KiB.
 */
public final class ValueReader implements SeekableByteChannel {
    private final OpenValue value;
    private long position;

    ValueReader(OpenValue value) {
        this.value = value;
    }

    /** Bytes of the value. */
    @Override
    public long size() {
        return value.length();
    }

    @Override
    public long position() {
        return position;
    }

    /** @param newPosition may be behind the end, where there is nothing to read */
    @Override
    public ValueReader position(long newPosition) {
        if (newPosition < 0) {
            throw new IllegalArgumentException("position must not be negative: " + newPosition);
        }
        position = newPosition;
        return this;
    }

    /**
     * Reads from the position on, which moves on, until the buffer is full or the value ends.
     *
     * @return how many bytes; -1 at the end
     */
    @Override
    public int read(ByteBuffer destination) {
        int bytes = read(destination, position);
        position += Math.max(0, bytes);
        return bytes;
    }

    /**
     * Reads from a place in the value on, until the buffer is full or the value ends. The position stays.
     *
     * @param from not negative
     */
    public int read(ByteBuffer destination, long from) {
        Limits.notNull(destination, "destination");
        if (from < 0 || destination.isReadOnly()) {
            throw new IllegalArgumentException(
                    from < 0 ? "from must not be negative: " + from : "destination must not be read-only");
        }
        return value.read(from, destination);
    }

    /**
     * Writes all of the value to a channel, with a small buffer of its own; the position stays.
     *
     * @throws java.io.IOException as the channel does
     */
    public void transferTo(WritableByteChannel target) throws java.io.IOException {
        Limits.notNull(target, "target");
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(128 << 10, Math.max(1, size())));
        for (long from = 0; from < size(); from += buffer.limit()) {
            read(buffer.clear(), from);
            buffer.flip();
            while (buffer.hasRemaining()) {
                target.write(buffer);
            }
        }
    }

    /** Always throws: the channel is for reading. */
    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    /** Always throws: the channel is for reading. */
    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return !value.isClosed();
    }

    /** Lets go of what it holds. Closing again does nothing. */
    @Override
    public void close() {
        value.close();
    }

    @Override
    public String toString() {
        return "ValueReader[" + position + " of " + size() + (isOpen() ? "]" : ", closed]");
    }
}
