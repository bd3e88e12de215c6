package io.flexdb.kafka;

import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;

/**
 * Keeps open what Kafka Streams is about to open again.
 *
 * <p>Problem: when it starts, Kafka Streams 4.4 opens the stores of each task directory that it finds, asks for their
 * offsets, and closes them; a moment later the threads open them once more. After a crash the first opening has replayed
 * the logs, so that its close commits all of that, while everybody waits. Choice: beside the stores, this holds a FlexDB
 * that was opened so, until a store of the same application opens it again, or the application ends, or half a minute has
 * passed: another instance may have got the task. Kafka Streams keeps the lock of such a directory as long.
 *
 * <ul>
 *   <li>D1: what an application has kept open is closed when its {@code KafkaStreams#close} returns.
 *   <li>D2: nobody gets a FlexDB whose directory was deleted meanwhile, or made anew.
 *   <li>D3: a directory that Kafka Streams is going to delete, since a store of it is found corrupted, is not kept open.
 * </ul>
 *
 * <p>Any thread may use it.
 */
final class StartupDatabases {
    /** Longer than an application takes to get its tasks, unless another instance of it was killed. */
    private static final int KEPT_SECONDS = 30;

    private static final String STARTUP = "org.apache.kafka.streams.processor.internals.StateDirectory$StartupContext";
    private static final System.Logger LOG = System.getLogger("io.flexdb.kafka");

    /** Those of this JVM. */
    static final StartupDatabases OF_JVM =
            new StartupDatabases(CompletableFuture.delayedExecutor(KEPT_SECONDS, TimeUnit.SECONDS));

    private final Executor later;
    private final Map<Path, Kept> kept = new HashMap<>(); // guarded by itself
    private final Map<Metrics, Ending> endings = new HashMap<>(); // of applications; guarded by kept

    /** @param file the identity of the FlexDB's lock file, or null if there is none or the system has no identities */
    private record Kept(TaskDatabase database, Metrics application, Object file) {}

    /** @param later runs what it gets when nobody is to wait any longer */
    StartupDatabases(Executor later) {
        this.later = later;
    }

    /** What tells applications of this JVM apart, and ends with one; null outside of any. */
    static Metrics applicationOf(StateStoreContext context) {
        return context.metrics() instanceof StreamsMetricsImpl metrics ? metrics.metricsRegistry() : null;
    }

    /** Whether Kafka Streams opens a store only to ask for its offsets, and is going to open it once more. */
    static boolean isStartup(StateStoreContext context) {
        return context.getClass().getName().equals(STARTUP);
    }

    /** As {@link TaskDatabase#acquire}; gets what is kept, if this is of the same application. */
    TaskDatabase acquire(Path taskDirectory, Map<String, Object> configs, Metrics application) {
        Path path = TaskDatabase.path(taskDirectory);
        Kept found;
        synchronized (kept) {
            found = kept.get(path);
        }
        if (found != null && (found.application != application || !Objects.equals(found.file, identity(path)))) {
            giveUp(path, found); // D2
        }
        TaskDatabase database = TaskDatabase.acquire(taskDirectory, configs);
        if (found != null) {
            giveUp(path, found);
        }
        return database;
    }

    /** Keeps a FlexDB open, which the caller holds. */
    void keep(Path taskDirectory, Map<String, Object> configs, Metrics application) {
        Path path = TaskDatabase.path(taskDirectory);
        Kept added = new Kept(TaskDatabase.acquire(taskDirectory, configs), application, identity(path));
        Ending ending = null;
        boolean isNew;
        synchronized (kept) {
            isNew = kept.putIfAbsent(path, added) == null;
            if (isNew && !endings.containsKey(application)) {
                ending = new Ending(application);
                endings.put(application, ending);
            }
        }
        if (!isNew) {
            release(added); // another store of the task has it kept
            return;
        }
        if (ending != null) {
            application.addReporter(ending);
        }
        later.execute(() -> giveUp(path, added));
    }

    /** Ends the keeping of a FlexDB, if it is kept. */
    void giveUp(Path taskDirectory) {
        Path path = TaskDatabase.path(taskDirectory);
        Kept found;
        synchronized (kept) {
            found = kept.get(path);
        }
        if (found != null) {
            giveUp(path, found);
        }
    }

    private void giveUp(Path path, Kept one) {
        boolean was;
        synchronized (kept) {
            was = kept.remove(path, one);
        }
        if (was) {
            release(one);
        }
    }

    private static void release(Kept one) {
        try {
            one.database.release();
        } catch (StorageException e) { // of which whoever opens it next hears
            LOG.log(System.Logger.Level.DEBUG, "A FlexDB that was kept open was not closed cleanly", e);
        }
    }

    /** What tells a file from one that has its name later; null if there is none. */
    private static Object identity(Path path) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(path.resolve(TaskDatabase.LOCK), BasicFileAttributes.class);
            Object key = attributes.fileKey();
            return key == null ? attributes.creationTime() : key;
        } catch (IOException e) {
            return null;
        }
    }

    /** Gives up all of an application when it ends its metrics, which is the last that it does. */
    private final class Ending implements MetricsReporter {
        private final Metrics application;

        Ending(Metrics application) {
            this.application = application;
        }

        @Override
        public void close() { // D1
            List<Map.Entry<Path, Kept>> all;
            synchronized (kept) {
                endings.remove(application);
                all = kept.entrySet().stream()
                        .filter(each -> each.getValue().application == application)
                        .map(Map.Entry::copyOf)
                        .toList();
            }
            all.forEach(each -> giveUp(each.getKey(), each.getValue()));
        }

        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }
}
