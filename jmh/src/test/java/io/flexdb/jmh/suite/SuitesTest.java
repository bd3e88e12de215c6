package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SuitesTest {
    /** Equal ids share results, so they must ask for the same. */
    @ParameterizedTest
    @EnumSource
    void cellsAreUniqueAndSuitesHavePanels(Scale scale) {
        Plan plan = Plans.of(scale, Path.of("/x"), 1);
        Map<String, Cell> cells = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (Suite suite : Suites.ALL) {
            assertTrue(names.add(suite.name()), suite.name());
            assertFalse(suite.title().isEmpty());
            assertTrue(suite.diskBytes(plan) >= 0, suite.name());
            assertEquals("", suite.obstacle(plan));
            Set<String> ids = new HashSet<>();
            for (Cell cell : suite.cells(plan)) {
                assertTrue(ids.add(cell.id()), cell.id());
                Cell same = cells.putIfAbsent(cell.id(), cell);
                assertEquals(same == null ? cell : same, cell);
            }
            Set<String> titles = new HashSet<>();
            for (Panel panel : suite.panels(plan)) {
                assertTrue(titles.add(panel.title()), panel.title());
                assertFalse(panel.lines().isEmpty(), panel.title());
            }
        }
        assertTrue(names.containsAll(
                List.of("table1", "table2", "table3", "table4", "fig2", "fig11", "fig12f", "fig13b")));
    }
}
