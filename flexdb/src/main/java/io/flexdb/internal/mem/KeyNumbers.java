package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.KeyHeads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers that tell the order of keys: of two keys the lesser never has the greater number. Equal numbers say nothing.
 * Immutable.
 */
final class KeyNumbers {
    /*
     * The keys of a memtable are mostly like those of the one before. Numbers have the bits in which those differ
     * (KeyShape), for each keyspace by itself: heads differ early, and keys behind them need not be alike.
     *
     * With several keyspaces, the first byte says which one it is, or between which two; there it is followed by the
     * key's own first bytes.
     *
     * N1  Prefixes ascend, and none begins another. The only prefix that a key can have is the last that is not above
     * it.
     */
    private static final int MOST_PREFIXES = 64; // one byte tells them and what lies between
    private static final int MOST_BYTES = 1024; // of a prefix

    /** Behind all keys without a head. */
    private static final byte[] BEHIND_HEADLESS = {(byte) 0xFF};

    /** For keys of which nothing is known. */
    static final KeyNumbers OF_ANY = new KeyNumbers(List.of(List.of()));

    private final byte[][] prefixes; // N1
    private final KeyShape[] shapes; // of the keys with each of them

    /** @param groups keys that have something in common, in their order: no two that could be the other's */
    private KeyNumbers(List<List<byte[]>> groups) {
        int bits = groups.size() == 1 ? Long.SIZE : Long.SIZE - Byte.SIZE;
        prefixes = groups.stream().map(KeyNumbers::prefix).toArray(byte[][]::new);
        shapes = groups.stream().map(keys -> new KeyShape(keys, bits)).toArray(KeyShape[]::new);
    }

    /** What keys, which ascend, all begin with. */
    private static byte[] prefix(List<byte[]> keys) {
        byte[] first = keys.isEmpty() ? new byte[0] : keys.get(0);
        int mismatch = keys.isEmpty() ? 0 : Arrays.mismatch(first, keys.get(keys.size() - 1));
        return mismatch < 0 ? first : Arrays.copyOf(first, mismatch);
    }

    /** For keys like those of a tree, which may be written meanwhile; its own if it has none. */
    static KeyNumbers like(Nodes nodes, KeyTree tree) {
        List<byte[]> sample = new ArrayList<>();
        for (int anchor : tree.sample()) {
            sample.add(key(nodes, anchor));
        }
        List<List<byte[]>> groups = new ArrayList<>();
        TreePosition position = new TreePosition(false);
        position.reset(nodes, tree);
        position.seekToFirst();
        while (position.anchor() != Nodes.NONE && groups.size() < MOST_PREFIXES) {
            byte[] first = key(nodes, position.anchor());
            byte[] behind = behindKeyspaceOf(first);
            if (behind == null) {
                position.seekToLast();
            } else {
                position.seekBefore(false, behind, 0, behind.length);
            }
            groups.add(between(first, key(nodes, position.anchor()), sample));
            if (behind == null) {
                position.reset(nodes, tree); // that was the last group
            } else {
                position.seekFrom(false, behind, 0, behind.length);
            }
        }
        if (groups.isEmpty()) {
            return tree.numbers();
        }
        if (groups.size() > 1) {
            removeThoseWithoutPrefix(groups); // of keys between prefixes nothing is left out
        }
        return new KeyNumbers(groups);
    }

    /** Without a lambda, as the JVM would make its code here, which may fail in a full heap, and then for good. */
    private static void removeThoseWithoutPrefix(List<List<byte[]>> groups) {
        for (int i = groups.size() - 1; i >= 0; i--) {
            if (prefix(groups.get(i)).length == 0) {
                groups.remove(i);
            }
        }
    }

    /** Two keys and those of a sample between them. */
    private static List<byte[]> between(byte[] first, byte[] last, List<byte[]> sample) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(first);
        for (byte[] key : sample) {
            if (Arrays.compareUnsigned(first, key) < 0 && Arrays.compareUnsigned(key, last) < 0) {
                keys.add(key);
            }
        }
        if (!Arrays.equals(first, last)) {
            keys.add(last);
        }
        return keys;
    }

    /** The first key, as keys are stored, behind the keyspace of another; null if there is none. */
    private static byte[] behindKeyspaceOf(byte[] key) {
        int head = Math.min(key.length, KeyHeads.headBytes(key));
        if (head > 0) {
            return KeyHeads.behind(Arrays.copyOf(key, head));
        }
        return key.length > 0 && key[0] == BEHIND_HEADLESS[0] ? null : BEHIND_HEADLESS;
    }

    private static byte[] key(Nodes nodes, int anchor) {
        byte[] key = new byte[Math.min(nodes.keyLength(anchor), MOST_BYTES)];
        nodes.arena.get(nodes.keyPosition(anchor), key);
        return key;
    }

    /** The number of a key. */
    long of(byte[] key, int offset, int length) {
        return shapes.length == 1
                ? shapes[0].number(key, offset, length) ^ Long.MIN_VALUE
                : ofSeveral(key, offset, length);
    }

    private long ofSeveral(byte[] key, int offset, int length) {
        int low = 0; // prefixes before it are not above the key
        int high = prefixes.length;
        while (low < high) {
            int middle = low + high >>> 1;
            byte[] prefix = prefixes[middle];
            if (Arrays.compareUnsigned(prefix, 0, prefix.length, key, offset, offset + length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean isAlike = low > 0 && begins(prefixes[low - 1], key, offset, length);
        long place = isAlike ? 2L * low - 1 : 2L * low;
        long rest = isAlike
                ? shapes[low - 1].number(key, offset, length)
                : KeyBytes.window(key, offset, length, 0) >>> Byte.SIZE;
        return (place << Long.SIZE - Byte.SIZE | rest) ^ Long.MIN_VALUE;
    }

    private static boolean begins(byte[] prefix, byte[] key, int offset, int length) {
        return length >= prefix.length && Arrays.equals(prefix, 0, prefix.length, key, offset, offset + prefix.length);
    }

    @Override
    public String toString() {
        return "KeyNumbers" + Arrays.deepToString(prefixes) + Arrays.toString(shapes);
    }
}
