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
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;

/**
 * Keeps open what Kafka Streams is about to open again.
 *
 * <p>Problem: when it starts, Kafka Streams 4.4 opens the stores of each task directory that it finds, asks for their
 * offsets, and closes them; a moment later the threads open them once more. After a crash the first opening has
 * replayed the logs, so that its close commits all of that, while everybody waits. Choice: beside the stores, this holds
 * a FlexDB that was opened so, until a store of the same application opens it again, or the application ends, or a while
 * has passed: another instance may have got the task. A few are held, and none if memory is short: others are closed and
 * opened again, which takes longer and nothing else.
 *
 * <ul>
 *   <li>D1: what an application has kept open is closed when its {@code KafkaStreams#close} returns.
 *   <li>D2: nobody gets a FlexDB whose directory was deleted meanwhile, or made anew.
 *   <li>D3: no directory is kept open that Kafka Streams deletes, be it since it finds a store of it corrupted, or since
 *       it belongs to a task that is elsewhere.
 * </ul>
 *
 * <p>Any thread may use it.
 */
final class StartupDatabases {
    /** Longer than a group takes to give out tasks, while an instance that was killed still counts (45 s). */
    private static final long KEPT_MILLIS = 60_000;

    /** Each has what was replayed in memory, and descriptors. */
    private static final int MOST_KEPT = 16;

    private static final String STARTUP = "org.apache.kafka.streams.processor.internals.StateDirectory$StartupContext";
    private static final System.Logger LOG = System.getLogger("io.flexdb.kafka");

    /** Those of this JVM. */
    static final StartupDatabases OF_JVM = new StartupDatabases(
            (task, millis) -> CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
                    .execute(task),
            MOST_KEPT);

    private final Later later;
    private final int most;
    private final Map<Path, Kept> kept = new HashMap<>(); // until they are released; guarded by itself
    private final Map<Metrics, Boolean> ended = new WeakHashMap<>(); // of those that tell it; guarded by kept

    /** Runs what it gets after a time. */
    interface Later {
        void run(Runnable task, long millis);
    }

    /** A FlexDB that is held here. */
    private static final class Kept {
        final TaskDatabase database;
        final Metrics application;
        final Object file; // identity of its lock file, or null if there is none or the system has no identities
        private boolean released;

        Kept(TaskDatabase database, Metrics application, Object file) {
            this.database = database;
            this.application = application;
            this.file = file;
        }

        /** Lets it go, or waits until who does that has done it. */
        synchronized void release() {
            if (released) {
                return;
            }
            released = true;
            try {
                database.release();
            } catch (StorageException e) { // of which whoever opens it next hears
                LOG.log(System.Logger.Level.DEBUG, "A FlexDB that was kept open was not closed cleanly", e);
            }
        }
    }

    /** @param most how many are kept open at the same time */
    StartupDatabases(Later later, int most) {
        this.later = later;
        this.most = most;
    }

    /** An object that each application of this JVM has one of, and closes at its end; null outside of any. */
    static Metrics applicationOf(StateStoreContext context) {
        return context.metrics() instanceof StreamsMetricsImpl metrics ? metrics.metricsRegistry() : null;
    }

    /** Whether Kafka Streams opens a store only to ask for its offsets, and is going to open it once more. */
    static boolean isStartup(StateStoreContext context) {
        return context.getClass().getName().equals(STARTUP);
    }

    /** Acquires a FlexDB, the one that is kept if this is of the same application; see {@link TaskDatabase#acquire}. */
    TaskDatabase acquire(Path taskDirectory, Map<String, Object> configs, Metrics application) {
        Path path = TaskDatabase.path(taskDirectory);
        Kept found;
        synchronized (kept) {
            found = kept.get(path);
        }
        if (found != null && (found.application != application || !Objects.equals(found.file, identity(path)))) {
            giveUp(path, found); // D2
        }
        TaskDatabase database;
        try {
            database = TaskDatabase.acquire(taskDirectory, configs);
        } catch (ProcessorStateException e) {
            if (!giveUpAll(null)) {
                throw e;
            }
            database = TaskDatabase.acquire(taskDirectory, configs); // there may have been no memory, or descriptors
        }
        if (found != null) {
            giveUp(path, found);
        }
        return database;
    }

    /** Keeps a FlexDB open, which the caller holds, unless that would be too many. */
    void keep(Path taskDirectory, Map<String, Object> configs, Metrics application) {
        Path path = TaskDatabase.path(taskDirectory);
        Kept added = new Kept(TaskDatabase.acquire(taskDirectory, configs), application, identity(path));
        boolean isNew;
        boolean isFirst;
        synchronized (kept) {
            isFirst = ended.putIfAbsent(application, false) == null;
            isNew = kept.size() < most && !ended.get(application) && kept.putIfAbsent(path, added) == null;
        }
        if (isFirst) {
            application.addReporter(new Ending(application)); // for good: Kafka can't remove one beside its close
        }
        if (!isNew) {
            added.release();
            return;
        }
        later.run(() -> giveUp(path, added), keptMillis(configs));
    }

    /** Ends before Kafka Streams may look for directories of tasks that are elsewhere (D3). */
    private static long keptMillis(Map<String, Object> configs) {
        Object delay = configs.get(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG);
        return delay instanceof Number millis ? Math.min(KEPT_MILLIS, millis.longValue() / 2) : KEPT_MILLIS;
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

    /** Returns when it is released, by whomever. */
    private void giveUp(Path path, Kept one) {
        one.release();
        synchronized (kept) {
            kept.remove(path, one);
        }
    }

    /**
     * Ends the keeping of all.
     *
     * @param application whose; null for all
     * @return whether there were some
     */
    private boolean giveUpAll(Metrics application) {
        List<Map.Entry<Path, Kept>> all;
        synchronized (kept) {
            all = kept.entrySet().stream()
                    .filter(each -> application == null || each.getValue().application == application)
                    .map(Map.Entry::copyOf)
                    .toList();
        }
        all.forEach(each -> giveUp(each.getKey(), each.getValue()));
        return !all.isEmpty();
    }

    /** Tells a file from one that has its name later; null if there is none. */
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
            synchronized (kept) {
                ended.put(application, true);
            }
            giveUpAll(application);
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
