package io.flexdb.jmh.suite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The cells of suites on key-value stores: their sizes by scale, and the data sets of the paper's Table 3. */
final class KeyValueCells {
    /** The data sets, in the paper's order. */
    static final List<DataSet> DATA_SETS = List.of(
            new DataSet("zippydb", "ZippyDB", 91, 720_000_000),
            new DataSet("udb", "UDB", 154, 420_000_000),
            new DataSet("sys", "SYS", 424, 150_000_000));

    static final DataSet UDB = DATA_SETS.get(1);

    private static final int SPACE_FACTOR = 6; // of the pairs: the store, its copies, and what it has not collected yet
    private static final long LEAST_BYTES = 256 << 20;

    private KeyValueCells() {}

    /** Sizes of keys and values. */
    record DataSet(String argument, String label, int pairBytes, int paperRecords) {
        int records(Plan plan) {
            return plan.of(20_000, 1_000_000, paperRecords);
        }
    }

    /** Disk space of a store with so many records and what comes with it. */
    static long diskBytes(DataSet set, long records) {
        return LEAST_BYTES + SPACE_FACTOR * set.pairBytes * records;
    }

    /** The same of the largest of the data sets. */
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

    private static Cell of(Plan plan, String store, String name, DataSet set, String... more) {
        Map<String, String> arguments = new LinkedHashMap<>(); // by the names of options: the last one counts
        if (plan.scale() == Scale.SMOKE) {
            put(arguments, "--quick");
        } else if (plan.scale() == Scale.PAPER) {
            put(arguments, "--cache=16g", "--memtable=1g", "--heap=16g");
        }
        put(
                arguments,
                "--stores=" + store,
                "--space=" + set.argument,
                "--records=" + set.records(plan),
                "--operations=" + plan.of(20_000, 1_000_000, 100_000_000),
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
        return switch (store) {
            case "flexdb" -> "FlexDB";
            case "rocksdb" -> "RocksDB";
            case "lmdb" -> "LMDB";
            case "mvstore" -> "MVStore";
            case "xodus" -> "Xodus";
            case "skiplist" -> "skip list";
            default -> store;
        };
    }

    static String thousands(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
