package io.flexdb;

import java.util.List;

/**
 * The result of a {@link FlexDBSalvage}: what it brought over, and what is lost. It does not change, so any thread may
 * read it. {@code toString()} has the figures on one line, then each finding on one.
 *
 * <p>Later releases may add figures. Only the library implements this interface.
 */
public sealed interface FlexDBSalvageReport permits Reports.Salvage {
    /**
     * The damage found, with the keys beside it where pairs are lost; the first 10,000. The list can't be changed.
     */
    List<FlexDBCheckReport.Finding> findings();

    /** The number of findings, those included that {@link #findings} leaves out. */
    long findingCount();

    /** The number of pairs of the address space that were brought over. */
    long pairs();

    /** Bytes of the address space that were not brought over. */
    long lostBytes();

    /** The number of writes that were brought over from write-ahead logs, after the pairs. */
    long logWrites();

    /**
     * Whether deleted pairs may be back, and values may be earlier ones or lack operands. That is so if the FlexTree or
     * a log is damaged.
     */
    boolean mayHoldRemovedPairs();

    /**
     * Names of keyspaces of the new store that have lost their own name, with all their pairs. If
     * {@link #mayHoldRemovedPairs}, a dropped keyspace may be among them. The list can't be changed.
     */
    List<String> recoveredKeyspaces();

    /** Whether everything was brought over. */
    default boolean isComplete() {
        return findingCount() == 0;
    }
}
