package io.flexdb.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlySessionStore;
import org.apache.kafka.streams.state.SessionStore;

/** A session store. A pair stands in the segment of its session's end. */
class FlexDBSessionStore extends SegmentedStore implements SessionStore<Bytes, byte[]> {
    /** End and start, which follow the key in a changelog record. */
    private static final int CHANGELOG_SUFFIX_BYTES = 2 * Long.BYTES;

    private final Sessions all;
    private final Sessions committed;

    FlexDBSessionStore(String name, ValueFormat format, long retention) {
        super(name, StoreFormat.Kind.SESSION, format, retention, Segments.lengthFor(retention));
        all = new Sessions(state, segments, false);
        committed = new Sessions(state, segments, true);
    }

    /** One whose values have headers. */
    static final class WithHeaders extends FlexDBSessionStore implements HeadersBytesStore {
        WithHeaders(String name, long retention) {
            super(name, ValueFormat.HEADERS, retention);
        }
    }

    @Override
    void restore(ConsumerRecord<byte[], byte[]> changelogRecord) {
        byte[] key = changelogRecord.key();
        int length = key.length - CHANGELOG_SUFFIX_BYTES;
        ByteBuffer suffix = ByteBuffer.wrap(key, length, CHANGELOG_SUFFIX_BYTES);
        long end = suffix.getLong();
        long start = suffix.getLong();
        restore(end, TimedKeys.encode(Arrays.copyOf(key, length), end, start), changelogRecord.value());
    }

    @Override
    public void put(Windowed<Bytes> sessionKey, byte[] aggregate) {
        Objects.requireNonNull(sessionKey, "sessionKey cannot be null");
        long start = sessionKey.window().start();
        long end = sessionKey.window().end();
        write(end, TimedKeys.encode(sessionKey.key().get(), end, start), aggregate);
    }

    @Override
    public void remove(Windowed<Bytes> sessionKey) {
        put(sessionKey, null);
    }

    /** Reads of all writes, or of those that are committed. */
    public ReadOnlySessionStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
        state.checkOpen();
        return QueryIsolation.committedOnly(isolationLevel) ? committed : all;
    }

    @Override
    public byte[] fetchSession(Bytes key, long sessionStartTime, long sessionEndTime) {
        return all.fetchSession(key, sessionStartTime, sessionEndTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
            long earliestSessionEndTime, long latestSessionEndTime) {
        return all.findByEnd(earliestSessionEndTime, latestSessionEndTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
            Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
        return all.findSessions(key, earliestSessionEndTime, latestSessionStartTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
        return all.backwardFindSessions(key, earliestSessionEndTime, latestSessionStartTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
            Bytes keyFrom, Bytes keyTo, long earliestSessionEndTime, long latestSessionStartTime) {
        return all.findSessions(keyFrom, keyTo, earliestSessionEndTime, latestSessionStartTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
            Bytes keyFrom, Bytes keyTo, long earliestSessionEndTime, long latestSessionStartTime) {
        return all.backwardFindSessions(keyFrom, keyTo, earliestSessionEndTime, latestSessionStartTime);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes key) {
        return all.fetch(key);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes key) {
        return all.backwardFetch(key);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes keyFrom, Bytes keyTo) {
        return all.fetch(keyFrom, keyTo);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes keyFrom, Bytes keyTo) {
        return all.backwardFetch(keyFrom, keyTo);
    }
}
