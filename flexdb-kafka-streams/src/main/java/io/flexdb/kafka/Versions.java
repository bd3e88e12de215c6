package io.flexdb.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;

/**
 * The versions of keys. The newest value of a key stands in a layer of its own, which never expires. A version that was
 * replaced stands in the segment of the time when it was. A deletion that is newest stands in the segment of its own
 * time: when that expires, nothing is known of the key, which reads the same.
 *
 * <p>So no two versions of a key hold at the same time, and those of a key that can be read are in a few segments.
 */
record Versions(StoreState state, Segments segments, boolean committedOnly) {
    /** The number of the layer with the newest values: no segment reaches it. */
    static final long NEWEST_LAYER = Long.MAX_VALUE;

    /** The newest version, or null if there is none or it is a deletion. */
    Version newest(byte[] key) {
        byte[] encoded = state.get(state.layerIfAny(NEWEST_LAYER), PlainKeys.encode(key), committedOnly);
        return encoded == null ? null : Version.decodeNewest(encoded);
    }

    /** The version that holds at a time, which may be a deletion; null if nothing is known of the time. */
    Version at(byte[] key, long time) {
        Version newest = newest(key);
        if (newest != null && newest.contains(time)) {
            return newest;
        }
        KeySpan upTo = new KeySpan(encode(key, time), all(key).to(), false); // the newest first
        for (Layer layer : layers()) {
            Version version = first(layer, upTo, false);
            if (version != null && version.contains(time)) {
                return version;
            }
        }
        return null;
    }

    /** When the first version begins that is newer than a time, or {@link Version#FOREVER}. */
    long nextAfter(byte[] key, long time) {
        Version newest = newest(key);
        long next = newest != null && newest.from() > time ? newest.from() : Version.FOREVER;
        KeySpan after = new KeySpan(all(key).from(), encode(key, time), false);
        for (Layer layer : layers()) {
            Version version = first(layer, after, true);
            if (version != null) {
                next = Math.min(next, version.from());
            }
        }
        return next;
    }

    /** All versions that hold at some time between two, both inclusive, deletions too, the oldest first. */
    List<Version> between(byte[] key, long from, long to) {
        List<Version> versions = new ArrayList<>();
        for (Layer layer : layers()) {
            try (StoreIterator pairs =
                    StoreIterator.over(state, layer, all(key), false, committedOnly, UnaryOperator.identity())) {
                while (pairs.hasNext()) {
                    versions.add(decode(pairs.next()));
                }
            }
        }
        Version newest = newest(key);
        if (newest != null) {
            versions.add(newest);
        }
        versions.removeIf(version -> version.from() > to || version.to() <= from);
        versions.sort(Comparator.comparingLong(Version::from));
        return versions;
    }

    private Version first(Layer layer, KeySpan span, boolean reverse) {
        try (StoreIterator pairs =
                StoreIterator.over(state, layer, span, reverse, committedOnly, UnaryOperator.identity())) {
            return pairs.hasNext() ? decode(pairs.next()) : null;
        }
    }

    private List<Layer> layers() {
        List<Layer> layers = new ArrayList<>();
        for (long number : state.layerNumbers(segments.firstLive(), NEWEST_LAYER - 1)) {
            Layer layer = state.layerIfAny(number);
            if (layer != null) {
                layers.add(layer);
            }
        }
        return layers;
    }

    /** The key that a version has in a segment. */
    static byte[] encode(byte[] key, long from) {
        return TimedKeys.encode(key, Long.MAX_VALUE - from);
    }

    private static KeySpan all(byte[] key) {
        return KeySpan.ofPrefix(TimedKeys.prefix(key));
    }

    private static Version decode(KeyValue<Bytes, byte[]> pair) {
        return Version.decode(Long.MAX_VALUE - TimedKeys.numberFromEnd(pair.key.get(), 1), pair.value);
    }
}
