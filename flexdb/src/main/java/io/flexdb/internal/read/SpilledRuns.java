package io.flexdb.internal.read;

import io.flexdb.internal.mem.MemTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** All that one user has spilled. For one thread; used again. */
public final class SpilledRuns {
    /*
     * The problem: each run costs memory, for a window of its own and one for each cursor, and each lookup asks all of
     * them. The choice: once there are JOINED of a tier they become one of the next, which has the entries that
     * somebody may still ask for. As a result n spills leave fewer than JOINED * log(n) runs (to the base JOINED), and
     * each byte is written log(n) times. The cost of a join is met by the thread that spills, which has to wait for the
     * disk anyway.
     *
     * R1  Numbers of a run are above all of the run before it.
     * R2  Tiers do not ascend from the oldest run to the newest, but for runs that are never joined.
     */
    /** The number of runs that become one. */
    public static final int JOINED = 8;

    private final Supplier<SpillArea> areas;
    private final List<SpilledRun> runs = new ArrayList<>(); // the oldest first
    private final Marks marks = new Marks();
    private SpillArea area; // null before something is spilled
    private long operandTime;

    /** @param areas where to spill, for a transaction */
    public SpilledRuns(Supplier<SpillArea> areas) {
        this.areas = areas;
    }

    /** Where somebody may go back to. */
    public Marks marks() {
        return marks;
    }

    /** Whether nothing is spilled. */
    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /** The runs, from the oldest on; not to be changed. */
    public List<SpilledRun> oldestFirst() {
        return runs;
    }

    /**
     * Brings what a memtable has to the data file. If it throws, nothing has changed for who reads.
     *
     * @param first the lowest number that an entry of it may have, above all that was spilled
     * @param last the highest
     * @throws io.flexdb.storage.StoreFullException if there is no space for it
     */
    public void spill(MemTable table, long first, long last) {
        if (area == null) {
            area = areas.get();
            area.setOperandTime(operandTime);
        }
        for (int from = fullTier(); from >= 0; from = fullTier()) {
            join(from);
        }
        runs.add(area.spill(table, first, last, marks));
    }

    /** The first run of the newest tier, if that has enough to be joined; else -1. */
    private int fullTier() {
        int from = runs.size();
        int tier = from == 0 ? SpilledRun.NEVER_JOINED : runs.get(from - 1).tier();
        while (from > 0 && runs.get(from - 1).tier() == tier) {
            from--;
        }
        return tier != SpilledRun.NEVER_JOINED && runs.size() - from >= JOINED ? from : -1;
    }

    private void join(int from) {
        List<SpilledRun> inputs = List.copyOf(runs.subList(from, runs.size()));
        SpilledRun joined = area.join(inputs, marks);
        if (joined == null) {
            inputs.forEach(SpilledRun::joinNever);
            return;
        }
        runs.subList(from, runs.size()).clear();
        runs.add(joined);
        area.drop(inputs);
    }

    /** Shows nothing with a higher number any more. No cursor is open. */
    public void cutBehind(long last) {
        int kept = runs.size();
        while (kept > 0 && runs.get(kept - 1).first() > last) {
            kept--;
        }
        List<SpilledRun> later = List.copyOf(runs.subList(kept, runs.size()));
        runs.subList(kept, runs.size()).clear();
        if (kept > 0) {
            runs.get(kept - 1).cutBehind(last);
        }
        if (area != null) {
            area.drop(later);
        }
    }

    /** Has all operands be made at a time, in whatever is read from now on. No cursor is open. */
    public void setOperandTime(long time) {
        operandTime = time;
        if (area != null) {
            area.setOperandTime(time);
        }
    }

    /** Gives all back. Nobody reads it any more. */
    public void clear() {
        runs.clear();
        marks.clear();
        if (area != null) {
            area.close();
            area = null;
        }
    }

    @Override
    public String toString() {
        return "SpilledRuns" + runs;
    }
}
