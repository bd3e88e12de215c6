package io.flexdb.typed;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The codecs of keys. */
final class KeyCodecs {
    static final KeyCodec<byte[]> BYTES = variable(
            "bytes key",
            Arrays::compareUnsigned,
            key -> key.length == 0 || key[0] == 0 ? behindZero(key) : key.clone(),
            bytes -> withoutZero(bytes).clone());
    static final KeyCodec<String> STRINGS = variable(
            "string key",
            KeyCodecs::compareCodePoints,
            key -> key.isEmpty() || key.charAt(0) == 0 ? behindZero(ByteForms.utf8(key)) : ByteForms.utf8(key),
            bytes -> ByteForms.text(withoutZero(bytes)));
    static final KeyCodec<Integer> INTS = fixed(
            "int key",
            Integer.BYTES,
            Integer::compare,
            key -> ByteForms.ofInt(key ^ Integer.MIN_VALUE),
            bytes -> bytes.getInt() ^ Integer.MIN_VALUE);
    static final KeyCodec<Long> LONGS = fixed(
            "long key",
            Long.BYTES,
            Long::compare,
            key -> ByteForms.ofLong(key ^ Long.MIN_VALUE),
            bytes -> bytes.getLong() ^ Long.MIN_VALUE);
    static final KeyCodec<Float> FLOATS = fixed(
            "float key",
            Float.BYTES,
            Float::compare,
            key -> ByteForms.ofInt(ordered(Float.floatToIntBits(key))),
            KeyCodecs::toFloat);
    static final KeyCodec<Double> DOUBLES = fixed(
            "double key",
            Double.BYTES,
            Double::compare,
            key -> ByteForms.ofLong(ordered(Double.doubleToLongBits(key))),
            KeyCodecs::toDouble);
    static final KeyCodec<Boolean> BOOLEANS = fixed(
            "boolean key",
            1,
            Boolean::compare,
            key -> new byte[] {(byte) (key ? 1 : 0)},
            bytes -> ByteForms.flag(bytes.get()));
    static final KeyCodec<UUID> UUIDS = fixed(
            "uuid key",
            16,
            KeyCodecs::compareUuids,
            ValueCodecs::ofUuid,
            bytes -> new UUID(bytes.getLong(), bytes.getLong()));
    static final KeyCodec<Instant> INSTANTS = fixed(
            "instant key",
            12,
            Instant::compareTo,
            key -> ValueCodecs.ofInstant(key.getEpochSecond() ^ Long.MIN_VALUE, key.getNano()),
            bytes -> ValueCodecs.toInstant(bytes.getLong() ^ Long.MIN_VALUE, bytes.getInt()));
    static final KeyCodec<LocalDate> LOCAL_DATES =
            fixed("date key", 6, LocalDate::compareTo, KeyCodecs::ofDate, KeyCodecs::toDate);
    static final KeyCodec<LocalDateTime> LOCAL_DATE_TIMES = fixed(
            "date and time key",
            14,
            LocalDateTime::compareTo,
            key -> ByteBuffer.allocate(14)
                    .put(ofDate(key.toLocalDate()))
                    .putLong(key.toLocalTime().toNanoOfDay())
                    .array(),
            bytes -> LocalDateTime.of(toDate(bytes), toTime(bytes.getLong())));
    static final KeyCodec<BigInteger> BIG_INTEGERS =
            variable("integer key", BigInteger::compareTo, OrderedIntegers::encode, OrderedIntegers::decode);
    static final KeyCodec<BigDecimal> BIG_DECIMALS =
            variable("decimal key", BigDecimal::compareTo, OrderedDecimals::encode, OrderedDecimals::decode);

    private KeyCodecs() {}

    private static <T> KeyCodec<T> variable(
            String name, Comparator<T> order, Function<T, byte[]> encode, Function<byte[], T> decode) {
        return KeyCodec.of(name, order, encode, decode);
    }

    private static <T> KeyCodec<T> fixed(
            String name, int length, Comparator<T> order, Function<T, byte[]> encode, Function<ByteBuffer, T> decode) {
        return new FunctionKeyCodec<>(
                name,
                length,
                order,
                key -> encode.apply(Objects.requireNonNull(key, "key")),
                bytes -> decode.apply(ByteForms.ofLength(bytes, length)));
    }

    // ---- strings and byte arrays: a store has no empty keys, so these that are empty, or begin with 0, get a 0 more

    private static byte[] behindZero(byte[] key) {
        byte[] bytes = new byte[1 + key.length];
        System.arraycopy(key, 0, bytes, 1, key.length);
        return bytes;
    }

    private static byte[] withoutZero(byte[] bytes) {
        if (bytes.length == 0) {
            throw ByteForms.unexpected("at least a byte", "none");
        }
        if (bytes[0] != 0) {
            return bytes;
        }
        if (bytes.length > 1 && bytes[1] != 0) {
            throw ByteForms.unexpected("nothing or a byte 0 behind the first byte 0", String.valueOf(bytes[1]));
        }
        return Arrays.copyOfRange(bytes, 1, bytes.length);
    }

    static int compareCodePoints(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char left = a.charAt(i);
            char right = b.charAt(i);
            if (left != right) {
                return rank(left) - rank(right);
            }
        }
        return a.length() - b.length();
    }

    /** Where a UTF-16 unit stands in the order of code points: surrogates, which make the greatest ones, come last. */
    private static int rank(char unit) {
        return Character.isSurrogate(unit) ? unit + 0x10000 : unit;
    }

    // ---- numbers

    /** Bits of a float in an order of unsigned numbers: negative ones are turned round. */
    private static int ordered(int bits) {
        return bits ^ (bits >> 31 | Integer.MIN_VALUE);
    }

    private static long ordered(long bits) {
        return bits ^ (bits >> 63 | Long.MIN_VALUE);
    }

    private static float toFloat(ByteBuffer bytes) {
        int stored = bytes.getInt();
        int bits = stored < 0 ? stored ^ Integer.MIN_VALUE : ~stored;
        float value = Float.intBitsToFloat(bits);
        if (Float.floatToIntBits(value) != bits) {
            throw ByteForms.unexpected("the only NaN, 0x7fc00000", "0x" + Integer.toHexString(bits));
        }
        return value;
    }

    private static double toDouble(ByteBuffer bytes) {
        long stored = bytes.getLong();
        long bits = stored < 0 ? stored ^ Long.MIN_VALUE : ~stored;
        return ValueCodecs.requireCanonical(Double.longBitsToDouble(bits), bits);
    }

    private static int compareUuids(UUID a, UUID b) {
        int order = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return order != 0 ? order : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    }

    // ---- times

    private static byte[] ofDate(LocalDate key) {
        return ValueCodecs.ofDate(key.getYear() ^ Integer.MIN_VALUE, key);
    }

    private static LocalDate toDate(ByteBuffer bytes) {
        return ValueCodecs.toDate(bytes.getInt() ^ Integer.MIN_VALUE, bytes);
    }

    private static LocalTime toTime(long nanos) {
        try {
            return LocalTime.ofNanoOfDay(nanos);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("expected the nanoseconds of a day, found " + nanos, e);
        }
    }

    // ---- enums

    static <E extends Enum<E>> KeyCodec<E> enums(Class<E> type) {
        E[] constants = Objects.requireNonNull(type, "type").getEnumConstants();
        String names = Arrays.stream(constants).map(Enum::name).collect(Collectors.joining(","));
        return fixed(
                EnumNames.of(names),
                Short.BYTES,
                (a, b) -> a.compareTo(b),
                key -> ByteBuffer.allocate(Short.BYTES)
                        .putShort((short) key.ordinal())
                        .array(),
                bytes -> {
                    int ordinal = Short.toUnsignedInt(bytes.getShort());
                    if (ordinal >= constants.length) {
                        throw ByteForms.unexpected(
                                "one of the " + constants.length + " constants of " + type.getName(),
                                "number " + ordinal + " from 0 on");
                    }
                    return constants[ordinal];
                });
    }

    // ---- codecs of codecs

    static <T, U> KeyCodec<U> map(
            KeyCodec<T> codec,
            String name,
            Function<? super U, ? extends T> to,
            Function<? super T, ? extends U> from) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
        Comparator<T> order = codec.comparator();
        return new FunctionKeyCodec<>(
                Names.mapped(name, codec.name()),
                codec.fixedBytes(),
                (a, b) -> order.compare(to.apply(a), to.apply(b)),
                key -> codec.encode(to.apply(Objects.requireNonNull(key, "key"))),
                bytes -> from.apply(codec.decode(bytes)));
    }

    static <T> KeyCodec<T> descending(KeyCodec<T> codec) {
        Objects.requireNonNull(codec, "codec");
        Component<T> component = new Component<>(codec);
        return new FunctionKeyCodec<>(
                "descending(" + codec.name() + ")",
                codec.fixedBytes(),
                codec.comparator().reversed(),
                key -> complement(component.encode(key)),
                bytes -> component.decodeAll(complement(bytes)));
    }

    private static byte[] complement(byte[] bytes) {
        byte[] complement = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            complement[i] = (byte) ~bytes[i];
        }
        return complement;
    }

    static <T> KeyCodec<T> nullsFirst(KeyCodec<T> codec) {
        Objects.requireNonNull(codec, "codec");
        return new FunctionKeyCodec<>(
                "nullsFirst(" + codec.name() + ")",
                KeyCodec.VARIABLE,
                Comparator.nullsFirst(codec.comparator()),
                key -> key == null ? new byte[1] : ValueCodecs.marked(codec.encode(key)),
                bytes -> ValueCodecs.isNull(bytes) ? null : codec.decode(Arrays.copyOfRange(bytes, 1, bytes.length)));
    }
}
