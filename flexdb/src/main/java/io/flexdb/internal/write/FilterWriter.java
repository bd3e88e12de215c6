package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.FilterChange;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalReplacement;
import io.flexdb.internal.interval.RangeFilters;

/** Makes the filters of intervals that a commit writes. For one thread. */
final class FilterWriter {
    /*
     * If the keys of an interval are in memory, its filter is made of them. A change in place has only the keys that
     * come and go, and so makes the new filter from the old one. If neither is possible there is no filter until
     * somebody asks for it (FilterBuilder).
     */
    private final RangeFilters filters;
    final FilterChange change;
    private byte[] key = new byte[256];

    FilterWriter(RangeFilters filters) {
        this.filters = filters;
        this.change = new FilterChange(filters);
    }

    /** Makes those of the intervals that come in the place of one, which is in the index still. */
    void replace(MergedContent content, NewIntervals parts, Interval old) {
        if (!content.haveKeys()) {
            assert parts.count() == 1 : "without keys there is one";
            filters.put(parts.content(0), old.contentNumber(), change);
            return;
        }
        IntervalReplacement anchors = parts.replacement;
        for (int part = 0; part < parts.count(); part++) {
            int first = parts.first(part);
            int end = parts.end(part);
            boolean isLast = part == parts.count() - 1;
            int anchor = part == 0 ? old.anchorLength() : anchors.anchorLength(part);
            int upper = isLast ? old.upperAnchorLength() : anchors.anchorLength(part + 1);
            change.beginAll(anchor, upper);
            if (part == 0) {
                old.anchor(change.anchor());
            } else {
                anchors.anchor(part, change.anchor());
            }
            if (isLast) {
                old.upperAnchor(change.upper());
            } else {
                anchors.anchor(part + 1, change.upper());
            }
            put(content, first, end, parts.content(part));
        }
    }

    /** Makes that of an interval whose pairs the content has. */
    void make(MergedContent content, Interval interval) {
        change.beginAll(interval.anchorLength(), interval.upperAnchorLength());
        interval.anchor(change.anchor());
        interval.upperAnchor(change.upper());
        put(content, 0, content.pairs(), interval.contentNumber());
    }

    private void put(MergedContent content, int first, int end, long number) {
        if (!change.divide()) {
            return;
        }
        for (int pair = first; pair < end; pair++) {
            int length = content.keyLength(pair);
            if (key.length < length) {
                key = new byte[RecordFormat.MAX_KEY_BYTES];
            }
            content.keyBuffer(pair).get(content.keyPosition(pair), key, 0, length);
            change.add(key, length);
        }
        filters.put(number, change);
    }
}
