package io.flexdb;

import io.flexdb.internal.read.Scan;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** An iteration of a cursor, which stands on the pair that comes next. */
final class CursorIterator implements Iterator<KeyValue> {
    private final FlexCursor cursor;
    private final Scan scan;
    private final boolean closesAtEnd;
    private long left;
    private boolean
            hasMoved; // since the last pair was handed out: moves wait until somebody asks, who may want no more

    CursorIterator(FlexCursor cursor, Scan scan, boolean closesAtEnd) {
        this.cursor = cursor;
        this.scan = scan;
        this.closesAtEnd = closesAtEnd;
        this.left = scan.iteration().limit();
    }

    @Override
    public boolean hasNext() {
        if (!hasMoved) {
            hasMoved = true;
            if (left > 0 && !move()) {
                left = 0;
            }
            if (left == 0 && closesAtEnd) {
                cursor.close();
            }
        }
        return left > 0;
    }

    /** Whether there is another pair, on which the cursor stands then. */
    private boolean move() {
        boolean isFirst = left == scan.iteration().limit();
        if (scan.iteration().reverse()) {
            if (isFirst) {
                cursor.seekToLast();
            } else {
                cursor.prev();
            }
        } else if (isFirst) {
            cursor.seekToFirst();
        } else {
            cursor.next();
        }
        return cursor.isValid();
    }

    @Override
    public KeyValue next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the iteration of the cursor has no more pairs");
        }
        KeyValue pair = new KeyValue(cursor.key(), scan.keysOnly() ? null : cursor.value());
        hasMoved = false; // only now: if the value can't be read, the next call tries again
        left--;
        return pair;
    }
}
