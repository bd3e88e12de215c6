package io.flexdb.typed;

import org.jspecify.annotations.Nullable;

/**
 * A key of three components, for {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 * @param <C> the type of the third component
 * @param first the first component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param second the second component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param third the third component; null only if its codec is {@link KeyCodec#nullsFirst}
 */
public record Tuple3<A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>(
        A first, B second, C third) {
    /** A tuple of these components. */
    public static <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            Tuple3<A, B, C> of(A first, B second, C third) {
        return new Tuple3<>(first, second, third);
    }
}
