package io.flexdb;

import io.flexdb.storage.StoreHealth;

/**
 * Figures of an open store, as of the moment at which {@link FlexDB#stats} was called. They do not change afterwards, so
 * any thread may read them. Counts, and bytes written, are since the store was opened. {@code toString()} has a group on
 * each line.
 *
 * <p>Later releases add figures and groups. Only the library implements this interface and those in it.
 */
public sealed interface FlexDBStats permits Figures.Stats {
    /** The sequence number of the last visible write. */
    long lastSequence();

    /** A sequence number; it and every write with a lower one are durable. */
    long durableSequence();

    /** How the data file is read. The options may ask for a mapping that the platform can't do. */
    Reads reads();

    /** Whether the store takes writes and reads, and the failure that stopped it if it does not. */
    StoreHealth health();

    /** The sparse index and its range filters. */
    Index index();

    /** The address space and the data file that holds it. */
    Space space();

    /** Bytes written, by kind of file and by reason. */
    Written written();

    /** The interval cache. */
    Cache cache();

    /** Commits of memtables, and checkpoints. */
    Commits commits();

    /** The operations of the application. */
    Operations operations();

    /** How long operations take. */
    Latencies latencies();

    /** The scrub, which reads all data in the background to find damage. */
    Scrub scrub();

    /** All memory, by what it is for. */
    FlexDBMemory memory();

    /** The open snapshots, cursors and others that keep old versions. */
    FlexDBHolders holders();

    /** Figures of the sparse index and its range filters. */
    sealed interface Index permits Figures.Index {
        /** The number of intervals in the sparse index. */
        long intervals();

        /**
         * The number of intervals that are larger than they should be, or have not been counted yet. After a crash all
         * are. The store divides them in spare time, within seconds, those that are read first. An interval that can't
         * be read stays coarse.
         */
        long coarseIntervals();

        /** The number of lookups and seeks that a range filter answered without a read. */
        long filteredReads();

        /** Off-heap bytes of the sparse index, without the range filters. */
        long memoryBytes();
    }

    /** Figures of the address space and of the data file that holds it. */
    sealed interface Space permits Figures.Space {
        /** The number of extents in the FlexTree. */
        long extents();

        /** Bytes of the address space: those of all pairs that are committed to it. */
        long bytes();

        /** The number of segments in the data file. */
        int segments();

        /** The number of those segments that are free. */
        int freeSegments();

        /** Bytes of the data file: those of its segments. */
        long diskBytes();

        /** Off-heap bytes of the FlexTree. */
        long treeMemoryBytes();
    }

    /** Bytes written to files. */
    sealed interface Written permits Figures.Written {
        /** Bytes written to write-ahead logs. */
        long walBytes();

        /** Bytes written to the data file, those of garbage collection and of defragmentation included. */
        long dataBytes();

        /** Bytes written to logical logs. */
        long logBytes();

        /** Bytes written to the FlexTree file. */
        long treeBytes();

        /** Bytes that garbage collection moved; a part of {@link #dataBytes}. */
        long collectedBytes();

        /** Bytes of intervals that were written again in one piece, as reads found them in many; in {@link #dataBytes}. */
        long defragmentedBytes();

        /** Bytes written to all files. */
        default long totalBytes() {
            return walBytes() + dataBytes() + logBytes() + treeBytes();
        }
    }

    /** Figures of the interval cache. */
    sealed interface Cache permits Figures.Cache {
        /** The number of lookups that found the directory of their interval in the cache. */
        long hits();

        /** The number of lookups that did not find the directory of their interval in the cache. */
        long misses();

        /** Off-heap bytes of the cache: directories of intervals, and frames where the data file is not mapped. */
        long memoryBytes();
    }

    /** Figures of commits and checkpoints. */
    sealed interface Commits permits Figures.Commits {
        /** The number of checkpoints of the FlexTree. */
        long checkpoints();

        /**
         * The number of merges that a commit put off: the {@link MergeFunction} failed, or there was no memory for the
         * value. The operands stay with the pair, and a later read or commit merges them.
         */
        long failedMerges();

        /** Off-heap bytes of the memtables that take writes or wait for their commit. */
        long memtableBytes();
    }

    /** Counts of operations that have succeeded, in all keyspaces, snapshots and transactions. */
    sealed interface Operations permits Figures.Operations {
        /** The number of keys that were looked for: by any kind of get, by tests whether they are there, by multi-gets. */
        long gets();

        /** The number of puts, conditional ones that had an effect included. Not those in batches and transactions. */
        long puts();

        /** The number of deletes of a key or a range. Not those in batches and transactions. */
        long deletes();

        /** The number of merges. Not those in batches and transactions. */
        long merges();

        /** The number of batches that were written, whatever the number of their entries. */
        long batches();

        /** The number of cursors that were opened, by iterations, streams and exports too. */
        long scans();

        /** The number of transactions that have begun. */
        long transactionsBegun();

        /** The number of transactions that were committed. */
        long transactionsCommitted();

        /** The number of transactions that could not be committed because of a conflict. */
        long transactionsConflicted();

        /**
         * How often a write was held back because commits are slower than writes. A write that was slowed down, and then
         * waited for a memtable, counts twice.
         */
        long writeStalls();

        /** How long writes were held back, all together, in nanoseconds. */
        long writeStallNanos();
    }

    /** Durations of operations, from the call to the return. */
    sealed interface Latencies permits Figures.Latencies {
        /** Gets of a value, about one of 64. */
        Latency gets();

        /** Single writes and batches, about one of 64. */
        Latency writes();

        /** Commits of transactions, each of them. */
        Latency transactionCommits();
    }

    /** Durations of one kind of operation since the store was opened, each right to a sixteenth. 0 if there are none. */
    sealed interface Latency permits Figures.Latency {
        /** The number of operations that were timed. */
        long samples();

        /** What half of them did not exceed, in nanoseconds. */
        long medianNanos();

        /** What 99 of 100 did not exceed, in nanoseconds. */
        long p99Nanos();

        /** What 999 of 1,000 did not exceed, in nanoseconds. */
        long p999Nanos();

        /** The longest of them, in nanoseconds; 18 minutes at most. */
        long maxNanos();
    }

    /** Figures of the scrub. */
    sealed interface Scrub permits Figures.Scrub {
        /** Bytes that the scrub has read, sound ones and damaged ones. */
        long bytes();

        /** How often the scrub has read everything. */
        long passes();

        /** The number of places that the scrub found damaged. A place counts again in each pass. */
        long findings();
    }
}
