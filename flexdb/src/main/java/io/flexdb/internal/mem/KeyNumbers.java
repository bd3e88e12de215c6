package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.KeyOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers that tell the order of keys: of two keys the lesser never has the greater number. Equal numbers say nothing.
 * Immutable.
 */
final class KeyNumbers {
    /*
     * A number is eight bytes of a key, so a common prefix of keys would be wasted on it. The keys of a memtable are
     * mostly like those of the one before. The common prefix of those keys is left out, for each keyspace by itself:
     * heads differ early, and keys behind them need not be alike, as with ids of eight bytes that begin with zeros.
     *
     * With one prefix a number is the eight bytes behind it. Keys without it get the least or the greatest number. With
     * several, the first byte says which one it is, or between which two; there it is followed by the key's own first
     * bytes.
     *
     * N1  Prefixes ascend, and none begins another. The only prefix that a key can have is the last that is not above
     * it.
     */
    private static final int MOST_PREFIXES = 64; // one byte tells them and what lies between
    private static final int MOST_BYTES = 1024; // of a prefix

    /** Behind all keys without a head. */
    private static final byte[] BEHIND_HEADLESS = {(byte) 0xFF};

    /** For keys of which nothing is known. */
    static final KeyNumbers OF_ANY = new KeyNumbers(new byte[][] {{}});

    private final byte[][] prefixes; // N1

    private KeyNumbers(byte[][] prefixes) {
        this.prefixes = prefixes;
    }

    /** For keys like those of a tree, which may be written meanwhile; its own if it has none. */
    static KeyNumbers like(Nodes nodes, KeyTree tree) {
        List<byte[]> found = new ArrayList<>();
        TreePosition position = new TreePosition(false);
        position.reset(nodes, tree);
        position.seekToFirst();
        int groups = 0;
        for (; position.anchor() != Nodes.NONE && groups < MOST_PREFIXES; groups++) {
            byte[] first = key(nodes, position.anchor());
            byte[] behind = behindKeyspaceOf(first);
            if (behind == null) {
                position.seekToLast();
            } else {
                position.seekBefore(false, behind, 0, behind.length);
            }
            byte[] last = key(nodes, position.anchor());
            int mismatch = Arrays.mismatch(first, last);
            found.add(mismatch < 0 ? first : Arrays.copyOf(first, mismatch));
            if (behind == null) {
                position.reset(nodes, tree); // that was the last group
            } else {
                position.seekFrom(false, behind, 0, behind.length);
            }
        }
        if (groups > 1) {
            found.removeIf(prefix -> prefix.length == 0); // of keys between prefixes nothing is left out
        }
        return groups == 0 ? tree.numbers() : new KeyNumbers(found.toArray(new byte[0][]));
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
        return prefixes.length == 1 ? ofOnlyPrefix(key, offset, length) : ofSeveral(key, offset, length);
    }

    private long ofOnlyPrefix(byte[] key, int offset, int length) {
        byte[] prefix = prefixes[0];
        int skipped = prefix.length;
        if (skipped != 0) {
            int compared = Math.min(skipped, length);
            int order = Arrays.compareUnsigned(key, offset, offset + compared, prefix, 0, compared);
            if (order > 0) {
                return Long.MAX_VALUE;
            }
            if (order < 0 || length < skipped) {
                return Long.MIN_VALUE;
            }
        }
        return KeyOrder.firstEight(key, offset + skipped, length - skipped) ^ Long.MIN_VALUE;
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
        int skipped = low == 0 ? -1 : skipped(prefixes[low - 1], key, offset, length);
        long place = skipped < 0 ? 2L * low : 2L * low - 1;
        int from = Math.max(0, skipped);
        long rest = KeyOrder.firstEight(key, offset + from, length - from) >>> Byte.SIZE;
        return (place << Long.SIZE - Byte.SIZE | rest) ^ Long.MIN_VALUE;
    }

    /** Bytes of the prefix, or -1 if the key has another beginning. */
    private static int skipped(byte[] prefix, byte[] key, int offset, int length) {
        boolean begins =
                length >= prefix.length && Arrays.equals(prefix, 0, prefix.length, key, offset, offset + prefix.length);
        return begins ? prefix.length : -1;
    }

    @Override
    public String toString() {
        return "KeyNumbers" + Arrays.deepToString(prefixes);
    }
}
