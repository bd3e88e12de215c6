package io.flexdb.internal.write;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Counts how many bytes of the space expire when, about, and among which keys. By the thread that commits. */
final class Expiries {
    /*
     * Times are rounded up by an eighth of the time left at most, and for each there are the bytes and the lowest and
     * the highest key. If there are too many times, the two neighbours with the fewest bytes become one. So it takes
     * some kilobytes, whatever the store has. Pairs that are overwritten or deleted before their time stay counted:
     * then a sweep looks for pairs that are gone already, once.
     */
    private static final int MOST_TIMES = 64;
    private static final int MOST_KEY_BYTES = 64; // the rest of a longer key is left out
    private static final long SHORTEST_MILLIS = 64;

    /** Some of them: from a key on to before another. */
    static final class Part {
        long bytes;
        byte[] from; // null if it has none
        byte[] to; // null for no end

        boolean isEmpty() {
            return from == null;
        }

        void clear() {
            bytes = 0;
            from = null;
            to = null;
        }

        void addRange(byte[] first, byte[] end) {
            boolean isFirst = isEmpty();
            if (isFirst || Arrays.compareUnsigned(first, from) < 0) {
                from = first;
            }
            if (isFirst || to != null && (end == null || Arrays.compareUnsigned(end, to) > 0)) {
                to = end;
            }
        }

        void addAll(Part other) {
            if (!other.isEmpty()) {
                addRange(other.from, other.to);
                bytes += other.bytes;
            }
        }

        void add(long more, ByteBuffer keys, int position, int length) {
            bytes += more;
            if (isEmpty() || isOutside(keys, position, length)) {
                byte[] key = new byte[Math.min(length, MOST_KEY_BYTES)];
                keys.get(position, key);
                addRange(key, key.length < length ? KeyHeads.behind(key) : Arrays.copyOf(key, length + 1));
            }
        }

        private boolean isOutside(ByteBuffer keys, int position, int length) {
            return KeyBytes.compare(from, 0, from.length, keys, position, length) > 0
                    || to != null && KeyBytes.compare(to, 0, to.length, keys, position, length) <= 0;
        }
    }

    private final TreeMap<Long, Part> later = new TreeMap<>(); // by the time when all of it has expired
    private final Part due = new Part(); // what has
    private long lastTime;
    private Part last; // null if there is none at hand

    /** Notes a pair that has come into the space. */
    void note(long now, long expiry, long bytes, ByteBuffer keys, int position, int length) {
        if (expiry == RecordFormat.NEVER || now == Long.MIN_VALUE || expiry - now < 0 && expiry > now) {
            return; // or it is so far away that it is never
        }
        long width = Long.highestOneBit(Math.max(SHORTEST_MILLIS, expiry - now >> 3));
        long time = expiry > Long.MAX_VALUE - width ? expiry : (expiry + width - 1) & -width;
        if (last == null || time != lastTime) {
            lastTime = time;
            last = later.get(time);
            if (last == null) {
                Part added = new Part();
                later.put(time, added); // first: this may fail
                last = added;
            }
        }
        last.add(bytes, keys, position, length);
        if (later.size() > MOST_TIMES) {
            joinTwo();
        }
    }

    private void joinTwo() {
        last = null;
        Map.Entry<Long, Part> before = null;
        long fewest = Long.MAX_VALUE;
        long joined = 0;
        for (Map.Entry<Long, Part> entry : later.entrySet()) {
            if (before != null && before.getValue().bytes + entry.getValue().bytes < fewest) {
                fewest = before.getValue().bytes + entry.getValue().bytes;
                joined = before.getKey();
            }
            before = entry;
        }
        Part earlier = later.remove(joined);
        later.higherEntry(joined).getValue().addAll(earlier);
    }

    /** Notes expired bytes that were left where they are, as they are few beside the live ones there. */
    void leave(long bytes, byte[] from, byte[] to) {
        due.addRange(from, to);
        due.bytes += bytes;
    }

    /** The part that has expired by now. */
    Part due(long now) {
        while (!later.isEmpty() && later.firstKey() <= now) {
            last = null;
            due.addAll(later.pollFirstEntry().getValue());
        }
        return due;
    }

    /** Whether nothing is to be waited for. */
    boolean isEmpty() {
        return later.isEmpty() && due.isEmpty();
    }

    @Override
    public String toString() {
        return "Expiries[due=" + due.bytes + ", times=" + later.size() + "]";
    }
}
