package io.flexdb.internal.tools;

import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.PairWalk;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Varints;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.UnclosedChannel;
import io.flexdb.internal.mem.WaitingOperands;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** Writes pairs and entries of logs to another store, many to one write. */
final class PairWriter {
    /** Writing to the new store has failed: no reader of the damaged store may take that for damage. */
    static final class TargetException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final StorageException storage;

        TargetException(StorageException storage) {
            super(storage);
            this.storage = storage;
        }

        StorageException storage() {
            return storage;
        }
    }

    private static final int MOST_BYTES = 1 << 18; // of a write
    private static final int SHARE = 8; // of a memtable
    private static final int BYTES_OF_ENTRY = 256; // a write has no more entries than of this size on average

    private final StoreWriter writer;
    private final int flushBytes;
    private final Payload all = new Payload();
    private byte[] payload;
    private int length;
    private int entries;
    private int ranges;
    private long bodyBytes;

    /** @param memtableBytes of that store */
    PairWriter(StoreWriter writer, int memtableBytes) {
        this.writer = writer;
        this.flushBytes = Math.min(MOST_BYTES, memtableBytes / SHARE);
        this.payload = new byte[flushBytes];
    }

    /**
     * Puts the pair that a walk is at, which may expire.
     *
     * @throws IllegalArgumentException if no memtable can hold it; nothing was written
     */
    void put(PairWalk walk) {
        int keyLength = walk.keyLength();
        int valueLength = walk.valueLength();
        if (isByParts(valueLength)) {
            put(
                    Arrays.copyOf(walk.key(), keyLength),
                    walk.expiry(),
                    new WalkedValue(walk, 0, valueLength),
                    valueLength);
            return;
        }
        boolean expires = walk.expiry() != RecordFormat.NEVER;
        int timeBytes = expires ? WritePayload.TIME_BYTES : 0;
        int bytes = Math.toIntExact(WritePayload.putBytes(keyLength, valueLength) + timeBytes);
        long body = MemTable.bodyBytes(keyLength, valueLength + timeBytes);
        begin(bytes, body, valueLength);
        int at = expires
                ? WritePayload.encodeTimedHeader(payload, length, WritePayload.PUT_EXPIRING, keyLength, valueLength)
                : WritePayload.encodePutHeader(payload, length, keyLength, valueLength);
        System.arraycopy(walk.key(), 0, payload, at, keyLength);
        walk.copyValue(payload, at + keyLength);
        if (expires) {
            WritePayload.putTime(payload, at + keyLength + valueLength, walk.expiry());
        }
        added(bytes, body, false);
    }

    /** Puts a pair of which memtables hold any. */
    void put(byte[] storedKey, byte[] value) {
        addEntry(WritePayload.PUT, storedKey, value, RecordFormat.NEVER);
    }

    /** Whether a value is so long that it is to be put from a channel. */
    boolean isByParts(int valueLength) {
        return writer.large().isStagedWhileRead(valueLength);
    }

    /** Puts a value that is never in memory as a whole, see {@link #isByParts}. Throws as {@link #put} does. */
    void put(byte[] storedKey, long expiry, ReadableByteChannel value, int valueLength) {
        flush(); // older entries
        Source source = new Source(value);
        try {
            writer.writeFrom(storedKey, expiry, source, valueLength, Force.WHEN_ASKED, null);
        } catch (StorageException e) {
            throw e == source.failure ? e : new TargetException(e);
        } catch (IOException e) {
            throw new UncheckedIOException("a value of the damaged store ended early", e);
        }
    }

    /** A channel of the damaged store, which may fail as the other store may. */
    private static final class Source implements UnclosedChannel {
        private final ReadableByteChannel channel;
        private StorageException failure; // null if it has not failed

        Source(ReadableByteChannel channel) {
            this.channel = channel;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            try {
                return channel.read(to);
            } catch (StorageException e) {
                failure = e;
                throw e;
            }
        }
    }

    /** The value of the pair that a walk is at. */
    private static final class WalkedValue implements UnclosedChannel {
        private final PairWalk walk;
        private final int end;
        private int position;

        WalkedValue(PairWalk walk, int from, int end) {
            this.walk = walk;
            this.position = from;
            this.end = end;
        }

        @Override
        public int read(ByteBuffer to) {
            int bytes = Math.min(to.remaining(), end - position);
            if (bytes == 0) {
                return -1;
            }
            ByteBuffer part = to.duplicate();
            walk.copyValue(position, part.limit(part.position() + bytes));
            to.position(part.position());
            position += bytes;
            return bytes;
        }
    }

    /**
     * Takes the pair that a walk is at and that has waiting operands: puts the value below them, if there is one, and
     * merges them. They were made before its end, if it expires. Throws as {@link #put} does.
     */
    void putWaiting(PairWalk walk, WaitingOperands waiting) {
        byte[] key = Arrays.copyOf(walk.key(), walk.keyLength());
        if (waiting.value() != null) {
            boolean expires = walk.expiry() != RecordFormat.NEVER;
            addEntry(expires ? WritePayload.PUT_EXPIRING : WritePayload.PUT, key, waiting.value(), walk.expiry());
        }
        for (byte[] operand : waiting.operands()) {
            addEntry(WritePayload.MERGE, key, operand, walk.expiry() - 1);
        }
    }

    /**
     * Writes a list that may be so long that its value is never in memory as a whole.
     *
     * @throws io.flexdb.internal.base.BadRecordException if it is no list
     */
    void putWaitingByParts(PairWalk walk) {
        byte[] head = new byte[1 + Varints.MAX_BYTES];
        walk.copyValue(0, ByteBuffer.wrap(head));
        int end = WaitingOperands.bytesThroughValue(head, walk.valueLength());
        int from = end == 1 ? end : 1 + Varints.bytesOf(Varints.read(head, 1, head.length));
        if (!isByParts(end - from)) {
            byte[] list = new byte[walk.valueLength()];
            walk.copyValue(list, 0);
            putWaiting(walk, WaitingOperands.of(list));
            return;
        }
        byte[] withoutValue = new byte[1 + walk.valueLength() - end];
        walk.copyValue(end, ByteBuffer.wrap(withoutValue, 1, withoutValue.length - 1));
        WaitingOperands waiting = WaitingOperands.of(withoutValue);
        byte[] key = Arrays.copyOf(walk.key(), walk.keyLength());
        put(key, walk.expiry(), new WalkedValue(walk, from, end), end - from);
        putWaiting(walk, waiting);
    }

    private void addEntry(int type, byte[] key, byte[] value, long time) {
        int timeBytes = WritePayload.timeBytes(type);
        int bytes = Math.toIntExact(WritePayload.putBytes(key.length, value.length) + timeBytes);
        long body = MemTable.bodyBytes(key.length, value.length + timeBytes);
        begin(bytes, body, type == WritePayload.MERGE ? 0 : value.length);
        int at = timeBytes == 0
                ? WritePayload.encodePutHeader(payload, length, key.length, value.length)
                : WritePayload.encodeTimedHeader(payload, length, type, key.length, value.length);
        System.arraycopy(key, 0, payload, at, key.length);
        System.arraycopy(value, 0, payload, at + key.length, value.length);
        if (timeBytes > 0) {
            WritePayload.putTime(payload, at + key.length + value.length, time);
        }
        added(bytes, body, false);
    }

    /** Adds the entry that a reader is at. Throws as {@link #put} does. */
    void add(PayloadReader reader, byte[] from, int start, int end) {
        long body = MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
        begin(end - start, body, reader.type() == WritePayload.MERGE ? 0 : reader.valueLength());
        System.arraycopy(from, start, payload, length, end - start);
        boolean range = reader.type() == WritePayload.DELETE_RANGE;
        added(end - start, body, range);
        if (range) {
            flush(); // a memtable holds some hundred only
        }
    }

    private void begin(int bytes, long body, int valueLength) {
        if (!writer.large().isLarge(valueLength)) {
            writer.requireFits(bytes, body, 1);
        }
        if (length + bytes > flushBytes || entries >= flushBytes / BYTES_OF_ENTRY) {
            flush();
        }
        if (payload.length < bytes) {
            payload = new byte[bytes];
        }
    }

    private void added(int bytes, long body, boolean range) {
        length += bytes;
        entries++;
        bodyBytes += body;
        ranges += range ? 1 : 0;
    }

    /** Writes the entries that wait. */
    void flush() {
        if (entries > 0) {
            try {
                writer.write(all.set(payload, length, entries, ranges, bodyBytes), Force.WHEN_ASKED);
            } catch (StorageException e) {
                throw new TargetException(e);
            }
        }
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        if (payload.length > 4 * flushBytes) {
            payload = new byte[flushBytes];
        }
    }
}
