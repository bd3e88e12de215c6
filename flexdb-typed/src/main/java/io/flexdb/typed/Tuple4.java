package io.flexdb.typed;

import org.jspecify.annotations.Nullable;

/**
 * A key of four components, for {@link KeyCodec#tuple}.
 *
 * @param <A> the type of the first component
 * @param <B> the type of the second component
 * @param <C> the type of the third component
 * @param <D> the type of the fourth component
 * @param first the first component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param second the second component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param third the third component; null only if its codec is {@link KeyCodec#nullsFirst}
 * @param fourth the fourth component; null only if its codec is {@link KeyCodec#nullsFirst}
 */
public record Tuple4<
        A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object, D extends @Nullable Object>(
        A first, B second, C third, D fourth) {
    /** A tuple of these components. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            Tuple4<A, B, C, D> of(A first, B second, C third, D fourth) {
        return new Tuple4<>(first, second, third, fourth);
    }
}
