package io.flexdb.typed;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A secondary index of an {@link IndexedKeyspace}: the values of a record by which it can be found. Immutable, and without
 * state: a constant is a good place for one.
 *
 * <pre>{@code
 * Index<User, String> byCity = Index.of("city", KeyCodec.strings(), User::city);
 * Index<User, String> byTag = Index.ofMany("tag", KeyCodec.strings(), User::tags);
 * }</pre>
 *
 * @param <V> the type of the records
 * @param <I> the type of the indexed values
 */
public final class Index<V, I> {
    private static final String SEPARATOR = ": ";

    private final String name;
    private final KeyCodec<I> codec;
    private final Function<? super V, ? extends Collection<? extends I>> values;

    private Index(String name, KeyCodec<I> codec, Function<? super V, ? extends Collection<? extends I>> values) {
        if (Names.requireName(name).contains(SEPARATOR)) {
            throw new IllegalArgumentException("the name of an index must not have \": \" in it: \"" + name + "\"");
        }
        this.name = name;
        this.codec = Objects.requireNonNull(codec, "codec");
        this.values = values;
    }

    /**
     * An index of at most one value of each record.
     *
     * @param name the name within the keyspace, without ": "; give an index another one when its function changes
     * @param codec the codec of the indexed values, whose order is that of ranges
     * @param value gives the value of a record: always the same for equal records; null for none
     */
    public static <V, I> Index<V, I> of(
            String name, KeyCodec<I> codec, Function<? super V, ? extends @Nullable I> value) {
        Objects.requireNonNull(value, "value");
        return new Index<>(name, codec, record -> {
            I found = value.apply(record);
            return found == null ? List.<I>of() : List.of(found);
        });
    }

    /**
     * An index of any number of values of each record.
     *
     * @param name the name within the keyspace, without ": "; give an index another one when its function changes
     * @param codec the codec of the indexed values, whose order is that of ranges
     * @param values gives the values of a record, which are not null: always the same for equal records
     */
    public static <V, I> Index<V, I> ofMany(
            String name, KeyCodec<I> codec, Function<? super V, ? extends Collection<? extends I>> values) {
        return new Index<>(name, codec, Objects.requireNonNull(values, "values"));
    }

    /** The name within the keyspace. */
    public String name() {
        return name;
    }

    /** The codec of the indexed values. */
    public KeyCodec<I> codec() {
        return codec;
    }

    Collection<? extends I> values(V value) {
        return values.apply(value);
    }

    /** The name that is stored: with another codec it is another index. */
    String storedName() {
        return name + SEPARATOR + codec.name();
    }

    /** The name of the index that has a stored name. */
    static String ofStoredName(String stored) {
        return stored.substring(0, stored.indexOf(SEPARATOR));
    }

    @Override
    public String toString() {
        return "Index[" + storedName() + "]";
    }
}
