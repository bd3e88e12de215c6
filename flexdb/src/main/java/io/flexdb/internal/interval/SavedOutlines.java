package io.flexdb.internal.interval;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Outlines of a cache as a file has them. For one thread, while nobody else inserts. */
public final class SavedOutlines {
    /*
     * Fingerprints can't take less than a byte for each pair. The places of pairs can: pairs are often of one length,
     * and else of lengths that are near each other.
     */
    private static final int MAX_PAIRS = 0xFF;
    private static final int HEAD_BYTES = 2 * Byte.BYTES + Short.BYTES;

    private final IntervalCache cache;
    private final ByteBuffer outline = ByteBuffer.allocate(Directory.bytes(0, MAX_PAIRS, Directory.OUTLINE))
            .order(ByteOrder.LITTLE_ENDIAN);
    private long first = Long.MAX_VALUE; // of the contents restored
    private long last;

    /** @param cache that has them, or gets them */
    public SavedOutlines(IntervalCache cache) {
        this.cache = cache;
    }

    /**
     * Puts the outline of a content, or that there is none.
     *
     * @param pairsCounted pairs of the interval, as far as they have been counted
     */
    public void save(long contentNumber, int pairsCounted, ByteBuffer to) {
        long location = cache.locate(contentNumber, 0);
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        int base = cache.base(location);
        int pairs = directory == null ? 0 : Directory.pairCount(directory, base);
        if (pairs == 0 || pairs > MAX_PAIRS || pairs != pairsCounted || !Directory.hasOutline(directory, base)) {
            to.put((byte) 0);
            return;
        }
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int pair = 0; pair < pairs; pair++) {
            int bytes = Directory.recordBytes(directory, base, pair);
            shortest = Math.min(shortest, bytes);
            longest = Math.max(longest, bytes);
        }
        int width = width(longest - shortest);
        to.put((byte) pairs).put((byte) width).putShort((short) shortest);
        for (int pair = 0; pair < pairs; pair++) {
            to.put(Directory.fingerprint(directory, base, pair));
        }
        for (int pair = 0; pair < pairs && width > 0; pair++) {
            int beyond = Directory.recordBytes(directory, base, pair) - shortest;
            if (width == Byte.BYTES) {
                to.put((byte) beyond);
            } else {
                to.putShort((short) beyond);
            }
        }
    }

    private static int width(int number) {
        return number == 0 ? 0 : number <= 0xFF ? Byte.BYTES : Short.BYTES;
    }

    /**
     * Takes what was saved of a content, and has the cache keep it if there is room.
     *
     * @param pairs of the interval
     * @param intervalBytes of it
     * @return false if the bytes can't be that
     */
    public boolean restore(long contentNumber, int pairs, long intervalBytes, ByteBuffer from) {
        if (!from.hasRemaining()) {
            return false;
        }
        int saved = from.get() & 0xFF;
        if (saved == 0) {
            return true;
        }
        if (saved != pairs || from.remaining() < HEAD_BYTES - Byte.BYTES + saved) {
            return false;
        }
        int width = from.get();
        int shortest = from.getShort() & 0xFFFF;
        int beyond = from.position() + saved;
        if (width < 0 || width > Short.BYTES || shortest == 0 || from.limit() - beyond < saved * width) {
            return false;
        }
        Directory.beginOutline(outline, contentNumber, (int) Math.min(intervalBytes, Integer.MAX_VALUE), saved);
        int position = 0;
        for (int pair = 0; pair < saved; pair++) {
            Directory.putOutlined(outline, saved, pair, position, from.get());
            position += shortest;
            if (width > 0) {
                position += width == Byte.BYTES
                        ? from.get(beyond + pair) & 0xFF
                        : from.getShort(beyond + 2 * pair) & 0xFFFF;
            }
        }
        from.position(beyond + saved * width);
        if (position != intervalBytes || position > 0xFFFF) {
            return false;
        }
        if (contentNumber > 0 && !cache.isFull() && cache.insertOutline(outline, 0) >= 0) {
            first = Math.min(first, contentNumber);
            last = Math.max(last, contentNumber);
        }
        return true;
    }

    /** Has the cache forget all that was restored. */
    public void forgetRestored() {
        for (long content = first; content <= last; content++) {
            cache.forget(content);
        }
    }
}
