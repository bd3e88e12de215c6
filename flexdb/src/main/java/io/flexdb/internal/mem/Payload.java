package io.flexdb.internal.mem;

import java.util.zip.CRC32C;

/**
 * The entries of a write as a frame of the write-ahead log has them ({@link WritePayload}), with the sizes that the log
 * and the memtable need. For one thread at a time; reusable.
 */
public class Payload {
    private static final byte[] NOTHING = {};

    protected byte[] bytes = NOTHING;
    protected int length;
    protected int entries;
    protected int ranges;
    protected long bodyBytes;
    private final CRC32C crc = new CRC32C();

    /** An empty one. */
    public Payload() {}

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

    /** The same entries with large values in another form. */
    final Payload withBytes(byte[] newBytes, long newBodyBytes) {
        return new Payload().set(newBytes, newBytes.length, entries, ranges, newBodyBytes);
    }

    /** The array that has the entries, from its first byte on. */
    public final byte[] bytes() {
        return bytes;
    }

    /** How many bytes of the array the entries are. */
    public final int length() {
        return length;
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
