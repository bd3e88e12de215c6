package io.flexdb.internal.mem;

import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.zip.CRC32C;

/** Records that an earlier process has staged. Only its log has references to them. For one thread. */
public final class KeptRecords {
    /** Reads bytes that nobody has verified. */
    @FunctionalInterface
    public interface Pieces {
        /** Fills a buffer with the bytes at an address, which may be any; false if there are none. */
        boolean read(long address, ByteBuffer destination);
    }

    private static final int HEAD = -1; // the number of what is in the reference itself

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

    private static int count(byte[] payload, PayloadReader entry) {
        return LargeReference.pieces(payload, referenceAt(entry), entry.valueLength());
    }

    /** Whether the reference of an entry has as many pieces as its record must have. */
    boolean isSound(byte[] payload, PayloadReader entry) {
        int headBytes = LargeReference.headBytes(payload, referenceAt(entry));
        int restBytes = recordBytes(payload, entry) - headBytes;
        boolean fits = headBytes == 0 || headBytes >= Integer.BYTES && headBytes <= maxExtentBytes;
        return fits && restBytes > 0 && count(payload, entry) == LargeReference.pieces(restBytes, maxExtentBytes);
    }

    /** Whether the record of an entry is as it was written. */
    public boolean isWhole(byte[] payload, PayloadReader entry) {
        if (!isSound(payload, entry)) {
            return false;
        }
        int reference = referenceAt(entry);
        int headBytes = LargeReference.headBytes(payload, reference);
        crc.reset();
        int checksum = 0;
        for (int i = headBytes == 0 ? 0 : HEAD, first = i; i < count(payload, entry); i++) {
            if (!read(payload, entry, i)) {
                return false;
            }
            if (i == first) {
                checksum = piece.getInt();
            }
            crc.update(piece);
        }
        return (int) crc.getValue() == checksum && checksum == LargeReference.checksum(payload, reference);
    }

    /** Reads a piece of an entry's record, or {@link #HEAD}. */
    private boolean read(byte[] payload, PayloadReader entry, int number) {
        if (piece == null) {
            piece = ByteBuffer.allocateDirect(maxExtentBytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        int reference = referenceAt(entry);
        int headBytes = LargeReference.headBytes(payload, reference);
        if (number == HEAD) {
            piece.clear();
            piece.put(payload, reference + LargeReference.headAt(count(payload, entry)), headBytes);
            piece.flip();
            return true;
        }
        int before = headBytes + number * maxExtentBytes;
        int bytes = Math.min(maxExtentBytes, recordBytes(payload, entry) - before);
        try {
            boolean there = pieces.read(
                    LargeReference.address(payload, reference, number),
                    piece.clear().limit(bytes));
            piece.flip();
            return there;
        } catch (CorruptionException e) {
            return false; // the file ends before
        }
    }

    /** Copies the record of an entry to new places, which the entry refers to then; returns the bytes of that. */
    long copy(byte[] payload, PayloadReader entry, StagedBytes to) {
        int reference = referenceAt(entry);
        for (int i = 0; i < count(payload, entry); i++) {
            requireRead(payload, entry, i);
            LargeReference.setAddress(payload, reference, i, to.append(piece));
        }
        return recordBytes(payload, entry) - LargeReference.headBytes(payload, reference);
    }

    private void requireRead(byte[] payload, PayloadReader entry, int number) {
        if (!read(payload, entry, number)) {
            long address = LargeReference.address(payload, referenceAt(entry), number);
            throw new IllegalStateException("what was kept at " + address + " is gone");
        }
    }

    /** The value of an entry, whose record {@linkplain #isWhole is whole}, before this is asked for anything else. */
    public ReadableByteChannel value(byte[] payload, PayloadReader entry) {
        return new ValueChannel(payload, entry);
    }

    private final class ValueChannel implements UnclosedChannel {
        private final byte[] payload;
        private final PayloadReader entry;
        private int number = HEAD; // of the piece to come
        private int before; // bytes of the record that are to be left out still
        private int left; // bytes of the value

        ValueChannel(byte[] payload, PayloadReader entry) {
            this.payload = payload;
            this.entry = entry;
            this.left = LargeReference.valueLength(payload, referenceAt(entry));
            this.before = recordBytes(payload, entry) - left;
            piece.limit(0);
        }

        @Override
        public int read(ByteBuffer to) {
            if (left == 0) {
                return -1;
            }
            int read = 0;
            while (to.hasRemaining() && read < left) {
                if (!piece.hasRemaining()) {
                    requireRead(payload, entry, number++);
                    int skipped = Math.min(before, piece.remaining());
                    before -= skipped;
                    piece.position(piece.position() + skipped);
                }
                read += ChannelBytes.move(piece, to);
            }
            left -= read;
            return read;
        }
    }

    /** Copies the value of an entry, whose record {@linkplain #isWhole is whole}. */
    public void copyValue(byte[] payload, PayloadReader entry, byte[] to, int index) {
        int valueLength = LargeReference.valueLength(payload, referenceAt(entry));
        int before = recordBytes(payload, entry) - valueLength; // of the record, that are to be left out still
        int at = index;
        for (int i = HEAD; at < index + valueLength; i++) {
            requireRead(payload, entry, i);
            int left = Math.min(before, piece.remaining());
            before -= left;
            piece.position(piece.position() + left);
            int bytes = piece.remaining();
            piece.get(to, at, bytes);
            at += bytes;
        }
    }
}
