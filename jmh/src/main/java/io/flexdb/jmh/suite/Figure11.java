package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Figure 11: reads after random writes, by the number of threads. */
final class Figure11 implements Suite {
    @Override
    public String name() {
        return "fig11";
    }

    @Override
    public String title() {
        return "Reads after random writes of 4 KiB, by threads";
    }

    @Override
    public String paper() {
        return "Figure 11";
    }

    @Override
    public String paperSays() {
        return "A plot. With eight threads FlexSpace reaches 0.98 of XFS's sequential cold reads and at least 0.96 of its warm"
                + " reads.";
    }

    private static List<Integer> threads(Plan plan) {
        return plan.of(List.of(1, 2), List.of(1, 2, 4, 8), List.of(1, 2, 4, 8));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 40, 300);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return 3L * FileSystemCells.blocks(plan, 4096) * 4096;
    }

    @Override
    public List<Cell> cells(Plan plan) {
        String list = threads(plan).stream().map(Object::toString).collect(Collectors.joining(","));
        return FileSystemCells.of(plan, "figure11", "figure11", 4096, "--threads=" + list);
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        String suffix = ", threads 8, random write, 4096";
        return List.of(
                new PaperRatio(
                        "sequential cold reads, 8 threads",
                        FileSystemCells.OURS,
                        "xfs",
                        "0.98",
                        List.of("sequential read, cold" + suffix)),
                new PaperRatio(
                        "warm reads, 8 threads",
                        FileSystemCells.OURS,
                        "xfs",
                        "at least 0.96",
                        List.of("sequential read, warm" + suffix, "random read, warm" + suffix)));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (String temperature : List.of("cold", "warm")) {
            for (String order : List.of("sequential", "random")) {
                String reads = order + " read, " + temperature;
                List<Panel.Line> lines = new ArrayList<>();
                for (int count : threads(plan)) {
                    String experiment = reads + ", threads " + count + ", random write, 4096";
                    lines.add(new Panel.Line(count == 1 ? "1 thread" : count + " threads", count, experiment));
                }
                panels.add(new Panel(reads + " by threads", Panel.Shape.LINES, lines));
            }
        }
        return panels;
    }
}
