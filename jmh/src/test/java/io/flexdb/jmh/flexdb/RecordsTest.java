package io.flexdb.jmh.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordsTest {
    private static final int COUNT = 10_000;

    @ParameterizedTest
    @EnumSource(KeySpace.class)
    void keysAreInTheOrderOfTheirNumbersAndAbsentOnesLieBetween(KeySpace space) {
        Records records = new Records(space, COUNT);
        byte[] last = {};
        for (int number = 0; number < COUNT; number++) {
            byte[] key = records.key(number).clone();
            byte[] absent = records.absentKey(number).clone();
            assertEquals(space.keyBytes(), key.length);
            assertTrue(Arrays.compareUnsigned(last, key) < 0);
            assertTrue(Arrays.compareUnsigned(key, absent) < 0);
            last = absent;
        }
    }

    @ParameterizedTest
    @EnumSource(KeySpace.class)
    void aValueIsKnownInEachOfItsVersions(KeySpace space) {
        Records records = new Records(space, COUNT);
        for (int version = 0; version < 100; version++) {
            byte[] value = records.value(77, version).clone();
            assertEquals(space.valueBytes(), value.length);
            assertEquals(77, Records.numberIn(value));
            records.check(77, value);
        }
    }

    @Test
    void anyOtherValueIsNoticed() {
        Records records = new Records(KeySpace.UDB, COUNT);
        byte[] value = records.value(77, 3).clone();
        assertThrows(IllegalStateException.class, () -> records.check(78, value));
        assertThrows(IllegalStateException.class, () -> records.check(77, null));
        assertThrows(IllegalStateException.class, () -> records.check(77, new byte[5]));
        for (int i = 0; i < value.length; i++) {
            byte[] damaged = value.clone();
            damaged[i] ^= 1;
            assertThrows(IllegalStateException.class, () -> records.check(77, damaged), "byte " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(Distribution.class)
    void distributionsStayWithinTheRecords(Distribution distribution) {
        int[] numbers = distribution.choose(COUNT, 3 * COUNT, 1);
        assertEquals(3 * COUNT, numbers.length);
        int[] times = new int[COUNT];
        Arrays.stream(numbers).forEach(number -> times[number]++);
        int most = Arrays.stream(times).max().orElseThrow();
        switch (distribution) {
            case SEQUENTIAL, SHUFFLED -> assertEquals(3, most);
            case UNIFORM -> assertTrue(most < 30, most + " times the same");
            case ZIPFIAN -> assertTrue(most > COUNT / 10, most + " times the same");
            case COMPOSITE -> assertTrue(most < COUNT / 10 && most > 30, most + " times the same");
        }
    }
}
