package io.flexdb.jmh.flexdb;

import java.util.Locale;

/** What can be measured, in the order in which it is. */
enum Part {
    /** Loads of empty stores by key distribution, and what they write: Figures 12a and 12b. */
    PUT("Loads of empty stores (Figures 12a and 12b)"),
    /** Memory of what leads to the pairs: Table 3. */
    INDEX("Memory that leads to the pairs (Table 3)"),
    /** Single reads by key distribution: Figure 12c. */
    GET("Reads (Figure 12c)"),
    /** Scans by length and key distribution, and of keys only: Figure 12d. */
    SCAN("Scans (Figure 12d)"),
    /** Puts, gets and scans by client threads: Figure 12e. */
    THREADS("By client threads (Figure 12e)"),
    /** Latencies of puts and gets: Table 4. */
    LATENCY("Latencies (Table 4)"),
    /** What operations with buffers of the caller leave to the garbage collector. */
    GARBAGE("Garbage of an operation"),
    /** Reads beside a thread that puts as fast as it can. */
    COMMITS("Reads beside puts"),
    /** What only some stores have: many keys at once, sizes of ranges, copies and backups, deleted ranges. */
    FEATURES("What only some stores have"),
    /** Reads of keys and short ranges that are absent, with FlexDB's range filter and without. */
    ABSENT("Absent keys and empty ranges"),
    /** Updates, twice as many as there are records, and what they write and take on disk: Figure 12f. */
    UPDATES("Updates (Figure 12f)"),
    /** Updates and insertions by FlexDB's stitching threshold: what they cost and write, and the scans behind them. */
    STITCHING("In place, stitched, or written anew"),
    /** Scans of a store that is updated at random again and again, with FlexDB's defragmentation and without. */
    AGEING("Scans of a store that ages"),
    /** Puts that are on disk when they return, by 1 thread and by all. */
    SYNC("Puts that are on disk when they return"),
    /** Puts, gets and scans by the number of pairs. */
    GROWTH("By the number of pairs"),
    /** Opening after a close and after a kill, by the number of pairs. */
    RECOVERY("Opening after a kill and after a close (Recovery)"),
    /** Opening a store, a few puts and closing it, by durability. */
    OPENING("Opening, a few puts and closing"),
    /** YCSB's load and its workloads, through YCSB itself: Figure 13. */
    YCSB("YCSB (Figure 13)");

    private final String title;

    Part(String title) {
        this.title = title;
    }

    /** Over its table. */
    String title() {
        return title;
    }

    /** The name in arguments. */
    String argument() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it reads and updates the store that all such parts have in common. */
    boolean isOfLoadedStore() {
        return compareTo(INDEX) >= 0 && compareTo(UPDATES) <= 0;
    }
}
