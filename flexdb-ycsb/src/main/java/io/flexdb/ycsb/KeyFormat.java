package io.flexdb.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How the records of several YCSB tables share one ordered store.
 *
 * <pre>
 *  table "usertable", key begins with a byte of at least 0x20   key
 *  table "usertable", any other key                             0x02 key
 *  any other table                                              0x01 table 0x00 key
 * </pre>
 *
 * Tables and keys are UTF-8, a table's name has no zero byte.
 */
public final class KeyFormat {
    /*
     * The problem: a prefix in front of every key tells tables apart, but it costs its bytes in every record and,
     * worse, it fills the first bytes of a key, which is what the store compares first.
     * The choice: the table that YCSB uses unless told otherwise has no prefix. Its few keys that could be taken for
     * a prefix are escaped by a byte that sorts below all other keys of that table, as they themselves do, so the
     * order of a table's keys is the order in the store.
     */
    static final String DEFAULT_TABLE = "usertable";

    private static final int FIRST_PLAIN_BYTE = 0x20;
    private static final byte ESCAPE = 0x02;
    private static final byte OTHER_TABLE = 0x01;
    private static final byte END_OF_TABLE_NAME = 0x00;

    private KeyFormat() {}

    /** The store's key for a record. */
    public static byte[] encode(String table, String key) {
        byte[] plainKey = key.getBytes(StandardCharsets.UTF_8);
        if (!table.equals(DEFAULT_TABLE)) {
            return concatenate(prefixOf(table), plainKey);
        }
        boolean plain = plainKey.length > 0 && (plainKey[0] & 0xff) >= FIRST_PLAIN_BYTE;
        return plain ? plainKey : concatenate(new byte[] {ESCAPE}, plainKey);
    }

    /** Whether all keys of the store from the table's first on are the table's. */
    static boolean isLastTable(String table) {
        return table.equals(DEFAULT_TABLE);
    }

    /** Whether a key of the store, at or after the first key of the table, belongs to a record of the table. */
    static boolean isInTable(String table, byte[] storeKey) {
        if (table.equals(DEFAULT_TABLE)) {
            return storeKey.length > 0 && (storeKey[0] & 0xff) >= ESCAPE;
        }
        byte[] prefix = prefixOf(table);
        return storeKey.length >= prefix.length && Arrays.equals(storeKey, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static byte[] prefixOf(String table) {
        byte[] name = table.getBytes(StandardCharsets.UTF_8);
        byte[] prefix = new byte[name.length + 2];
        prefix[0] = OTHER_TABLE;
        for (int i = 0; i < name.length; i++) {
            if (name[i] == END_OF_TABLE_NAME) {
                throw new IllegalArgumentException("table: must not contain a zero byte, was \"" + table + "\"");
            }
            prefix[i + 1] = name[i];
        }
        prefix[prefix.length - 1] = END_OF_TABLE_NAME;
        return prefix;
    }

    private static byte[] concatenate(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
