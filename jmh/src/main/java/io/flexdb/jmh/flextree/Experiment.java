package io.flexdb.jmh.flextree;

import java.util.List;
import java.util.Map;

/** The columns of Table 1, and what the paper has in them. */
public enum Experiment {
    /** Insertions at random offsets into an empty index. */
    INSERT("insert", InsertBenchmark.class, Map.of(100_000L, "6.25 0.026 0.028", 1_000_000L, "5.26 0.0014 0.0017")),
    /** Insertions at random offsets into an index that has extents already. */
    INSERT_AT("insert at", InsertAtSizeBenchmark.class, Map.of()),
    /** The same at random places between extents. */
    INSERT_BETWEEN("insert between, at", InsertAtSizeBenchmark.class, Map.of()),
    /** Appends to an empty index. */
    APPEND(
            "append",
            AppendBenchmark.class,
            Map.of(100_000_000L, "14.56 14.84 21.74", 1_000_000_000L, "13.30 13.55 19.61")),
    /** Random lookups. */
    LOOKUP("lookup", LookupBenchmark.class, Map.of(100_000_000L, "11.7 11.8 12.7", 1_000_000_000L, "9.17 9.24 8.18")),
    /** Queries of 50 extents at random places. */
    RANGE("range", RangeQueryBenchmark.class, Map.of(100_000_000L, "7.40 7.47 8.15", 1_000_000_000L, "6.37 6.41 6.15"));

    /** What is compared, in the order of the paper's figures. */
    public static final List<String> INDEXES = List.of("flextree", "bplustree", "array");

    /** The most extents for which a rival can be built by insertions in some minutes. */
    private static final long MAX_RIVAL_EXTENTS = 1_000_000;

    /** The extents from which on a single insertion of a rival takes long. */
    private static final long LONG_EXTENTS = 300_000;

    final String label;
    final Class<?> benchmark;
    private final Map<Long, String> paper; // million operations a second

    Experiment(String label, Class<?> benchmark, Map<Long, String> paper) {
        this.label = label;
        this.benchmark = benchmark;
        this.paper = paper;
    }

    /** The name in tables. */
    public String label() {
        return label;
    }

    List<Long> sizes(Table1Settings settings) {
        return switch (this) {
            case INSERT -> settings.insertSizes;
            case INSERT_AT, INSERT_BETWEEN -> settings.insertAtSizes;
            case APPEND, LOOKUP, RANGE -> settings.readSizes;
        };
    }

    /** What can be measured at this size. */
    List<String> indexes(long extents) {
        return this == INSERT && extents > MAX_RIVAL_EXTENTS ? INDEXES.subList(0, 1) : INDEXES;
    }

    /** Whether one invocation is so long that it needs neither warming up nor repeating in the same JVM. */
    boolean takesMinutes(String index, long extents) {
        return this == INSERT && extents >= LONG_EXTENTS && !index.equals(INDEXES.get(0));
    }

    /** Parameters of the benchmark beside index and size. */
    Map<String, String> parameters() {
        return switch (this) {
            case INSERT, APPEND -> Map.of();
            case INSERT_AT -> Map.of("offsets", "any");
            case INSERT_BETWEEN -> Map.of("offsets", "between");
            case LOOKUP, RANGE -> Map.of("filled", "appended");
        };
    }

    /**
     * The paper's figure as printed, in million operations a second; empty if there is none.
     *
     * @param index of {@link #INDEXES}
     * @param extents the paper's number of them
     */
    public String paperFigure(String index, long extents) {
        String figures = paper.get(extents);
        return figures == null ? "" : figures.split(" ")[INDEXES.indexOf(index)];
    }
}
