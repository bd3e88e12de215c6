package io.flexdb.kafka;

/** A store whose pairs have times, in segments that expire. */
abstract class SegmentedStore extends PlainStore {
    final Segments segments;

    SegmentedStore(String name, StoreFormat.Kind kind, ValueFormat values, long retention, long segmentLength) {
        super(name, kind, values);
        segments = new Segments(state, retention, segmentLength);
    }

    @Override
    long firstLiveLayer() {
        return segments.firstLive();
    }

    /** Writes a pair of a time, or deletes a key if the value is null. A pair that is expired is left out. */
    final void write(long time, byte[] key, byte[] value) {
        state.beginWrite();
        state.observe(time);
        Layer layer = segments.forWrite(time);
        if (layer == null) {
            state.touch();
        } else {
            state.put(layer, key, value);
        }
    }

    /** Restores a pair of a time, unless that is expired. */
    final void restore(long time, byte[] key, byte[] value) {
        state.observe(time);
        Layer layer = segments.forWrite(time);
        if (layer != null) {
            state.stage(layer, key, value);
        }
    }
}
