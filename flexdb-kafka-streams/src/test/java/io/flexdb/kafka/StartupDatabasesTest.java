package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.storage.StoreClosedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class StartupDatabasesTest {
    private static final Map<String, Object> NONE = Map.of();
    private static final byte[] KEY = {1};
    private static final byte[] VALUE = {2};

    @TempDir
    Path directory;

    private final List<Runnable> later = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();
    private final StartupDatabases databases = new StartupDatabases(
            (task, millis) -> {
                later.add(task);
                times.add(millis);
            },
            2);
    private final Metrics application = new Metrics();

    @AfterEach
    void end() {
        application.close();
    }

    /** As Kafka Streams does when it starts. */
    private FlexDB openAndClose() {
        return openAndClose(directory);
    }

    private FlexDB openAndClose(Path ofTask) {
        TaskDatabase opened = databases.acquire(ofTask, NONE, application);
        opened.meta().put(KEY, VALUE);
        databases.keep(ofTask, NONE, application);
        opened.release();
        return opened.db();
    }

    private static boolean isOpen(FlexDB db) {
        try {
            db.stats();
            return true;
        } catch (StoreClosedException e) {
            return false;
        }
    }

    @Test
    void theNextStoreGetsTheFlexDBThatWasOpenedAtTheStart() {
        FlexDB first = openAndClose();
        assertTrue(isOpen(first));
        TaskDatabase again = databases.acquire(directory, NONE, application);
        assertSame(first, again.db());
        again.release();
        assertFalse(isOpen(first), "nobody but the stores had it");
    }

    @Test
    void eachIsKeptForATimeOfItsOwn() {
        openAndClose(directory.resolve("one"));
        openAndClose(directory.resolve("other"));
        later.get(0).run();
        FlexDB again = openAndClose(directory.resolve("one"));
        later.get(0).run();
        assertTrue(isOpen(again), "that one was kept before");
        later.forEach(Runnable::run);
        assertFalse(isOpen(again));
        assertEquals(1, application.reporters().size(), "one for all");
    }

    @Test
    void allAreGivenUpForOneThatCanNotBeOpened() throws IOException {
        FlexDB first = openAndClose(directory.resolve("one"));
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.createFile(TaskDatabase.path(other));
        assertThrows(ProcessorStateException.class, () -> databases.acquire(other, NONE, application));
        assertFalse(isOpen(first), "it may have had what was missing");
    }

    @Test
    void noneIsKeptOfAnApplicationThatHasEnded() {
        openAndClose();
        application.close();
        assertFalse(isOpen(openAndClose()));
    }

    @Test
    void noneIsKeptUntilKafkaStreamsMayDeleteItsDirectory() {
        openAndClose();
        Map<String, Object> configs = Map.of(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG, 3000L);
        Path other = directory.resolve("other");
        TaskDatabase opened = databases.acquire(other, configs, application);
        databases.keep(other, configs, application);
        opened.release();
        assertEquals(List.of(60_000L, 1500L), times);
    }

    @Test
    void storesOfATaskKeepItTogether() {
        TaskDatabase one = databases.acquire(directory, NONE, application);
        databases.keep(directory, NONE, application);
        TaskDatabase other = databases.acquire(directory, NONE, application);
        databases.keep(directory, NONE, application);
        one.release();
        other.release();
        TaskDatabase again = databases.acquire(directory, NONE, application);
        assertSame(one.db(), again.db());
        assertSame(other.db(), again.db());
        again.release();
        assertFalse(isOpen(again.db()));
    }

    @Test
    void itIsClosedWhenTheApplicationEnds() {
        FlexDB first = openAndClose();
        application.close();
        assertFalse(isOpen(first));
        try (FlexDB db = FlexDB.open(TaskDatabase.path(directory))) {
            assertArrayEquals(VALUE, db.keyspace("meta").get(KEY));
        }
    }

    @Test
    void itIsClosedWhenNobodyOpensIt() {
        FlexDB first = openAndClose();
        assertEquals(1, later.size());
        later.get(0).run();
        assertFalse(isOpen(first));
    }

    @Test
    void onlySoManyAreKept() {
        List<FlexDB> all = new ArrayList<>();
        for (int task = 0; task < 3; task++) {
            all.add(openAndClose(directory.resolve("task-" + task)));
        }
        assertEquals(
                List.of(true, true, false),
                all.stream().map(StartupDatabasesTest::isOpen).toList());
    }

    @Test
    void whoGivesItUpHasItClosedWithTheLastStore() {
        TaskDatabase opened = databases.acquire(directory, NONE, application);
        databases.keep(directory, NONE, application);
        databases.giveUp(directory);
        assertTrue(isOpen(opened.db()));
        opened.release();
        assertFalse(isOpen(opened.db()));
    }

    @Test
    void anotherApplicationGetsOneOfItsOwn() {
        FlexDB first = openAndClose();
        try (Metrics another = new Metrics()) {
            TaskDatabase opened = databases.acquire(directory, NONE, another);
            assertNotSame(first, opened.db());
            assertFalse(isOpen(first));
            assertArrayEquals(VALUE, opened.meta().get(KEY));
            opened.release();
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS) // where files that are open can't be moved
    void ofADirectoryThatIsGoneNothingComesBack() throws IOException {
        FlexDB first = openAndClose();
        // To delete it file by file would race with the FlexDB, which deletes and makes some, too.
        Files.move(TaskDatabase.path(directory), directory.resolve("elsewhere"));
        TaskDatabase opened = databases.acquire(directory, NONE, application);
        assertNotSame(first, opened.db());
        assertFalse(isOpen(first));
        assertNull(opened.meta().get(KEY));
        opened.release();
    }
}
