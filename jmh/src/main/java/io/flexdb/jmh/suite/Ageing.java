package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Reads of a store that is updated at random again and again; FlexDB with its defragmentation and without. */
final class Ageing implements KeyValueSuite {
    @Override
    public String name() {
        return "ageing";
    }

    @Override
    public String title() {
        return "Ageing and defragmentation";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 50, 15_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> stores = KeyValueCells.storesOnDisk(plan);
        return KeyValueCells.of(plan, stores, "ageing", KeyValueCells.UDB, "--parts=ageing");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> apart = new ArrayList<>();
        for (String metric : List.of("SCAN 50 uniform", "GET uniform", "aged")) {
            apart.addAll(lines(metric, ", not defragmented"));
        }
        return List.of(
                new Panel("SCAN 50 by percent of the records updated", Panel.Shape.LINES, lines("SCAN 50 uniform", "")),
                new Panel("GET by percent of the records updated", Panel.Shape.LINES, lines("GET uniform", "")),
                new Panel("Bytes on disk for each byte of the pairs", Panel.Shape.TABLE, lines("aged", "")),
                new Panel("FlexDB without defragmentation", Panel.Shape.TABLE, apart));
    }

    private static List<Panel.Line> lines(String metric, String suffix) {
        List<Panel.Line> lines = new ArrayList<>();
        for (int percent = 0; percent <= 200; percent += 50) {
            String updated = percent + " % updated";
            String experiment = "UDB: " + metric + ", " + updated + suffix;
            if (metric.equals("aged")) {
                experiment += ", on disk for each byte";
            }
            String label = suffix.isEmpty() ? updated : metric.replace("aged", "on disk") + ", " + updated;
            lines.add(new Panel.Line(label, percent, experiment));
        }
        return lines;
    }
}
