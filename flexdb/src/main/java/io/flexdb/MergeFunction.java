package io.flexdb;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes new values for {@link FlexDB#merge}. Reads call it when they need the value of a key that was merged into since
 * the last commit, and commits call it; so it is called again and again with the same arguments, at any moment, by
 * several threads at once. Hence it must
 *
 * <ul>
 *   <li>give the same result for the same arguments, in each opening of a store;
 *   <li>not depend on how operands are grouped: merging {@code a, b} and then {@code c} must give what merging {@code a}
 *       and then {@code b, c} does;
 *   <li>make the value of its arguments alone. A call of the store that it merges for throws an
 *       {@link IllegalStateException};
 *   <li>be quick. It holds up the read that needs it, and no other read or write. But there is one thread that commits:
 *       while the function is at work there nothing else is committed, and writers wait once all memtables are full.
 *       While a batch or transaction that is larger than a memtable is merged in, those wait who write between its first
 *       and its last key.
 * </ul>
 *
 * <p>{@link #checkOperand} refuses operands that the function can't merge, before they are written.
 *
 * <p><b>If it fails</b>, be it that it throws, returns null, or more than {@link FlexDB#MAX_VALUE_BYTES}, that is a
 * matter of the one key:
 *
 * <ul>
 *   <li>A read of its value throws a {@link io.flexdb.storage.MergeException}, which names the key. A cursor stands on the
 *       key, and goes on from it: only asking for the value throws.
 *   <li>Commits carry the operands on, beside the value below them, and everything else goes on as ever. A checkpoint, a
 *       backup and a salvage have them, too; {@link Keyspace#exportTo} throws, since it writes values.
 *   <li>Each read, and each commit that has one more operand for the key, calls the function anew. So when it works
 *       again, in a store that was opened with a better one perhaps, the key has the right value.
 *   <li>A put or a delete of the key ends it.
 * </ul>
 */
@FunctionalInterface
public interface MergeFunction {
    /**
     * Adds to counters: value and operands are numbers of 8 bytes, big endian with sign, and go round where they do not
     * fit. An absent value counts as 0.
     */
    MergeFunction ADD = new MergeFunctions.Add();

    /** Appends to a value, each operand behind what there is. An absent value has no bytes. */
    MergeFunction APPEND = new MergeFunctions.Append();

    /**
     * Merges operands into a value. The arrays belong to the function; its result is copied.
     *
     * @param key as it was given to {@link FlexDB#merge}, in whichever keyspace
     * @param value null if the key is absent
     * @param operands at least one, the oldest first; the list can't be changed
     * @return the value from now on, not null
     */
    byte[] merge(byte[] key, byte @Nullable [] value, List<byte[]> operands);

    /**
     * Throws an {@link IllegalArgumentException} that says what is expected, unless this function can merge an operand
     * into a key. It is called by all methods that take operands, on the caller's thread and before anything is written;
     * they throw one, too, whatever this throws, and write nothing. An operand that passes should never fail to be
     * merged because of its content. The store's own functions check theirs; others take all by default.
     *
     * @param key read-only, between position and limit
     * @param operand likewise; big-endian
     */
    default void checkOperand(ByteBuffer key, ByteBuffer operand) {}
}
