package io.flexdb.typed;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.MapEntrySetTester;
import io.flexdb.FlexDB;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map.Entry;
import java.util.SortedMap;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the JDK's maps, by Guava's suites for {@code ConcurrentNavigableMap}, with all views. */
class KeyspaceMapTestlibTest {
    @TempDir
    private static Path directory;

    /** More than a test has maps. */
    private static final List<TypedKeyspace<String, String>> KEYSPACES = new ArrayList<>();

    /** Entries don't change, as those of the JDK's skip list. */
    private static final List<Method> WITH_SET_VALUE = Stream.of(MapEntrySetTester.class.getMethods())
            .filter(method ->
                    method.getName().contains("SetValue") && method.getName().startsWith("test"))
            .toList();

    private static FlexDB db;
    private static int made;

    @BeforeAll
    static void open() {
        db = Stores.open(directory.resolve("data"));
        for (int i = 0; i < 8; i++) {
            KEYSPACES.add(TypedKeyspace.open(db, "map " + i, KeyCodec.strings(), Codec.strings()));
        }
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @TestFactory
    Stream<DynamicNode> keepsTheContract() {
        return nodes(suite());
    }

    private static TestSuite suite() {
        return ConcurrentNavigableMapTestSuiteBuilder.using(new TestStringSortedMapGenerator() {
                    @Override
                    protected SortedMap<String, String> create(Entry<String, String>[] entries) {
                        TypedKeyspace<String, String> keyspace = KEYSPACES.get(made++ % KEYSPACES.size());
                        keyspace.deleteAll();
                        for (Entry<String, String> entry : entries) {
                            keyspace.put(entry.getKey(), entry.getValue());
                        }
                        return keyspace.asMap();
                    }
                })
                .named("a keyspace as a map")
                .withFeatures(
                        CollectionSize.ANY,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionFeature.KNOWN_ORDER,
                        MapFeature.GENERAL_PURPOSE)
                .suppressing(WITH_SET_VALUE)
                .createTestSuite();
    }

    /** JUnit 3's suites as JUnit 5's dynamic tests: one for each suite of single tests, of which there are thousands. */
    private static Stream<DynamicNode> nodes(TestSuite suite) {
        List<Test> tests = Collections.list(suite.tests());
        List<Executable> cases = tests.stream()
                .filter(TestCase.class::isInstance)
                .map(test -> (Executable) ((TestCase) test)::runBare)
                .toList();
        Stream<DynamicNode> suites = tests.stream()
                .filter(TestSuite.class::isInstance)
                .map(inner -> DynamicContainer.dynamicContainer(
                        String.valueOf(((TestSuite) inner).getName()), nodes((TestSuite) inner)));
        if (cases.isEmpty()) {
            return suites;
        }
        return Stream.concat(
                suites, Stream.of(DynamicTest.dynamicTest(suite.getName(), () -> Assertions.assertAll(cases))));
    }
}
