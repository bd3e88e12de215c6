package io.flexdb.internal.mem;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys for which so many operands wait that no more should come, and the longest list of them. Thread-safe. */
public final class OvergrownKeys {
    /*
     * If the function fails for a key, each commit with one more operand of it writes all waiting operands anew.
     * Nothing else bounds that cost: a merge into such a key does not fail, for it reads nothing. Commits therefore
     * note the keys for which much waits, and a merge into one of these asks the function first. All other merges look
     * at one variable. After a crash the next commit of such a key notes it again.
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

    /** The most bytes that the waiting operands of a pair may have, with the value below them. */
    public int longestList() {
        return longestList;
    }

    /** The bytes of waiting operands above which a key is noted. */
    public int mostBytes() {
        return mostBytes;
    }

    /** Notes the bytes that a commit has left waiting for a key; 0 if none wait. */
    public void note(byte[] stored, long bytes) {
        if (bytes > mostBytes) {
            keys.add(ByteBuffer.wrap(stored));
            hasSome = true;
        } else if (hasSome) {
            keys.remove(ByteBuffer.wrap(stored));
        }
    }

    /** Whether there may be such keys. */
    public boolean hasSome() {
        return hasSome;
    }

    /** Whether a key is such a key. */
    public boolean has(byte[] stored) {
        return keys.contains(ByteBuffer.wrap(stored));
    }
}
