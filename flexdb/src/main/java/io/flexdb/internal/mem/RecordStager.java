package io.flexdb.internal.mem;

import io.flexdb.internal.base.RecordHead;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32C;

/** Stages the record of one large value while it reads the value from a channel. For one thread, and one record. */
public final class RecordStager {
    /*
     * The problem: a value that nobody has in memory may come slowly, and a record begins with the checksum of all of
     * it. The choice: each piece is read without a lock and then staged under that of LargeValues, in the run of that
     * moment. The bytes with the checksum, in the first piece or the reference, come last. The cost: two buffers of a
     * piece, and the first piece lies behind the others.
     *
     * A channel may keep the buffer that it is given, and write to it later. It is therefore given one of its own: a
     * record with a wrong checksum would end the log, and so lose all writes behind it.
     */
    private static final int CHUNK_BYTES = 64 << 10;

    private final LargeValues values;
    private final int maxExtentBytes;
    private final ReadableByteChannel source;
    private final ToLongFunction<LongSupplier> room;
    private final boolean byCommit;
    private final int keyLength;
    private final int valueLength;
    private final int headBytes;
    private final int pieces;
    private final int restBytes;
    private final ByteBuffer ofKey; // what the record has before its value
    private final ByteBuffer first; // with the checksum
    private final ByteBuffer chunk; // what was read and has not found its place yet
    private final CRC32C ofRecord = new CRC32C();
    private final CRC32C ofPiece = new CRC32C();
    private final byte[] payload;
    private final int referenceAt; // in it
    private final List<StagedRun> runs = new ArrayList<>();
    private int wanted; // bytes of the value that were not read yet

    /**
     * @param key as it is stored
     * @param source of the value, or of the list of operands that wait
     * @param room stages a piece
     * @param byCommit whether a commit stages it, be it the last one
     */
    RecordStager(
            LargeValues values,
            byte[] key,
            RecordHead head,
            ReadableByteChannel source,
            ToLongFunction<LongSupplier> room,
            boolean byCommit) {
        this.byCommit = byCommit;
        this.room = room;
        this.values = values;
        this.maxExtentBytes = values.maxExtentBytes();
        this.source = source;
        this.keyLength = key.length;
        this.valueLength = head.length();
        this.wanted = valueLength;
        int recordBytes = head.recordBytes();
        headBytes = values.headBytes(recordBytes, valueLength);
        restBytes = recordBytes - headBytes;
        pieces = LargeReference.pieces(restBytes, maxExtentBytes);
        ofKey = newBuffer(recordBytes - valueLength).order(ByteOrder.LITTLE_ENDIAN);
        head.write(ofKey, 0);
        ofKey.put(ofKey.limit() - keyLength, key);
        first = newBuffer(headBytes > 0 ? headBytes : Math.min(maxExtentBytes, restBytes))
                .order(ByteOrder.LITTLE_ENDIAN);
        chunk = newBuffer(Math.min(CHUNK_BYTES, valueLength)).limit(0);
        int referenceBytes = LargeReference.bytes(pieces, headBytes);
        payload = new byte[Math.toIntExact(WritePayload.putBytes(keyLength, referenceBytes) + WritePayload.TIME_BYTES)];
        int keyAt = WritePayload.encodeTimedHeader(payload, 0, WritePayload.PUT_LARGE, keyLength, referenceBytes);
        System.arraycopy(key, 0, payload, keyAt, keyLength);
        referenceAt = keyAt + keyLength;
        WritePayload.putTime(payload, payload.length - WritePayload.TIME_BYTES, head.expiry());
    }

    private static ByteBuffer newBuffer(int bytes) {
        try {
            return ByteBuffer.allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a part of a large value", bytes, e);
        }
    }

    /** Where in the write's payload the reference is. */
    public int referenceAt() {
        return referenceAt;
    }

    /** Bytes of the reference. */
    public int referenceBytes() {
        return LargeReference.bytes(pieces, headBytes);
    }

    /** Bytes of the write's payload. */
    public int payloadBytes() {
        return payload.length;
    }

    /** The {@link MemTable#bodyBytes} of its entry. */
    public long bodyBytes() {
        return MemTable.bodyBytes(keyLength, payload.length - referenceAt);
    }

    /**
     * Stages it. To be called once.
     *
     * @throws IOException as the channel does, or if it ends before the value; then nothing is staged
     * @throws io.flexdb.storage.StoreFullException if there is no room; likewise
     */
    public StagedWrite stage() throws IOException {
        boolean staged = false;
        try {
            stagePieces();
            values.endRecord(runs, valueLength, byCommit);
            Payload entry = new Payload().set(payload, payload.length, 1, 0, bodyBytes());
            StagedWrite write = new StagedWrite(values, runs, entry, restBytes);
            staged = true;
            return write;
        } finally {
            if (!staged) {
                runs.forEach(values::release);
            }
        }
    }

    private void stagePieces() throws IOException {
        fill(first);
        ofRecord.update(first.array(), Integer.BYTES, first.limit() - Integer.BYTES);
        int before = headBytes > 0 ? 0 : 1; // pieces that are in the first buffer
        ByteBuffer piece = newBuffer(maxExtentBytes);
        for (int i = before; i < pieces; i++) {
            fill(piece.clear().limit(Math.min(maxExtentBytes, restBytes - i * maxExtentBytes)));
            ofRecord.update(piece.array(), 0, piece.limit());
            stagePiece(i, piece);
        }
        int checksum = (int) ofRecord.getValue();
        first.putInt(0, checksum);
        LargeReference.write(payload, referenceAt, valueLength, checksum, headBytes);
        if (headBytes > 0) {
            first.get(payload, referenceAt + LargeReference.headAt(pieces), headBytes);
        } else {
            stagePiece(0, first);
        }
    }

    private void stagePiece(int number, ByteBuffer piece) {
        ofPiece.reset();
        ofPiece.update(piece.array(), 0, piece.limit());
        LargeReference.setPieceChecksum(payload, referenceAt, pieces, number, (int) ofPiece.getValue());
        long address = room.applyAsLong(() -> values.stagePiece(piece, runs, byCommit));
        LargeReference.setAddress(payload, referenceAt, number, address);
    }

    /** Fills a buffer with the next bytes of the record, and makes it ready to be read. */
    private void fill(ByteBuffer to) throws IOException {
        ChannelBytes.move(ofKey, to);
        while (to.hasRemaining()) {
            if (!chunk.hasRemaining()) {
                ChannelBytes.read(
                        source,
                        chunk.clear().limit(Math.min(chunk.capacity(), wanted)),
                        valueLength - wanted,
                        valueLength);
                wanted -= chunk.flip().limit();
            }
            ChannelBytes.move(chunk, to);
        }
        to.flip();
    }
}
