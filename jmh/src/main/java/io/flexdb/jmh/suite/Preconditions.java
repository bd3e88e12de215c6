package io.flexdb.jmh.suite;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The reasons why a plan can't be carried out, wholly or in part; looked for before anything is measured.
 *
 * @param fatal reasons why nothing can be measured
 * @param suites those that can be measured
 * @param unable the subjects that can't be measured, with the reasons
 * @param said all that is left out, for the user
 */
record Preconditions(List<String> fatal, List<Suite> suites, Map<String, String> unable, List<String> said) {
    private static final String PROBE = "probe.tmp";

    /** Measures nothing, but tries each rival in a JVM of its own. */
    static Preconditions check(Plan plan, List<Suite> wanted, ChildJvm child) throws IOException, InterruptedException {
        Preconditions found =
                new Preconditions(new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new ArrayList<>());
        Path directory = Path.of(plan.directory());
        found.checkWritable(directory);
        for (String fileSystem : plan.fileSystems()) {
            found.checkWritable(Path.of(fileSystem.substring(fileSystem.indexOf(':') + 1)));
        }
        if (!found.fatal.isEmpty()) {
            return found;
        }
        long free = Files.getFileStore(directory).getUsableSpace();
        for (Suite suite : wanted) {
            String obstacle = obstacle(suite, plan, free);
            if (obstacle.isEmpty()) {
                found.suites.add(suite);
            } else {
                found.said.add(suite.name() + " is left out: " + obstacle);
            }
        }
        if (found.suites.isEmpty()) {
            found.fatal.add("none of the suites can be measured here");
        } else if (found.suites.stream()
                .anyMatch(suite -> suite.cells(plan).stream().anyMatch(cell -> cell.program() == Program.KEY_VALUE))) {
            found.tryRivals(plan, child);
        }
        return found;
    }

    private void checkWritable(Path directory) {
        Path probe = directory.resolve(PROBE);
        try {
            Files.createDirectories(directory);
            Files.writeString(probe, "");
            Files.delete(probe);
        } catch (IOException e) {
            fatal.add(directory + " can't be written: " + e + "; choose another one with --dir or --file-systems");
        }
    }

    private static String obstacle(Suite suite, Plan plan, long free) {
        long wanted = suite.diskBytes(plan);
        if (wanted > free) {
            return String.format(
                    Locale.ROOT,
                    "it takes about %,d MiB of disk, and %s has %,d MiB; choose another --dir or a smaller --scale",
                    wanted >> 20,
                    plan.directory(),
                    free >> 20);
        }
        long memory = memoryBytes();
        if (suite.memoryBytes(plan) > memory) {
            return String.format(
                    Locale.ROOT,
                    "it takes about %,d MiB of memory, and this machine has %,d MiB; choose a smaller --scale",
                    suite.memoryBytes(plan) >> 20,
                    memory >> 20);
        }
        String obstacle = suite.obstacle(plan);
        if (!obstacle.isEmpty()) {
            return obstacle;
        }
        return suite.cells(plan).stream()
                .map(cell -> cell.program().obstacle())
                .filter(reason -> !reason.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static long memoryBytes() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    /** A few operations of each. */
    private void tryRivals(Plan plan, ChildJvm child) throws IOException, InterruptedException {
        for (String rival : plan.rivals()) {
            List<String> arguments =
                    List.of("--quick", "--stores=" + rival, "--parts=get", "--records=100", "--operations=100");
            String label = KeyValueCells.label(rival);
            Cell cell = new Cell("probe " + rival, label, Program.KEY_VALUE, "", arguments);
            CellResult result = Program.KEY_VALUE.measure(cell, 1, child);
            if (result.hasFailed()) {
                unable.put(label, "it can't be loaded: " + result.failure());
                said.add(label + " is left out: it can't be loaded: " + result.failure());
            }
        }
    }
}
