package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.KeyValue;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A keyspace, or a part of it, as a map.
 *
 * <p>A change that depends on what is there reads the bytes of the value, makes the new value of it, and sets that if the
 * bytes are still the same; else it begins anew. So it is atomic for the key, whatever {@code equals} of the values says.
 */
final class KeyspaceMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V> {
    private final Keyspace keyspace;
    private final PairCodec<K, V> pairs;
    private final KeyBounds bounds;
    private final ByteRange range;
    private final boolean descending;

    KeyspaceMap(Keyspace keyspace, PairCodec<K, V> pairs, KeyBounds bounds, boolean descending) {
        this.keyspace = keyspace;
        this.pairs = pairs;
        this.bounds = bounds;
        this.range = bounds.range();
        this.descending = descending;
    }

    // ---- bytes

    @SuppressWarnings("unchecked") // a codec throws a ClassCastException itself
    private byte[] encode(Object key) {
        return pairs.encodeKey((K) key);
    }

    private byte[] encodeInside(K key) {
        return requireInside(pairs.encodeKey(key));
    }

    private byte[] requireInside(byte[] key) {
        if (!range.contains(key)) {
            throw bounds.outside(key);
        }
        return key;
    }

    private byte[] find(byte[] key) {
        return range.contains(key) ? keyspace.get(key) : null;
    }

    private V value(byte[] key, byte[] value) {
        return pairs.decodeValue(key, value);
    }

    // ---- single keys

    @Override
    public V get(Object key) {
        byte[] bytes = encode(key);
        return value(bytes, find(bytes));
    }

    @Override
    public V getOrDefault(Object key, V defaultValue) {
        V value = get(key);
        return value == null ? defaultValue : value;
    }

    @Override
    public boolean containsKey(Object key) {
        byte[] bytes = encode(key);
        return range.contains(bytes) && keyspace.containsKey(bytes);
    }

    @Override
    public V put(K key, V value) {
        byte[] bytes = encodeInside(key);
        byte[] newValue = pairs.encodeValue(value);
        return value(bytes, keyspace.getAndSet(bytes, newValue));
    }

    @Override
    public V putIfAbsent(K key, V value) {
        byte[] bytes = encodeInside(key);
        byte[] newValue = pairs.encodeValue(value);
        return value(bytes, keyspace.putIfAbsent(bytes, newValue));
    }

    @Override
    public V remove(Object key) {
        byte[] bytes = encode(key);
        return range.contains(bytes) ? value(bytes, keyspace.getAndDelete(bytes)) : null;
    }

    @Override
    public boolean remove(Object key, Object value) {
        byte[] bytes = encode(key);
        return value != null && range.contains(bytes) && setIf(bytes, value, null);
    }

    @Override
    public V replace(K key, V value) {
        byte[] bytes = encodeInside(key);
        byte[] newValue = pairs.encodeValue(value);
        byte[] found = keyspace.get(bytes);
        while (found != null && !keyspace.compareAndSet(bytes, found, newValue)) {
            found = keyspace.get(bytes);
        }
        return value(bytes, found);
    }

    @Override
    public boolean replace(K key, V oldValue, V newValue) {
        byte[] bytes = encodeInside(key);
        Objects.requireNonNull(oldValue, "oldValue");
        return setIf(bytes, oldValue, pairs.encodeValue(newValue));
    }

    /** Sets a value, or removes it, if it equals another. */
    private boolean setIf(byte[] key, Object expected, byte[] newValue) {
        byte[] found = keyspace.get(key);
        while (found != null && Objects.deepEquals(value(key, found), expected)) {
            if (keyspace.compareAndSet(key, found, newValue)) {
                return true;
            }
            found = keyspace.get(key);
        }
        return false;
    }

    // ---- functions

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        byte[] bytes = encode(key);
        V found = value(bytes, find(bytes));
        if (found != null) {
            return found;
        }
        V made = function.apply(key);
        V other = made == null ? null : putIfAbsent(key, made);
        return other == null ? made : other;
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        return change(key, old -> old == null ? null : function.apply(key, old));
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        return change(key, old -> function.apply(key, old));
    }

    @Override
    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(function, "function");
        return change(key, old -> old == null ? value : function.apply(old, value));
    }

    /** Sets a key to a function of its value, both null if absent. */
    private V change(K key, Function<V, V> function) {
        byte[] bytes = encode(key);
        while (true) {
            byte[] found = find(bytes);
            V made = function.apply(value(bytes, found));
            if (made == null && found == null) {
                return null;
            }
            byte[] newValue = made == null ? null : pairs.encodeValue(made);
            if (keyspace.compareAndSet(requireInside(bytes), found, newValue)) {
                return made;
            }
        }
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function, "function");
        keys().forEachRemaining(key ->
                computeIfPresent(key, (same, old) -> Objects.requireNonNull(function.apply(same, old), "value")));
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        Objects.requireNonNull(action, "action");
        entries().forEachRemaining(entry -> action.accept(entry.getKey(), entry.getValue()));
    }

    // ---- all keys

    @Override
    public int size() {
        long count = 0;
        try (FlexCursor cursor = keyspace.cursor(range.options().withKeysOnly(true))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                count++;
            }
        }
        return (int) Math.min(count, Integer.MAX_VALUE);
    }

    @Override
    public boolean isEmpty() {
        return firstKeyOrNull() == null;
    }

    @Override
    public void clear() {
        ByteRange deleted = range.toDelete(pairs.keyspace());
        keyspace.deleteRange(deleted.low(), deleted.high());
    }

    @Override
    public boolean containsValue(Object value) {
        Objects.requireNonNull(value, "value");
        Iterator<V> values = values().iterator();
        while (values.hasNext()) {
            if (Objects.deepEquals(values.next(), value)) {
                return true;
            }
        }
        return false;
    }

    private <T> Iterator<T> iterator(boolean keysOnly, Function<KeyValue, T> result) {
        return new PagedIterator<>(keyspace, range, descending, keysOnly, result);
    }

    Iterator<K> keys() {
        return iterator(true, pair -> pairs.decodeKey(pair.key()));
    }

    Iterator<V> valueIterator() {
        return iterator(false, pair -> value(pair.key(), pair.value()));
    }

    Iterator<Entry<K, V>> entries() {
        return iterator(false, pairs::decode);
    }

    /** Removes the pairs whose entry is as wanted, each if nobody has changed it since. */
    boolean removeEntriesIf(Predicate<? super Entry<K, V>> wanted) {
        Objects.requireNonNull(wanted, "filter");
        boolean hasRemoved = false;
        Iterator<KeyValue> all = iterator(false, pair -> pair);
        while (all.hasNext()) {
            KeyValue pair = all.next();
            if (wanted.test(pairs.decode(pair))) {
                hasRemoved |= keyspace.compareAndSet(pair.key(), pair.value(), null);
            }
        }
        return hasRemoved;
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new KeyspaceMapEntries<>(this);
    }

    @Override
    public Collection<V> values() {
        return new KeyspaceMapValues<>(this);
    }

    @Override
    public NavigableSet<K> keySet() {
        return new KeyspaceMapKeys<>(this);
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return keySet();
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    // ---- neighbours

    @Override
    public Comparator<? super K> comparator() {
        Comparator<K> order = pairs.keys().comparator();
        return descending ? order.reversed() : order;
    }

    /** The first or last pair of a range in the order of the keyspace, or null. */
    private KeyValue end(ByteRange within, boolean last, boolean keysOnly) {
        ReadOptions options = within.options().withLimit(1).withReverse(last).withKeysOnly(keysOnly);
        try (FlexCursor cursor = keyspace.cursor(options)) {
            Iterator<KeyValue> pair = cursor.iterator();
            return pair.hasNext() ? pair.next() : null;
        }
    }

    /** The pair next to a key in a direction of this map, or null. */
    private KeyValue neighbour(K key, boolean forward, boolean inclusive, boolean keysOnly) {
        byte[] bytes = pairs.encodeKey(key);
        boolean up = forward != descending;
        ByteRange within =
                up ? range.from(KeyBounds.start(bytes, inclusive)) : range.to(KeyBounds.end(bytes, inclusive));
        return end(within, !up, keysOnly);
    }

    private Entry<K, V> entry(KeyValue pair) {
        return pair == null ? null : pairs.decode(pair);
    }

    private K key(KeyValue pair) {
        return pair == null ? null : pairs.decodeKey(pair.key());
    }

    private K firstKeyOrNull() {
        return key(end(range, descending, true));
    }

    private static <K> K requireKey(K key) {
        if (key == null) {
            throw new NoSuchElementException("the map is empty");
        }
        return key;
    }

    @Override
    public K firstKey() {
        return requireKey(firstKeyOrNull());
    }

    @Override
    public K lastKey() {
        return requireKey(key(end(range, !descending, true)));
    }

    @Override
    public Entry<K, V> firstEntry() {
        return entry(end(range, descending, false));
    }

    @Override
    public Entry<K, V> lastEntry() {
        return entry(end(range, !descending, false));
    }

    @Override
    public Entry<K, V> pollFirstEntry() {
        return poll(descending);
    }

    @Override
    public Entry<K, V> pollLastEntry() {
        return poll(!descending);
    }

    private Entry<K, V> poll(boolean last) {
        KeyValue pair = end(range, last, false);
        while (pair != null && !keyspace.compareAndSet(pair.key(), pair.value(), null)) {
            pair = end(range, last, false);
        }
        return entry(pair);
    }

    @Override
    public Entry<K, V> lowerEntry(K key) {
        return entry(neighbour(key, false, false, false));
    }

    @Override
    public K lowerKey(K key) {
        return key(neighbour(key, false, false, true));
    }

    @Override
    public Entry<K, V> floorEntry(K key) {
        return entry(neighbour(key, false, true, false));
    }

    @Override
    public K floorKey(K key) {
        return key(neighbour(key, false, true, true));
    }

    @Override
    public Entry<K, V> ceilingEntry(K key) {
        return entry(neighbour(key, true, true, false));
    }

    @Override
    public K ceilingKey(K key) {
        return key(neighbour(key, true, true, true));
    }

    @Override
    public Entry<K, V> higherEntry(K key) {
        return entry(neighbour(key, true, false, false));
    }

    @Override
    public K higherKey(K key) {
        return key(neighbour(key, true, false, true));
    }

    // ---- views

    private KeyspaceMap<K, V> view(KeyBounds newBounds, boolean newDescending) {
        return new KeyspaceMap<>(keyspace, pairs, newBounds, newDescending);
    }

    /** A view with bounds in the order of this map; null for none. */
    private KeyspaceMap<K, V> narrowed(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
        return view(
                descending
                        ? bounds.narrowed(to, toInclusive, from, fromInclusive)
                        : bounds.narrowed(from, fromInclusive, to, toInclusive),
                descending);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K fromKey, boolean fromInclusive, K toKey, boolean toInclusive) {
        return narrowed(pairs.encodeKey(fromKey), fromInclusive, pairs.encodeKey(toKey), toInclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K toKey, boolean inclusive) {
        return narrowed(null, false, pairs.encodeKey(toKey), inclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K fromKey, boolean inclusive) {
        return narrowed(pairs.encodeKey(fromKey), inclusive, null, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K fromKey, K toKey) {
        return subMap(fromKey, true, toKey, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K toKey) {
        return headMap(toKey, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K fromKey) {
        return tailMap(fromKey, true);
    }

    @Override
    public ConcurrentNavigableMap<K, V> descendingMap() {
        return view(bounds, !descending);
    }
}
