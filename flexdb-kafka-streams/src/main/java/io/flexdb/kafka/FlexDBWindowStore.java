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
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/** A window store. A pair stands in the segment of its window's start. */
class FlexDBWindowStore extends SegmentedStore implements WindowStore<Bytes, byte[]> {
    /** Start, and an int that tells duplicates apart; they follow the key in a changelog record. */
    private static final int CHANGELOG_SUFFIX_BYTES = Long.BYTES + Integer.BYTES;

    private final boolean retainsDuplicates;
    private final Windows all;
    private final Windows committed;
    private volatile int duplicate; // only the writer changes it

    FlexDBWindowStore(WindowParameters parameters) {
        super(
                parameters.name(),
                StoreFormat.Kind.WINDOW,
                parameters.format(),
                parameters.retention(),
                Segments.lengthFor(parameters.retention()));
        retainsDuplicates = parameters.retainsDuplicates();
        all = new Windows(state, segments, parameters.size(), () -> duplicate, false);
        committed = new Windows(state, segments, parameters.size(), () -> duplicate, true);
    }

    static FlexDBWindowStore of(WindowParameters parameters) {
        return switch (parameters.format()) {
            case PLAIN -> new FlexDBWindowStore(parameters);
            case TIMESTAMPED -> new Timestamped(parameters);
            case HEADERS -> new WithHeaders(parameters);
        };
    }

    private static final class Timestamped extends FlexDBWindowStore implements TimestampedBytesStore {
        Timestamped(WindowParameters parameters) {
            super(parameters);
        }
    }

    private static final class WithHeaders extends FlexDBWindowStore
            implements TimestampedBytesStore, HeadersBytesStore {
        WithHeaders(WindowParameters parameters) {
            super(parameters);
        }
    }

    @Override
    void restore(ConsumerRecord<byte[], byte[]> changelogRecord) {
        byte[] key = changelogRecord.key();
        int length = key.length - CHANGELOG_SUFFIX_BYTES;
        ByteBuffer suffix = ByteBuffer.wrap(key, length, CHANGELOG_SUFFIX_BYTES);
        long start = suffix.getLong();
        int number = suffix.getInt();
        restore(start, TimedKeys.encode(Arrays.copyOf(key, length), start, number), changelogRecord.value());
    }

    @Override
    public void put(Bytes key, byte[] value, long windowStartTimestamp) {
        Objects.requireNonNull(key, "key cannot be null");
        if (value == null && retainsDuplicates) {
            return;
        }
        if (retainsDuplicates) {
            duplicate = duplicate + 1 & Integer.MAX_VALUE;
        }
        write(windowStartTimestamp, TimedKeys.encode(key.get(), windowStartTimestamp, duplicate), value);
    }

    /** Reads of all writes, or of those that are committed. */
    public ReadOnlyWindowStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
        state.checkOpen();
        return QueryIsolation.committedOnly(isolationLevel) ? committed : all;
    }

    @Override
    public byte[] fetch(Bytes key, long time) {
        return all.fetch(key, time);
    }

    @Override
    public WindowStoreIterator<byte[]> fetch(Bytes key, long timeFrom, long timeTo) {
        return all.fetch(key, timeFrom, timeTo, false);
    }

    @Override
    public WindowStoreIterator<byte[]> backwardFetch(Bytes key, long timeFrom, long timeTo) {
        return all.fetch(key, timeFrom, timeTo, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes keyFrom, Bytes keyTo, long timeFrom, long timeTo) {
        return all.fetch(keyFrom, keyTo, timeFrom, timeTo, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
            Bytes keyFrom, Bytes keyTo, long timeFrom, long timeTo) {
        return all.fetch(keyFrom, keyTo, timeFrom, timeTo, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(long timeFrom, long timeTo) {
        return all.fetch(null, null, timeFrom, timeTo, false);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetchAll(long timeFrom, long timeTo) {
        return all.fetch(null, null, timeFrom, timeTo, true);
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> all() {
        return all.all();
    }

    @Override
    public KeyValueIterator<Windowed<Bytes>, byte[]> backwardAll() {
        return all.backwardAll();
    }
}
