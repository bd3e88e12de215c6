package io.flexdb.typed;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A codec of keys with four components, made by {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 * @param <C> the type of the third component
 * @param <D> the type of the fourth component
 */
public final class Tuple4Codec<
                A extends @Nullable Object,
                B extends @Nullable Object,
                C extends @Nullable Object,
                D extends @Nullable Object>
        implements KeyCodec<Tuple4<A, B, C, D>> {
    private final Components components;
    private final Comparator<Tuple4<A, B, C, D>> comparator;

    Tuple4Codec(KeyCodec<A> first, KeyCodec<B> second, KeyCodec<C> third, KeyCodec<D> fourth) {
        components = new Components(first, second, third, fourth);
        comparator = Comparator.comparing((Tuple4<A, B, C, D> tuple) -> tuple.first(), first.comparator())
                .thenComparing(Tuple4::second, second.comparator())
                .thenComparing(Tuple4::third, third.comparator())
                .thenComparing(Tuple4::fourth, fourth.comparator());
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
    public Comparator<Tuple4<A, B, C, D>> comparator() {
        return comparator;
    }

    @Override
    public byte[] encode(Tuple4<A, B, C, D> key) {
        Objects.requireNonNull(key, "key");
        return components.encode(key.first(), key.second(), key.third(), key.fourth());
    }

    @Override
    public Tuple4<A, B, C, D> decode(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        A first = components.<A>decode(0, rest);
        B second = components.<B>decode(1, rest);
        C third = components.<C>decode(2, rest);
        D fourth = components.<D>decode(3, rest);
        return new Tuple4<>(first, second, third, fourth);
    }

    /** The tuples with this first component, in a keyspace with this codec. */
    public KeyRange<Tuple4<A, B, C, D>> startingWith(A first) {
        return KeyRange.startingWith(this, components.prefix(first));
    }

    /** The tuples with these first two components, in a keyspace with this codec. */
    public KeyRange<Tuple4<A, B, C, D>> startingWith(A first, B second) {
        return KeyRange.startingWith(this, components.prefix(first, second));
    }

    /** The tuples with these first three components, in a keyspace with this codec. */
    public KeyRange<Tuple4<A, B, C, D>> startingWith(A first, B second, C third) {
        return KeyRange.startingWith(this, components.prefix(first, second, third));
    }

    @Override
    public String toString() {
        return name();
    }
}
