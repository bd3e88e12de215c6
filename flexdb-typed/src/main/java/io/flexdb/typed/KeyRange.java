package io.flexdb.typed;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keys between two bounds, the direction in which they are read, and how many. Immutable; each {@code with…} method
 * returns a changed copy.
 *
 * <pre>{@code
 * users.forEach(KeyRange.<Long>all().withLowerBound(1000L, true).withUpperBound(2000L, false), this::show);
 * log.stream(logKeys.startingWith("Rome").withReverse(true).withLimit(20)); // of a codec of tuples
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public final class KeyRange<K extends @Nullable Object> {
    private static final KeyRange<?> ALL = new KeyRange<>(null, null, null, null, new Reading(false, Long.MAX_VALUE));

    private final @Nullable Bound<K> lower;
    private final @Nullable Bound<K> upper;
    private final byte @Nullable [] prefix;
    private final @Nullable KeyCodec<K> codec; // of the prefix
    private final Reading reading;

    /** One end. */
    private record Bound<K extends @Nullable Object>(K key, boolean inclusive) {
        static <K extends @Nullable Object> @Nullable Bound<K> of(@Nullable K key, boolean inclusive) {
            return key == null ? null : new Bound<>(key, inclusive);
        }
    }

    private record Reading(boolean reverse, long limit) {}

    private KeyRange(
            @Nullable Bound<K> lower,
            @Nullable Bound<K> upper,
            byte @Nullable [] prefix,
            @Nullable KeyCodec<K> codec,
            Reading reading) {
        this.lower = lower;
        this.upper = upper;
        this.prefix = prefix;
        this.codec = codec;
        this.reading = reading;
    }

    /** All keys, in order. */
    @SuppressWarnings("unchecked") // it has no key
    public static <K extends @Nullable Object> KeyRange<K> all() {
        return (KeyRange<K>) ALL;
    }

    /** One key. */
    public static <K extends @Nullable Object> KeyRange<K> only(K key) {
        Objects.requireNonNull(key, "key");
        return KeyRange.<K>all().withLowerBound(key, true).withUpperBound(key, true);
    }

    /** The keys that begin with some bytes, which are of a codec. */
    static <K extends @Nullable Object> KeyRange<K> startingWith(KeyCodec<K> codec, byte[] prefix) {
        return new KeyRange<>(null, null, prefix, codec, KeyRange.<K>all().reading);
    }

    /**
     * The strings that begin with a prefix, for a keyspace whose keys are {@link KeyCodec#strings()}.
     *
     * @param prefix empty for all strings
     */
    public static KeyRange<String> startingWith(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        KeyCodec<String> strings = KeyCodec.strings();
        return startingWith(strings, prefix.isEmpty() ? new byte[0] : strings.encode(prefix));
    }

    /**
     * Has only keys from this one on, or above it.
     *
     * @param key null for no bound
     * @param inclusive whether the key itself is in the range
     */
    public KeyRange<K> withLowerBound(@Nullable K key, boolean inclusive) {
        return new KeyRange<>(Bound.of(key, inclusive), upper, prefix, codec, reading);
    }

    /**
     * Has only keys below this one, or up to it.
     *
     * @param key null for no bound
     * @param inclusive whether the key itself is in the range
     */
    public KeyRange<K> withUpperBound(@Nullable K key, boolean inclusive) {
        return new KeyRange<>(lower, Bound.of(key, inclusive), prefix, codec, reading);
    }

    /**
     * Sets the direction of reads; false, from the first key to the last, unless set. Single steps of a cursor go as they
     * are told.
     */
    public KeyRange<K> withReverse(boolean reverse) {
        return new KeyRange<>(lower, upper, prefix, codec, new Reading(reverse, reading.limit));
    }

    /**
     * Sets the most pairs that are read, in the range's direction. Single steps of a cursor go on beyond it.
     *
     * @param pairs not negative; {@link Long#MAX_VALUE}, as it is unless set, for all
     */
    public KeyRange<K> withLimit(long pairs) {
        if (pairs < 0) {
            throw new IllegalArgumentException("limit must not be negative: " + pairs);
        }
        return new KeyRange<>(lower, upper, prefix, codec, new Reading(reading.reverse, pairs));
    }

    boolean reverse() {
        return reading.reverse;
    }

    long limit() {
        return reading.limit;
    }

    /** The keys in a keyspace. */
    ByteRange in(PairCodec<K, ?> pairs) {
        require(pairs.keys());
        ByteRange bounds = new ByteRange(
                lower == null ? null : KeyBounds.start(pairs.encodeKey(lower.key), lower.inclusive),
                upper == null ? null : KeyBounds.end(pairs.encodeKey(upper.key), upper.inclusive));
        return prefix == null ? bounds : ByteRange.ofPrefix(prefix).within(bounds);
    }

    /** The keys that begin with a component in this range. */
    ByteRange in(Component<K> component) {
        require(component.codec());
        ByteRange bounds = new ByteRange(
                lower == null ? null : position(component, lower.key, !lower.inclusive),
                upper == null ? null : position(component, upper.key, upper.inclusive));
        return prefix == null
                ? bounds
                : ByteRange.ofPrefix(component.prefix(prefix)).within(bounds);
    }

    /** Where the keys begin whose component is the one given, or where they end; null if that is at the end of all. */
    private byte[] position(Component<K> component, K key, boolean behind) {
        byte[] bytes = component.encode(key);
        return behind ? ByteRange.behindAll(bytes) : bytes;
    }

    private void require(KeyCodec<K> used) {
        if (lower != null && upper != null && used.comparator().compare(lower.key, upper.key) > 0) {
            throw new IllegalArgumentException("the lower bound must not be above the upper one: " + this);
        }
        if (prefix != null && !codec.name().equals(used.name())) {
            throw new IllegalArgumentException("the range is of keys that begin with some of codec " + codec.name()
                    + ", but is used for codec " + used.name());
        }
    }

    @Override
    public String toString() {
        return "KeyRange[" + (lower == null ? "" : (lower.inclusive ? "from " : "above ") + lower.key + ", ")
                + (upper == null ? "" : (upper.inclusive ? "to " : "below ") + upper.key + ", ")
                + (prefix == null ? "" : "prefix " + ByteForms.hex(prefix) + ", ")
                + (reading.reverse ? "reverse" : "forward")
                + (reading.limit == Long.MAX_VALUE ? "]" : ", at most " + reading.limit + "]");
    }
}
