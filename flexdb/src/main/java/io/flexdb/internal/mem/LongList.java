package io.flexdb.internal.mem;

import java.nio.ByteBuffer;

/** The list of operands that wait, with a value below them that is read by parts. To be read once. */
public final class LongList implements UnclosedChannel {
    private final ByteBuffer before;
    private final LongBase base;
    private final ByteBuffer operands;
    private final long expiry;
    private final long through;
    private int read; // of the base

    LongList(byte[] before, LongBase base, byte[] operands, long expiry, long through) {
        this.before = ByteBuffer.wrap(before);
        this.base = base;
        this.operands = ByteBuffer.wrap(operands);
        this.expiry = expiry;
        this.through = through;
    }

    /** Bytes of the list. */
    public int length() {
        return before.capacity() + base.length() + operands.capacity();
    }

    /** Bytes of all operands in it. */
    public int operandBytes() {
        return operands.capacity() + base.operandBytes();
    }

    /** When the pair expires, in milliseconds since 1970. */
    public long expiry() {
        return expiry;
    }

    /** The sequence number of the newest operand in it. */
    public long through() {
        return through;
    }

    @Override
    public int read(ByteBuffer to) {
        int from = to.position();
        ChannelBytes.move(before, to);
        int bytes = Math.min(to.remaining(), base.length() - read);
        if (bytes > 0) {
            int limit = to.limit();
            base.parts().read(read, to.limit(to.position() + bytes));
            to.limit(limit);
            read += bytes;
        }
        ChannelBytes.move(operands, to);
        return to.position() > from || !to.hasRemaining() ? to.position() - from : -1;
    }
}
