package io.flexdb.internal.mem;

import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Stages the large values of one write, and makes its payload one that refers to them. For one thread. */
final class PayloadStager {
    private final LargeValues values;
    private final int maxExtentBytes;
    private final StagedBytes run;
    private final byte[] payload;
    final byte[] changed;
    private final ByteBuffer header =
            ByteBuffer.allocate(RecordFormat.MAX_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private int at; // in what is changed
    private long bodyBytes;
    private long recordBytes;

    /** @param changed for the payload with references, of its length */
    PayloadStager(LargeValues values, int maxExtentBytes, StagedBytes run, byte[] payload, byte[] changed) {
        this.values = values;
        this.maxExtentBytes = maxExtentBytes;
        this.run = run;
        this.payload = payload;
        this.changed = changed;
    }

    /** The sum of {@link MemTable#bodyBytes} over the entries. */
    long bodyBytes() {
        return bodyBytes;
    }

    /** Bytes of the records that were staged. */
    long recordBytes() {
        return recordBytes;
    }

    /** Stages them. Once. */
    void stage(PayloadReader entries) {
        for (int start = 0; entries.next(); start = LargeValues.end(entries)) {
            if (values.isLarge(entries)) {
                stageLarge(entries);
            } else {
                System.arraycopy(payload, start, changed, at, LargeValues.end(entries) - start);
                at += LargeValues.end(entries) - start;
                bodyBytes += MemTable.bodyBytes(entries.keyLength(), entries.tailLength());
            }
        }
        assert at == changed.length;
    }

    private void stageLarge(PayloadReader entry) {
        int keyLength = entry.keyLength();
        int valueLength = entry.valueLength();
        int reference = values.referenceBytes(entry);
        long expiry = LargeValues.expiry(payload, entry);
        at = WritePayload.encodeTimedHeader(changed, at, WritePayload.PUT_LARGE, keyLength, reference);
        System.arraycopy(payload, entry.keyIndex(), changed, at, keyLength);
        at += keyLength;
        int headerBytes = RecordFormat.writeHead(header.clear(), 0, keyLength, valueLength, expiry, 0);
        ByteBuffer body = ByteBuffer.wrap(payload, entry.keyIndex(), keyLength + valueLength);
        crc.reset();
        crc.update(header.array(), Integer.BYTES, headerBytes - Integer.BYTES);
        crc.update(payload, body.position(), body.remaining());
        header.putInt(0, (int) crc.getValue()).limit(headerBytes);
        int headBytes = values.headBytes(headerBytes + body.remaining(), valueLength);
        LargeReference.write(changed, at, valueLength, (int) crc.getValue(), headBytes);
        int pieces = LargeReference.pieces(headerBytes + body.remaining() - headBytes, maxExtentBytes);
        if (headBytes > 0) {
            int headAt = at + LargeReference.headAt(pieces);
            header.get(changed, headAt, headerBytes);
            body.get(changed, headAt + headerBytes, headBytes - headerBytes);
        }
        recordBytes += header.remaining() + body.remaining();
        stagePieces(body, pieces);
        WritePayload.putTime(changed, at + reference, expiry);
        at += reference + WritePayload.TIME_BYTES;
        bodyBytes += MemTable.bodyBytes(keyLength, reference + WritePayload.TIME_BYTES);
    }

    private void stagePieces(ByteBuffer body, int pieces) {
        for (int piece = 0; piece < pieces; piece++) {
            int bytes = Math.min(maxExtentBytes, header.remaining() + body.remaining());
            LargeReference.setAddress(changed, at, piece, run.begin(bytes));
            int ofHeader = Math.min(bytes, header.remaining());
            crc.reset();
            put(header, ofHeader);
            put(body, bytes - ofHeader);
            LargeReference.setPieceChecksum(changed, at, pieces, piece, (int) crc.getValue());
        }
    }

    private void put(ByteBuffer from, int bytes) {
        int limit = from.limit();
        from.limit(from.position() + bytes);
        crc.update(from.duplicate());
        run.put(from);
        from.limit(limit);
    }
}
