package io.flexdb.jmh.flexspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What {@link Table2} is asked for. */
final class Table2Settings {
    static final String USAGE = """
            usage: java -cp benchmarks.jar io.flexdb.jmh.flexspace.Table2 [--quick] [--name=value ...]
              --quick                small sizes: does it run? seconds
              --dir=DIR              where FlexSpace's files go; default: the temporary directory
              --rivals=NAME:DIR,...  plain files to compare with: xfs, ext4, f2fs and btrfs have figures in the paper
              --parts=LIST           of raw, table2, figure2, figure11, small, gc, recovery
              --rounds=N             measure everything N times and show medians
              --block=LIST           bytes of a block
              --blocks=N             blocks of an address space
              --threads=LIST         of Figure 11
              --cold=yes             or no: drop the page cache of the whole system before cold reads, if root
              --barrier=sync         or checkpoint: what ends a write phase of FlexSpace
              --insert-seconds=N     the random insertions of a rival end after this time
              --insert-at=LIST       bytes of the address spaces of Figure 2
              --records=N            insertions of 100 bytes
              --utilizations=LIST    live bytes for each byte of the data file, from 0 to 1, under random overwrites
              --recovery=LIST        bytes:extents of spaces to open
              --json=FILE            where all measurements go
            Bytes may end in k, m or g.""";

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("--dir", System.getProperty("java.io.tmpdir")),
            Map.entry("--rivals", ""),
            Map.entry("--parts", "raw,table2,figure2,figure11,small,gc,recovery"),
            Map.entry("--rounds", "3"),
            Map.entry("--block", "4096,65536"),
            Map.entry("--blocks", "262144"),
            Map.entry("--threads", "1,2,4,8"),
            Map.entry("--cold", "yes"),
            Map.entry("--barrier", "sync"),
            Map.entry("--insert-seconds", "60"),
            Map.entry("--insert-at", "1m,16m,64m,256m,1g"),
            Map.entry("--records", "10000000"),
            Map.entry("--utilizations", "0.5,0.93"),
            Map.entry("--recovery", "1g:262144,4g:1048576"),
            Map.entry("--json", "table2.json"));

    private static final Map<String, String> QUICK = Map.ofEntries(
            Map.entry("--rounds", "1"),
            Map.entry("--block", "4096,16384"),
            Map.entry("--blocks", "1024"),
            Map.entry("--threads", "1,2"),
            Map.entry("--cold", "no"), // whoever tries it out should not slow down everybody
            Map.entry("--insert-seconds", "1"),
            Map.entry("--insert-at", "256k,1m"),
            Map.entry("--records", "20000"),
            Map.entry("--recovery", "4m:1024"),
            Map.entry("--json", "table2-quick.json"));

    /** A space to open. */
    record RecoveryCase(long bytes, int extents) {
        int blockBytes() {
            return (int) (bytes / extents);
        }
    }

    final boolean quick;
    final List<Subject> subjects; // ours first
    final List<String> parts;
    final int rounds;
    final List<Integer> blockSizes;
    final int blocks;
    final List<Integer> threads;
    final boolean cold;
    final boolean barrierIsCheckpoint;
    final int insertSeconds;
    final List<Long> insertSizes;
    final int records;
    final List<Double> utilizations;
    final List<RecoveryCase> recoveries;
    final Path json;

    private final Map<String, String> arguments;

    private Table2Settings(boolean quick, Map<String, String> arguments) {
        this.quick = quick;
        this.arguments = arguments;
        subjects = new ArrayList<>(List.of(new Subject(Subject.FLEXSPACE, Path.of(arguments.get("--dir")))));
        items(arguments, "--rivals").forEach(rival -> subjects.add(rival(rival)));
        parts = items(arguments, "--parts");
        List<String> allParts = items(DEFAULTS, "--parts");
        check(allParts.containsAll(parts), "--parts are " + allParts);
        rounds = count(arguments.get("--rounds"));
        blockSizes =
                items(arguments, "--block").stream().map(Table2Settings::count).toList();
        check(!blockSizes.isEmpty() && blockSizes.stream().allMatch(bytes -> bytes >= 8), "--block is at least 8");
        blocks = count(arguments.get("--blocks"));
        threads = items(arguments, "--threads").stream()
                .map(Table2Settings::count)
                .toList();
        cold = arguments.get("--cold").equals("yes");
        check(cold || arguments.get("--cold").equals("no"), "--cold is yes or no");
        String barrier = arguments.get("--barrier");
        barrierIsCheckpoint = barrier.equals("checkpoint");
        check(barrierIsCheckpoint || barrier.equals("sync"), "--barrier is sync or checkpoint");
        insertSeconds = count(arguments.get("--insert-seconds"));
        insertSizes = items(arguments, "--insert-at").stream()
                .map(Table2Settings::number)
                .toList();
        records = count(arguments.get("--records"));
        utilizations =
                items(arguments, "--utilizations").stream().map(Double::valueOf).toList();
        check(utilizations.stream().allMatch(share -> share > 0 && share < 1), "--utilizations are from 0 to 1");
        recoveries = items(arguments, "--recovery").stream()
                .map(Table2Settings::recovery)
                .toList();
        json = Path.of(arguments.get("--json"));
    }

    static Table2Settings parse(String... arguments) {
        Map<String, String> values = new HashMap<>(DEFAULTS);
        boolean quick = Arrays.asList(arguments).contains("--quick");
        if (quick) {
            values.putAll(QUICK);
        }
        return with(quick, values, arguments);
    }

    /** These settings with other values for some. */
    Table2Settings with(String... changed) {
        return with(quick, new HashMap<>(arguments), changed);
    }

    private static Table2Settings with(boolean quick, Map<String, String> values, String... arguments) {
        for (String argument : arguments) {
            if (!argument.equals("--quick")) {
                int equals = argument.indexOf('=');
                check(equals >= 0, "not --quick, and not of the form --name=value: " + argument);
                String replaced = values.replace(argument.substring(0, equals), argument.substring(equals + 1));
                check(replaced != null, "unknown argument: " + argument);
            }
        }
        return new Table2Settings(quick, values);
    }

    private static Subject rival(String rival) {
        int colon = rival.indexOf(':');
        check(colon > 0, "--rivals are of the form NAME:DIR: " + rival);
        String name = rival.substring(0, colon);
        check(!name.equals(Subject.FLEXSPACE), "a rival must not be called " + name);
        return new Subject(name, Path.of(rival.substring(colon + 1)));
    }

    private static RecoveryCase recovery(String item) {
        int colon = item.indexOf(':');
        check(colon > 0, "--recovery is of the form BYTES:EXTENTS: " + item);
        RecoveryCase recovery = new RecoveryCase(number(item.substring(0, colon)), count(item.substring(colon + 1)));
        check(recovery.bytes / recovery.extents >= 8, "--recovery has extents of at least 8 bytes: " + item);
        check(recovery.bytes / recovery.extents <= 128 << 10, "--recovery has extents of at most 128 KiB: " + item);
        return recovery;
    }

    private static List<String> items(Map<String, String> arguments, String name) {
        String list = arguments.get(name);
        return list.isEmpty() ? List.of() : List.of(list.split(","));
    }

    private static long number(String text) {
        int shift = switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
            case 'k' -> 10;
            case 'm' -> 20;
            case 'g' -> 30;
            default -> 0;
        };
        long value = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1)) << shift;
        check(value >= 1, "must be at least 1: " + text);
        return value;
    }

    private static int count(String text) {
        long value = number(text);
        check(value <= Integer.MAX_VALUE, "must be at most " + Integer.MAX_VALUE + ": " + text);
        return (int) value;
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
