package io.flexdb.internal.read;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.EntryWalk;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Stretches of keys in which walks have met nothing that is there, so that others pass them at once. Any thread. */
final class DeadRuns {
    /*
     * Problem: taking the first pair of a queue walks past all that were taken before, until these are committed, each
     * time. Choice: a walk that has passed many dead keys notes the run that they make, and the number and the time as
     * of which all of it is dead. A walk that comes to a key of it goes on behind it. The writes since then are looked
     * at once, in the order of the numbers, before runs are used: a key that was set in a run divides it. Writes
     * therefore need not know of runs. Cost: some twenty nanoseconds for each write, by those who pass runs and only by
     * them.
     *
     * A lookup never waits: where another thread is at it, the walk goes on step by step, and asks again later.
     *
     * I1  In each run, nothing is there for who reads as of a number from "since" to "through" and as of the run's time
     *     or later, in a version with so many loads: the pairs that loads bring have no number.
     * I2  The runs are in the order of their keys, and no two touch.
     */
    private static final int MOST_RUNS = 32;
    private static final int MOST_KEY_BYTES = 1024;
    private static final int MOST_WRITES = 1 << 17; // that are looked at at once; after more, to walk costs less
    private static final int MOST_WRITES_BEHIND = 1 << 13; // the same for a walk that others have overtaken

    /** Where a run ends that has no end, in either direction. */
    static final byte[] END = {};

    private static final class Run {
        byte[] from;
        byte[] to; // the first key behind it; END if there is none
        long since;
        long time;
        long used;

        Run(byte[] from, byte[] to, long since, long time) {
            this.from = from;
            this.to = to;
            this.since = since;
            this.time = time;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Run> runs = new ArrayList<>();
    private final EntryWalk walk = new EntryWalk(); // up to through, if it is in that table
    private final EntryWalk behind = new EntryWalk();
    private volatile boolean any;
    private long through;
    private long loads;
    private long uses;
    private byte[] key = new byte[64]; // room for one

    /**
     * Where the run of a key ends in the direction of a walk.
     *
     * @param pin as of which the key is read
     * @return null if the key is in no run that is known; forward the first key behind it, backward its first key
     */
    byte[] endOf(PinnedVersion pin, ByteBuffer keys, int position, int length, boolean backward) {
        if (!any || !lock.tryLock()) {
            return null;
        }
        try {
            if (!follow(pin.version(), pin.sequence())) {
                return null;
            }
            makeRoom(length);
            keys.get(position, key, 0, length);
            int at = floor(length);
            Run run = at < 0 ? null : runs.get(at);
            if (run == null || !isBelow(length, run.to) || run.since > pin.sequence() || run.time > pin.time()) {
                return null;
            }
            run.used = ++uses;
            return backward ? run.from : run.to;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that nothing is there from a key on to before another, as of a pin.
     *
     * @param to END if there is no end
     * @param table with an entry that the walk has passed; null if there was none
     * @param ref that entry, with a number up to the one as of which it was read
     */
    void note(PinnedVersion pin, byte[] from, byte[] to, MemTable table, int ref) {
        if (from.length > MOST_KEY_BYTES || to.length > MOST_KEY_BYTES || !lock.tryLock()) {
            return;
        }
        try {
            Version version = pin.version();
            long sequence = pin.sequence();
            if (runs.isEmpty() || !follow(version, sequence) && runs.isEmpty() && version.loads() >= loads) {
                through = sequence;
                loads = version.loads();
                walk.release();
                if (table != null) {
                    walk.resetAt(table, ref);
                }
            } else if (version.loads() != loads
                    || through < sequence
                    || isWrittenBehind(sequence, from, to, table, ref)) {
                return;
            }
            add(new Run(from, to, sequence, pin.time()));
        } finally {
            lock.unlock();
        }
    }

    // ---- later writes

    /** Looks at what was written up to a number; false if no run says anything of the version as of it. */
    private boolean follow(Version version, long sequence) {
        if (version.loads() != loads) {
            if (version.loads() > loads) {
                clear();
            }
            return false;
        }
        if (sequence <= through) {
            return true;
        }
        if (sequence - through > MOST_WRITES || !isListed(version)) {
            clear();
            return false;
        }
        try {
            if (!followEntries(version.logs(), sequence)) {
                clear();
                return false;
            }
        } catch (Throwable e) { // of a full heap: an entry may have been passed by
            clear();
            throw e;
        }
        through = sequence;
        any = !runs.isEmpty();
        return any;
    }

    /** Returns false if the entries of a memtable are moved. */
    private boolean followEntries(MemLog[] logs, long sequence) {
        for (int i = logs.length - 1; i >= 0; i--) {
            MemTable table = logs[i].table();
            if (table == null) {
                return false;
            }
            long last = table.lastSequence();
            if (table.entryCount() == 0 || last != 0 && last <= through) {
                continue;
            }
            if (!walk.isOf(table)) {
                walk.reset(table);
            }
            while (walk.next(sequence)) {
                if (walk.sequence() > through) {
                    divideAt(table, walk.ref());
                }
            }
        }
        return true;
    }

    /** Whether the version lists all memtables with numbers above those looked at. */
    private boolean isListed(Version version) {
        MemLog[] logs = version.logs();
        for (int i = logs.length - 1; i >= 0; i--) {
            MemTable table = logs[i].table();
            if (table == null) {
                return false; // its entries are moved
            }
            if (table.entryCount() > 0) {
                return table.firstSequence() <= through + 1;
            }
        }
        return version.storeSequence() <= through;
    }

    private void clear() {
        runs.clear();
        any = false;
        walk.release();
    }

    private static boolean sets(MemTable table, int ref) {
        int type = table.type(ref);
        return type != WritePayload.DELETE && type != WritePayload.DELETE_RANGE;
    }

    private int takeKey(MemTable table, int ref) {
        int length = table.keyLength(ref);
        makeRoom(length);
        table.copyKey(ref, key, 0);
        return length;
    }

    private void divideAt(MemTable table, int ref) {
        if (!sets(table, ref)) {
            return;
        }
        int length = takeKey(table, ref);
        int at = floor(length);
        if (at < 0 || !isBelow(length, runs.get(at).to)) {
            return;
        }
        Run run = runs.get(at);
        byte[] end = run.to;
        byte[] first = Arrays.copyOf(key, length);
        boolean isFirst = Arrays.equals(run.from, first);
        run.to = first;
        if (isFirst) {
            runs.remove(at);
        }
        byte[] next = Arrays.copyOf(key, length + 1); // the first key behind it
        if (end != END && Arrays.compareUnsigned(next, end) < 0 && runs.size() < MOST_RUNS) {
            Run rest = new Run(next, end, run.since, run.time);
            rest.used = run.used;
            runs.add(isFirst ? at : at + 1, rest);
        }
    }

    /** Whether something of a range may have been set behind a walk that read as of a number before. */
    private boolean isWrittenBehind(long sequence, byte[] from, byte[] to, MemTable table, int ref) {
        if (sequence == through) {
            return false;
        }
        if (table == null || !walk.isOf(table) || through - table.sequence(ref) > MOST_WRITES_BEHIND) {
            return true;
        }
        behind.resetAt(table, ref);
        boolean found = false;
        while (!found && behind.next(through)) {
            if (behind.sequence() > sequence && sets(table, behind.ref())) {
                int length = takeKey(table, behind.ref());
                found = Arrays.compareUnsigned(key, 0, length, from, 0, from.length) >= 0 && isBelow(length, to);
            }
        }
        boolean isWhole = behind.sequence() == through;
        behind.release();
        return found || !isWhole;
    }

    // ---- the runs

    private void add(Run run) {
        int at = 0;
        while (at < runs.size()) {
            Run other = runs.get(at);
            boolean isBefore = other.to != END && Arrays.compareUnsigned(other.to, run.from) < 0;
            boolean isBehind = run.to != END && Arrays.compareUnsigned(run.to, other.from) < 0;
            if (isBefore || isBehind) {
                at++;
            } else if (other.since > run.since || other.time > run.time) {
                return; // it is known as of later
            } else {
                run.from = Arrays.compareUnsigned(other.from, run.from) < 0 ? other.from : run.from;
                run.to = other.to == END || run.to == END
                        ? END
                        : Arrays.compareUnsigned(other.to, run.to) > 0 ? other.to : run.to;
                runs.remove(at);
            }
        }
        if (runs.size() >= MOST_RUNS) {
            removeOldest();
        }
        run.used = ++uses;
        at = 0;
        while (at < runs.size() && Arrays.compareUnsigned(runs.get(at).from, run.from) < 0) {
            at++;
        }
        runs.add(at, run);
        any = true;
    }

    private void removeOldest() {
        int oldest = 0;
        for (int i = 1; i < runs.size(); i++) {
            oldest = runs.get(i).used < runs.get(oldest).used ? i : oldest;
        }
        runs.remove(oldest);
    }

    /** The last run that does not begin above the key; -1 if there is none. */
    private int floor(int length) {
        int low = 0;
        int high = runs.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] from = runs.get(middle).from;
            if (Arrays.compareUnsigned(from, 0, from.length, key, 0, length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    private boolean isBelow(int length, byte[] end) {
        return end == END || Arrays.compareUnsigned(key, 0, length, end, 0, end.length) < 0;
    }

    private void makeRoom(int length) {
        if (key.length < length) {
            key = new byte[length];
        }
    }

    @Override
    public String toString() {
        return "DeadRuns[through=" + through + "]";
    }
}
