package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.internal.base.KeyspaceSettings;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.base.StoreSettings;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Options are values, and can be taken from the properties of a configuration. */
class FlexDBOptionsTest {
    private static final Set<String> NO_PROPERTIES =
            Set.of("Properties", "Space", "HealthListener", "Clock", "MergeFunction", "Keyspace", "Resources");
    /** Of which a store has settings of its own. */
    private static final Set<String> NOT_OF_THE_SPACE = Set.of("HealthListener", "CacheBytes", "MappedReads");

    private static FlexDBOptions with(Object... namesAndValues) {
        Map<String, Object> properties = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return FlexDBOptions.defaults().withProperties(properties, "flexdb.");
    }

    @Test
    void propertiesAreSettings() {
        FlexDBOptions expected = FlexDBOptions.defaults()
                .withDurability(Durability.SYNC)
                .withMemoryBytes(256 << 20)
                .withMemtableBytes(64 << 10)
                .withSyncInterval(Duration.ofMillis(500))
                .withReads(Reads.POSITIONAL)
                .withRangeFilter(true)
                .withHolderTraces(false)
                .withSpace(FlexDBOptions.defaults()
                        .space()
                        .withMinimumUtilization(0.5)
                        .withSegments(64 << 20, 1 << 20)
                        .withMaxDataBytes(8L << 30));
        Properties properties = new Properties();
        properties.setProperty("flexdb.durability", "sync");
        properties.setProperty("flexdb.memory-bytes", "256m");
        properties.setProperty("flexdb.MEMTABLE_BYTES", " 65536 ");
        properties.setProperty("flexdb.syncInterval", "PT0.5S");
        properties.setProperty("flexdb.reads", "Positional");
        properties.setProperty("flexdb.rangefilter", "TRUE");
        properties.setProperty("flexdb.holderTraces", "false");
        properties.setProperty("flexdb.space.minimum-utilization", "0.5");
        properties.setProperty("flexdb.space.segments", "64M,1M");
        properties.setProperty("flexdb.space.maxDataBytes", "8gb");
        properties.setProperty("other.durability", "none");
        properties.put(7, "no name");
        FlexDBOptions found = FlexDBOptions.defaults().withProperties(properties, "flexdb.");
        assertEquals(expected, found);
        assertEquals(expected.toString(), found.toString());
        assertEquals(
                expected,
                with(
                        "flexdb.durability",
                        Durability.SYNC,
                        "flexdb.memoryBytes",
                        256 << 20,
                        "flexdb.memtableBytes",
                        65536L,
                        "flexdb.syncInterval",
                        Duration.ofMillis(500),
                        "flexdb.reads",
                        Reads.POSITIONAL,
                        "flexdb.rangeFilter",
                        true,
                        "flexdb.space.segments",
                        "64m,1m",
                        "flexdb.space.minimumUtilization",
                        0.5,
                        "flexdb.space.maxDataBytes",
                        8L << 30));
        assertEquals(FlexDBOptions.defaults(), with());
    }

    @Test
    void aPropertyThatCannotBeTakenIsNamed() {
        assertRefused("is no setting", "flexdb.memorybyte", "1g");
        assertRefused("a number of bytes", "flexdb.cacheBytes", "much");
        assertRefused("a number of bytes", "flexdb.cacheBytes", "9999999999g");
        assertRefused("cacheBytes must not be negative: -1", "flexdb.cacheBytes", "-1");
        assertRefused("to 2147483647: 4g", "flexdb.memtableBytes", "4g");
        assertRefused("true or false: yes", "flexdb.rangeFilter", "yes");
        assertRefused("PT0.5S", "flexdb.syncInterval", "500 ms");
        assertRefused("[SYNC, OS, NONE]", "flexdb.durability", "fsync");
        assertRefused("such as 0.7", "flexdb.space.minimumUtilization", "70 %");
        assertRefused("4m,4k", "flexdb.space.segments", "4m");
        assertRefused("value must not be null", "flexdb.durability", null);
    }

    private static void assertRefused(String why, String name, Object value) {
        String message = assertThrows(IllegalArgumentException.class, () -> with(name, value))
                .getMessage();
        assertTrue(message.contains(name) && message.contains(why), message);
    }

    /** A setting that is added later has its property, too. */
    @Test
    void eachSettingHasItsProperty() {
        assertEquals(namesOf(FlexDBOptions.class, NO_PROPERTIES), unknown("", namesOf(FlexDBOptions.class, Set.of())));
        assertEquals(
                namesOf(FlexSpaceOptions.class, NOT_OF_THE_SPACE),
                unknown("space.", namesOf(FlexSpaceOptions.class, Set.of())));
    }

    private static Set<String> namesOf(Class<?> options, Set<String> without) {
        Set<String> names = new TreeSet<>();
        for (Method method : options.getMethods()) {
            if (method.getName().startsWith("with")) {
                names.add(method.getName().substring(4));
            }
        }
        assertTrue(names.containsAll(without), names::toString);
        names.removeAll(without);
        return names;
    }

    /** Those of which a property is not refused as unknown. */
    private static Set<String> unknown(String of, Set<String> names) {
        Set<String> known = new TreeSet<>();
        for (String name : names) {
            String message = assertThrows(
                            IllegalArgumentException.class, () -> with("flexdb." + of + name, "no value at all"))
                    .getMessage();
            if (!message.contains("is no setting")) {
                known.add(name);
            }
        }
        return known;
    }

    @Test
    void optionsThatDifferInOneSettingAreNotEqual() throws IllegalAccessException {
        assertEquals(new StoreSettings(), new StoreSettings());
        assertEquals(new StoreSettings().hashCode(), new StoreSettings().hashCode());
        assertEachCounts(StoreSettings.class, new StoreSettings(), new StoreSettings().copy());
        assertEachCounts(SpaceSettings.class, new SpaceSettings(), new SpaceSettings().copy());
        assertEquals(FlexDBOptions.defaults(), FlexDBOptions.of(new StoreSettings()));
        MergeFunction function = (key, value, operands) -> value;
        assertEquals(
                FlexDBOptions.defaults().withMergeFunction(function),
                FlexDBOptions.defaults().withMergeFunction(function));
        assertNotEquals(FlexDBOptions.defaults(), FlexDBOptions.defaults().withMergeFunction(function));
    }

    private static void assertEachCounts(Class<?> type, Object one, Object other) throws IllegalAccessException {
        for (Field field : type.getFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            assertEquals(one, other);
            Object before = field.get(one);
            field.set(one, another(field.getType(), before));
            assertNotEquals(one, other, field.getName());
            field.set(one, before);
        }
    }

    private static Object another(Class<?> type, Object value) {
        if (type == Map.class) {
            return Map.of("name", new KeyspaceSettings(1, null, null));
        }
        if (type == int.class) {
            return (int) value + 1;
        }
        if (type == long.class) {
            return (long) value + 1;
        }
        if (type == double.class) {
            return (double) value / 2;
        }
        if (type == boolean.class) {
            return !(boolean) value;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[(((Enum<?>) value).ordinal() + 1) % type.getEnumConstants().length];
        }
        if (type == Duration.class) {
            return ((Duration) value).plusMillis(1);
        }
        if (type == StoreResources.class) {
            return new StoreResources(1 << 20, true, 1);
        }
        if (type == FlexSpaceOptions.class) {
            return ((FlexSpaceOptions) value).withSegmentBuffers(17);
        }
        if (value != null) {
            return null;
        }
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            assertEquals("equals", method.getName());
            return proxy == arguments[0];
        });
    }
}
