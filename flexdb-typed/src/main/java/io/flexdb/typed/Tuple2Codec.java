package io.flexdb.typed;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A codec of keys with two components, made by {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 */
public final class Tuple2Codec<A extends @Nullable Object, B extends @Nullable Object>
        implements KeyCodec<Tuple2<A, B>> {
    private final Components components;
    private final Comparator<Tuple2<A, B>> comparator;

    Tuple2Codec(KeyCodec<A> first, KeyCodec<B> second) {
        components = new Components(first, second);
        comparator = Comparator.comparing((Tuple2<A, B> tuple) -> tuple.first(), first.comparator())
                .thenComparing(Tuple2::second, second.comparator());
    }

    @Override
    public String name() {
        return components.name();
    }

    @Override
    public int fixedBytes() {
        return components.fixedBytes();
    }

    @Override
    public Comparator<Tuple2<A, B>> comparator() {
        return comparator;
    }

    @Override
    public byte[] encode(Tuple2<A, B> key) {
        Objects.requireNonNull(key, "key");
        return components.encode(key.first(), key.second());
    }

    @Override
    public Tuple2<A, B> decode(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        A first = components.<A>decode(0, rest);
        B second = components.<B>decode(1, rest);
        return new Tuple2<>(first, second);
    }

    /** The tuples with this first component, in a keyspace with this codec. */
    public KeyRange<Tuple2<A, B>> startingWith(A first) {
        return KeyRange.startingWith(this, components.prefix(first));
    }

    @Override
    public String toString() {
        return name();
    }
}
