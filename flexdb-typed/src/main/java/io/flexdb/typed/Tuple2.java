package io.flexdb.typed;

import org.jspecify.annotations.Nullable;

/**
 * A key of two components, for {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 * @param first the first component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param second the second component; null only if its codec is {@link KeyCodec#nullsFirst}
 */
public record Tuple2<A extends @Nullable Object, B extends @Nullable Object>(A first, B second) {
    /** A tuple of these components. */
    public static <A extends @Nullable Object, B extends @Nullable Object> Tuple2<A, B> of(A first, B second) {
        return new Tuple2<>(first, second);
    }
}
