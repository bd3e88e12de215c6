package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.KeyValue;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Iterates over the pairs of a range by pages. Each page is of one moment, and the next one begins behind it. Iterators
 * of maps are often left in the middle and can't be closed: so this one has no cursor open between its calls.
 */
final class PagedIterator<T> implements Iterator<T> {
    private static final int FIRST_PAGE = 16;
    private static final int GROWTH = 4;
    private static final int LARGEST_PAGE = 256;
    private static final int PAGE_BYTES = 1 << 20;

    private final Keyspace keyspace;
    private final boolean reverse;
    private final boolean keysOnly;
    private final Function<KeyValue, T> result;

    private ByteRange rest;
    private List<KeyValue> page = List.of();
    private int next; // in the page
    private int pageSize = FIRST_PAGE;
    private boolean isLastPage;
    private byte[] lastKey; // that was handed out, and is not removed

    PagedIterator(Keyspace keyspace, ByteRange range, boolean reverse, boolean keysOnly, Function<KeyValue, T> result) {
        this.keyspace = keyspace;
        this.rest = range;
        this.reverse = reverse;
        this.keysOnly = keysOnly;
        this.result = result;
    }

    @Override
    public boolean hasNext() {
        if (next == page.size() && !isLastPage) {
            page = readPage();
            next = 0;
            pageSize = Math.min(pageSize * GROWTH, LARGEST_PAGE);
        }
        return next < page.size();
    }

    private List<KeyValue> readPage() {
        List<KeyValue> read = new ArrayList<>();
        ReadOptions options =
                rest.options().withReverse(reverse).withKeysOnly(keysOnly).withLimit(pageSize);
        long bytes = 0;
        try (FlexCursor cursor = keyspace.cursor(options)) {
            Iterator<KeyValue> pairs = cursor.iterator();
            while (bytes < PAGE_BYTES && pairs.hasNext()) {
                KeyValue pair = pairs.next();
                read.add(pair);
                bytes += pair.key().length + (keysOnly ? 0 : pair.value().length);
            }
        }
        isLastPage = bytes < PAGE_BYTES && read.size() < pageSize;
        if (!read.isEmpty()) {
            byte[] last = read.get(read.size() - 1).key();
            rest = reverse ? rest.to(last) : rest.from(ByteRange.behind(last));
        }
        return read;
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the iteration has no more pairs");
        }
        KeyValue pair = page.get(next);
        T element = result.apply(pair);
        page.set(next, null); // for the garbage collector
        next++;
        lastKey = pair.key();
        return element;
    }

    @Override
    public void remove() {
        if (lastKey == null) {
            throw new IllegalStateException("there is no element to remove: call next() first, once for each remove()");
        }
        keyspace.delete(lastKey);
        lastKey = null;
    }
}
