package io.flexdb.internal.large;

import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.internal.batch.LargeReference;
import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Records that an earlier process has staged, and of which only its log knows. For one thread. */
public final class KeptRecords {
    /** Reads what nobody has verified. */
    @FunctionalInterface
    public interface Pieces {
        /** Fills a buffer with the bytes at an address, which may be any; false if there are none. */
        boolean read(long address, ByteBuffer destination);
    }

    private final Pieces pieces;
    private final int maxExtentBytes;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer piece; // null before the first

    public KeptRecords(int maxExtentBytes, Pieces pieces) {
        this.maxExtentBytes = maxExtentBytes;
        this.pieces = pieces;
    }

    private static int referenceAt(PayloadReader entry) {
        return entry.keyIndex() + entry.keyLength();
    }

    private static int recordBytes(byte[] payload, PayloadReader entry) {
        int reference = referenceAt(entry);
        long expiry = WritePayload.time(payload, reference + entry.valueLength());
        int valueLength = LargeReference.valueLength(payload, reference);
        return RecordFormat.recordBytes(entry.keyLength(), valueLength, expiry, 0);
    }

    /** Whether the record of an entry is as it was written. */
    public boolean isWhole(byte[] payload, PayloadReader entry) {
        int reference = referenceAt(entry);
        int recordBytes = recordBytes(payload, entry);
        int count = LargeReference.pieces(recordBytes, maxExtentBytes);
        if (entry.valueLength() < LargeReference.bytes(count)) {
            return false;
        }
        crc.reset();
        int checksum = 0;
        for (int i = 0; i < count; i++) {
            long address = LargeReference.address(payload, reference, i);
            int bytes = Math.min(maxExtentBytes, recordBytes - i * maxExtentBytes);
            if (!read(address, bytes)) {
                return false;
            }
            if (i == 0) {
                checksum = piece.getInt();
            }
            crc.update(piece);
        }
        return (int) crc.getValue() == checksum && checksum == LargeReference.checksum(payload, reference);
    }

    private boolean read(long address, int bytes) {
        if (piece == null) {
            piece = ByteBuffer.allocateDirect(maxExtentBytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        try {
            boolean there = pieces.read(address, piece.clear().limit(bytes));
            piece.flip();
            return there;
        } catch (CorruptionException e) {
            return false; // the file ends before
        }
    }

    /** Copies the record of an entry to new places, which the entry refers to then; returns its bytes. */
    long copy(byte[] payload, PayloadReader entry, StagedBytes to) {
        int reference = referenceAt(entry);
        int recordBytes = recordBytes(payload, entry);
        int count = LargeReference.pieces(recordBytes, maxExtentBytes);
        for (int i = 0; i < count; i++) {
            int bytes = Math.min(maxExtentBytes, recordBytes - i * maxExtentBytes);
            requireRead(LargeReference.address(payload, reference, i), bytes);
            LargeReference.setAddress(payload, reference, i, to.append(piece));
        }
        return recordBytes;
    }

    private void requireRead(long address, int bytes) {
        if (!read(address, bytes)) {
            throw new IllegalStateException("what was kept at " + address + " is gone");
        }
    }

    /** Copies the value of an entry, whose record {@linkplain #isWhole is whole}. */
    public void copyValue(byte[] payload, PayloadReader entry, byte[] to, int index) {
        int reference = referenceAt(entry);
        int recordBytes = recordBytes(payload, entry);
        int valueLength = LargeReference.valueLength(payload, reference);
        int before = recordBytes - valueLength; // of the record, that are to be left out still
        int at = index;
        for (int i = 0; at < index + valueLength; i++) {
            requireRead(
                    LargeReference.address(payload, reference, i),
                    Math.min(maxExtentBytes, recordBytes - i * maxExtentBytes));
            int left = Math.min(before, piece.remaining());
            before -= left;
            piece.position(left);
            int bytes = piece.remaining();
            piece.get(to, at, bytes);
            at += bytes;
        }
    }
}
