package io.flexdb.typed;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The codecs of values. */
final class ValueCodecs {
    static final Codec<byte[]> BYTES = Codec.of("bytes", byte[]::clone, byte[]::clone);
    static final Codec<String> STRINGS = Codec.of("string", ByteForms::utf8, ByteForms::text);
    static final Codec<Integer> INTS = Codec.of(
            "int",
            ByteForms::ofInt,
            bytes -> ByteForms.ofLength(bytes, Integer.BYTES).getInt());
    static final Codec<Long> LONGS = Codec.of(
            "long",
            ByteForms::ofLong,
            bytes -> ByteForms.ofLength(bytes, Long.BYTES).getLong());
    static final Codec<Double> DOUBLES =
            Codec.of("double", value -> ByteForms.ofLong(Double.doubleToLongBits(value)), ValueCodecs::toDouble);
    static final Codec<Boolean> BOOLEANS = Codec.of(
            "boolean",
            value -> new byte[] {(byte) (value ? 1 : 0)},
            bytes -> ByteForms.flag(ByteForms.ofLength(bytes, 1).get()));
    static final Codec<UUID> UUIDS = Codec.of("uuid", ValueCodecs::ofUuid, ValueCodecs::toUuid);
    static final Codec<Instant> INSTANTS =
            Codec.of("instant", value -> ofInstant(value.getEpochSecond(), value.getNano()), bytes -> {
                ByteBuffer parts = ByteForms.ofLength(bytes, 12);
                return toInstant(parts.getLong(), parts.getInt());
            });
    static final Codec<LocalDate> LOCAL_DATES = Codec.of("date", value -> ofDate(value.getYear(), value), bytes -> {
        ByteBuffer parts = ByteForms.ofLength(bytes, 6);
        return toDate(parts.getInt(), parts);
    });
    static final Codec<BigInteger> BIG_INTEGERS =
            Codec.of("integer", BigInteger::toByteArray, ValueCodecs::toBigInteger);
    static final Codec<BigDecimal> BIG_DECIMALS =
            Codec.of("decimal", ValueCodecs::ofBigDecimal, ValueCodecs::toBigDecimal);

    private ValueCodecs() {}

    private static double toDouble(byte[] bytes) {
        long bits = ByteForms.ofLength(bytes, Long.BYTES).getLong();
        return requireCanonical(Double.longBitsToDouble(bits), bits);
    }

    static double requireCanonical(double value, long bits) {
        if (Double.doubleToLongBits(value) != bits) {
            throw ByteForms.unexpected("the only NaN, 0x7ff8000000000000", "0x" + Long.toHexString(bits));
        }
        return value;
    }

    static byte[] ofUuid(UUID value) {
        return ByteBuffer.allocate(16)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits())
                .array();
    }

    static UUID toUuid(byte[] bytes) {
        ByteBuffer halves = ByteForms.ofLength(bytes, 16);
        return new UUID(halves.getLong(), halves.getLong());
    }

    static byte[] ofInstant(long seconds, int nanos) {
        return ByteBuffer.allocate(12).putLong(seconds).putInt(nanos).array();
    }

    static Instant toInstant(long seconds, int nanos) {
        if (nanos < 0 || nanos > 999_999_999) {
            throw ByteForms.unexpected("0 to 999999999 nanoseconds", String.valueOf(nanos));
        }
        try {
            return Instant.ofEpochSecond(seconds, nanos);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("expected the seconds of an Instant, found " + seconds, e);
        }
    }

    /** The bytes of a date, with the year as given. */
    static byte[] ofDate(int year, LocalDate value) {
        return ByteBuffer.allocate(6)
                .putInt(year)
                .put((byte) value.getMonthValue())
                .put((byte) value.getDayOfMonth())
                .array();
    }

    /** The date of a year, whose month and day come next. */
    static LocalDate toDate(int year, ByteBuffer rest) {
        int month = rest.get();
        int day = rest.get();
        try {
            return LocalDate.of(year, month, day);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "expected a date, found year " + year + ", month " + month + ", day " + day, e);
        }
    }

    static BigInteger toBigInteger(byte[] bytes) {
        if (bytes.length == 0) {
            throw ByteForms.unexpected("at least a byte", "none");
        }
        BigInteger value = new BigInteger(bytes);
        if (value.bitLength() / Byte.SIZE + 1 != bytes.length) {
            throw ByteForms.unexpected("no more bytes than needed", bytes.length + " bytes for " + value);
        }
        return value;
    }

    private static byte[] ofBigDecimal(BigDecimal value) {
        byte[] unscaled = value.unscaledValue().toByteArray();
        return ByteBuffer.allocate(Integer.BYTES + unscaled.length)
                .putInt(value.scale())
                .put(unscaled)
                .array();
    }

    private static BigDecimal toBigDecimal(byte[] bytes) {
        if (bytes.length <= Integer.BYTES) {
            throw ByteForms.unexpected("at least 5 bytes", bytes.length + " bytes");
        }
        int scale = ByteBuffer.wrap(bytes).getInt();
        return new BigDecimal(toBigInteger(Arrays.copyOfRange(bytes, Integer.BYTES, bytes.length)), scale);
    }

    static <E extends Enum<E>> Codec<E> enums(Class<E> type) {
        Objects.requireNonNull(type, "type");
        return Codec.of("enum", value -> ByteForms.utf8(value.name()), bytes -> {
            String name = ByteForms.text(bytes);
            return Arrays.stream(type.getEnumConstants())
                    .filter(constant -> constant.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> ByteForms.unexpected("a constant of " + type.getName(), "\"" + name + "\""));
        });
    }

    static <T> Codec<T> nullable(Codec<T> codec) {
        return new Nullable<>(Objects.requireNonNull(codec, "codec"));
    }

    private record Nullable<T>(Codec<T> codec) implements Codec<T> {
        @Override
        public String name() {
            return "nullable(" + codec.name() + ")";
        }

        @Override
        public byte[] encode(T value) {
            return value == null ? new byte[1] : marked(codec.encode(value));
        }

        @Override
        public T decode(byte[] bytes) {
            return isNull(bytes) ? null : codec.decode(Arrays.copyOfRange(bytes, 1, bytes.length));
        }

        @Override
        public String toString() {
            return name();
        }
    }

    /** The bytes of a value that is not null, behind a byte that says so. */
    static byte[] marked(byte[] bytes) {
        byte[] marked = new byte[1 + bytes.length];
        marked[0] = 1;
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        return marked;
    }

    static boolean isNull(byte[] bytes) {
        if (bytes.length == 0) {
            throw ByteForms.unexpected("a byte 0 or 1", "no bytes");
        }
        boolean isNull = !ByteForms.flag(bytes[0]);
        if (isNull && bytes.length > 1) {
            throw ByteForms.unexpected("nothing behind the byte 0 of null", bytes.length - 1 + " bytes");
        }
        return isNull;
    }

    static <T> Codec<List<T>> list(Codec<T> codec) {
        Objects.requireNonNull(codec, "codec");
        return Codec.of("list(" + codec.name() + ")", list -> ofList(codec, list), bytes -> toList(codec, bytes));
    }

    private static <T> byte[] ofList(Codec<T> codec, List<T> list) {
        List<byte[]> parts = new ArrayList<>(list.size());
        long length = Integer.BYTES;
        for (T element : list) {
            byte[] part = codec.encode(element);
            parts.add(part);
            length += Integer.BYTES + part.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(length)).putInt(parts.size());
        parts.forEach(part -> bytes.putInt(part.length).put(part));
        return bytes.array();
    }

    private static <T> List<T> toList(Codec<T> codec, byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        int count = readLength(rest, "elements", Integer.BYTES);
        List<T> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] part = new byte[readLength(rest, "bytes of an element", 1)];
            rest.get(part);
            list.add(codec.decode(part));
        }
        if (rest.hasRemaining()) {
            throw ByteForms.unexpected("nothing behind the last element", rest.remaining() + " bytes");
        }
        return Collections.unmodifiableList(list);
    }

    /** A number of things that are still to come, each of some bytes at least. */
    private static int readLength(ByteBuffer rest, String what, int bytesEach) {
        if (rest.remaining() < Integer.BYTES) {
            throw ByteForms.unexpected("the number of " + what, rest.remaining() + " bytes");
        }
        int length = rest.getInt();
        if (length < 0 || length > rest.remaining() / bytesEach) {
            throw ByteForms.unexpected(length + " " + what, rest.remaining() + " bytes");
        }
        return length;
    }
}
