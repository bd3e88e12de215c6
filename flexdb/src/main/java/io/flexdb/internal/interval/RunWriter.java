package io.flexdb.internal.interval;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.RecordHead;
import io.flexdb.internal.mem.ChannelBytes;
import io.flexdb.internal.mem.MergedValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** Makes a run of pairs that come in key order. For one thread at a time. */
public final class RunWriter {
    /*
     * Pairs are gathered in a buffer of the largest piece's size, which is handed on when the next one does not fit: a
     * pair that is not longer than a piece is never cut (O7), and a longer one has pieces of its own, of which the first
     * is handed on last, since it begins with the checksum of all. At most two pieces of the added pairs are therefore
     * in memory.
     *
     * The anchor of an interval is the shortest separator of its first key and the last one before it. Where that one is
     * not known, at the beginning of a part and behind an interval that is taken as it is, it is the first key.
     */
    private static final int NONE = -1;

    private final PieceSink sink;
    private final int mostBytes; // of a piece
    private final ByteBuffer piece;
    private final CRC32C crc = new CRC32C();
    private final SortedRun run = new SortedRun();
    private boolean intervalOpen;
    private byte[] lastKey = new byte[256];
    private int lastKeyLength; // 0 if it is not known
    private int lastInterval = NONE; // of another run, if that is what was added last

    /**
     * @param mostBytes of a piece
     * @param piece as {@link #newPiece} makes one, for this to use
     */
    public RunWriter(PieceSink sink, int mostBytes, ByteBuffer piece) {
        assert piece.capacity() >= mostBytes && piece.order() == ByteOrder.LITTLE_ENDIAN;
        this.sink = sink;
        this.mostBytes = mostBytes;
        this.piece = piece;
        piece.clear().limit(0); // none has begun
    }

    /**
     * A buffer of the store's memory.
     *
     * @param mostBytes of a piece
     */
    public static ByteBuffer newPiece(OffHeap memory, int mostBytes) {
        return memory.allocate(OffHeap.Use.COMMITS, mostBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The run that was written; it is whole after {@link #endPart}. */
    public SortedRun run() {
        return run;
    }

    /**
     * Adds a pair with a key above all before it.
     *
     * @param value between position and limit, which stay
     * @param expiry in milliseconds since 1970, or {@link RecordFormat#NEVER}
     */
    public void add(byte[] key, ByteBuffer value, long expiry) {
        RecordHead head = new RecordHead(key.length, value.remaining(), expiry, 0, false);
        if (head.recordBytes() > mostBytes) {
            ByteBuffer left = value.duplicate();
            addLong(key, head, part -> ChannelBytes.move(left, part));
        } else {
            addWhole(key, head, value);
        }
    }

    private void addWhole(byte[] key, RecordHead head, ByteBuffer value) {
        int bytes = head.recordBytes();
        ByteBuffer to = place(bytes);
        int keyPosition = head.write(to, to.position());
        to.put(keyPosition, key).put(keyPosition + key.length, value, value.position(), head.length());
        RecordFormat.seal(to, to.position(), bytes, crc);
        placed(to, bytes, key, 0, key.length);
    }

    /**
     * Adds a pair with a key above all before it, of which each part of the value is asked for when it is needed.
     *
     * @param value fills a buffer with the next bytes
     */
    public void add(byte[] key, int valueLength, Consumer<ByteBuffer> value, long expiry) {
        RecordHead head = new RecordHead(key.length, valueLength, expiry, 0, false);
        if (head.recordBytes() > mostBytes) {
            addLong(key, head, value);
            return;
        }
        ByteBuffer whole = ByteBuffer.allocate(valueLength);
        value.accept(whole);
        addWhole(key, head, whole.flip());
    }

    /** Adds a pair that is longer than a piece. */
    private void addLong(byte[] key, RecordHead head, Consumer<ByteBuffer> value) {
        flush();
        int bytes = head.recordBytes();
        int pieces = (int) (((long) bytes + mostBytes - 1) / mostBytes);
        ByteBuffer begin = ByteBuffer.allocate(bytes - head.length()).order(ByteOrder.LITTLE_ENDIAN);
        begin.put(head.write(begin, 0), key);
        ByteBuffer first = ByteBuffer.allocate(mostBytes).order(ByteOrder.LITTLE_ENDIAN);
        long[] addresses = new long[pieces];
        crc.reset();
        fill(first, begin, value);
        crc.update(first.duplicate().position(Integer.BYTES));
        for (int i = 1; i < pieces; i++) {
            piece.clear().limit(Math.min(mostBytes, bytes - i * mostBytes));
            fill(piece, begin, value);
            crc.update(piece.duplicate());
            addresses[i] = sink.append(piece);
        }
        piece.clear().limit(0);
        addresses[0] = sink.append(first.putInt(0, (int) crc.getValue()));
        countPair(bytes, key, 0, key.length);
        for (int i = 0; i < pieces; i++) {
            int length = Math.min(mostBytes, bytes - i * mostBytes);
            run.addPiece(addresses[i], length, i == 0 ? 0 : RecordFormat.CONTINUATION, mostBytes);
        }
    }

    /** Fills a piece with the next bytes of a record, from its position to its limit, where that stays. */
    private static void fill(ByteBuffer to, ByteBuffer begin, Consumer<ByteBuffer> value) {
        ChannelBytes.move(begin, to);
        if (to.hasRemaining()) {
            value.accept(to);
        }
        to.position(0);
    }

    /** Adds a value that operands have made, or operands that wait, with a key above all before it. */
    public void add(byte[] key, MergedValue merged) {
        ByteBuffer value = ByteBuffer.wrap(merged.bytes());
        if (merged.waits()) {
            addWhole(key, new RecordHead(key.length, value.remaining(), merged.expiry(), 0, true), value);
        } else {
            add(key, value, merged.expiry());
        }
    }

    /** Adds a pair that is in a buffer as it is stored, with its key in an array. */
    public void add(ByteBuffer record, int position, int bytes, byte[] key, int keyFrom, int keyLength) {
        ByteBuffer to = place(bytes);
        to.put(to.position(), record, position, bytes);
        placed(to, bytes, key, keyFrom, keyLength);
    }

    /** A buffer with room for a pair at its position. */
    private ByteBuffer place(int bytes) {
        if (bytes > mostBytes) {
            flush();
            return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        if (piece.remaining() < bytes) {
            flush();
            int room = sink.room();
            piece.clear().limit(room >= bytes ? Math.min(room, mostBytes) : mostBytes);
        }
        return piece;
    }

    private void placed(ByteBuffer to, int bytes, byte[] key, int keyFrom, int keyLength) {
        countPair(bytes, key, keyFrom, keyLength);
        if (to == piece) {
            piece.position(piece.position() + bytes);
        } else {
            appendLong(to);
        }
    }

    private void countPair(int bytes, byte[] key, int keyFrom, int keyLength) {
        int last = run.intervals() - 1;
        boolean fits = intervalOpen
                && run.pairCount(last) < Interval.MAX_PAIRS
                && run.intervalBytes(last) + bytes <= Interval.MAX_BYTES;
        if (!fits) {
            run.beginInterval(key, keyFrom, anchorLength(key, keyFrom, keyLength));
            intervalOpen = true;
        }
        run.growInterval(bytes, 1);
        if (lastKey.length < keyLength) {
            lastKey = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        System.arraycopy(key, keyFrom, lastKey, 0, keyLength); // whoever adds may use the array again
        lastKeyLength = keyLength;
        lastInterval = NONE;
    }

    /** How much of its first key the anchor of an interval has to have. */
    private int anchorLength(byte[] key, int from, int length) {
        return lastKeyLength == 0 ? length : KeyBytes.separatorLength(lastKey, lastKeyLength, key, from, length);
    }

    private void forgetLastKey() {
        lastKeyLength = 0;
        lastInterval = NONE;
    }

    private void appendLong(ByteBuffer pair) {
        int bytes = pair.capacity();
        for (int done = 0; done < bytes; ) {
            int length = Math.min(mostBytes, bytes - done);
            long address = sink.append(pair.limit(done + length).position(done));
            run.addPiece(address, length, done == 0 ? 0 : RecordFormat.CONTINUATION, mostBytes);
            done += length;
        }
    }

    /** Hands on what is gathered. */
    private void flush() {
        int bytes = piece.position();
        if (bytes > 0) {
            piece.flip();
            run.addPiece(sink.append(piece), bytes, 0, mostBytes);
        }
        piece.clear().limit(0);
    }

    /**
     * Whether the last addition was the interval before this one of the other run, so that this one can be added
     * unread.
     */
    public boolean hasAddedIntervalBefore(int interval) {
        return lastInterval != NONE && lastInterval == interval - 1;
    }

    /**
     * Adds an interval of another run, which is where it is and stays there. All that are added are of one run.
     *
     * @param firstKey of it; may be null if {@link #hasAddedIntervalBefore}
     */
    public void addInterval(SortedRun from, int interval, byte[] firstKey) {
        flush();
        if (hasAddedIntervalBefore(interval)) {
            byte[] anchor = from.anchor(interval);
            run.beginInterval(anchor, 0, anchor.length);
        } else {
            run.beginInterval(firstKey, 0, anchorLength(firstKey, 0, firstKey.length));
        }
        forgetLastKey(); // the interval has not been read
        lastInterval = interval;
        intervalOpen = false;
        long start = from.intervalStart(interval);
        long end = start + from.intervalBytes(interval);
        run.growInterval(end - start, from.pairCount(interval));
        for (int at = from.pieceAt(start); start < end; at++) {
            long skipped = start - from.pieceStart(at);
            int bytes = (int) Math.min(from.pieceBytes(at) - skipped, end - start);
            run.addPiece(from.address(at) + skipped, bytes, skipped == 0 ? from.flags(at) : 0, mostBytes);
            start += bytes;
        }
    }

    /**
     * Begins a part at a key, which is not above that of the pair to come, if there comes one.
     *
     * @param begin kept, not copied
     */
    public void beginPart(byte[] begin) {
        flush();
        intervalOpen = false;
        forgetLastKey();
        run.beginPart(begin);
    }

    /**
     * Ends a part, if one was begun.
     *
     * @param end the key before which it ends; kept, not copied
     */
    public void endPart(byte[] end) {
        flush();
        intervalOpen = false;
        forgetLastKey();
        if (run.hasOpenPart()) {
            run.endPart(end);
        }
    }
}
