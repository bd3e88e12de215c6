package io.flexdb.jmh.suite;

import java.util.List;

/** Figure 12b: the bytes that puts into an empty store write; measured with Figure 12a. */
final class Figure12b implements KeyValueSuite {
    @Override
    public String name() {
        return "fig12b";
    }

    @Override
    public String title() {
        return "Write I/O";
    }

    @Override
    public String paper() {
        return "Figure 12b";
    }

    @Override
    public String paperSays() {
        return "A plot. KVell writes up to 8.5 times as much as FlexDB. The paper has no random load.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 20, 18_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return KeyValueCells.largestDiskBytes(plan);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return Figure12a.puts(plan);
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        return List.of(Figure12a.ratio("2.1 to 2.9", ", written for each byte"));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return List.of(
                Figure12a.panel("Bytes written for each byte put, until closed", ", written for each byte"),
                Figure12a.panel("Bytes on disk for each byte of the pairs", ", on disk for each byte"));
    }
}
