package io.flexdb.jmh.flextree;

import java.util.Arrays;
import java.util.List;

/**
 * What {@link Table1} is asked for.
 *
 * @param quick whether to see only that everything runs
 * @param rounds how often to measure everything; the table has the medians
 * @param insertSizes numbers of extents for insertions into an empty index
 * @param insertAtSizes numbers of extents for insertions into a filled one
 * @param readSizes numbers of extents for appends, lookups and range queries
 * @param jvmArgs arguments of the measured JVMs, blank for those of the benchmarks
 * @param json the file that JMH's results go to
 */
record Table1Settings(
        boolean quick,
        int rounds,
        List<Long> insertSizes,
        List<Long> insertAtSizes,
        List<Long> readSizes,
        String jvmArgs,
        String json) {
    static final String USAGE = """
            usage: java -cp benchmarks.jar io.flexdb.jmh.flextree.Table1 [--quick] [--name=value ...]
              --quick            small sizes, no forks: does it run? seconds
              --rounds=N         measure everything N times and show medians
              --insert=LIST      extents for insertions into an empty index; the rivals up to 1000000
              --insert-at=LIST   extents for insertions into an index that has as many already
              --read=LIST        extents for appends, lookups and range queries
              --jvm-args=ARGS    instead of -Xmx6g -XX:MaxDirectMemorySize=6g
              --json=FILE        where JMH's results go""";

    private static final Table1Settings DEFAULTS = new Table1Settings(
            false,
            3,
            List.of(100_000L, 1_000_000L),
            List.of(100_000L, 1_000_000L, 10_000_000L),
            List.of(10_000_000L, 100_000_000L),
            "",
            "table1.json");
    private static final Table1Settings QUICK =
            new Table1Settings(true, 1, List.of(1_000L), List.of(1_000L), List.of(10_000L), "", "table1-quick.json");

    static Table1Settings parse(String... arguments) {
        Table1Settings settings = Arrays.asList(arguments).contains("--quick") ? QUICK : DEFAULTS;
        for (String argument : arguments) {
            if (!argument.equals("--quick")) {
                settings = settings.with(argument);
            }
        }
        return settings;
    }

    private Table1Settings with(String argument) {
        int equals = argument.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("not --quick, and not of the form --name=value: " + argument);
        }
        String value = argument.substring(equals + 1);
        return switch (argument.substring(0, equals)) {
            case "--rounds" ->
                new Table1Settings(quick, (int) positive(value), insertSizes, insertAtSizes, readSizes, jvmArgs, json);
            case "--insert" -> new Table1Settings(quick, rounds, sizes(value), insertAtSizes, readSizes, jvmArgs, json);
            case "--insert-at" ->
                new Table1Settings(quick, rounds, insertSizes, sizes(value), readSizes, jvmArgs, json);
            case "--read" -> new Table1Settings(quick, rounds, insertSizes, insertAtSizes, sizes(value), jvmArgs, json);
            case "--jvm-args" -> new Table1Settings(quick, rounds, insertSizes, insertAtSizes, readSizes, value, json);
            case "--json" -> new Table1Settings(quick, rounds, insertSizes, insertAtSizes, readSizes, jvmArgs, value);
            default -> throw new IllegalArgumentException("unknown argument: " + argument);
        };
    }

    private static List<Long> sizes(String list) {
        return list.isEmpty()
                ? List.of()
                : Arrays.stream(list.split(",")).map(Table1Settings::positive).toList();
    }

    private static long positive(String number) {
        long value = Long.parseLong(number);
        if (value < 1) {
            throw new IllegalArgumentException("must be at least 1: " + number);
        }
        return value;
    }
}
