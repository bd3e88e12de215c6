package io.flexdb.typed;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map.Entry;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Predicate;

/** The entries of a {@link KeyspaceMap}. */
final class KeyspaceMapEntries<K, V> extends AbstractSet<Entry<K, V>> {
    private final KeyspaceMap<K, V> map;

    KeyspaceMapEntries(KeyspaceMap<K, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<Entry<K, V>> iterator() {
        return map.entries();
    }

    @Override
    public Spliterator<Entry<K, V>> spliterator() {
        return new MapSpliterator<>(map::entries, Entry.comparingByKey(map.comparator()));
    }

    @Override
    public boolean contains(Object element) {
        if (!(element instanceof Entry<?, ?> entry) || entry.getKey() == null) {
            return false;
        }
        V value = map.get(entry.getKey());
        return value != null && Objects.deepEquals(value, entry.getValue());
    }

    @Override
    public boolean remove(Object element) {
        return element instanceof Entry<?, ?> entry
                && entry.getKey() != null
                && map.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public boolean removeIf(Predicate<? super Entry<K, V>> filter) {
        return map.removeEntriesIf(filter);
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
