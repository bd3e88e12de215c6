package io.flexdb;

import java.util.List;

/**
 * What {@link FlexDB#merge} does to values. It is called by reads, when they come to a key that was merged into since
 * the last commit, and by commits; so again and again with the same arguments, and at any moment, by several threads at
 * once. Hence it must
 *
 * <ul>
 *   <li>give the same result for the same arguments, in each opening of a store,
 *   <li>not depend on how operands are grouped: merging {@code a, b} and then {@code c} must give what merging {@code a}
 *       and then {@code b, c} does,
 *   <li>not call the store, and be quick.
 * </ul>
 *
 * If it throws, returns null, or more than {@link FlexDB#MAX_VALUE_BYTES}, a read of the key throws a
 * {@link io.flexdb.storage.MergeException}, and a commit makes the store read-only, with that as cause: other keys can
 * be read on, nothing is lost, and a store that is opened with a function that does not fail commits what was merged.
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
     * Merges operands into a value. The arrays belong to the function.
     *
     * @param value null if the key is absent
     * @param operands at least one, the oldest first; the list can't be changed
     * @return the value from now on, not null
     */
    byte[] merge(byte[] key, byte[] value, List<byte[]> operands);
}
