package io.flexdb.internal.memtable;

import io.flexdb.internal.KeyHash;
import java.nio.charset.StandardCharsets;

/** Checks and prints a memtable that is not being written. The invariants are numbered in {@link MemTable}. */
final class MemTableChecker {
    private static final int SHOWN_BYTES = 40;

    private final MemTable table;
    private final Nodes nodes;

    MemTableChecker(MemTable table) {
        this.table = table;
        this.nodes = table.nodes;
    }

    void check() {
        checkLowestLevel();
        for (int level = 1; level < Nodes.MAX_HEIGHT; level++) {
            checkLevel(level);
        }
    }

    private void checkLowestLevel() {
        int previous = Nodes.HEAD;
        int count = 0;
        int keys = 0;
        long bytes = Nodes.FIRST_POSITION;
        for (int ref = table.list.first(); ref != Nodes.NONE; ref = table.list.next(ref)) {
            int order = previous == Nodes.HEAD ? -1 : nodes.compareKeys(previous, ref);
            require(
                    order < 0 || order == 0 && nodes.sequence(previous) > nodes.sequence(ref),
                    "I1: " + describe(previous) + " stands before " + describe(ref));
            require(
                    nodes.height(ref) == Nodes.heightOf(nodes.sequence(ref)),
                    "I2: height " + nodes.height(ref) + " of " + describe(ref));
            if (order != 0) {
                checkIndexed(ref);
                keys++;
            }
            long end = (ref << 3) + size(ref);
            require(ref << 3 >= Nodes.FIRST_POSITION && end <= table.bytesUsed(), "I5: " + describe(ref));
            bytes += size(ref);
            count++;
            previous = ref;
        }
        require(count == table.entryCount(), "I5: " + count + " entries, reserved " + table.entryCount());
        require(bytes == table.bytesUsed(), "I5: " + bytes + " bytes of nodes, reserved " + table.bytesUsed());
        int indexed = table.index.countKeys();
        require(indexed == keys, "I4: " + keys + " keys, " + indexed + " in the hash index");
    }

    private void checkIndexed(int newest) {
        byte[] key = key(newest);
        int found = table.index.find(key, 0, key.length, KeyHash.hash(key, 0, key.length));
        require(found == newest, "I4: " + describe(newest) + " is not found, but " + describe(found));
        long fromArena = KeyHash.hash(nodes.arena, nodes.keyPosition(newest), nodes.keyLength(newest));
        require(fromArena == KeyHash.hash(key, 0, key.length), "I4: two hashes of " + describe(newest));
    }

    private void checkLevel(int level) {
        int below = table.list.first();
        for (int prev = Nodes.HEAD; ; ) {
            long link = nodes.linkAcquire(prev, level);
            int ref = Nodes.linkRef(link);
            while (below != ref) {
                require(
                        below != Nodes.NONE && nodes.height(below) <= level,
                        "I2: level " + level + " misses " + describe(below));
                below = table.list.next(below);
            }
            if (ref == Nodes.NONE) {
                require(link == 0, "I3: the last link of level " + level + " is " + Long.toHexString(link));
                return;
            }
            require(nodes.height(ref) > level, "I2: " + describe(ref) + " is on level " + level);
            byte[] key = key(ref);
            require(
                    Nodes.linkTag(link) == table.list.tag(key, 0, key.length),
                    "I3: tag " + Long.toHexString(Nodes.linkTag(link)) + " of " + describe(ref));
            below = table.list.next(ref);
            prev = ref;
        }
    }

    private long size(int ref) {
        return Nodes.bodyBytes(nodes.keyLength(ref), nodes.valueLength(ref)) + 8L * nodes.height(ref);
    }

    private byte[] key(int ref) {
        byte[] key = new byte[nodes.keyLength(ref)];
        table.copyKey(ref, key, 0);
        return key;
    }

    String dump() {
        StringBuilder text = new StringBuilder(table.toString()).append('\n');
        for (int ref = table.list.first(); ref != Nodes.NONE; ref = table.list.next(ref)) {
            text.append("  ").append(describe(ref)).append('\n');
        }
        return text.toString();
    }

    private String describe(int ref) {
        if (ref == Nodes.NONE || ref == Nodes.HEAD) {
            return ref == Nodes.NONE ? "none" : "head";
        }
        byte[] key = key(ref);
        String shown = new String(key, 0, Math.min(key.length, SHOWN_BYTES), StandardCharsets.ISO_8859_1)
                .replaceAll("[^\\x20-\\x7e]", ".");
        return (nodes.type(ref) == WritePayload.PUT ? "put \"" : "delete \"") + shown
                + (key.length > SHOWN_BYTES ? "\"..." : "\"") + " #" + nodes.sequence(ref) + " key " + key.length
                + " value " + nodes.valueLength(ref) + " height " + nodes.height(ref) + " at " + (ref << 3);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}
