package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Codecs of keys keep the order of keys, and give back what they were given. */
class KeyCodecTest {
    private static final int KEYS = 300;

    /** A codec with the order that its documentation tells, and keys of it. */
    private record Sample<T>(KeyCodec<T> codec, Comparator<? super T> order, List<T> keys) {
        @Override
        public String toString() {
            return codec.name();
        }
    }

    private static <T> Sample<T> sample(
            KeyCodec<T> codec, Comparator<? super T> order, Function<Random, T> random, List<T> edges) {
        Random seeded = new Random(codec.name().hashCode());
        List<T> keys = new ArrayList<>(edges);
        while (keys.size() < KEYS) {
            keys.add(random.apply(seeded));
        }
        return new Sample<>(codec, order, keys);
    }

    private static final Sample<byte[]> BYTES = sample(
            KeyCodec.bytes(),
            Arrays::compareUnsigned,
            random -> bytes(random, 4),
            List.of(new byte[0], new byte[1], new byte[2], new byte[] {0, 1}, new byte[] {1}, new byte[] {-1}));

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(5) - 2); // many zeros and 0xFF
        }
        return bytes;
    }

    private static final Sample<String> STRINGS = sample(
            KeyCodec.strings(),
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)),
            KeyCodecTest::string,
            List.of("", "\0", "\0\0", "\0a", "a", "a\0", "ab", "\uffff", "\ue000", "\ud83d\ude00", "\ud7ff", "é"));

    private static String string(Random random) {
        int[] points = {0, 1, 'a', 'b', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }

    private static final Sample<Integer> INTS = sample(
            KeyCodec.ints(),
            Comparator.<Integer>naturalOrder(),
            Random::nextInt,
            List.of(0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE));

    private static final Sample<Long> LONGS = sample(
            KeyCodec.longs(),
            Comparator.<Long>naturalOrder(),
            Random::nextLong,
            List.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));

    private static final Sample<BigInteger> BIG_INTEGERS = sample(
            KeyCodec.bigIntegers(),
            Comparator.<BigInteger>naturalOrder(),
            random -> new BigInteger(random.nextInt(1100), random).multiply(BigInteger.valueOf(random.nextInt(3) - 1)),
            Stream.of(0, 7, 8, 15, 16, 127, 128, 1006, 1007, 1008, 1014, 1015, 1016, 4000)
                    .flatMap(bits -> Stream.of(-1, 0, 1)
                            .map(more -> BigInteger.ONE.shiftLeft(bits).add(BigInteger.valueOf(more))))
                    .flatMap(number -> Stream.of(number, number.negate()))
                    .toList());

    private static final Sample<BigDecimal> BIG_DECIMALS = sample(
            KeyCodec.bigDecimals(),
            Comparator.<BigDecimal>naturalOrder(),
            random -> new BigDecimal(
                    new BigInteger(random.nextInt(40), random).multiply(BigInteger.valueOf(random.nextInt(3) - 1)),
                    random.nextInt(9) - 4),
            Stream.of(
                            "0",
                            "0.00",
                            "0E+9",
                            "1",
                            "1.0",
                            "1.00",
                            "10",
                            "1.1",
                            "1.01",
                            "1.001",
                            "0.1",
                            "0.11",
                            "0.101",
                            "0.01",
                            "9.99",
                            "99",
                            "100",
                            "101",
                            "1E+2147483647",
                            "1E-2147483647",
                            "12E-2147483647",
                            "1E+127",
                            "1E+128",
                            "1E-128",
                            "1E-129",
                            "12345678901234567890.123456789")
                    .map(BigDecimal::new)
                    .flatMap(number -> Stream.of(number, number.negate()))
                    .toList());

    private static final Sample<Tuple2<String, Integer>> PAIRS = sample(
            KeyCodec.tuple(KeyCodec.strings(), KeyCodec.ints()),
            Comparator.<Tuple2<String, Integer>, String>comparing(Tuple2::first, STRINGS.order())
                    .thenComparing(Tuple2::second),
            random -> Tuple2.of(string(random), random.nextInt(3) - 1),
            List.of());

    static List<Sample<?>> samples() {
        return List.of(
                BYTES,
                STRINGS,
                INTS,
                LONGS,
                sample(
                        KeyCodec.floats(),
                        Float::compare,
                        random -> Float.intBitsToFloat(random.nextInt()),
                        List.of(0f, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, Float.MIN_VALUE)),
                sample(
                        KeyCodec.doubles(),
                        Double::compare,
                        random -> Double.longBitsToDouble(random.nextLong()),
                        List.of(0d, -0d, Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, -1d, 1d)),
                sample(KeyCodec.booleans(), Boolean::compare, Random::nextBoolean, List.of()),
                sample(
                        KeyCodec.enums(TimeUnit.class),
                        Comparator.<TimeUnit>naturalOrder(),
                        random -> TimeUnit.values()[random.nextInt(TimeUnit.values().length)],
                        List.of()),
                sample(
                        KeyCodec.uuids(),
                        Comparator.comparing(UUID::toString),
                        random -> new UUID(random.nextLong(), random.nextLong()),
                        List.of(new UUID(0, 0), new UUID(-1, -1), new UUID(0, -1), new UUID(0, 1), new UUID(1, 0))),
                sample(
                        KeyCodec.instants(),
                        Comparator.<Instant>naturalOrder(),
                        random -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(3)),
                        List.of(Instant.MIN, Instant.MAX, Instant.EPOCH, Instant.EPOCH.minusNanos(1))),
                sample(
                        KeyCodec.localDates(),
                        Comparator.<LocalDate>naturalOrder(),
                        random -> LocalDate.ofEpochDay(random.nextInt(1_000_000) - 500_000),
                        List.of(LocalDate.MIN, LocalDate.MAX, LocalDate.EPOCH, LocalDate.of(-1, 12, 31))),
                sample(
                        KeyCodec.localDateTimes(),
                        Comparator.<LocalDateTime>naturalOrder(),
                        random -> LocalDateTime.of(
                                LocalDate.ofEpochDay(random.nextInt(3)),
                                LocalTime.ofNanoOfDay(random.nextInt(1_000_000) * 1000L)),
                        List.of(LocalDateTime.MIN, LocalDateTime.MAX)),
                BIG_INTEGERS,
                BIG_DECIMALS,
                PAIRS,
                sample(
                        KeyCodec.tuple(KeyCodec.bytes(), KeyCodec.bytes(), KeyCodec.bytes()),
                        Comparator.<Tuple3<byte[], byte[], byte[]>, byte[]>comparing(
                                        Tuple3::first, Arrays::compareUnsigned)
                                .thenComparing(Tuple3::second, Arrays::compareUnsigned)
                                .thenComparing(Tuple3::third, Arrays::compareUnsigned),
                        random -> Tuple3.of(bytes(random, 2), bytes(random, 2), bytes(random, 2)),
                        List.of()),
                sample(
                        KeyCodec.tuple(PAIRS.codec(), KeyCodec.booleans(), BIG_INTEGERS.codec(), PAIRS.codec()),
                        Comparator
                                .<Tuple4<Tuple2<String, Integer>, Boolean, BigInteger, Tuple2<String, Integer>>,
                                        Tuple2<String, Integer>>
                                        comparing(Tuple4::first, PAIRS.order())
                                .thenComparing(Tuple4::second)
                                .thenComparing(Tuple4::third)
                                .thenComparing(Tuple4::fourth, PAIRS.order()),
                        random -> Tuple4.of(
                                any(PAIRS, random),
                                random.nextBoolean(),
                                any(BIG_INTEGERS, random),
                                any(PAIRS, random)),
                        List.of()),
                sample(KeyCodec.descending(INTS.codec()), INTS.order().reversed(), Random::nextInt, INTS.keys()),
                sample(
                        KeyCodec.descending(STRINGS.codec()),
                        STRINGS.order().reversed(),
                        KeyCodecTest::string,
                        List.of()),
                sample(
                        KeyCodec.tuple(KeyCodec.descending(STRINGS.codec()), STRINGS.codec()),
                        Comparator.<Tuple2<String, String>, String>comparing(
                                        Tuple2::first, STRINGS.order().reversed())
                                .thenComparing(Tuple2::second, STRINGS.order()),
                        random -> Tuple2.of(string(random), string(random)),
                        List.of()),
                sample(
                        KeyCodec.tuple(KeyCodec.nullsFirst(STRINGS.codec()), INTS.codec()),
                        Comparator.<Tuple2<String, Integer>, String>comparing(
                                        Tuple2::first, Comparator.nullsFirst(STRINGS.order()))
                                .thenComparing(Tuple2::second),
                        random -> Tuple2.of(random.nextInt(3) == 0 ? null : string(random), random.nextInt(2)),
                        List.of()),
                sample(
                        KeyCodec.longs().map("days", (Long day) -> day * 86_400, second -> second / 86_400),
                        Comparator.<Long>naturalOrder(),
                        random -> (long) random.nextInt(),
                        List.of()));
    }

    private static <T> T any(Sample<T> sample, Random random) {
        return sample.keys().get(random.nextInt(sample.keys().size()));
    }

    @ParameterizedTest
    @MethodSource("samples")
    <T> void orderOfBytesIsTheOrderOfKeysAndOfTheComparator(Sample<T> sample) {
        KeyCodec<T> codec = sample.codec();
        for (T left : sample.keys()) {
            byte[] bytes = codec.encode(left);
            for (T right : sample.keys()) {
                int expected = Integer.signum(sample.order().compare(left, right));
                int found = Integer.signum(Arrays.compareUnsigned(bytes, codec.encode(right)));
                assertEquals(expected, found, () -> left + " and " + right);
                assertEquals(expected, Integer.signum(codec.comparator().compare(left, right)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    <T> void givesBackItsKeys(Sample<T> sample) {
        for (T key : sample.keys()) {
            byte[] bytes = sample.codec().encode(key);
            assertEquals(0, sample.order().compare(key, sample.codec().decode(bytes)));
            assertArrayEquals(bytes, sample.codec().encode(sample.codec().decode(bytes)));
            assertTrue(bytes.length > 0);
            int fixed = sample.codec().fixedBytes();
            assertTrue(fixed == KeyCodec.VARIABLE || fixed == bytes.length, () -> fixed + " bytes");
        }
    }

    /** Strict: bytes are either refused, or those that the decoded key has. */
    @ParameterizedTest
    @MethodSource("samples")
    <T> void decodesNothingThatItDoesNotEncode(Sample<T> sample) {
        KeyCodec<T> codec = sample.codec();
        boolean isExactToBytes = !codec.name().startsWith("days");
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = changed(codec.encode(any(sample, random)), random);
            T key;
            try {
                key = codec.decode(bytes);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().contains("expected "), e::getMessage);
                assertTrue(e.getMessage().contains("found "), e::getMessage);
                refused++;
                continue;
            }
            if (isExactToBytes) {
                assertArrayEquals(bytes, codec.encode(key));
            }
        }
        assertTrue(refused > 0, "nothing was refused");
    }

    private static byte[] changed(byte[] bytes, Random random) {
        int length = Math.max(0, bytes.length + random.nextInt(3) - 1);
        byte[] changed = Arrays.copyOf(bytes, length);
        if (length > 0) {
            changed[random.nextInt(length)] = (byte) random.nextInt(256);
        }
        return changed;
    }

    @ParameterizedTest
    @MethodSource("samples")
    <T> void refusesNull(Sample<T> sample) {
        assertThrows(NullPointerException.class, () -> sample.codec().encode(null));
        assertThrows(NullPointerException.class, () -> sample.codec().decode(null));
    }

    @Test
    void namesDiffer() {
        List<String> names =
                samples().stream().map(sample -> sample.codec().name()).toList();
        assertEquals(names.size(), names.stream().distinct().count(), names::toString);
        samples()
                .forEach(sample ->
                        assertEquals(sample.codec().name(), sample.codec().toString()));
    }

    /** The bytes are a format: they stay as they are. */
    @Test
    void bytesAreAsDocumented() {
        assertHex("80000001", KeyCodec.ints(), 1);
        assertHex("7fffffffffffffff", KeyCodec.longs(), -1L);
        assertHex("bf800000", KeyCodec.floats(), 1f);
        assertHex("400fffffffffffff", KeyCodec.doubles(), -1d);
        assertHex("fff8000000000000", KeyCodec.doubles(), Double.NaN);
        assertHex("01", KeyCodec.booleans(), true);
        assertHex("0003", KeyCodec.enums(TimeUnit.class), TimeUnit.SECONDS);
        assertHex("61", KeyCodec.strings(), "a");
        assertHex("00", KeyCodec.strings(), "");
        assertHex("0000", KeyCodec.bytes(), new byte[1]);
        assertHex("8107", KeyCodec.bigIntegers(), BigInteger.valueOf(7));
        assertHex("7e80", KeyCodec.bigIntegers(), BigInteger.valueOf(-128));
        assertHex("80", KeyCodec.bigDecimals(), new BigDecimal("0.0"));
        assertHex("8181010d33", KeyCodec.bigDecimals(), new BigDecimal("1.250"));
        assertHex("7f7efef2ccff", KeyCodec.bigDecimals(), new BigDecimal("-1.25"));
        assertHex("800000000000000100000002", KeyCodec.instants(), Instant.ofEpochSecond(1, 2));
        assertHex("800007ea0b1b", KeyCodec.localDates(), LocalDate.of(2026, 11, 27));
        assertHex(
                "6100ff00018000000100",
                KeyCodec.tuple(KeyCodec.strings(), KeyCodec.ints(), KeyCodec.strings()),
                Tuple3.of("a\0", 1, ""));
        assertHex("9efffe", KeyCodec.descending(KeyCodec.strings()), "a");
    }

    private static <T> void assertHex(String expected, KeyCodec<T> codec, T key) {
        assertEquals(expected, HexFormat.of().formatHex(codec.encode(key)));
    }

    @Test
    void stringsWithCharactersBeyondTheBasicPlaneHaveAnotherOrderThanInJava() {
        String smiley = "\ud83d\ude00";
        assertTrue(smiley.compareTo("\uffff") < 0);
        assertTrue(KeyCodec.strings().comparator().compare(smiley, "\uffff") > 0);
        List<String> keys = new ArrayList<>(STRINGS.keys());
        Collections.sort(keys);
        List<String> natural = List.copyOf(keys);
        keys.sort(KeyCodec.strings().comparator());
        assertNotEquals(natural, keys);
    }

    @Test
    void uuidsHaveAnotherOrderThanInJava() {
        UUID low = UUID.fromString("00000000-0000-1000-8000-000000000000");
        UUID high = UUID.fromString("f0000000-0000-1000-8000-000000000000");
        assertTrue(low.compareTo(high) > 0);
        assertTrue(KeyCodec.uuids().comparator().compare(low, high) < 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "a\ude00", "\ude00\ud83d"})
    void halfASurrogatePairIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> KeyCodec.strings().encode(text));
        assertThrows(IllegalArgumentException.class, () -> Codec.strings().encode(text));
    }

    @Test
    void anEnumMayGetConstantsBehindTheLast() {
        String before = "tuple(enum[A,B] key, descending(enum[C] key))";
        assertTrue(EnumNames.reads(before, before));
        assertTrue(EnumNames.reads("tuple(enum[A,B,X] key, descending(enum[C,D] key))", before));
        assertTrue(EnumNames.reads("enum[A] key", "enum[] key"));
        List.of(
                        "tuple(enum[B,A] key, descending(enum[C] key))",
                        "tuple(enum[A] key, descending(enum[C] key))",
                        "tuple(enum[A,BB] key, descending(enum[C] key))",
                        "tuple(enum[A,B] key, enum[C] key)",
                        "tuple(enum[A,B] key, int key)")
                .forEach(name -> assertTrue(!EnumNames.reads(name, before), name));
    }

    @Test
    void aCodecWithoutAnOwnNameIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> KeyCodec.of(" ", Comparator.<String>naturalOrder(), ByteForms::utf8, ByteForms::text));
        assertThrows(IllegalArgumentException.class, () -> Codec.longs().map("", Function.identity(), (Long x) -> x));
    }

    @Test
    void aCodecThatLiesAboutItsLengthIsFound() {
        KeyCodec<String> lying =
                new FunctionKeyCodec<>("lying", 2, Comparator.naturalOrder(), ByteForms::utf8, ByteForms::text);
        Tuple2Codec<String, String> tuple = KeyCodec.tuple(lying, KeyCodec.strings());
        assertEquals(Tuple2.of("ab", "c"), tuple.decode(tuple.encode(Tuple2.of("ab", "c"))));
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> tuple.encode(Tuple2.of("abc", "d")));
        assertTrue(refused.getMessage().contains("lying"), refused::getMessage);
        assertTrue(Objects.requireNonNull(refused.getMessage()).contains("2 bytes"));
    }
}
