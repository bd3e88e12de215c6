package io.flexdb.typed;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A codec of keys with three components, made by {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 * @param <C> the type of the third component
 */
public final class Tuple3Codec<A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
        implements KeyCodec<Tuple3<A, B, C>> {
    private final Components components;
    private final Comparator<Tuple3<A, B, C>> comparator;

    Tuple3Codec(KeyCodec<A> first, KeyCodec<B> second, KeyCodec<C> third) {
        components = new Components(first, second, third);
        comparator = Comparator.comparing((Tuple3<A, B, C> tuple) -> tuple.first(), first.comparator())
                .thenComparing(Tuple3::second, second.comparator())
                .thenComparing(Tuple3::third, third.comparator());
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
    public Comparator<Tuple3<A, B, C>> comparator() {
        return comparator;
    }

    @Override
    public byte[] encode(Tuple3<A, B, C> key) {
        Objects.requireNonNull(key, "key");
        return components.encode(key.first(), key.second(), key.third());
    }

    @Override
    public Tuple3<A, B, C> decode(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        A first = components.<A>decode(0, rest);
        B second = components.<B>decode(1, rest);
        C third = components.<C>decode(2, rest);
        return new Tuple3<>(first, second, third);
    }

    /** The tuples with this first component, in a keyspace with this codec. */
    public KeyRange<Tuple3<A, B, C>> startingWith(A first) {
        return KeyRange.startingWith(this, components.prefix(first));
    }

    /** The tuples with these first two components, in a keyspace with this codec. */
    public KeyRange<Tuple3<A, B, C>> startingWith(A first, B second) {
        return KeyRange.startingWith(this, components.prefix(first, second));
    }

    @Override
    public String toString() {
        return name();
    }
}
