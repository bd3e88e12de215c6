package io.flexdb.jmh.suite;

import java.io.IOException;
import java.util.List;

/**
 * One table or figure: the cells that are measured for it, and the panels that show them. A suite has no state; it is
 * added to {@link Suites}.
 */
interface Suite {
    /** The name in arguments, such as {@code fig12a}. */
    String name();

    /** The heading in the report. */
    String title();

    /** The table, figure or paragraph of the paper; empty if the paper has none. */
    default String paper() {
        return "";
    }

    /** A sentence with the paper's numbers, where they stand in its text or plots only; empty if there are none. */
    default String paperSays() {
        return "";
    }

    /** Disk space that the largest cell takes, about, in bytes. */
    long diskBytes(Plan plan);

    /** Memory that a cell takes, page cache included, about, in bytes; 0 if it is little. */
    default long memoryBytes(Plan plan) {
        return 0;
    }

    /** How long a cell takes on two processors, about, in seconds: for what is told before a run. */
    int cellSeconds(Plan plan);

    /**
     * How often each cell is measured. Suites of the paper's figures that take long choose {@link Plan#fewRounds}, and
     * those that it has not, or in which a cell repeats itself, {@link Plan#fewestRounds}.
     */
    default int rounds(Plan plan) {
        return plan.rounds();
    }

    /** The reason why this can't be measured by such a plan; empty if it can. */
    default String obstacle(Plan plan) {
        return "";
    }

    /** The cells of one round, those that are compared behind one another. */
    List<Cell> cells(Plan plan);

    /** Measures a cell in a child JVM. */
    default CellResult measure(Cell cell, int round, ChildJvm child) throws IOException, InterruptedException {
        return cell.program().measure(cell, round, child);
    }

    /** Ratios of ours to a rival from the paper's text; empty if its figures have numbers, or it says nothing. */
    default List<PaperRatio> paperRatios(Plan plan) {
        return List.of();
    }

    /** The tables and charts, in the paper's arrangement. */
    List<Panel> panels(Plan plan);
}
