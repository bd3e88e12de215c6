package io.flexdb.internal.mem;

import io.flexdb.storage.StoreMemoryException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The entries of a write as a frame of the write-ahead log has them ({@link WritePayload}), with the sizes that the log
 * and the memtable need. An entry is begun, its key and value are copied to where {@code begin…} says, and then it is
 * {@linkplain #end ended}. For one thread at a time; reusable.
 */
public class Payload {
    /*
     * Log and memtable each get a copy of a pair. This one is made before them, in some ns for a small pair, so that
     * both and the checksum are of the same bytes even if the caller changes its arrays meanwhile. A frame with a wrong
     * check would end the log, and so lose all writes behind it.
     */
    private static final byte[] NOTHING = {};
    private static final int LEAST_BYTES = 128;
    private static final int REUSED_BYTES = 1024;
    private static final int SMALL_BYTES = 64 << 10;
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    protected byte[] bytes = NOTHING;
    protected int length;
    protected int entries;
    protected int ranges;
    protected long bodyBytes;
    protected boolean hasOperands;
    // The entry that was begun, which counts when it is ended.
    protected int begunEnd;
    protected long begunBodyBytes;
    private int begunRanges;
    private final CRC32C crc = new CRC32C();

    /** An empty one. */
    public Payload() {}

    /** An empty one that many writes are going to use, one after the other. */
    public static Payload reused() {
        Payload payload = new Payload();
        payload.bytes = new byte[REUSED_BYTES];
        return payload;
    }

    /**
     * Takes entries that somebody else has encoded. The array is not copied.
     *
     * @param newLength how many bytes of the array they are
     * @param newRanges how many of the entries delete ranges
     * @param newBodyBytes the sum of {@link MemTable#bodyBytes} over the entries
     */
    public final Payload set(byte[] newBytes, int newLength, int newEntries, int newRanges, long newBodyBytes) {
        bytes = newBytes;
        length = newLength;
        entries = newEntries;
        ranges = newRanges;
        bodyBytes = newBodyBytes;
        return this;
    }

    /** A payload of these entries, with large values in another form. */
    final Payload withBytes(byte[] newBytes, long newBodyBytes) {
        return new Payload().set(newBytes, newBytes.length, entries, ranges, newBodyBytes);
    }

    // ---- adding an entry

    /** Begins a put, and returns where the key goes; the value goes right behind it. */
    public final int beginPut(int keyLength, int valueLength) {
        begin(WritePayload.putBytes(keyLength, valueLength), MemTable.bodyBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(bytes, length, keyLength, valueLength);
    }

    /** Begins an entry of a type that has a time, which {@link #setTime} sets; otherwise as {@link #beginPut}. */
    public final int beginTimed(int type, int keyLength, int valueLength) {
        int tailLength = valueLength + WritePayload.TIME_BYTES;
        begin(
                WritePayload.putBytes(keyLength, valueLength) + WritePayload.TIME_BYTES,
                MemTable.bodyBytes(keyLength, tailLength));
        hasOperands |= type == WritePayload.MERGE;
        return WritePayload.encodeTimedHeader(bytes, length, type, keyLength, valueLength);
    }

    /** Sets the time of the entry that was begun. */
    public final void setTime(long time) {
        WritePayload.putTime(bytes, begunEnd - WritePayload.TIME_BYTES, time);
    }

    /** Begins a delete, and returns where the key goes. */
    public final int beginDelete(int keyLength) {
        begin(WritePayload.deleteBytes(keyLength), MemTable.bodyBytes(keyLength, 0));
        return WritePayload.encodeDeleteHeader(bytes, length, keyLength);
    }

    /** Adds the deletion of a range of keys as they are stored. */
    public void deleteRange(byte[] from, byte[] to) {
        begin(WritePayload.putBytes(from.length, to.length), MemTable.bodyBytes(from.length, to.length));
        begunRanges = 1;
        int at = WritePayload.encodeRangeHeader(bytes, length, from.length, to.length);
        System.arraycopy(from, 0, bytes, at, from.length);
        System.arraycopy(to, 0, bytes, at + from.length, to.length);
        end();
    }

    /** Adds an entry of another payload as it stands there. */
    public final void addEncoded(byte[] from, int begin, int end, int type, long entryBodyBytes) {
        begin(end - begin, entryBodyBytes);
        hasOperands |= type == WritePayload.MERGE;
        begunRanges = type == WritePayload.DELETE_RANGE ? 1 : 0;
        System.arraycopy(from, begin, bytes, length, end - begin);
        end();
    }

    private void begin(long more, long entryBodyBytes) {
        long needed = length + more;
        if (needed > bytes.length) {
            grow(needed);
        }
        begunEnd = (int) needed;
        begunBodyBytes = entryBodyBytes;
        begunRanges = 0;
    }

    private void grow(long needed) {
        if (needed > MAX_BYTES) {
            throw new IllegalArgumentException("the write would have " + needed + " bytes; split it");
        }
        long spare = length == 0 ? LEAST_BYTES : Math.min(MAX_BYTES, 2L * bytes.length); // many have one entry only
        int size = (int) Math.max(needed, spare);
        try {
            bytes = length == 0 ? new byte[size] : Arrays.copyOf(bytes, size);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("the entries of a write", needed, e);
        }
    }

    /** Adds the entry that was begun, whose bytes are there. */
    public void end() {
        length = begunEnd;
        entries++;
        ranges += begunRanges;
        bodyBytes += begunBodyBytes;
    }

    /** Forgets all entries; keeps the memory. */
    public void clear() {
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        hasOperands = false;
    }

    // ---- what it has

    /** Whether something is to be merged, or was, and was taken back. */
    public final boolean hasOperands() {
        return hasOperands;
    }

    /** The array that has the entries, from its first byte on. */
    public final byte[] bytes() {
        return bytes;
    }

    /** Bytes of its memory if they are more than any payload may keep for later writes; else 0. */
    public final int largeBytes() {
        return bytes.length > SMALL_BYTES ? bytes.length : 0;
    }

    /** How many bytes of the array the entries are. */
    public final int length() {
        return length;
    }

    /** A reader of the entries. */
    public final PayloadReader reader() {
        return new PayloadReader().reset(bytes, 0, length);
    }

    /** How many entries there are. */
    public final int entries() {
        return entries;
    }

    /** How many of the entries delete ranges. */
    public final int ranges() {
        return ranges;
    }

    /** The sum of {@link MemTable#bodyBytes} over the entries. */
    public final long bodyBytes() {
        return bodyBytes;
    }

    /** The checksum that the write-ahead log has of the entries. */
    public final int checksum() {
        return WritePayload.checksum(crc, bytes, 0, length);
    }
}
