package io.flexdb.typed;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns values of a type into bytes and back. Codecs have no state: any thread may use them, and a constant is a good
 * place for one.
 *
 * <pre>{@code
 * Codec<User> users = Codec.of("user", User::toJson, User::fromJson);
 * Codec<Duration> durations = Codec.longs().map("duration", Duration::toNanos, Duration::ofNanos);
 * Codec<List<String>> tags = Codec.list(Codec.strings());
 * }</pre>
 *
 * <p>The bytes of these codecs never change in later releases. Numbers are big-endian. Keys need a {@link KeyCodec}.
 *
 * @param <T> the type of the values
 */
public interface Codec<T extends @Nullable Object> {
    /**
     * The name of this encoding. A keyspace stores the names of its codecs and is only opened with codecs of these names.
     * Give a codec another name when its bytes change their meaning.
     */
    String name();

    /**
     * The bytes of a value, in an array that is the caller's.
     *
     * @throws NullPointerException if the value is null, unless the codec is {@link #nullable}
     * @throws IllegalArgumentException if the codec has no bytes for it
     */
    byte[] encode(T value);

    /**
     * The value that was encoded as these bytes. The array is not changed.
     *
     * @throws IllegalArgumentException if no value has these bytes; the message says what is expected, and what was found
     */
    T decode(byte[] bytes);

    /**
     * A codec of two functions.
     *
     * @param name see {@link #name()}; not blank
     * @param encode gives a new array for a value that is not null
     * @param decode gives the value back, or throws any unchecked exception if the bytes are none of {@code encode}
     */
    static <T extends @Nullable Object> Codec<T> of(
            String name, Function<? super T, byte[]> encode, Function<? super byte[], ? extends T> decode) {
        return new FunctionCodec<>(name, encode, decode);
    }

    /**
     * A codec that stores values of another type as values of this one.
     *
     * @param name see {@link #name()}; the name of this codec becomes a part of it
     * @param to gives the value to store, not null
     * @param from gives the value back
     */
    default <U extends @Nullable Object> Codec<U> map(
            String name, Function<? super U, ? extends T> to, Function<? super T, ? extends U> from) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
        return of(Names.mapped(name, name()), value -> encode(to.apply(value)), bytes -> from.apply(decode(bytes)));
    }

    /** Byte arrays as they are. Encoding and decoding copy them. */
    static Codec<byte[]> bytes() {
        return ValueCodecs.BYTES;
    }

    /** Strings in UTF-8. One with half of a surrogate pair is refused. */
    static Codec<String> strings() {
        return ValueCodecs.STRINGS;
    }

    /** Ints in 4 bytes. */
    static Codec<Integer> ints() {
        return ValueCodecs.INTS;
    }

    /** Longs in 8 bytes, as {@link io.flexdb.MergeFunction#ADD} has them. */
    static Codec<Long> longs() {
        return ValueCodecs.LONGS;
    }

    /** Doubles in 8 bytes; all NaNs become one. */
    static Codec<Double> doubles() {
        return ValueCodecs.DOUBLES;
    }

    /** Booleans in a byte, 0 or 1. */
    static Codec<Boolean> booleans() {
        return ValueCodecs.BOOLEANS;
    }

    /**
     * The constants of an enum by their names in UTF-8. The order of the constants may change, their names may not.
     *
     * @param type the class of the enum
     */
    static <E extends Enum<E>> Codec<E> enums(Class<E> type) {
        return ValueCodecs.enums(type);
    }

    /** UUIDs in 16 bytes. */
    static Codec<UUID> uuids() {
        return ValueCodecs.UUIDS;
    }

    /** Instants in 12 bytes: seconds, nanoseconds. */
    static Codec<Instant> instants() {
        return ValueCodecs.INSTANTS;
    }

    /** Dates in 6 bytes: year, month, day. */
    static Codec<LocalDate> localDates() {
        return ValueCodecs.LOCAL_DATES;
    }

    /** Integers of any size in two's complement, in as few bytes as they take. */
    static Codec<BigInteger> bigIntegers() {
        return ValueCodecs.BIG_INTEGERS;
    }

    /** Decimal numbers: their scale in 4 bytes, then the unscaled value. So 1.0 and 1.00 stay different. */
    static Codec<BigDecimal> bigDecimals() {
        return ValueCodecs.BIG_DECIMALS;
    }

    /**
     * Adds null to a codec: a byte 0 for null, a byte 1 before the bytes of a value. For elements of lists and parts of
     * your own codecs. A keyspace itself has no null values, as null means that a key is absent.
     */
    static <T> Codec<@Nullable T> nullable(Codec<T> codec) {
        return ValueCodecs.nullable(codec);
    }

    /** Lists: the number of elements, and for each its length and bytes. Decoded lists can't be changed. */
    static <T extends @Nullable Object> Codec<List<T>> list(Codec<T> codec) {
        return ValueCodecs.list(codec);
    }
}
