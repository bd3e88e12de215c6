package io.flexdb.jmh.suite;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Measures the cells of suites that have no result yet, one after the other: suite by suite, each round anew, those that
 * are compared in turn. A cell that fails is stored as such, and costs no other cell anything.
 */
final class Driver {
    private final Plan plan;
    private final List<Suite> suites;
    private final Map<String, String> unable;
    private final ResultStore store;
    private final ChildJvm child;
    private final PrintStream progress;
    private final Map<String, List<Double>> secondsByName = new HashMap<>();

    /** A cell in a round. */
    private record Step(Suite suite, Cell cell, int round) {
        /** Cells of the same program and suite take about as long as each other. */
        String kind() {
            return suite.name();
        }
    }

    private record Key(String cell, int round) {}

    /**
     * @param unable the subjects that can't be measured, with the reasons
     * @param child runs programs
     */
    Driver(
            Plan plan,
            List<Suite> suites,
            Map<String, String> unable,
            ResultStore store,
            ChildJvm child,
            PrintStream progress) {
        this.plan = plan;
        this.suites = suites;
        this.unable = unable;
        this.store = store;
        this.child = child;
        this.progress = progress;
        for (CellResult result : store.results()) {
            if (!result.hasFailed()) {
                remember(result.cell(), result.seconds());
            }
        }
    }

    /** Measures, and returns how many cells have failed. */
    int run() throws IOException, InterruptedException {
        List<Step> steps = steps();
        List<Step> missing =
                steps.stream().filter(step -> !store.has(step.cell, step.round)).toList();
        if (missing.size() < steps.size()) {
            progress.printf(
                    Locale.ROOT,
                    "%d of %d cells have been measured before, and are not measured again%n",
                    steps.size() - missing.size(),
                    steps.size());
        }
        int failed = 0;
        for (int i = 0; i < missing.size(); i++) {
            Step step = missing.get(i);
            progress.printf(
                    Locale.ROOT,
                    "[%d/%d] %s: %s, round %d of %d%s%n",
                    i + 1,
                    missing.size(),
                    step.suite.name(),
                    step.cell.id(),
                    step.round,
                    step.suite.rounds(plan),
                    timeLeft(missing.subList(i, missing.size())));
            CellResult result = measure(step);
            store.add(result);
            if (result.hasFailed()) {
                failed++;
                progress.println("  FAILED: " + result.failure());
            } else {
                remember(step.cell.id(), result.seconds());
                remember(step.kind(), result.seconds());
            }
        }
        return failed;
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        Set<Key> seen = new LinkedHashSet<>();
        for (Suite suite : suites) {
            for (int round = 1; round <= suite.rounds(plan); round++) {
                for (Cell cell : suite.cells(plan)) {
                    if (seen.add(new Key(cell.id(), round))) {
                        steps.add(new Step(suite, cell, round));
                    }
                }
            }
        }
        return steps;
    }

    private CellResult measure(Step step) throws InterruptedException {
        if (unable.containsKey(step.cell.subject())) {
            return failure(step, "left out: " + unable.get(step.cell.subject()));
        }
        try {
            return step.suite.measure(step.cell, step.round, child);
        } catch (IOException | RuntimeException e) {
            return failure(step, e.toString());
        }
    }

    private static CellResult failure(Step step, String reason) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return new CellResult(step.cell.id(), step.cell.subject(), step.round, now, 0, List.of(), List.of(), reason);
    }

    // ---- time left

    private void remember(String name, double seconds) {
        secondsByName.computeIfAbsent(name, absent -> new ArrayList<>()).add(seconds);
    }

    private String timeLeft(List<Step> left) {
        double seconds = left.stream().mapToDouble(this::estimate).sum();
        Duration duration = Duration.ofSeconds(Math.round(seconds));
        return duration.toHours() > 0
                ? String.format(Locale.ROOT, ", about %d h %d min left", duration.toHours(), duration.toMinutesPart())
                : String.format(
                        Locale.ROOT, ", about %d min %d s left", duration.toMinutes(), duration.toSecondsPart());
    }

    /** As long as the same cell has taken, or else one of its suite, or else as the suite says. */
    private double estimate(Step step) {
        return List.of(step.cell.id(), step.kind()).stream()
                .filter(secondsByName::containsKey)
                .map(secondsByName::get)
                .findFirst()
                .map(all ->
                        all.stream().mapToDouble(Double::doubleValue).average().orElse(0))
                .orElseGet(() -> (double) step.suite.cellSeconds(plan));
    }
}
