package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadsTest {
    @Test
    void lettersAndNamesAreRunInTheOrderGiven() {
        assertEquals(List.of("A", "C", "B"), names("acb"));
        assertEquals(List.of("A", "B", "E-50", "F", "F"), names("a,b,e-50,FF"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "abx", "e-51", "a b", "e-50/../workloada"})
    void anUnknownWorkloadIsRefused(String list) {
        assertThrows(IllegalArgumentException.class, () -> Workloads.parse(list));
    }

    @Test
    void theProportionsOfEveryWorkloadAddUpToOne() {
        for (Workloads.Named workload : Workloads.parse("abcdef,e-50")) {
            double sum = Stream.of("read", "update", "scan", "insert", "readmodifywrite")
                    .mapToDouble(
                            kind -> Double.parseDouble(workload.properties().getProperty(kind + "proportion", "0")))
                    .sum();
            assertEquals(1, sum, 1e-9, workload.name());
        }
    }

    @Test
    void thePapersScansReadFiftyRecords() {
        Properties properties = Workloads.parse("e-50").get(0).properties();
        assertEquals("50", properties.getProperty("minscanlength"));
        assertEquals("50", properties.getProperty("maxscanlength"));
    }

    private static List<String> names(String list) {
        return Workloads.parse(list).stream().map(Workloads.Named::name).toList();
    }
}
