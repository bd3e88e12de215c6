package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The cells of suites on key-value stores: their sizes by scale, and the data sets of the paper's Table 3. */
final class KeyValueCells {
    /** The data sets, in the paper's order. */
    static final List<DataSet> DATA_SETS = List.of(
            new DataSet("zippydb", "ZippyDB", 91, 1_200_000, 720_000_000),
            new DataSet("udb", "UDB", 154, 1_000_000, 420_000_000),
            new DataSet("sys", "SYS", 424, 400_000, 150_000_000));

    static final DataSet UDB = DATA_SETS.get(1);

    private static final int SPACE_FACTOR = 3; // of the pairs: the store, and what it has not collected or merged yet
    private static final long LEAST_BYTES = 1L << 30;
    private static final long PAPER_MEMORY_BYTES = 48L << 30; // heap, cache, and pages of the system
    private static final int CACHE_SHARE = 4; // of the pairs, as in the paper

    private KeyValueCells() {}

    /** Sizes of keys and values. */
    record DataSet(String argument, String label, int pairBytes, int laptopRecords, int paperRecords) {
        int records(Plan plan) {
            return plan.of(20_000, laptopRecords, paperRecords);
        }
    }

    /** How long reads go on before they are measured. */
    static int warmUpSeconds(Plan plan) {
        return plan.of(0, 1, 10);
    }

    /** How long reads are measured; 0 if they are counted. */
    static int readSeconds(Plan plan) {
        return plan.of(0, 2, 60);
    }

    /** The stores that keep their pairs on disk. */
    static List<String> storesOnDisk(Plan plan) {
        return plan.stores().stream()
                .filter(store ->
                        Subject.named(store).filter(Subject::keepsPairs).isPresent())
                .toList();
    }

    /** Disk space of a store with so many records and what comes with it. */
    static long diskBytes(DataSet set, long records) {
        return LEAST_BYTES + SPACE_FACTOR * set.pairBytes * records;
    }

    /** Memory of a store that is measured with all of its data in memory. */
    static long memoryBytes(Plan plan) {
        return plan.of(0L, 2L << 30, PAPER_MEMORY_BYTES);
    }

    /** Disk space of the largest of the data sets. */
    static long largestDiskBytes(Plan plan) {
        return DATA_SETS.stream()
                .mapToLong(set -> diskBytes(set, set.records(plan)))
                .max()
                .orElseThrow();
    }

    /** A cell for each store, with all arguments that suites have in common. */
    static List<Cell> of(Plan plan, List<String> stores, String name, DataSet set, String... more) {
        return stores.stream().map(store -> of(plan, store, name, set, more)).toList();
    }

    /** A cell for each store that reads a data set by key, and UDB by scans, too: for Table 3 and Figures 12c and 12d. */
    static List<Cell> reads(Plan plan, DataSet set) {
        List<String> more = new ArrayList<>();
        if (set == UDB) {
            more.addAll(List.of("--parts=index,get,scan", "--scan-lengths=10,50,100"));
        } else {
            more.add("--parts=index,get");
        }
        return of(plan, plan.stores(), "reads", set, more.toArray(String[]::new));
    }

    private static Cell of(Plan plan, String store, String name, DataSet set, String... more) {
        Map<String, String> arguments = new LinkedHashMap<>(); // by the names of options: the last one counts
        if (plan.scale() == Scale.SMOKE) {
            put(arguments, "--quick");
        } else if (plan.scale() == Scale.LAPTOP) {
            put(arguments, "--cache=" + (long) set.pairBytes * set.records(plan) / CACHE_SHARE);
        } else {
            put(arguments, "--limit=86400");
            put(arguments, "--cache=16g", "--memtable=1g", "--heap=16g");
        }
        if (plan.scale() != Scale.SMOKE) {
            put(arguments, "--warm-up=" + warmUpSeconds(plan), "--read-seconds=" + readSeconds(plan));
        }
        put(
                arguments,
                "--stores=" + store,
                "--space=" + set.argument,
                "--records=" + set.records(plan),
                "--operations=" + plan.of(20_000, 1_000_000, 20_000_000),
                "--threads=" + plan.threads());
        put(arguments, more);
        return new Cell(
                name + " " + set.argument + " " + store,
                label(store),
                Program.KEY_VALUE,
                set.label + ": ",
                List.copyOf(arguments.values()));
    }

    private static void put(Map<String, String> arguments, String... more) {
        for (String argument : more) {
            arguments.put(argument.split("=", 2)[0], argument);
        }
    }

    /** The name of a store in tables. */
    static String label(String store) {
        return Subject.named(store).map(Subject::label).orElse(store);
    }

    static String thousands(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
