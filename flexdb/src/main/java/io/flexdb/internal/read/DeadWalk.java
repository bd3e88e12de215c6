package io.flexdb.internal.read;

import io.flexdb.internal.mem.MemTable;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Knows of the dead keys that a cursor passes, from one pair to the next. For one thread; reusable. */
final class DeadWalk {
    /** The dead keys that a walk passes before it asks; a short walk pays for nothing but a count. */
    static final int FIRST_LOOK = 8;

    private static final int LEAST_NOTED = 64; // of those that no run had
    private static final int LEAST_ADDED = 8; // to those that one had

    private final DeadRuns runs;
    private byte[] start = DeadRuns.END; // the first of them that counts
    private int passed; // since the last jump
    private int nextLook;
    private boolean jumped;
    private MemTable table; // with the newest entry passed
    private int ref;
    private long newest;

    DeadWalk(DeadRuns runs) {
        this.runs = runs;
    }

    /** Begins. */
    void begin() {
        start = DeadRuns.END;
        passed = 0;
        nextLook = 0;
        jumped = false;
        table = null;
        newest = 0;
    }

    /** Follows that an entry of a memtable is passed. */
    void pass(MemTable of, int entry) {
        long sequence = of.sequence(entry);
        if (sequence > newest) {
            newest = sequence;
            table = of;
            ref = entry;
        }
    }

    /**
     * Where the walk may go on from a dead key, which it passes else.
     *
     * @return null if that is not known; see {@link DeadRuns#endOf}
     */
    byte[] look(PinnedVersion pin, ByteBuffer keys, int position, int length, boolean backward) {
        if (start == DeadRuns.END) {
            start = copy(keys, position, length, length);
        }
        if (passed++ < nextLook) {
            return null;
        }
        nextLook = Math.max(FIRST_LOOK, 2 * nextLook);
        byte[] end = runs.endOf(pin, keys, position, length, backward);
        if (end != null) {
            jumped = true;
            passed = 0;
            nextLook = FIRST_LOOK;
        }
        return end;
    }

    /** Whether what was passed is worth to be noted. */
    boolean isWorthNoting() {
        return start != DeadRuns.END && passed >= (jumped ? LEAST_ADDED : LEAST_NOTED);
    }

    /**
     * Notes what was passed, up to a key that is there.
     *
     * @param end that key forward; backward the first key behind it; END if there is none
     */
    void end(PinnedVersion pin, byte[] end, boolean backward) {
        byte[] from = backward ? end : start;
        byte[] to = backward ? behind(start) : end;
        if (to == DeadRuns.END || Arrays.compareUnsigned(from, to) < 0) {
            runs.note(pin, from, to, table, ref);
        }
    }

    /** Lets go of what it refers to. */
    void release() {
        table = null;
        start = DeadRuns.END;
    }

    private static byte[] behind(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** A copy, with zeros behind the key if it is longer. */
    static byte[] copy(ByteBuffer keys, int position, int length, int copied) {
        byte[] copy = new byte[copied];
        keys.get(position, copy, 0, length);
        return copy;
    }
}
