package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreconditionsTest {
    @TempDir
    Path directory;

    private Preconditions check(List<String> rivals, long memoryBytes, Suite... suites) throws Exception {
        List<String> fileSystems = List.of("ext4:" + directory);
        Plan plan = new Plan(Scale.SMOKE, directory.toString(), rivals, fileSystems, 2, 3, memoryBytes, 1, false);
        return Preconditions.check(plan, List.of(suites), new ChildJvm(directory, directory, Duration.ofMinutes(2)));
    }

    @Test
    void aRivalThatCanNotBeLoadedIsFoundByTryingIt() throws Exception {
        Preconditions found = check(List.of("nothing", "skiplist"), 1 << 28, new Figure12d());
        assertEquals(List.of(), found.fatal());
        assertEquals(Set.of("nothing"), found.unable().keySet(), found.unable().toString());
        assertEquals(1, found.suites().size());
        assertTrue(
                found.said().get(0).startsWith("nothing is left out: it can't be loaded: exit code 2: Invalid value"));
    }

    @Test
    void aSuiteWithoutTheRightsItNeedsIsLeftOut() throws Exception {
        Preconditions found = check(List.of(), 0, new Figure13b(), new Table1Suite());
        assertEquals(List.of("table1"), found.suites().stream().map(Suite::name).toList());
        assertTrue(found.said().get(0).startsWith("fig13b is left out: memory can't be limited here"));
    }

    /** {@code jmh/run.sh} says where they are; nobody does here. */
    @Test
    void aSuiteWhoseProgramIsNotThereIsLeftOut() throws Exception {
        Preconditions found = check(List.of(), 1 << 28, new KafkaSuite(), new Table1Suite());
        assertEquals(List.of("table1"), found.suites().stream().map(Suite::name).toList());
        assertTrue(
                found.said().get(0).startsWith("kafka is left out: Kafka's jars are not there"),
                found.said().toString());
    }

    @Test
    void aClassPathWithFilesThatAreGoneIsTold() {
        String before = System.getProperty(Program.KAFKA_CLASS_PATH);
        try {
            System.setProperty(Program.KAFKA_CLASS_PATH, directory + File.pathSeparator + directory.resolve("no.jar"));
            assertTrue(Program.KAFKA.obstacle().startsWith(directory.resolve("no.jar") + " of Kafka's class path"));
            System.setProperty(Program.KAFKA_CLASS_PATH, directory.toString());
            assertEquals("", Program.KAFKA.obstacle());
        } finally {
            if (before == null) {
                System.clearProperty(Program.KAFKA_CLASS_PATH);
            } else {
                System.setProperty(Program.KAFKA_CLASS_PATH, before);
            }
        }
    }

    /** On any machine with less than a tebibyte of memory. */
    @Test
    void aSuiteThatTakesMoreMemoryOrDiskThanThereIsIsLeftOut() throws Exception {
        Preconditions found = check(List.of(), 1L << 40, new Figure13b());
        assertEquals(List.of("none of the suites can be measured here"), found.fatal());
        assertTrue(
                found.said()
                        .get(0)
                        .startsWith(
                                "fig13b is left out: it takes about 1,048,576 MiB of memory, and this machine has "),
                found.said().toString());
    }
}
