package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Figure 2: the rate of insertions into address spaces by their size. */
final class Figure2 implements Suite {
    @Override
    public String name() {
        return "fig2";
    }

    @Override
    public String title() {
        return "Insertions of 4 KiB at random places, by the size of the file";
    }

    @Override
    public String paper() {
        return "Figure 2";
    }

    @Override
    public String paperSays() {
        return "A plot. insert-range on ext4 ends nearly 1,000 times slower than pwrite; rewriting was stopped at 128 MB.";
    }

    private static List<Long> sizes(Plan plan) {
        return plan.of(
                List.of(1L << 18, 1L << 20),
                List.of(1L << 20, 1L << 24, 1L << 26, 1L << 28),
                List.of(1L << 20, 1L << 24, 1L << 26, 1L << 28, 1L << 30));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 60, 600);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        List<Long> sizes = sizes(plan);
        return 4 * sizes.get(sizes.size() - 1);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        String list = sizes(plan).stream().map(Object::toString).collect(Collectors.joining(","));
        return FileSystemCells.of(plan, "figure2", "figure2", 4096, "--insert-at=" + list);
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (long size : sizes(plan)) {
            double mebibytes = size / 1024.0 / 1024;
            String label = size < 1 << 20 ? (size >> 10) + " KiB" : (size >> 20) + " MiB";
            lines.add(new Panel.Line(label, mebibytes, "insertions at " + size));
        }
        return List.of(new Panel("Insertions a second by MiB in the file", Panel.Shape.LINES, lines));
    }
}
