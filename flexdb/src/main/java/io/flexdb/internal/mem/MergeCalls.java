package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.Merger;
import io.flexdb.storage.MergeException;
import java.nio.ByteBuffer;
import java.util.List;

/** Calls the user's merge functions for one store: each keyspace may have its own. Thread-safe. */
public final class MergeCalls {
    /*
     * The function is foreign code: it may take long, throw anything, keep or change the arrays that it gets, and call
     * the store. Therefore
     *
     * M1  it is called without a lock, an epoch or a pin: it holds up only the call that needs it.
     * M2  it gets arrays that nobody else has, and its result is copied.
     * M3  anything that it throws becomes a MergeException of the key that it was called for.
     * M4  a thread that is in it can't use the store. On the thread that commits a write could wait for that very
     *     thread, and so for ever. A call in the function is refused on any thread, so that a test shows it.
     *
     * M4 costs reads and writes of a store with a function a look at a variable of the thread, some two nanoseconds,
     * and all others nothing. A counter that threads share would cost merges more.
     */
    private final KeyspaceRegistry keyspaces;
    private final ThreadLocal<boolean[]> inside = ThreadLocal.withInitial(() -> new boolean[1]);

    /** @param keyspaces have the functions */
    public MergeCalls(KeyspaceRegistry keyspaces) {
        this.keyspaces = keyspaces;
    }

    /** Whether a keyspace has a function, by its {@link io.flexdb.internal.base.KeyHeads#number}. */
    public boolean canMerge(int keyspace) {
        return keyspaces.mergerOf(keyspace) != null;
    }

    /** Whether there is a function at all, so that there may be operands. */
    public boolean canMergeSome() {
        return keyspaces.hasSomeMerger();
    }

    /**
     * Throws if the caller's thread is in a merge function.
     *
     * @throws IllegalStateException if it is
     */
    public void requireOutside() {
        if (keyspaces.hasSomeMerger() && inside.get()[0]) {
            throw new IllegalStateException("the merge function has called the store that it merges for;"
                    + " it must make a value of its arguments alone");
        }
    }

    /**
     * Calls the function for a value.
     *
     * @param keyspace its number
     * @param key as its user knows it; the arrays are the function's from now on
     * @param value null if there is none
     * @return an array that may be the function's
     * @throws MergeException if it fails, or there is none
     */
    byte[] merge(int keyspace, byte[] key, byte[] value, List<byte[]> operands) {
        Merger merger = keyspaces.mergerOf(keyspace);
        if (merger == null) {
            String why = keyspaces.isMergerUnknown(keyspace)
                    ? "the name of their keyspace, number " + keyspace + ", is lost"
                    : keyspaces.hasSomeMerger() ? "their keyspace has none" : "the store has none";
            throw new MergeException(key, "operands wait for a merge function, and " + why, null);
        }
        byte[] given = key.clone();
        byte[] merged = null;
        boolean[] isInside = inside.get();
        isInside[0] = true;
        try {
            merged = merger.merge(given, value, operands);
        } catch (Throwable e) { // M3
            throw new MergeException(key, "the merge function failed with " + e, e);
        } finally {
            isInside[0] = false;
        }
        if (merged == null) {
            throw new MergeException(key, "the merge function returned null, which is no value", null);
        }
        if (merged.length > OperandFold.MAX_VALUE_BYTES) {
            String what = "the merge function returned " + merged.length + " bytes, and a value has at most ";
            throw new MergeException(key, what + OperandFold.MAX_VALUE_BYTES, null);
        }
        return merged;
    }

    /**
     * Throws unless the function of a keyspace, which has one, takes an operand. Before anything is written, and without a lock.
     *
     * @throws IllegalArgumentException if it does not
     */
    public void checkOperand(int keyspace, ByteBuffer key, ByteBuffer operand) {
        boolean[] isInside = inside.get();
        isInside[0] = true;
        try {
            keyspaces.mergerOf(keyspace).checkOperand(key.asReadOnlyBuffer(), operand.asReadOnlyBuffer());
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "operand of " + operand.remaining() + " bytes for a key of " + key.remaining()
                            + " bytes is refused by the merge function: " + e.getMessage() + "; nothing was written",
                    e);
        } finally {
            isInside[0] = false;
        }
    }
}
