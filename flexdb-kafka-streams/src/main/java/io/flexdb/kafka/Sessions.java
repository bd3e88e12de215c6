package io.flexdb.kafka;

import java.time.Instant;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlySessionStore;

/** Reads of a session store: of all its writes, or of those that are committed. */
final class Sessions implements ReadOnlySessionStore<Bytes, byte[]> {
    private final StoreState state;
    private final Segments segments;
    private final boolean committedOnly;

    Sessions(StoreState state, Segments segments, boolean committedOnly) {
        this.state = state;
        this.segments = segments;
        this.committedOnly = committedOnly;
    }

    @Override
    public byte[] fetchSession(Bytes key, long start, long end) {
        Objects.requireNonNull(key, "key cannot be null");
        return state.get(segments.forRead(end), TimedKeys.encode(key.get(), end, start), committedOnly);
    }

    /** Sessions that end within a time. */
    KeyValueIterator<Windowed<Bytes>, byte[]> findByEnd(long earliestEnd, long latestEnd) {
        return find(new KeySpan(null, null, false), earliestEnd, latestEnd, Long.MAX_VALUE, false);
    }

    /** Sessions of a key that end at some time or later, and start at some time or earlier. */
    KeyValueIterator<Windowed<Bytes>, byte[]> find(Bytes key, long earliestEnd, long latestStart, boolean reverse) {
        Objects.requireNonNull(key, "key cannot be null");
        byte[] end = KeySpan.ofPrefix(TimedKeys.prefix(key.get())).to();
        byte[] from = TimedKeys.encode(key.get(), Math.max(earliestEnd, 0));
        return find(new KeySpan(from, end, false), earliestEnd, Long.MAX_VALUE, latestStart, reverse);
    }

    KeyValueIterator<Windowed<Bytes>, byte[]> find(
            Bytes from, Bytes to, long earliestEnd, long latestStart, boolean reverse) {
        KeySpan span = TimedKeys.span(from == null ? null : from.get(), to == null ? null : to.get());
        return find(span, earliestEnd, Long.MAX_VALUE, latestStart, reverse);
    }

    private KeyValueIterator<Windowed<Bytes>, byte[]> find(
            KeySpan span, long earliestEnd, long latestEnd, long latestStart, boolean reverse) {
        long first = Math.max(earliestEnd, segments.firstTime());
        return new SegmentIterator<>(
                state, segments.between(first, latestEnd, reverse), span, reverse, committedOnly, key -> {
                    long end = TimedKeys.numberFromEnd(key, 2);
                    long start = TimedKeys.numberFromEnd(key, 1);
                    return end < first || end > latestEnd || start > latestStart
                            ? null
                            : new Windowed<>(Bytes.wrap(TimedKeys.key(key, 2)), new SessionWindow(start, end));
                });
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(Bytes key, long earliestEnd, long latestStart) {
        return find(key, earliestEnd, latestStart, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes key, long earliestEnd, long latestStart) {
        return find(key, earliestEnd, latestStart, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
            Bytes from, Bytes to, long earliestEnd, long latestStart) {
        return find(from, to, earliestEnd, latestStart, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes from, Bytes to, long earliestEnd, long latestStart) {
        return find(from, to, earliestEnd, latestStart, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes key) {
        return find(key, 0, Long.MAX_VALUE, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes key) {
        return find(key, 0, Long.MAX_VALUE, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes from, Bytes to) {
        return find(from, to, 0, Long.MAX_VALUE, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes from, Bytes to) {
        return find(from, to, 0, Long.MAX_VALUE, true);
    }

    // ---- the same with instants

    @Override
    public byte[] fetchSession(Bytes key, Instant start, Instant end) {
        return fetchSession(key, Segments.millis(start, "sessionStartTime"), Segments.millis(end, "sessionEndTime"));
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(Bytes key, Instant earliestEnd, Instant latestStart) {
        return find(key, end(earliestEnd), start(latestStart), false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes key, Instant earliestEnd, Instant latestStart) {
        return find(key, end(earliestEnd), start(latestStart), true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
            Bytes from, Bytes to, Instant earliestEnd, Instant latestStart) {
        return find(from, to, end(earliestEnd), start(latestStart), false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes from, Bytes to, Instant earliestEnd, Instant latestStart) {
        return find(from, to, end(earliestEnd), start(latestStart), true);
    }

    private static long end(Instant time) {
        return Segments.millis(time, "earliestSessionEndTime");
    }

    private static long start(Instant time) {
        return Segments.millis(time, "latestSessionStartTime");
    }
}
