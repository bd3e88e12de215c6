package io.flexdb.typed;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Predicate;

/** The values of a {@link KeyspaceMap}. */
final class KeyspaceMapValues<V> extends AbstractCollection<V> {
    private final KeyspaceMap<?, V> map;

    KeyspaceMapValues(KeyspaceMap<?, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<V> iterator() {
        return map.valueIterator();
    }

    @Override
    public Spliterator<V> spliterator() {
        return new MapSpliterator<>(map::valueIterator, null);
    }

    @Override
    public boolean contains(Object value) {
        return map.containsValue(value);
    }

    @Override
    public boolean removeIf(Predicate<? super V> filter) {
        Objects.requireNonNull(filter, "filter");
        return map.removeEntriesIf(entry -> filter.test(entry.getValue()));
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public void clear() {
        map.clear();
    }
}
