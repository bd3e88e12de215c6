package io.flexdb.typed;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Elements of a map or its views, of which nobody knows how many there are. It begins to read when it is first used. */
final class MapSpliterator<T> extends Spliterators.AbstractSpliterator<T> {
    private static final int TRAITS = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT;
    private static final int SORTED_TRAITS = TRAITS | Spliterator.SORTED | Spliterator.DISTINCT;

    private final Supplier<Iterator<T>> source;
    private final Comparator<? super T> order; // null if the elements are not sorted
    private Iterator<T> elements;

    MapSpliterator(Supplier<Iterator<T>> source, Comparator<? super T> order) {
        super(Long.MAX_VALUE, order == null ? TRAITS : SORTED_TRAITS);
        this.source = source;
        this.order = order;
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
        if (elements == null) {
            elements = source.get();
        }
        if (!elements.hasNext()) {
            return false;
        }
        action.accept(elements.next());
        return true;
    }

    @Override
    public Comparator<? super T> getComparator() {
        if (order == null) {
            throw new IllegalStateException("the elements are not sorted");
        }
        return order;
    }
}
