package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @Test
    void aLetterMultipliesByAPowerOf1024() {
        assertEquals(0, ByteSize.parse("0"));
        assertEquals(1_000, ByteSize.parse(" 1000 "));
        assertEquals(2_048, ByteSize.parse("2k"));
        assertEquals(64L << 20, ByteSize.parse("64M"));
        assertEquals(3L << 30, ByteSize.parse("3g"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "1.5m", "-1", "1kb", "x", "99999999999g", "9223372036854775808"})
    void anythingElseIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
    }
}
