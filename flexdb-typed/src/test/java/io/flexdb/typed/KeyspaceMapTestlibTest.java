package io.flexdb.typed;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.flexdb.FlexDB;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map.Entry;
import java.util.SortedMap;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the JDK's maps, by Guava's suites for {@code ConcurrentNavigableMap}, with all views. */
class KeyspaceMapTestlibTest {
    @TempDir
    private static Path directory;

    private static FlexDB db;
    private static int made;

    @BeforeAll
    static void open() {
        db = Stores.open(directory.resolve("data"));
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
                        TypedKeyspace<String, String> keyspace =
                                TypedKeyspace.open(db, "map " + made++, KeyCodec.strings(), Codec.strings());
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
                .createTestSuite();
    }

    /** JUnit 3's suites as JUnit 5's dynamic tests. */
    private static Stream<DynamicNode> nodes(TestSuite suite) {
        return Collections.list(suite.tests()).stream().map(KeyspaceMapTestlibTest::node);
    }

    private static DynamicNode node(Test test) {
        if (test instanceof TestSuite suite) {
            return DynamicContainer.dynamicContainer(String.valueOf(suite.getName()), nodes(suite));
        }
        TestCase single = (TestCase) test;
        return DynamicTest.dynamicTest(single.getName(), single::runBare);
    }
}
