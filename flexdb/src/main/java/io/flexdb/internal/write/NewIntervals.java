package io.flexdb.internal.write;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalReplacement;
import io.flexdb.internal.interval.Intervals;
import java.util.Arrays;

/** The intervals that a new content makes, in the place of one. For one thread. */
final class NewIntervals {
    /*
     * Anchors come from the keys if these are in memory, else from their windows: a commit then divides an interval of
     * which it has only the directory, without reading its pairs. A window is the four bytes behind what all keys of
     * the interval begin with, filled up with zeros. Where it differs from that of the key before, it makes a separator:
     * without its last zeros it is above the key before and not above its own.
     *
     * The prefix that all keys of an interval share becomes longer as it is divided again and again, but windows of keys
     * that are not in memory can't follow. In the end keys that come have the windows of those there are, which each
     * commit reads then.
     * So the windows of an interval all of whose pairs have just come skip as much as they can: with values of 8 KiB,
     * which are alone in their intervals, that is each new one.
     */
    private final Intervals intervals;
    final IntervalReplacement replacement = new IntervalReplacement();
    private int[] ends = new int[16]; // the pair behind each
    private int[] skipped = new int[16]; // key bytes that its windows skip
    private byte[] anchor = new byte[256];

    NewIntervals(Intervals intervals) {
        this.intervals = intervals;
    }

    int count() {
        return replacement.count();
    }

    /** The first pair of one of them. */
    int first(int part) {
        return part == 0 ? 0 : ends[part - 1];
    }

    /** The pair behind the last one of one of them. */
    int end(int part) {
        return ends[part];
    }

    /** The number of key bytes that its windows skip. */
    int skipped(int part) {
        return skipped[part];
    }

    /** The number of its content. */
    long content(int part) {
        return replacement.content(part);
    }

    /**
     * Divides a content, which has its keys or distinct windows, or makes one interval.
     *
     * @param old the interval that there was
     */
    void divide(MergedContent content, Interval old) {
        replacement.clear();
        DirectoryBuilder directory = content.directory();
        int pairs = content.pairs();
        int pairsEach = Interval.pairsEach(directory.starts(), 0, pairs, content.bytes());
        int first = 0;
        while (first < pairs) {
            int end = Interval.endOfInterval(directory.starts(), pairs, content.bytes(), first, pairsEach);
            add(content, old, first, end);
            first = end;
        }
        if (pairs == 0) {
            add(content, old, 0, 0);
        }
        for (int part = 0; part < count(); part++) {
            if (content.haveKeys(first(part), end(part))) {
                makeWindows(content, old, part);
            } else {
                skipped[part] = content.skipped(); // they stay as they are
            }
        }
    }

    private void add(MergedContent content, Interval old, int first, int end) {
        int part = count();
        if (part == ends.length) {
            ends = Arrays.copyOf(ends, 2 * part);
            skipped = Arrays.copyOf(skipped, 2 * part);
        }
        ends[part] = end;
        long bytes = content.directory().start(end) - content.directory().start(first);
        long number = intervals.newContent();
        if (first == 0) {
            replacement.first(bytes, end - first, number);
        } else if (!content.haveKeys()) {
            int length = putWindow(content.directory(), old, content.skipped(), first);
            replacement.add(anchor, 0, length, bytes, end - first, number);
        } else {
            // Any key would do that is above the last one before it and not above its first one.
            int lower = content.keyPosition(first - 1);
            int key = content.keyPosition(first);
            int common = KeyBytes.commonPrefix(
                    content.keyBuffer(first - 1),
                    lower,
                    content.keyLength(first - 1),
                    content.keyBuffer(first),
                    key,
                    content.keyLength(first));
            int length = KeyBytes.separatorLength(common, content.keyLength(first));
            if (anchor.length < length) {
                anchor = new byte[RecordFormat.MAX_KEY_BYTES];
            }
            content.keyBuffer(first).get(key, anchor, 0, length);
            replacement.add(anchor, 0, length, bytes, end - first, number);
        }
    }

    /** Makes an anchor of what all keys begin with and a pair's window, and returns its length. */
    private int putWindow(DirectoryBuilder directory, Interval old, int common, int pair) {
        int window = directory.window(pair);
        assert Integer.compareUnsigned(window, directory.window(pair - 1)) > 0 : "windows do not tell keys apart";
        assert common <= old.commonPrefix() : "not all keys of the interval begin so";
        int most = Math.max(old.anchorLength(), common + Integer.BYTES);
        if (anchor.length < most) {
            anchor = new byte[most];
        }
        old.anchor(anchor);
        int length = common;
        for (int left = window; left != 0; left <<= Byte.SIZE) {
            anchor[length++] = (byte) (left >>> Integer.SIZE - Byte.SIZE);
        }
        return length;
    }

    /** Makes the windows of a part skip the common prefix of all keys that belong to it, or will. */
    private void makeWindows(MergedContent content, Interval old, int part) {
        int first = first(part);
        int end = end(part);
        int skip = first == end ? 0 : old.commonPrefix(replacement, part);
        skipped[part] = skip;
        for (int pair = first; pair < end; pair++) {
            int key = content.keyPosition(pair);
            int length = content.keyLength(pair);
            content.directory().setWindow(pair, Directory.window(content.keyBuffer(pair), key, length, skip));
        }
    }
}
