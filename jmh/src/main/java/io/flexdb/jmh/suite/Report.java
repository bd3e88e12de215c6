package io.flexdb.jmh.suite;

import io.flexdb.jmh.suite.Medians.Ratio;
import io.flexdb.jmh.suite.Medians.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The results of a run by suites, for the formats that show them. */
final class Report {
    private final ResultStore store;
    private final List<Section> sections = new ArrayList<>();

    /**
     * A suite that has results.
     *
     * @param failures cells that have failed
     */
    record Section(Suite suite, Medians medians, List<Panel> panels, List<String> remarks, long failures) {
        /** The paper's ratios by what they are of, each with ours: label, paper, here. */
        List<List<String>> paperRatios(Plan plan) {
            List<List<String>> rows = new ArrayList<>();
            for (PaperRatio each : suite.paperRatios(plan)) {
                each.here(medians)
                        .ifPresent(here -> rows.add(List.of(
                                each.label() + ", " + each.ours() + " to " + each.rival(), each.paper(), here)));
            }
            return rows;
        }
    }

    /** A line in which ours is compared. */
    record Comparison(Suite suite, Panel panel, Panel.Line line, Ratio ratio) {}

    Report(ResultStore store, List<Suite> suites) {
        this.store = store;
        for (Suite suite : suites) {
            Set<String> cells = suite.cells(plan()).stream().map(Cell::id).collect(Collectors.toSet());
            List<CellResult> results = store.results().stream()
                    .filter(result -> cells.contains(result.cell()))
                    .toList();
            if (!results.isEmpty()) {
                // Of its own cells only: those of other suites may have loaded or read the same with other settings.
                Medians medians = new Medians(results);
                List<Panel> panels = suite.panels(plan()).stream()
                        .filter(panel -> !Grid.measured(panel, medians).isEmpty())
                        .toList();
                long failures = results.stream().filter(CellResult::hasFailed).count();
                sections.add(new Section(suite, medians, panels, remarks(results), failures));
            }
        }
    }

    private static List<String> remarks(Collection<CellResult> results) {
        Set<String> remarks = new LinkedHashSet<>();
        for (CellResult result : results) {
            String who = result.cell() + ", round " + result.round() + ": ";
            if (result.hasFailed()) {
                remarks.add("FAILED: " + who + result.failure());
            }
            result.notes().forEach(note -> remarks.add(who + note));
        }
        return List.copyOf(remarks);
    }

    Plan plan() {
        return store.header().plan();
    }

    Machine machine() {
        return store.header().machine();
    }

    List<Section> sections() {
        return sections;
    }

    /** The settings by what they are called. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        Plan plan = plan();
        settings.put("scale", plan.scale().name().toLowerCase(java.util.Locale.ROOT));
        settings.put("rounds", Integer.toString(plan.rounds()));
        settings.put("client threads", Integer.toString(plan.threads()));
        settings.put("seconds of a YCSB workload", Integer.toString(plan.seconds()));
        settings.put("directory", plan.directory());
        settings.put(
                "memory limit, where a suite has one",
                plan.memoryBytes() == 0 ? "none: not possible" : (plan.memoryBytes() >> 20) + " MiB");
        settings.put("cold reads", plan.cold() ? "after the page cache was dropped" : "not measured");
        settings.put(
                "started",
                store.results().stream()
                        .map(CellResult::started)
                        .min(String::compareTo)
                        .orElse("-"));
        return settings;
    }

    /** How it was measured, in sentences. */
    List<String> method() {
        List<String> method = new ArrayList<>();
        method.add("Each cell has a fresh JVM. Those that are compared are measured in turn, in each round anew.");
        method.add((plan().rounds() == 1
                        ? "Figures are of one round."
                        : "Figures are medians; each suite tells of how many rounds, " + plan().rounds() + " at most.")
                + " ± is half of the distance from the least to the most.");
        method.add("▲ ahead, ▼ behind the best rival; = the ranges of both overlap, or differ by less than 2 %.");
        method.add(
                plan().scale() == Scale.SMOKE
                        ? "Nothing warms up, and sizes are tiny: these figures show that everything works, and mean nothing."
                        : String.format(
                                Locale.ROOT,
                                "Stores warm up on a small store, then %d s before each measurement of reads, which takes"
                                        + " %d s; FlexSpace on 16,384 and 262,144 blocks; FlexTree in iterations of JMH; trees"
                                        + " of files on a small tree. YCSB on fresh processes (first-seconds) does not warm up.",
                                KeyValueCells.warmUpSeconds(plan()),
                                KeyValueCells.readSeconds(plan())));
        if (plan().scale() != Scale.SMOKE) {
            method.add(
                    "The cache of a store has a quarter of the pairs' bytes, as in the paper (growth: 256 MiB). LMDB has the page cache"
                            + " only, and verifies nothing; FlexDB and RocksDB verify checksums.");
        }
        return method;
    }

    /** All lines in which ours is compared, by verdict, each suite's in order. */
    List<Comparison> comparisons(Verdict verdict) {
        List<Comparison> comparisons = new ArrayList<>();
        for (Section section : sections) {
            for (Panel panel : section.panels) {
                for (Panel.Line line : panel.lines()) {
                    section.medians
                            .ratio(line.experiment())
                            .filter(ratio -> ratio.verdict() == verdict)
                            .ifPresent(ratio -> comparisons.add(new Comparison(section.suite, panel, line, ratio)));
                }
            }
        }
        return comparisons;
    }

    /** Writes results.json, report.html and summary.md into a directory. */
    void write(Path directory) throws IOException {
        replace(directory.resolve("results.json"), store.json());
        replace(directory.resolve("summary.md"), new MarkdownReport(this).text());
        replace(directory.resolve("report.html"), new HtmlReport(this).text());
    }

    private static void replace(Path file, String text) throws IOException {
        Path written = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(written, text);
        Files.move(
                written,
                file,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }
}
