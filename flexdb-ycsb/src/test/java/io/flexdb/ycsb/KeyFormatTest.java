package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyFormatTest {
    private static final List<String> TABLES = List.of("usertable", "", "a", "ab", "user", "usertable2", "\u00e4");
    private static final List<String> KEYS =
            List.of("", "\u0000", "\u0001", "\u0002", "\u0002a", "\u001f", " ", "a", "aa", "user1", "user10", "\u00e4");

    @Test
    void aKeyOfTheDefaultTableIsStoredAsItIs() {
        assertArrayEquals("user17".getBytes(StandardCharsets.UTF_8), KeyFormat.encode("usertable", "user17"));
    }

    @Test
    void theKeysOfATableKeepTheirOrder() {
        for (String table : TABLES) {
            for (int i = 1; i < KEYS.size(); i++) {
                byte[] smaller = KeyFormat.encode(table, KEYS.get(i - 1));
                byte[] larger = KeyFormat.encode(table, KEYS.get(i));
                assertEquals(-1, Integer.signum(Arrays.compareUnsigned(smaller, larger)), table + " " + i);
            }
        }
    }

    @Test
    void everyKeyIsInItsOwnTableAndInNoOther() {
        for (String table : TABLES) {
            for (String key : KEYS) {
                for (String other : TABLES) {
                    boolean expected = other.equals(table);
                    assertEquals(expected, KeyFormat.isInTable(other, KeyFormat.encode(table, key)), table + other);
                }
            }
        }
    }

    @Test
    void aTableNameWithAZeroByteIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> KeyFormat.encode("a\u0000b", "key"));
    }
}
