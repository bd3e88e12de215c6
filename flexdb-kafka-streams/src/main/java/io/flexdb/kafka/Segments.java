package io.flexdb.kafka;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The layers of a store whose pairs have times: a layer for each segment of time, which is dropped as a whole when all
 * of it is older than the retention. A layer's number is its first time, divided by the segment's length.
 *
 * @param retention how long pairs are kept, in milliseconds of {@linkplain StoreState#streamTime stream time}
 * @param length of a segment, in milliseconds, at least 1
 */
record Segments(StoreState state, long retention, long length) {
    private static final long MIN_LENGTH = 60_000;

    /** The usual length of a segment. */
    static long lengthFor(long retention) {
        return Math.max(retention / 2, MIN_LENGTH);
    }

    long numberOf(long time) {
        return time / length;
    }

    /** The number of the first layer that may have something to be kept. */
    long firstLive() {
        return Math.max(0, numberOf(state.streamTime() - retention));
    }

    /** The first time that is not expired. */
    long firstTime() {
        return Math.max(0, state.streamTime() - retention + 1);
    }

    /** The layer for a time, made if there is none, or null if all of it is expired. */
    Layer forWrite(long time) {
        long number = numberOf(time);
        return time < 0 || number < firstLive() ? null : state.layer(number);
    }

    /** The layer for a time, or null if there is none. */
    Layer forRead(long time) {
        return time < firstTime() ? null : state.layerIfAny(numberOf(time));
    }

    /** The layers that may have times from one to another, in order or in reverse. */
    List<Layer> between(long from, long to, boolean reverse) {
        long first = Math.max(from, firstTime());
        if (first > to) {
            return List.of();
        }
        List<Layer> layers = new ArrayList<>();
        for (long number : state.layerNumbers(numberOf(first), numberOf(to))) {
            Layer layer = state.layerIfAny(number);
            if (layer != null) {
                layers.add(layer);
            }
        }
        if (reverse) {
            Collections.reverse(layers);
        }
        return layers;
    }

    /** Milliseconds since the epoch. */
    static long millis(Instant time, String name) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + " can't be told in milliseconds: " + time, e);
        }
    }
}
