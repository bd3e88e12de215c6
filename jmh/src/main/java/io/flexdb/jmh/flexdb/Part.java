package io.flexdb.jmh.flexdb;

/** What can be measured. */
enum Part {
    /** Single operations by key distribution: Figure 12a to 12d. */
    MICRO,
    /** Latencies of puts and gets: Table 4. */
    LATENCY,
    /** Puts that are on disk when they return, by 1 thread and by all. */
    SYNC,
    /** YCSB's load and its workloads, through YCSB itself: Figure 13. */
    YCSB
}
