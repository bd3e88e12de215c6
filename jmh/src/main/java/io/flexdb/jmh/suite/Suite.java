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
    String paper();

    /** A sentence with the paper's numbers, where they stand in its text or plots only; empty if there are none. */
    default String paperSays() {
        return "";
    }

    /** Disk space that the largest cell takes, about, in bytes. */
    long diskBytes(Plan plan);

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

    /** The tables and charts, in the paper's arrangement. */
    List<Panel> panels(Plan plan);
}
