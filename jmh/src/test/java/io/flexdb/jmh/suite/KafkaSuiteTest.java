package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaSuiteTest {
    @TempDir
    Path directory;

    private final Suite suite = new KafkaSuite();

    @Test
    void itIsOneOfAllAndHasACellForEachStoreThatKafkaStreamsHas() {
        assertTrue(Suites.ALL.stream().anyMatch(each -> each.name().equals("kafka")));
        Plan plan = Plans.of(Scale.LAPTOP, directory, 3);
        assertEquals(
                List.of("kafka flexdb", "kafka rocksdb"),
                suite.cells(plan).stream().map(Cell::id).toList());
        Plan alone = new Plan(Scale.SMOKE, "/x", List.of("lmdb"), List.of("ext4:/x"), 2, 3, 0, 1, false);
        assertEquals(
                List.of("FlexDB"),
                suite.cells(alone).stream().map(Cell::subject).toList());
    }

    /** As the program wants it: a figure is of records that are all committed. */
    @ParameterizedTest
    @EnumSource
    void recordsAreMultiplesOfThoseOfACommit(Scale scale) {
        for (Cell cell : suite.cells(Plans.of(scale, directory, 3))) {
            assertEquals(0, number(cell, "records") % (4 * number(cell, "commit")), cell.toString());
            assertEquals(0, number(cell, "task-records") % (number(cell, "tasks") * number(cell, "task-commit")));
            assertEquals(scale == Scale.SMOKE ? 12 : 60, number(cell, "tasks"));
            assertEquals(scale == Scale.SMOKE, cell.arguments().contains("--quick"));
        }
    }

    private static long number(Cell cell, String name) {
        return cell.arguments().stream()
                .filter(each -> each.startsWith("--" + name + "="))
                .mapToLong(each -> Long.parseLong(each.substring(name.length() + 3)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tablesHaveALineForEachFigure() throws IOException {
        Plan plan = Plans.of(Scale.SMOKE, directory, 1);
        ResultStore results = ResultStore.create(directory, Plans.header(plan));
        for (Cell cell : suite.cells(plan)) {
            results.add(result(cell, cell.subject().equals("FlexDB") ? 1 : 2));
        }
        new Report(results, List.of(suite)).write(directory);
        String summary = Files.readString(directory.resolve("summary.md"));
        String expected = """
                ## kafka: State stores of Kafka Streams

                Rounds: 1.

                ### The latest value of each key, 16,000 records

                | - | unit | FlexDB | to the best rival | RocksDB |
                | --- | ---: | ---: | ---: | ---: |
                | updates, at least once | thousand/s | 50.0 | ▼ 0.500 | 100 |
                | processor for each update, at least once | µs | 10.0 | ▲ 2.00 | 20.0 |
                | written for each byte, at least once | B | 3.00 | ▲ 2.00 | 6.00 |
                | updates, exactly once | thousand/s | 40.0 | ▼ 0.500 | 80.0 |

                ### Restoration after a kill with 2,000 uncommitted records, and with no files

                | - | unit | FlexDB | to the best rival | RocksDB |
                | --- | ---: | ---: | ---: | ---: |
                | restored after a kill, at least once | records | 2000 | ▲ 2.00 | 4000 |
                | running after a kill, at least once | ms | 300 | ▲ 2.00 | 600 |
                | restored after a kill, exactly once | records | 0.00 | - | 0.00 |
                | running from nothing, exactly once | ms | 700 | ▲ 2.00 | 1400 |

                ### An application with 12 tasks

                | - | unit | FlexDB | to the best rival | RocksDB |
                | --- | ---: | ---: | ---: | ---: |
                | resident memory | MiB | 200 | ▲ 2.00 | 400 |
                | open files | files | 500 | ▲ 2.00 | 1000 |
                """;
        assertTrue(summary.endsWith(expected), summary);
        assertFalse(summary.contains("FAILED"), summary);
    }

    private static CellResult result(Cell cell, int times) {
        List<Figure> figures = new ArrayList<>();
        for (Map.Entry<String, Double> each : Map.of(
                        "at least once: updates;thousand/s", 50.0,
                        "at least once: processor for each update;µs", 10.0,
                        "at least once: written for each byte;B", 3.0,
                        "exactly once: updates;thousand/s", 40.0,
                        "at least once: restored after a kill;records", 2000.0,
                        "at least once: running after a kill;ms", 300.0,
                        "exactly once: restored after a kill;records", 0.0,
                        "exactly once: running from nothing;ms", 700.0,
                        "tasks: resident memory;MiB", 200.0,
                        "tasks: open files;files", 500.0)
                .entrySet()) {
            String[] parts = each.getKey().split(";");
            figures.add(new Figure(parts[0], cell.subject(), each.getValue() * times, parts[1]));
        }
        return new CellResult(cell.id(), cell.subject(), 1, "2026-01-02T03:04:05Z", 1, figures, List.of(), "");
    }
}
