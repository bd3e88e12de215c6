package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Codecs of values give back what they were given, and refuse all other bytes. */
class CodecTest {
    static List<Arguments> samples() {
        return List.of(
                Arguments.of(Codec.strings(), List.of("", "a", "é\0\ud83d\ude00"), "613a"),
                Arguments.of(Codec.ints(), List.of(0, 258, -1), "00000102"),
                Arguments.of(Codec.longs(), List.of(0L, 258L, -1L), "0000000000000102"),
                Arguments.of(Codec.doubles(), List.of(1d, 0d, -0d, Double.NaN), "3ff0000000000000"),
                Arguments.of(Codec.booleans(), List.of(true, false), "01"),
                Arguments.of(Codec.enums(TimeUnit.class), List.of(TimeUnit.values()), "44415953"),
                Arguments.of(
                        Codec.uuids(), List.of(new UUID(1, 2), new UUID(-1, 0)), "00000000000000010000000000000002"),
                Arguments.of(
                        Codec.instants(),
                        List.of(Instant.MIN, Instant.MAX, Instant.ofEpochSecond(1, 2)),
                        "000000000000000100000002"),
                Arguments.of(
                        Codec.localDates(),
                        List.of(LocalDate.MIN, LocalDate.MAX, LocalDate.of(2026, 11, 27)),
                        "000007ea0b1b"),
                Arguments.of(
                        Codec.bigIntegers(),
                        List.of(BigInteger.ZERO, BigInteger.TEN.pow(99).negate(), BigInteger.valueOf(-128)),
                        "80"),
                Arguments.of(
                        Codec.bigDecimals(),
                        List.of(new BigDecimal("1.0"), new BigDecimal("1.00"), new BigDecimal("-1e99")),
                        "000000010a"),
                Arguments.of(Codec.nullable(Codec.ints()), Arrays.asList(null, 5), "0100000005"),
                Arguments.of(
                        Codec.list(Codec.nullable(Codec.strings())),
                        List.of(List.of(), Arrays.asList("a", null, "")),
                        "0000000300000002016100000001000000000101"),
                Arguments.of(
                        Codec.longs().map("duration", Duration::toNanos, Duration::ofNanos),
                        List.of(Duration.ofSeconds(1), Duration.ofNanos(258)),
                        "0000000000000102"));
    }

    @ParameterizedTest
    @MethodSource("samples")
    <T> void givesBackItsValues(Codec<T> codec, List<T> values, String hex) {
        for (T value : values) {
            assertEquals(value, codec.decode(codec.encode(value)));
        }
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (!codec.name().equals("string") && !codec.name().startsWith("enum")) {
            assertTrue(
                    values.stream().anyMatch(value -> Arrays.equals(bytes, codec.encode(value))),
                    "the documented bytes");
        }
        assertArrayEquals(bytes, codec.encode(codec.decode(bytes)));
        assertEquals(codec.name(), codec.toString());
    }

    @ParameterizedTest
    @MethodSource("samples")
    <T> void decodesNothingThatItDoesNotEncode(Codec<T> codec, List<T> values, String hex) {
        Random random = new Random(hex.hashCode());
        int refused = 0;
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = codec.encode(values.get(random.nextInt(values.size())));
            byte[] changed = Arrays.copyOf(bytes, Math.max(0, bytes.length + random.nextInt(3) - 1));
            if (changed.length > 0) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            try {
                assertArrayEquals(changed, codec.encode(codec.decode(changed)));
            } catch (IllegalArgumentException e) {
                assertTrue(
                        e.getMessage().contains("expected ") && e.getMessage().contains("found "), e::getMessage);
                refused++;
            }
        }
        assertTrue(refused > 0, "nothing was refused");
    }

    @Test
    void bytesAreCopied() {
        byte[] value = {1, 2};
        byte[] encoded = Codec.bytes().encode(value);
        byte[] decoded = Codec.bytes().decode(encoded);
        value[0] = 9;
        encoded[1] = 9;
        assertArrayEquals(new byte[] {1, 9}, encoded);
        assertArrayEquals(new byte[] {1, 2}, decoded);
    }

    @Test
    void onlyANullableCodecTakesNull() {
        assertThrows(NullPointerException.class, () -> Codec.ints().encode(null));
        assertThrows(NullPointerException.class, () -> Codec.list(Codec.ints()).encode(Arrays.asList(1, null)));
        assertNull(Codec.nullable(Codec.ints()).decode(new byte[1]));
    }

    @Test
    void aListThatClaimsToBeLongTakesNoMemory() {
        byte[] hostile = {0x7f, -1, -1, -1};
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> Codec.list(Codec.ints()).decode(hostile));
        assertEquals("expected 2147483647 elements, found 0 bytes", refused.getMessage());
    }

    @Test
    void ownCodecsAreTwoFunctions() {
        Codec<StringBuilder> own = Codec.of(
                "builder", text -> ByteForms.utf8(text.toString()), bytes -> new StringBuilder(ByteForms.text(bytes)));
        assertEquals("abc", own.decode(own.encode(new StringBuilder("abc"))).toString());
        assertEquals("builder", own.name());
    }
}
