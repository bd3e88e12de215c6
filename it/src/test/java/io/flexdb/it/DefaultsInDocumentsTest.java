package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBResources;
import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.internal.open.MemoryBudget;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options, defaults and ranges in the documents for users are those of the code. */
class DefaultsInDocumentsTest {
    private static final String VALUE = "(-?[0-9][0-9.,]*)(?: (KiB|MiB|GiB|TiB|s|day))?";
    private static final Pattern BETWEEN = Pattern.compile(VALUE + " to " + VALUE);
    private static final Pattern AT_LEAST = Pattern.compile("at least " + VALUE);
    private static final Pattern ELSEWHERE = Pattern.compile("`(with\\w+)`\\s+\\(default\\s+([^)]+)\\)");
    private static final List<String> UNITS = List.of("", "KiB", "MiB", "GiB", "TiB");
    private static final FlexDBOptions STORE = FlexDBOptions.defaults();
    private static final FlexSpaceOptions SPACE = FlexSpaceOptions.defaults();

    /** Two options of a space have ranges that are not of one number; each has a test. */
    private static final Set<String> OF_THEIR_OWN = Set.of("withMaxDataBytes", "withSegments");

    private record Row(String defaultValue, String range) {}

    @TempDir
    private Path directory;

    @Test
    void eachOptionHasARow() throws Exception {
        assertEquals(namesOf(FlexDBOptions.class), new TreeSet<>(rowsOfStore().keySet()));
        assertEquals(
                namesOf(FlexSpaceOptions.class), new TreeSet<>(rowsOfSpace().keySet()));
    }

    @Test
    void theDefaultsAreThoseOfTheCode() throws Exception {
        Map<String, String> wrong = new LinkedHashMap<>();
        for (Map.Entry<String, Row> row : rowsOfStore().entrySet()) {
            requireDefault(defaultOf(STORE, row.getKey()), row, wrong);
        }
        for (Map.Entry<String, Row> row : rowsOfSpace().entrySet()) {
            String alone = defaultOf(SPACE, row.getKey());
            String inStore = defaultOf(STORE.space(), row.getKey());
            requireDefault(alone.equals(inStore) ? alone : alone + "; in a store " + inStore, row, wrong);
        }
        assertEquals(Map.of(), wrong);
    }

    @Test
    void theRangesAreThoseOfTheCode() throws Exception {
        for (Map.Entry<String, Row> row : rowsOfStore().entrySet()) {
            requireRange(STORE, row.getKey(), row.getValue().range());
        }
        for (Map.Entry<String, Row> row : rowsOfSpace().entrySet()) {
            if (!OF_THEIR_OWN.contains(row.getKey())) {
                requireRange(SPACE, row.getKey(), row.getValue().range());
            }
        }
    }

    @Test
    void theRangeOfTheSizeCapIsThatOfTheCode() throws Exception {
        assertEquals(
                "32 segments to 1 byte less than 256 TiB",
                rowsOfSpace().get("withMaxDataBytes").range());
        FlexSpaceOptions small = SPACE.withSegments(32 << 10, 1 << 10);
        assertOpens(small.withMaxDataBytes(32L * small.segmentBytes()));
        assertOpens(small.withMaxDataBytes((256L << 40) - 1));
        assertRefusedByOpening(small.withMaxDataBytes(32L * small.segmentBytes() - 1));
        assertRefusedByOpening(small.withMaxDataBytes(256L << 40));
    }

    @Test
    void theRangeOfSegmentsIsThatOfTheCode() throws Exception {
        assertEquals(
                "powers of two; segment: at least 32 frames, at most 64 MiB; frame: at least 512 bytes",
                rowsOfSpace().get("withSegments").range());
        assertDoesNotThrow(() -> SPACE.withSegments(32 * 512, 512));
        assertDoesNotThrow(() -> SPACE.withSegments(64 << 20, 512));
        assertThrows(IllegalArgumentException.class, () -> SPACE.withSegments(32 * 512, 256));
        assertThrows(IllegalArgumentException.class, () -> SPACE.withSegments(16 * 512, 512));
        assertThrows(IllegalArgumentException.class, () -> SPACE.withSegments(128 << 20, 512));
        assertThrows(IllegalArgumentException.class, () -> SPACE.withSegments(48 << 20, 512));
        assertThrows(IllegalArgumentException.class, () -> SPACE.withSegments(48 << 20, 768));
    }

    @Test
    void theSizesThatAreDerivedAreThoseOfTheCode() throws Exception {
        Map<String, Row> rows = rowsOfStore();
        MemoryBudget most = budget(8L << 30);
        assertEquals(
                "derived: at most " + bytes(most.totalBytes()),
                rows.get("withMemoryBytes").defaultValue());
        assertEquals(
                "derived: at most " + bytes(most.memtables().bytes()),
                rows.get("withMemtableBytes").defaultValue());
        assertEquals(
                "derived: size of the cache", rows.get("withMaxPinnedBytes").defaultValue());
        assertEquals(most.cacheBytes(), most.memtables().maxPinnedBytes());
        Pattern row = Pattern.compile("(?m)^\\| ([0-9]+ [MG]iB)( and more)? \\|(.+) \\|$");
        List<MatchResult> found = row.matcher(tuning()).results().toList();
        assertTrue(found.size() >= 5, () -> "rows by heap: " + found.size());
        for (MatchResult heap : found) {
            long heapBytes = (long) number(heap.group(1));
            MemoryBudget budget = budget(heapBytes);
            MemoryBudget.Memtables memtables = budget.memtables();
            MemoryBudget.Buffers buffers = budget.buffers();
            String expected = " " + bytes(budget.totalBytes()) + " | " + bytes(budget.cacheBytes()) + " | "
                    + memtables.count() + " × " + mebibytes(MemTable.tableBytes(memtables.bytes())) + " | "
                    + buffers.segments() + " × " + bytes(buffers.segmentBytes() / buffers.segments());
            assertEquals(expected, heap.group(3), heap.group(1));
            if (heap.group(2) != null) {
                assertEquals(budget, budget(8 * heapBytes), heap.group());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"faq.md", "operations.md", "backup.md", "files.md", "../README.md", "tuning.md"})
    void theDefaultsThatOtherPagesTellAreThoseOfTheTables(String document) throws Exception {
        Map<String, Row> rows = new LinkedHashMap<>(rowsOfSpace());
        rows.putAll(rowsOfStore());
        String text = Sources.document(document);
        for (MatchResult told : ELSEWHERE.matcher(text).results().toList()) {
            Row row = rows.get(told.group(1));
            assertTrue(row != null, () -> "no option: " + told.group());
            assertTrue(
                    row.defaultValue().matches("(.*[^0-9.])?" + Pattern.quote(told.group(2))),
                    () -> told.group() + ", but the table has " + row.defaultValue());
        }
    }

    @Test
    void theQuestionsTellDefaultsThatAreCompared() throws Exception {
        Set<String> told = ELSEWHERE
                .matcher(Sources.document("faq.md"))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        assertTrue(told.containsAll(Set.of("withMemtableBytes", "withMinimumUtilization")), () -> "told: " + told);
    }

    private static MemoryBudget budget(long heapBytes) {
        return MemoryBudget.of(new StoreSettings(), new JvmMemory(heapBytes, heapBytes, 1L << 40));
    }

    private void assertOpens(FlexSpaceOptions options) {
        FlexSpace.open(directory.resolve("space"), options).close();
    }

    private void assertRefusedByOpening(FlexSpaceOptions options) {
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexSpace.open(directory.resolve("space"), options).close());
    }

    private static Map<String, Row> rowsOfStore() throws IOException {
        return rows(tuning().split("\n`FlexSpaceOptions`", 2)[0]);
    }

    private static Map<String, Row> rowsOfSpace() throws IOException {
        return rows(tuning().split("\n`FlexSpaceOptions`", 2)[1]);
    }

    private static String tuning() throws IOException {
        return Sources.document("tuning.md");
    }

    private static Map<String, Row> rows(String text) {
        Map<String, Row> rows = new LinkedHashMap<>();
        text.lines().filter(line -> line.startsWith("| `with")).forEach(line -> {
            List<String> cells =
                    Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
            if (cells.size() == 6) { // those of the tables of options, with what is before and behind the bars
                Row before = rows.put(cells.get(1).replace("`", ""), new Row(cells.get(2), cells.get(3)));
                assertEquals(null, before, () -> "twice: " + line);
            }
        });
        return rows;
    }

    private static Set<String> namesOf(Class<?> options) {
        return Arrays.stream(options.getMethods())
                .filter(method -> method.getReturnType() == options && !Modifier.isStatic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !name.equals("withProperties"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void requireDefault(String expected, Map.Entry<String, Row> row, Map<String, String> wrong) {
        String told = row.getValue().defaultValue();
        boolean right = expected.endsWith(":") ? told.startsWith(expected) : told.equals(expected);
        if (!right) {
            wrong.put(row.getKey(), "told: " + told + ", but it is: " + expected);
        }
    }

    /** A default as the tables have it; a text that ends with a colon is the beginning of it. */
    private static String defaultOf(Object options, String option) throws Exception {
        return switch (option) {
            case "withSegments" -> valueOf(options, "segmentBytes") + ", " + valueOf(options, "frameBytes");
            case "withSpace" -> "see below";
            case "withKeyspace" -> valueOf(options, "keyspaces");
            default -> valueOf(options, getter(option));
        };
    }

    private static String getter(String option) {
        return Character.toLowerCase(option.charAt("with".length())) + option.substring("with".length() + 1);
    }

    private static String valueOf(Object options, String getter) throws Exception {
        Object value = options.getClass().getMethod(getter).invoke(options);
        if (value == null || value.equals(Long.MAX_VALUE) || value.equals(Map.of())) {
            return "none";
        } else if (value instanceof Enum<?> constant) {
            return "`" + constant.name() + "`";
        } else if (value instanceof Boolean flag) {
            return flag ? "on" : "off";
        } else if (value instanceof Duration time) {
            return time.toSeconds() + " s";
        } else if (value.equals(FlexDBResources.shared())) {
            return "shared:";
        } else if (value.equals(InstantSource.system())) {
            return "the system's";
        } else if (value instanceof Double) {
            return value.toString();
        }
        long number = ((Number) value).longValue();
        return number == FlexDBOptions.DERIVED ? "derived:" : bytes(number);
    }

    private static String bytes(long number) {
        int unit = 0;
        while (number != 0 && number % 1024 == 0) {
            number /= 1024;
            unit++;
        }
        return unit == 0 ? Long.toString(number) : number + " " + UNITS.get(unit);
    }

    private static String mebibytes(long bytes) {
        double number = bytes / (double) (1 << 20);
        return (number == (long) number ? Long.toString((long) number) : Double.toString(number)) + " MiB";
    }

    private static void requireRange(Object options, String option, String range) throws Exception {
        Method method = Arrays.stream(options.getClass().getMethods())
                .filter(each -> each.getName().equals(option))
                .findFirst()
                .orElseThrow();
        Class<?> type = method.getParameterTypes()[0];
        if (type == boolean.class) {
            assertEquals("on, off", range, option);
        } else if (type.isEnum()) {
            List<String> constants = new ArrayList<>();
            for (Object constant : type.getEnumConstants()) {
                constants.add("`" + ((Enum<?>) constant).name() + "`");
            }
            assertEquals(Set.copyOf(constants), Set.of(range.split(", ")), option);
        } else if (type.isPrimitive() || type == Duration.class) {
            Matcher between = BETWEEN.matcher(range);
            Matcher atLeast = AT_LEAST.matcher(range);
            assertTrue(between.matches() || atLeast.matches(), () -> option + " has no range: " + range);
            double step = type == double.class ? 0.001 : 1;
            double least = between.matches() ? number(between.group(1), between.group(2)) : number(range.substring(9));
            assertAccepts(true, options, method, least);
            assertAccepts(false, options, method, least - step);
            if (between.matches()) {
                double most = number(between.group(3), between.group(4));
                assertAccepts(true, options, method, most);
                assertAccepts(false, options, method, most + step);
            } else {
                assertAccepts(true, options, method, type == long.class ? Long.MAX_VALUE : Integer.MAX_VALUE);
            }
        } else {
            assertEquals("", range, option);
        }
    }

    private static void assertAccepts(boolean accepts, Object options, Method option, double value) throws Exception {
        Class<?> type = option.getParameterTypes()[0];
        Object argument = type == Duration.class
                ? Duration.ofSeconds((long) value)
                : type == double.class ? value : type == int.class ? (Object) (int) value : (Object) (long) value;
        String call = option.getName() + "(" + argument + ")";
        try {
            option.invoke(options, argument);
            assertTrue(accepts, () -> call + " is taken");
        } catch (InvocationTargetException e) {
            assertTrue(e.getCause() instanceof IllegalArgumentException, e::toString);
            assertTrue(!accepts, () -> call + " is refused");
        }
    }

    private static double number(String text) {
        Matcher matcher = Pattern.compile(VALUE).matcher(text);
        assertTrue(matcher.matches(), () -> "no number: " + text);
        return number(matcher.group(1), matcher.group(2));
    }

    /** A number in bytes, seconds or units of its own. */
    private static double number(String digits, String unit) {
        double number = Double.parseDouble(digits.replace(",", ""));
        if (unit == null || unit.equals("s")) {
            return number;
        }
        return unit.equals("day") ? number * 24 * 60 * 60 : number * (1L << 10 * UNITS.indexOf(unit));
    }
}
