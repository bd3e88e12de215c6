package io.flexdb.internal.interval;

import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Makes {@linkplain Directory directories}, pair by pair and in their order. Reused, by one thread. */
public final class DirectoryBuilder {
    private static final int FIRST_PAIRS = 32;
    private static final int MAX_PAIRS_KEPT = 64 << 10;

    private long[] starts = new long[FIRST_PAIRS]; // two records together may have more than 2 GiB
    private int[] windows = new int[FIRST_PAIRS];
    private int[] checksums = new int[FIRST_PAIRS];
    private long[] addresses = new long[FIRST_PAIRS];
    private byte[] fingerprints = new byte[FIRST_PAIRS];
    private int count;
    private long bytes;
    private boolean outline;

    /** Begins with no pairs. */
    public void clear() {
        count = 0;
        bytes = 0;
        outline = false;
        if (starts.length > MAX_PAIRS_KEPT) {
            starts = new long[FIRST_PAIRS];
            windows = new int[FIRST_PAIRS];
            checksums = new int[FIRST_PAIRS];
            addresses = new long[FIRST_PAIRS];
            fingerprints = new byte[FIRST_PAIRS];
        }
    }

    /**
     * Makes room.
     *
     * @throws OutOfMemoryError if there is no memory; nothing has changed then
     */
    public void ensure(int morePairs) {
        if (starts.length - count < morePairs) {
            int length = Math.max(2 * starts.length, count + morePairs);
            long[] moreStarts = Arrays.copyOf(starts, length);
            int[] moreWindows = Arrays.copyOf(windows, length);
            int[] moreChecksums = Arrays.copyOf(checksums, length);
            long[] moreAddresses = Arrays.copyOf(addresses, length);
            fingerprints = Arrays.copyOf(fingerprints, length);
            starts = moreStarts;
            windows = moreWindows;
            checksums = moreChecksums;
            addresses = moreAddresses;
        }
    }

    /**
     * Adds a pair, for which there is room.
     *
     * @param address in the data file, or {@link Directory#UNKNOWN}
     */
    public void add(int recordBytes, int checksum, byte fingerprint, int window, long address) {
        starts[count] = bytes;
        windows[count] = window;
        checksums[count] = checksum;
        addresses[count] = address;
        fingerprints[count++] = fingerprint;
        bytes += recordBytes;
    }

    /**
     * Adds a pair whose record, or the part of that before its value, is in a buffer, and for which there is room.
     *
     * @param skipped what its window skips
     */
    public void add(ByteBuffer records, int position, long header, Fingerprints fingerprinting, int skipped) {
        int key = position + RecordFormat.headerBytes(header);
        int length = RecordFormat.keyLength(header);
        int window = Directory.window(records, key, length, skipped);
        byte fingerprint = fingerprinting.of(records, key, length);
        int checksum = RecordFormat.checksum(records, position);
        add(RecordFormat.recordBytes(header), checksum, fingerprint, window, Directory.UNKNOWN);
    }

    /** Adds pairs of a directory, or an outline, for which there is room. */
    public void addFrom(ByteBuffer directory, int base, int from, int to) {
        if (Directory.isOutline(directory, base)) {
            addFromOutline(directory, base, from, to);
            return;
        }
        for (int pair = from; pair < to; pair++) {
            add(
                    Directory.recordBytes(directory, base, pair),
                    Directory.checksum(directory, base, pair),
                    Directory.fingerprint(directory, base, pair),
                    Directory.window(directory, base, pair),
                    Directory.address(directory, base, pair));
        }
    }

    private void addFromOutline(ByteBuffer directory, int base, int from, int to) {
        outline = true;
        for (int pair = from; pair < to; pair++) {
            int recordBytes = Directory.recordBytes(directory, base, pair);
            add(recordBytes, 0, Directory.fingerprint(directory, base, pair), 0, Directory.UNKNOWN);
        }
    }

    /** Whether some pairs come from an outline, so that the outline is all that is right of what is written. */
    public boolean isOutline() {
        return outline;
    }

    /** The number of pairs. */
    public int count() {
        return count;
    }

    /** The bytes of all pairs. */
    public long bytes() {
        return bytes;
    }

    /** Where pairs begin, in an array that may be longer. */
    public long[] starts() {
        return starts;
    }

    /** Where a pair begins; for one behind the last, where that ends. */
    public long start(int pair) {
        return pair < count ? starts[pair] : bytes;
    }

    /** A pair's window. */
    public int window(int pair) {
        return windows[pair];
    }

    /** The address of a pair, or {@link Directory#UNKNOWN}. */
    long address(int pair) {
        return addresses[pair];
    }

    /** Whether windows tell each pair from the one before it. */
    public boolean haveDistinctWindows() {
        boolean distinct = !outline;
        for (int pair = 1; pair < count && distinct; pair++) {
            distinct = windows[pair] != windows[pair - 1];
        }
        return distinct;
    }

    /** Replaces a pair's window. */
    public void setWindow(int pair, int window) {
        windows[pair] = window;
    }

    /**
     * Notes where pairs are that lie one behind the other.
     *
     * @param address of the first of them
     */
    public void setAddresses(int first, int end, long address) {
        for (int pair = first; pair < end; pair++) {
            addresses[pair] = address == Directory.UNKNOWN ? address : address + starts[pair] - starts[first];
        }
    }

    /**
     * Writes the directory of some of the pairs, as of an interval of their own.
     *
     * @param skipped what their windows skip
     */
    public void write(ByteBuffer to, int base, long content, int first, int end, int skipped) {
        long from = start(first);
        int dataBytes = (int) (start(end) - from);
        int pairs = end - first;
        Directory.putHeader(to, base, content, dataBytes, pairs, skipped);
        boolean wide = Directory.isWide(dataBytes);
        int place = Directory.fullPlaces(base, pairs);
        for (int i = 0; i < pairs; i++) {
            int pair = first + i;
            place = Directory.putPlace(to, place, wide, starts[pair] - from, addresses[pair], checksums[pair]);
            Directory.putFingerprint(to, base, i, fingerprints[pair]);
        }
        for (int pair = first; pair < end; pair++) {
            to.putInt(place, windows[pair]); // behind the places
            place += Integer.BYTES;
        }
    }
}
