package io.flexdb.kafka;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.streams.errors.ProcessorStateException;

/**
 * The FlexDB of a task directory, which the task's stores share: each holds it from its opening to its close, and the
 * last one closes it, unless {@link StartupDatabases} hold it, too. Kafka Streams makes each store on its own and tells
 * it only the directory, so the open ones of this JVM are found by their path in a map. Any thread may use it.
 */
final class TaskDatabase {
    /** The directory in that of a task. No class here makes others. */
    static final String DIRECTORY = "flexdb";

    /** A file there, of which each FlexDB has one of its own. */
    static final String LOCK = "LOCK";

    /** Begins the names of Kafka Streams' properties that are options of the FlexDB. */
    static final String PREFIX = "flexdb.";

    private static final String META = "meta";
    private static final ConcurrentMap<Path, TaskDatabase> OPEN = new ConcurrentHashMap<>();

    private final Path path;
    private final FlexDB db;
    private final Keyspace meta;
    private final Durability commitDurability;
    private int holders; // changed within an operation of OPEN

    private TaskDatabase(Path path, FlexDB db, Durability commitDurability) {
        this.path = path;
        this.db = db;
        this.meta = db.createKeyspaceIfAbsent(META);
        this.commitDurability = commitDurability;
    }

    /**
     * The FlexDB of a task directory, opened or made if no store has it open. To be given back by {@link #release}.
     *
     * @param configs the properties of the application; those behind {@link #PREFIX} are options
     * @throws ProcessorStateException if it can't be opened
     * @throws IllegalArgumentException if a property is no option
     */
    static TaskDatabase acquire(Path taskDirectory, Map<String, Object> configs) {
        FlexDBOptions options =
                FlexDBOptions.defaults().withDurability(Durability.SYNC).withProperties(configs, PREFIX);
        Path path = path(taskDirectory);
        return OPEN.compute(path, (key, open) -> {
            TaskDatabase database = open == null ? open(path, options) : open;
            database.holders++;
            return database;
        });
    }

    /** Where the FlexDB of a task directory is. */
    static Path path(Path taskDirectory) {
        return taskDirectory.toAbsolutePath().normalize().resolve(DIRECTORY);
    }

    private static TaskDatabase open(Path path, FlexDBOptions options) {
        FlexDB db = null;
        try {
            Files.createDirectories(path);
            // Nothing is durable that was not asked to be: a commit forces the log, and with it all before.
            db = FlexDB.open(path, options.withDurability(Durability.NONE));
            return new TaskDatabase(path, db, options.durability());
        } catch (IOException | UncheckedIOException | StorageException e) {
            if (db != null) {
                db.close();
            }
            throw new ProcessorStateException(
                    "The FlexDB in " + path + " can't be opened: " + e.getMessage()
                            + ". If it is damaged, delete the task's directory: its stores are then restored from"
                            + " their changelogs",
                    e);
        }
    }

    /** Gives it back. The last one who does closes the FlexDB. */
    void release() {
        RuntimeException[] failure = {null};
        OPEN.computeIfPresent(path, (key, open) -> {
            assert open == this && holders > 0 : path;
            holders--;
            if (holders > 0) {
                return this;
            }
            try {
                db.close();
            } catch (StorageException e) {
                failure[0] = e; // it is closed all the same
            }
            return null;
        });
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    FlexDB db() {
        return db;
    }

    /** The keyspace for all that stores keep beside their data; see {@link StoreMeta}. */
    Keyspace meta() {
        return meta;
    }

    /** The durability of a commit that has returned. */
    Durability commitDurability() {
        return commitDurability;
    }

    /** The names of the keyspaces that begin with something. */
    List<String> keyspaces(String prefix) {
        return db.keyspaces().stream().filter(name -> name.startsWith(prefix)).toList();
    }
}
