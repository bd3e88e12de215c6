package io.flexdb.internal.mem;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keys for which so many operands wait that no more should come, and how long a list of them may be. Thread-safe. */
public final class OvergrownKeys {
    /*
     * A commit that has one more operand of a key for which the function fails writes all that wait anew. Nothing else
     * bounds that cost: a merge into such a key meets no failure, for it reads nothing. So commits note the keys for
     * which much waits, and a merge into one of these has the function asked first. All other merges look at one
     * variable. After a crash the next commit of such a key notes it again.
     */
    private static final int MOST_BYTES = 4 << 20;
    private static final int SHARE_OF_MEMTABLE = 4;

    private final int mostBytes;
    private final int longestList;
    private final Set<ByteBuffer> keys = ConcurrentHashMap.newKeySet();
    private volatile boolean hasSome;

    /**
     * @param memtableBytes of the store
     * @param longestList bytes that operands may have which wait in a pair, with the value below them
     */
    public OvergrownKeys(int memtableBytes, int longestList) {
        this.mostBytes = Math.min(MOST_BYTES, memtableBytes / SHARE_OF_MEMTABLE);
        this.longestList = longestList;
    }

    /** How many bytes operands may have which wait in a pair, with the value below them. */
    public int longestList() {
        return longestList;
    }

    /** How many bytes of operands may wait for a key. */
    public int mostBytes() {
        return mostBytes;
    }

    /** Notes how much a commit has left to wait for a key, or that it waits no more. */
    public void note(byte[] stored, long bytes) {
        if (bytes > mostBytes) {
            keys.add(ByteBuffer.wrap(stored));
            hasSome = true;
        } else if (hasSome) {
            keys.remove(ByteBuffer.wrap(stored));
        }
    }

    /** Whether there may be any. */
    public boolean hasSome() {
        return hasSome;
    }

    /** Whether a key is one. */
    public boolean has(byte[] stored) {
        return keys.contains(ByteBuffer.wrap(stored));
    }
}
