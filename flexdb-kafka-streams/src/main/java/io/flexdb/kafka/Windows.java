package io.flexdb.kafka;

import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/** Reads of a window store: of all its writes, or of those that are committed. */
final class Windows implements ReadOnlyWindowStore<Bytes, byte[]> {
    private final StoreState state;
    private final Segments segments;
    private final long windowSize;
    private final IntSupplier duplicate;
    private final boolean committedOnly;

    /** @param duplicate the number of the last duplicate */
    Windows(StoreState state, Segments segments, long windowSize, IntSupplier duplicate, boolean committedOnly) {
        this.state = state;
        this.segments = segments;
        this.windowSize = windowSize;
        this.duplicate = duplicate;
        this.committedOnly = committedOnly;
    }

    @Override
    public byte[] fetch(Bytes key, long time) {
        Objects.requireNonNull(key, "key cannot be null");
        return state.get(
                segments.forRead(time), TimedKeys.encode(key.get(), time, duplicate.getAsInt()), committedOnly);
    }

    WindowStoreIterator<byte[]> fetch(Bytes key, long from, long to, boolean reverse) {
        Objects.requireNonNull(key, "key cannot be null");
        long first = Math.max(from, segments.firstTime());
        long last = Math.max(to, -1);
        KeySpan span = new KeySpan(
                TimedKeys.encode(key.get(), first), TimedKeys.encode(key.get(), last, Long.MAX_VALUE), true);
        return SegmentIterator.ofTimes(iterator(first, last, span, reverse, Windows::time));
    }

    KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes from, Bytes to, long timeFrom, long timeTo, boolean reverse) {
        KeySpan span = TimedKeys.span(from == null ? null : from.get(), to == null ? null : to.get());
        long first = Math.max(timeFrom, segments.firstTime());
        return iterator(first, timeTo, span, reverse, key -> {
            long time = time(key);
            return time < first || time > timeTo ? null : windowed(key, time);
        });
    }

    private <K> SegmentIterator<K> iterator(
            long from, long to, KeySpan span, boolean reverse, Function<byte[], K> decoder) {
        return new SegmentIterator<>(state, segments.between(from, to, reverse), span, reverse, committedOnly, decoder);
    }

    private static long time(byte[] key) {
        return TimedKeys.numberFromEnd(key, 2);
    }

    private Windowed<Bytes> windowed(byte[] key, long start) {
        long end = start + windowSize < 0 ? Long.MAX_VALUE : start + windowSize;
        return new Windowed<>(Bytes.wrap(TimedKeys.key(key, 2)), new TimeWindow(start, end));
    }

    // ---- for readers

    @Override
    public WindowStoreIterator<byte[]> fetch(Bytes key, Instant timeFrom, Instant timeTo) {
        return fetch(key, Segments.millis(timeFrom, "timeFrom"), Segments.millis(timeTo, "timeTo"), false);
    }

    @Override
    public WindowStoreIterator<byte[]> backwardFetch(Bytes key, Instant timeFrom, Instant timeTo) {
        return fetch(key, Segments.millis(timeFrom, "timeFrom"), Segments.millis(timeTo, "timeTo"), true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes from, Bytes to, Instant timeFrom, Instant timeTo) {
        return fetch(from, to, Segments.millis(timeFrom, "timeFrom"), Segments.millis(timeTo, "timeTo"), false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
            Bytes from, Bytes to, Instant timeFrom, Instant timeTo) {
        return fetch(from, to, Segments.millis(timeFrom, "timeFrom"), Segments.millis(timeTo, "timeTo"), true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> all() {
        return fetch(null, null, 0, Long.MAX_VALUE, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardAll() {
        return fetch(null, null, 0, Long.MAX_VALUE, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(Instant timeFrom, Instant timeTo) {
        return fetch(null, null, timeFrom, timeTo);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetchAll(Instant timeFrom, Instant timeTo) {
        return backwardFetch(null, null, timeFrom, timeTo);
    }
}
