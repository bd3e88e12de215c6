package io.flexdb.typed;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A codec of keys, which keeps their order: bytes compared as unsigned numbers from left to right, a shorter array
 * before a longer one that it begins, are in the order of {@link #comparator()}. Equal keys, and only these, have equal
 * bytes.
 *
 * <pre>{@code
 * KeyCodec<Tuple2<String, Instant>> byCityAndTime = KeyCodec.tuple(KeyCodec.strings(), KeyCodec.instants());
 * KeyCodec<UserId> ids = KeyCodec.longs().map("user id", UserId::number, UserId::new);
 * KeyCodec<Instant> newestFirst = KeyCodec.descending(KeyCodec.instants());
 * }</pre>
 *
 * <p>The bytes of these codecs, and so their order, never change in later releases. A key has at least one byte in a
 * store; these codecs keep to that for empty strings, too.
 *
 * @param <T> the type of the keys
 */
public interface KeyCodec<T extends @Nullable Object> extends Codec<T> {
    /** The {@link #fixedBytes()} of codecs whose encodings differ in length. */
    int VARIABLE = -1;

    /** The order of the keys, which is that of their bytes. */
    Comparator<T> comparator();

    /**
     * How many bytes each key takes, or {@link #VARIABLE}. In tuples, components of a fixed length need no escaping.
     *
     * @return at least 1, or {@link #VARIABLE}
     */
    default int fixedBytes() {
        return VARIABLE;
    }

    /**
     * A codec of two functions, for bytes in an order of your own. {@link #map} is simpler if another codec has the order.
     *
     * @param name see {@link #name()}; not blank
     * @param comparator the order of the bytes, which {@code encode} has to keep
     * @param encode gives a new array for a key that is not null; different arrays for different keys
     * @param decode gives the key back, or throws any unchecked exception if the bytes are none of {@code encode}
     */
    static <T extends @Nullable Object> KeyCodec<T> of(
            String name,
            Comparator<T> comparator,
            Function<? super T, byte[]> encode,
            Function<? super byte[], ? extends T> decode) {
        Objects.requireNonNull(encode, "encode");
        return new FunctionKeyCodec<>(
                name, VARIABLE, comparator, key -> encode.apply(Objects.requireNonNull(key, "key")), decode);
    }

    /**
     * A codec that stores keys of another type as keys of this one, in the order of these.
     *
     * @param name see {@link #name()}; the name of this codec becomes a part of it
     * @param to gives the key to store: different ones for different keys
     * @param from gives the key back
     */
    @Override
    default <U extends @Nullable Object> KeyCodec<U> map(
            String name, Function<? super U, ? extends T> to, Function<? super T, ? extends U> from) {
        return KeyCodecs.map(this, name, to, from);
    }

    /** Byte arrays, as unsigned bytes. Those that are empty or begin with a byte 0 take one byte more. */
    static KeyCodec<byte[]> bytes() {
        return KeyCodecs.BYTES;
    }

    /**
     * Strings in UTF-8, by code points. {@link String#compareTo} orders some strings differently: it has characters beyond
     * U+FFFF before those from U+E000 to U+FFFF. The {@link #comparator()} has them behind. A string with half of a
     * surrogate pair is refused. Strings that are empty or begin with U+0000 take one byte more.
     */
    static KeyCodec<String> strings() {
        return KeyCodecs.STRINGS;
    }

    /** Ints by value, in 4 bytes. */
    static KeyCodec<Integer> ints() {
        return KeyCodecs.INTS;
    }

    /** Longs by value, in 8 bytes. */
    static KeyCodec<Long> longs() {
        return KeyCodecs.LONGS;
    }

    /** Floats in the order of {@link Float#compare}, in 4 bytes: -0.0 before 0.0, NaN last. All NaNs are one key. */
    static KeyCodec<Float> floats() {
        return KeyCodecs.FLOATS;
    }

    /** Doubles in the order of {@link Double#compare}, in 8 bytes: -0.0 before 0.0, NaN last. All NaNs are one key. */
    static KeyCodec<Double> doubles() {
        return KeyCodecs.DOUBLES;
    }

    /** Booleans in a byte: false, true. */
    static KeyCodec<Boolean> booleans() {
        return KeyCodecs.BOOLEANS;
    }

    /**
     * The constants of an enum in the order of their declaration, in 2 bytes. The name of the codec lists the constants.
     * New ones may be added behind the last one; a keyspace is not opened with an enum that was changed in another way.
     *
     * @param type the class of the enum
     */
    static <E extends Enum<E>> KeyCodec<E> enums(Class<E> type) {
        return KeyCodecs.enums(type);
    }

    /**
     * UUIDs in 16 bytes, as unsigned numbers of 128 bits: the order of their texts, and of time for version 7. This is not
     * {@link UUID#compareTo}, which compares two signed numbers.
     */
    static KeyCodec<UUID> uuids() {
        return KeyCodecs.UUIDS;
    }

    /** Instants in 12 bytes, by time. */
    static KeyCodec<Instant> instants() {
        return KeyCodecs.INSTANTS;
    }

    /** Dates in 6 bytes, by time. */
    static KeyCodec<LocalDate> localDates() {
        return KeyCodecs.LOCAL_DATES;
    }

    /** Dates with a time of day in 14 bytes, by time. */
    static KeyCodec<LocalDateTime> localDateTimes() {
        return KeyCodecs.LOCAL_DATE_TIMES;
    }

    /** Integers of any size by value: a byte for sign and length, 5 if there are more than 126 bytes, then the bytes. */
    static KeyCodec<BigInteger> bigIntegers() {
        return KeyCodecs.BIG_INTEGERS;
    }

    /**
     * Decimal numbers by value: a byte for the sign, 2 or more for the magnitude, then two digits a byte. Numbers that
     * {@link BigDecimal#compareTo} has as equal, such as 1.0 and 1.00, are one key, which comes back without zeros at the
     * end. Zero takes a byte.
     */
    static KeyCodec<BigDecimal> bigDecimals() {
        return KeyCodecs.BIG_DECIMALS;
    }

    /** The keys of a codec in reverse order. Keys of variable length take two bytes more, and one for each byte 0. */
    static <T extends @Nullable Object> KeyCodec<T> descending(KeyCodec<T> codec) {
        return KeyCodecs.descending(codec);
    }

    /** Adds null to a codec, before all keys. It takes a byte. For components of tuples: a key itself is never null. */
    static <T> KeyCodec<@Nullable T> nullsFirst(KeyCodec<T> codec) {
        return KeyCodecs.nullsFirst(codec);
    }

    /**
     * Pairs, ordered by their first component, then by the second. The first one takes two bytes more, and one for each
     * byte 0, unless it has a {@linkplain #fixedBytes() fixed length}.
     */
    static <A extends @Nullable Object, B extends @Nullable Object> Tuple2Codec<A, B> tuple(
            KeyCodec<A> first, KeyCodec<B> second) {
        return new Tuple2Codec<>(first, second);
    }

    /** Triples, ordered by the first component that differs. All but the last are stored as those of a pair. */
    static <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            Tuple3Codec<A, B, C> tuple(KeyCodec<A> first, KeyCodec<B> second, KeyCodec<C> third) {
        return new Tuple3Codec<>(first, second, third);
    }

    /** Quadruples, ordered by the first component that differs. All but the last are stored as those of a pair. */
    static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            Tuple4Codec<A, B, C, D> tuple(
                    KeyCodec<A> first, KeyCodec<B> second, KeyCodec<C> third, KeyCodec<D> fourth) {
        return new Tuple4Codec<>(first, second, third, fourth);
    }
}
