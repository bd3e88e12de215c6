package io.flexdb.internal.mem;

import io.flexdb.storage.StoreMemoryException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;

/** Reads bytes of a channel, as many as are wanted. */
public final class ChannelBytes {
    private ChannelBytes() {}

    /** Moves bytes from one buffer to another, as many as fit, and returns how many. */
    public static int move(ByteBuffer from, ByteBuffer to) {
        int bytes = Math.min(from.remaining(), to.remaining());
        to.put(to.position(), from, from.position(), bytes);
        from.position(from.position() + bytes);
        to.position(to.position() + bytes);
        return bytes;
    }

    /**
     * Throws for a non-blocking channel: nobody here waits until it has bytes.
     *
     * @throws IllegalBlockingModeException for it
     */
    public static void requireBlocking(ReadableByteChannel source) {
        if (source instanceof SelectableChannel selectable && !selectable.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    /**
     * The next bytes. The channel may keep the array and write to it later, so copy them before they are used.
     *
     * @throws EOFException if the channel ends before
     */
    public static byte[] read(ReadableByteChannel source, int length) throws IOException {
        byte[] bytes = newArray(length);
        read(source, ByteBuffer.wrap(bytes), 0, length);
        return bytes;
    }

    private static byte[] newArray(int length) {
        try {
            return new byte[length];
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a value of a channel", length, e);
        }
    }

    /**
     * Fills a buffer.
     *
     * @param before bytes of the value that were read before
     * @param length of the value, for what is thrown
     * @throws EOFException if the channel ends before
     */
    static void read(ReadableByteChannel source, ByteBuffer to, long before, long length) throws IOException {
        int from = to.position();
        int end = to.limit();
        for (int at = from; at < end; at = to.position()) {
            int bytes = source.read(to);
            to.limit(end); // which the channel might have moved
            // The bytes that are there count, not the number it returns: a channel that tells of more would be asked
            // for ever.
            if (bytes < 0 || to.position() <= at) {
                String has = (before + at - from) + " bytes of the " + length + " that the value should have";
                throw bytes < 0
                        ? new EOFException("the source ended after " + has)
                        : new IOException("the source, which should wait for more, read none after " + has);
            }
        }
    }
}
