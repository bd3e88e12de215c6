package io.flexdb.internal.base;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The settings that the keyspaces of one open store have, by their numbers. Thread-safe. */
public final class KeyspaceRegistry {
    /*
     * Users name keyspaces, and stored keys have numbers. Logs are replayed, and committed, before anybody asks for a
     * keyspace, so settings are given by name when the store is opened, and names are learned from the space and from
     * the logs. A number has one name for ever. So what is known of it stays when its keyspace is dropped: old versions
     * show that still. That costs some 50 bytes for each dropped keyspace with settings, until the store is closed.
     *
     * G1  The name of a number is known here before an operand of it is folded.
     * G2  An operand never goes to the function of another keyspace. Where names may be missing, as in a damaged store, a
     *     number without one has no function if any keyspace has one of its own: its operands wait.
     * G3  A keyspace that has a function keeps it as long as the store is open. A later opening without it can't take
     *     another one for it in silence, unless it is given another one.
     */
    private static final int FIRST = 1; // number of a keyspace with a name
    private static final KeyspaceSettings UNKNOWN = new KeyspaceSettings(-1, null, null);

    private final Merger merger; // of all that have none of their own; or null
    private final boolean rangeFilter; // likewise
    private final Map<String, KeyspaceSettings> byName;
    private final boolean filtersDiffer;
    private final Map<Integer, KeyspaceSettings> byNumber = new ConcurrentHashMap<>();
    private volatile boolean mergersDiffer;
    private volatile boolean allKnown = true;

    public KeyspaceRegistry(StoreSettings settings) {
        this.merger = settings.merger;
        this.rangeFilter = settings.rangeFilter;
        this.byName = settings.keyspaces;
        this.mergersDiffer = byName.values().stream().anyMatch(one -> one.merger() != null);
        this.filtersDiffer =
                byName.values().stream().anyMatch(one -> one.rangeFilter() != null && one.rangeFilter() != rangeFilter);
    }

    // ---- names

    /** Whether names tell anything: keyspaces have merge functions, or filters, of their own. */
    public boolean needsNames() {
        return mergersDiffer || filtersDiffer;
    }

    /** Notes that there may be keyspaces whose names nobody can tell. Before the first name, or all are told again. */
    public void namesMayBeMissing() {
        allKnown = false;
    }

    /** Notes the name of a keyspace, before it is {@linkplain #give given} anything. Again and again, if need be. */
    public void named(int number, String name) {
        if (number < FIRST || !needsNames() || byNumber.get(number) == UNKNOWN) {
            return;
        }
        KeyspaceSettings own = allKnown ? byName.get(name) : of(name);
        if (own != null) {
            byNumber.put(number, own);
        } else {
            byNumber.remove(number); // for a reader that had seen a write which a crash took
        }
    }

    /** Notes that a keyspace has lost its name, whatever it is called from now on. */
    public void hasLostName(int number) {
        byNumber.put(number, UNKNOWN);
    }

    /** The settings given for a name when the store was opened. */
    public KeyspaceSettings of(String name) {
        return byName.getOrDefault(name, KeyspaceSettings.NONE);
    }

    /** The settings of a number; none for one below 1, which is the default keyspace's. */
    public KeyspaceSettings of(int number) {
        return number < FIRST ? KeyspaceSettings.NONE : byNumber.getOrDefault(number, KeyspaceSettings.NONE);
    }

    // ---- merge functions

    /** Whether any keyspace has a function. */
    public boolean hasSomeMerger() {
        return merger != null || mergersDiffer;
    }

    /** Whether there may be keyspaces that have none. */
    public boolean maySomeLackMerger() {
        return merger == null;
    }

    /** The function of the keyspace of this number, below 1 for the default one; null if it has none. */
    public Merger mergerOf(int number) {
        if (number < FIRST || !mergersDiffer) {
            return merger;
        }
        KeyspaceSettings own = byNumber.get(number);
        if (own == null ? allKnown : own != UNKNOWN && own.merger() == null) {
            return merger;
        }
        return own == null ? null : own.merger();
    }

    /** Whether a keyspace may have a function that nobody knows, since its name is lost. */
    public boolean isMergerUnknown(int number) {
        if (number < FIRST || !mergersDiffer) {
            return false;
        }
        KeyspaceSettings own = byNumber.get(number);
        return own == null ? !allKnown : own == UNKNOWN;
    }

    /** The function that a keyspace has that is made by a name now; null if it has none. */
    public Merger mergerOf(String name) {
        Merger own = of(name).merger();
        return own == null ? merger : own;
    }

    /** Gives a keyspace a function unless it has one, and returns the one that it has. */
    public synchronized Merger give(int number, Merger given) {
        Merger has = mergerOf(number);
        if (has != null) {
            return has;
        }
        KeyspaceSettings before = of(number);
        byNumber.put(number, new KeyspaceSettings(before.ttlMillis(), given, before.rangeFilter()));
        mergersDiffer = true;
        return given;
    }

    // ---- range filters

    /** Whether any keyspace has a filter. */
    public boolean hasSomeFilter() {
        return rangeFilter || filtersDiffer;
    }

    /** Whether some keyspaces have a filter and others have none. */
    public boolean doFiltersDiffer() {
        return filtersDiffer;
    }

    /** Whether the keyspace has a filter that is made by a name. */
    public boolean isFiltered(String name) {
        Boolean own = of(name).rangeFilter();
        return own == null ? rangeFilter : own;
    }

    /** Whether the keyspace of a stored key, or of the beginning of one, has a filter. */
    public boolean isFiltered(byte[] from, int length) {
        if (!filtersDiffer) {
            return rangeFilter;
        }
        Boolean own = of(KeyHeads.numberOf(from, 0, length)).rangeFilter();
        return own == null ? rangeFilter : own;
    }
}
