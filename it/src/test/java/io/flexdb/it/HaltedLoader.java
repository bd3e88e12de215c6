package io.flexdb.it;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A process that loads pairs in the order of their keys, tells how many intervals its store has, and ends like one that
 * is killed. Arguments: directory, how many pairs.
 */
final class HaltedLoader {
    private static final int VALUE_BYTES = 127; // with keys of 27 bytes the paper's UDB

    private HaltedLoader() {}

    static FlexDBOptions options() {
        return FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(4 << 20);
    }

    static byte[] key(int pair) {
        return String.format(Locale.ROOT, "user%023d", pair).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] value(int pair) {
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (pair * 31 + i);
        }
        return value;
    }

    public static void main(String[] arguments) {
        FlexDB store = FlexDB.open(Path.of(arguments[0]), options());
        int pairs = Integer.parseInt(arguments[1]);
        for (int i = 0; i < pairs; i++) {
            store.put(key(i), value(i));
        }
        System.out.println(store.stats().index().intervals());
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
