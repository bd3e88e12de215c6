package io.flexdb.internal.log;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;

/**
 * The memtables that tell what was written since the oldest open transaction began, but for those that versions still
 * list. The space itself does not know when a pair was written. Thread-safe.
 */
public final class RecentWrites {
    /*
     * R1 A transaction is counted before it takes the sequence number that it reads at, so it has seen all of a
     *    memtable that was committed before it was counted.
     * R2 A memtable is added before a version without it is published. A transaction that takes the version first and
     *    these memtables then therefore has every entry behind the number that it was counted with, unless that is
     *    forgotten.
     * R3 What is forgotten is said before it is gone. A transaction that began before it can't commit, so nothing more is
     *    kept for it, and it holds nobody else up: the oldest that counts is the oldest that can commit.
     * R4 A sorted run is in no memtable. It is listed before it is published, and counted as published afterwards. A
     *    transaction that takes that count before its version may therefore meet a run in the list that its version
     *    shows, which is a conflict too many, but never misses one that it does not show.
     *
     * While one transaction stays open runs are gathered for it, so where there are many, each two that follow each
     * other become one, with all between their keys and the number of the newer: a conflict too many again.
     */
    static final int MOST_RUNS = 1024;

    private record LinkedRun(long number, byte[] from, byte[] to) {
        /** This run and a newer one as one run. */
        LinkedRun with(LinkedRun newer) {
            byte[] first = Arrays.compareUnsigned(from, newer.from) < 0 ? from : newer.from;
            byte[] last = Arrays.compareUnsigned(to, newer.to) > 0 ? to : newer.to;
            return new LinkedRun(newer.number, first, last);
        }
    }

    private static final MemLog[] NONE = {};

    private final long maxBytes;
    private final NavigableMap<Long, Integer> begun = new TreeMap<>(); // numbers of transactions: how many
    private volatile MemLog[] committed = NONE; // the oldest first
    private volatile long forgotten;
    private volatile LinkedRun[] runs = {};
    private long lastRun;
    private volatile long publishedRuns;

    /** @param maxBytes of memtables kept; transactions that began before what exceeds it can't commit any more */
    public RecentWrites(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Counts a transaction that is about to begin.
     *
     * @param visibleSequence asked for the number of the last visible write
     * @return the number that it is counted with, for {@link #end}
     */
    public synchronized long begin(LongSupplier visibleSequence) {
        long sequence = visibleSequence.getAsLong();
        begun.put(sequence, 1 + begun.getOrDefault(sequence, 0));
        return sequence;
    }

    /** The transaction has ended. */
    public synchronized void end(long sequence) {
        int left = begun.get(sequence) - 1;
        if (left > 0) {
            begun.put(sequence, left);
        } else {
            begun.remove(sequence);
        }
        int first = neededBy(oldest());
        if (first > 0 && !begun.isEmpty()) {
            forgotten = Math.max(forgotten, committed[first - 1].table().lastSequence()); // R3
        }
        drop(first);
        dropRuns();
    }

    /** The number of the oldest transaction that can commit. */
    private long oldest() {
        Long oldest = begun.ceilingKey(forgotten);
        return oldest == null ? Long.MAX_VALUE : oldest;
    }

    /** The first memtable that a transaction with a number may ask for, or their count. */
    private int neededBy(long oldest) {
        int first = 0;
        while (first < committed.length && committed[first].table().lastSequence() <= oldest) {
            first++;
        }
        return first;
    }

    /** Nobody asks any more for a run that was published when no transaction was open. */
    private void dropRuns() {
        if (begun.isEmpty() && runs.length > 0) {
            long published = publishedRuns;
            int first = 0; // they are in the order of their numbers
            while (first < runs.length && runs[first].number <= published) {
                first++;
            }
            runs = Arrays.copyOfRange(runs, first, runs.length);
        }
    }

    // ---- runs

    /** A run with keys from one on to before another will be published (R4). */
    public synchronized void addRun(byte[] from, byte[] to) {
        dropRuns();
        LinkedRun[] kept = runs.length < MOST_RUNS ? runs : joinedByPairs(runs);
        LinkedRun[] more = Arrays.copyOf(kept, kept.length + 1);
        more[kept.length] = new LinkedRun(++lastRun, from, to);
        runs = more;
    }

    private static LinkedRun[] joinedByPairs(LinkedRun[] all) {
        LinkedRun[] joined = new LinkedRun[all.length / 2];
        for (int i = 0; i < joined.length; i++) {
            joined[i] = all[2 * i].with(all[2 * i + 1]);
        }
        return joined;
    }

    /** How many runs it keeps. */
    int runCount() {
        return runs.length;
    }

    /** It has been published. */
    public synchronized void publishedRun() {
        publishedRuns = lastRun;
    }

    /** How many there have been; to be asked before a version is taken. */
    public long publishedRuns() {
        return publishedRuns;
    }

    /**
     * Whether one of the runs is met that may not be among the first ones.
     *
     * @param first how many of them are known to be seen
     * @param meets is given a run's keys, from one on to before another
     */
    public boolean anyRunSince(long first, BiPredicate<byte[], byte[]> meets) {
        for (LinkedRun run : runs) {
            if (run.number > first && meets.test(run.from, run.to)) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is such a run at all. */
    public boolean areRunsSince(long first) {
        LinkedRun[] listed = runs;
        return listed.length > 0 && listed[listed.length - 1].number > first;
    }

    // ---- memtables

    /** A memtable will be published no more; it is kept as long as a transaction may ask for it. */
    synchronized void add(MemLog log) {
        if (begun.isEmpty()) {
            return;
        }
        long last = log.table().lastSequence();
        if (last <= oldest()) {
            forgotten = Math.max(forgotten, last); // for those that can't commit, and may be about to try
            return;
        }
        long bytes = log.table().memoryBytes();
        int first = committed.length;
        while (first > 0 && bytes + committed[first - 1].table().memoryBytes() <= maxBytes) {
            bytes += committed[--first].table().memoryBytes();
        }
        if (first > 0) {
            forgotten = committed[first - 1].table().lastSequence(); // R3
            int needed = neededBy(oldest());
            if (needed > first) {
                forgotten = committed[needed - 1].table().lastSequence();
                first = needed;
            }
        }
        drop(first);
        if (last <= oldest()) {
            forgotten = Math.max(forgotten, last);
            return;
        }
        MemLog[] more = Arrays.copyOf(committed, committed.length + 1);
        more[committed.length] = log;
        committed = more;
    }

    private void drop(int count) {
        if (count > 0) {
            committed = count == committed.length ? NONE : Arrays.copyOfRange(committed, count, committed.length);
        }
    }

    /** Whether it keeps a memtable. */
    boolean keeps(MemLog log) {
        return Arrays.asList(committed).contains(log);
    }

    /** Those kept, to be looked at within a short read that began before. */
    public MemLog[] committed() {
        return committed;
    }

    /** Whether something may be missing that was written behind a number; to be asked last. */
    public boolean isForgotten(long sequence) {
        return sequence < forgotten;
    }
}
