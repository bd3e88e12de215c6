package io.flexdb.kafka;

import io.flexdb.Durability;
import io.flexdb.FlexDBStats;
import io.flexdb.Keyspace;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.storage.SnapshotTooOldException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.ChangelogRecordDeserializationHelper;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.state.internals.StoreQueryUtils;

/**
 * The state that all kinds of stores have: their place in the {@link TaskDatabase}, their layers, offsets, position and
 * open iterators.
 *
 * <p>Problem: after a crash a store should restore nothing that was committed, and with exactly-once it must not hold what
 * never was. Kafka Streams tells a store of each commit unless it runs with exactly-once and without {@code
 * enable.transactional.statestores}. Choice: with transactional stores, writes stay in memory until the commit, which
 * writes them with the offset, all or nothing: in a batch, or if they are many in a transaction, which goes to the data
 * file as it comes. Kafka Streams bounds that memory by {@code statestore.uncommitted.max.bytes}.
 * Otherwise a write goes to the FlexDB at once, into a log that nobody forces, and a commit adds the offset to the same
 * log and forces it. Cost: with exactly-once and without transactional stores, a store that was not closed is restored
 * whole, as those of the built-in engine are.
 *
 * <p>Problem: a store that has nothing is restored from a changelog whose records come in any order, and many times for a
 * key. Choice: restored records are collected in memory, where they are sorted and of many for a key the last remains.
 * Those behind all that the keyspace has in their range are loaded in bulk, which writes each byte once: these are the
 * first ones of the store and of each segment of time, and all whose keys grow. The others are written as one batch: to
 * load them would be to read what lies among them, which for keys in any order is all of the store, each time, while a
 * batch waits in the memtable for more and is then put in its places. Cost: after a kill, what was in memory is restored
 * again. To restore a record twice gives the same.
 *
 * <ul>
 *   <li>S1: the log has no offset before all writes up to it.
 *   <li>S2: a buffered store's log has no write that was not committed, or restored from a changelog.
 *   <li>S3: a store that is not buffered is marked as ahead of its offset, in the log before its first write, until it
 *       is closed with everything committed. With exactly-once, a store with the mark calls its task corrupted.
 *   <li>S4: an offset of restored records is in the log behind those that are loaded in bulk, which is durable, and in one
 *       batch with all others.
 *   <li>S5: no uncommitted write is in memory above a restored record: the first write has what was restored written.
 *   <li>S6: a commit of a buffered store is one batch, or one transaction.
 * </ul>
 *
 * <p>One thread at a time writes, commits and closes. Any thread reads.
 */
final class StoreState {
    /** Stands for the committed offset of a store that has none, in Kafka Streams. */
    private static final long OFFSET_UNKNOWN = -4;

    /** More is written in a transaction: a batch would be in memory once more as a whole. */
    private static final int MAX_BATCH_BYTES = 16 << 20;

    private static final WriteOptions UNFORCED = WriteOptions.durability(Durability.NONE);

    /** Applies a record of the changelog by {@link StoreState#stage}. */
    interface Restorer {
        void restore(ConsumerRecord<byte[], byte[]> changelogRecord);
    }

    private final String name;
    private final StoreFormat format;
    private final LongSupplier firstLiveLayer;
    private final Map<Long, Layer> layers = new ConcurrentHashMap<>();
    private final Set<AutoCloseable> iterators = ConcurrentHashMap.newKeySet();

    private volatile Position position = Position.emptyPosition(); // of all writes; what is in it, guarded by itself
    private volatile Position committedPosition = Position.emptyPosition(); // what is in it, guarded by itself
    private StateStoreContext context;
    private volatile TaskDatabase database;
    private StoreMeta meta;
    private boolean exactlyOnce;
    private boolean buffered; // writes wait in memory for the commit
    private boolean consistency;
    private boolean written; // since the last commit
    private boolean cleared; // offsets were removed: the store may hold anything
    private final RestoredRecords restored = new RestoredRecords();
    private boolean restoring; // a record is being restored
    private boolean torn; // one was restored in part, and is in memory so
    private volatile long streamTime = -1; // written by the thread that writes
    private Map<TopicPartition, Long> lastCommit; // its offsets, or null
    private volatile boolean open;

    /** @param firstLiveLayer gives the number of the first layer that is not expired */
    StoreState(String name, StoreFormat format, LongSupplier firstLiveLayer) {
        this.name = name;
        this.format = format;
        this.firstLiveLayer = firstLiveLayer;
    }

    String name() {
        return name;
    }

    // ---- opening and closing

    /**
     * Opens the store and registers it.
     *
     * @throws ProcessorStateException if the directory has a store of this name by another engine, or the FlexDB one
     *     of another kind, or can't be opened
     */
    void init(StateStoreContext storeContext, StateStore root, Restorer restorer) {
        Path directory = storeContext.stateDir().toPath();
        refuseOtherEngine(directory);
        Map<String, Object> configs = storeContext.appConfigs();
        context = storeContext;
        // A global store reads only what was committed, so none of it can be wrong.
        exactlyOnce = storeContext.taskId().partition() >= 0
                && String.valueOf(configs.get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG))
                        .equals(StreamsConfig.EXACTLY_ONCE_V2);
        // Before 4.4 there is no such property, and no commit while a task runs with exactly-once.
        buffered = QueryIsolation.isKnown() && isTrue(configs.get("enable.transactional.statestores"));
        consistency = isTrue(configs.get("__iq.consistency.offset.vector.enabled__"));
        Metrics application = StartupDatabases.applicationOf(storeContext);
        database = StartupDatabases.OF_JVM.acquire(directory, configs, application);
        boolean opened = false;
        try {
            load();
            boolean mayBeCorrupted = exactlyOnce && !buffered; // be it another store of the task
            if (StartupDatabases.isStartup(storeContext) && application != null && !mayBeCorrupted) { // D3
                StartupDatabases.OF_JVM.keep(directory, configs, application);
            }
            open = true;
            opened = true;
        } catch (StorageException e) {
            throw failed("open", e);
        } finally {
            if (!opened) {
                StartupDatabases.OF_JVM.giveUp(directory);
                giveBack();
            }
        }
        RecordBatchingStateRestoreCallback callback = records -> restore(records, restorer);
        storeContext.register(root, callback);
        StoreMetrics.register(storeContext, format.kind().metricsScope(), name, this::entriesIfOpen, this::statsIfOpen);
    }

    private static boolean isTrue(Object property) {
        return property != null && Boolean.parseBoolean(property.toString());
    }

    private void refuseOtherEngine(Path directory) {
        for (Path other : List.of(directory.resolve("rocksdb").resolve(name), directory.resolve(name))) {
            if (Files.isDirectory(other) && !other.endsWith(TaskDatabase.DIRECTORY)) {
                StartupDatabases.OF_JVM.giveUp(directory); // which may be deleted
                throw new ProcessorStateException("The store " + name + " is to be kept in FlexDB, but there is one of"
                        + " another engine in " + other + ". Nothing was changed. To have FlexDB restore it from its"
                        + " changelog, stop the application and call KafkaStreams#cleanUp, or delete the directory "
                        + directory + "; to go on with the old one, configure its supplier again");
            }
        }
    }

    private void load() {
        // A task that failed opens the stores again that it had.
        layers.clear();
        lastCommit = null;
        written = false;
        cleared = false;
        torn = false;
        meta = new StoreMeta(name, database.meta());
        String prefix = keyspaceName("");
        for (String keyspace : database.keyspaces(prefix)) {
            long segment = Long.parseLong(keyspace.substring(prefix.length()));
            layers.put(segment, new Layer(database.db().keyspace(keyspace)));
        }
        loadFormat();
        markAhead();
        position = meta.position();
        committedPosition = position.copy();
        streamTime = meta.time();
    }

    private void loadFormat() {
        String stored = meta.format();
        if (stored == null) {
            meta.addFormat((key, value) -> database.meta().put(key, value, UNFORCED), format);
        } else if (!stored.equals(format.toString())) {
            upgrade(format.upgradeFrom(stored)
                    .orElseThrow(() -> new ProcessorStateException("The store " + name + " was written as " + stored
                            + " and can't be opened as " + format
                            + ". Nothing was changed. To restore it from its changelog in the new form, stop the"
                            + " application and call KafkaStreams#cleanUp")));
        }
    }

    /** Writes all values anew, in one transaction with the format: a crash leaves all of the old or all of the new. */
    private void upgrade(UnaryOperator<byte[]> converter) {
        try (Transaction transaction = database.db().begin()) {
            for (Layer layer : layers.values()) {
                Transaction here = transaction.in(layer.keyspace());
                layer.keyspace().forEach((key, value) -> here.put(key, converter.apply(value)));
            }
            meta.addFormat(into(transaction, database.meta()), format);
            transaction.commit(Durability.SYNC);
        }
    }

    /** Keeps S3. */
    private void markAhead() {
        boolean ahead = meta.isAhead();
        if (ahead && exactlyOnce) {
            throw new TaskCorruptedException(
                    Set.of(context.taskId()),
                    new ProcessorStateException(
                            "The store " + name + " was not closed, so it may hold what was never committed"));
        }
        if (!ahead && !buffered) {
            meta.markAhead(); // the log has it before what follows
        }
    }

    /** Ends all iterators, drops uncommitted writes and keeps restored ones. Does nothing if the store is closed. */
    void close() {
        if (!open) {
            return;
        }
        open = false;
        try {
            closeIterators();
            if (!torn && !restored.isEmpty()) {
                flush(restored.offsets(), Durability.NONE);
            }
            if (!buffered && !written && !cleared) {
                meta.clearAhead();
            }
        } catch (StorageException | IllegalArgumentException e) {
            throw failed("close", e);
        } finally {
            layers.clear();
            restored.clear();
            giveBack();
        }
    }

    private void giveBack() {
        TaskDatabase held = database;
        database = null;
        try {
            held.release();
        } catch (StorageException e) {
            throw failed("close", e);
        }
    }

    private void closeIterators() {
        for (AutoCloseable iterator : new ArrayList<>(iterators)) {
            try {
                iterator.close();
            } catch (Exception e) {
                throw new ProcessorStateException("An iterator of the store " + name + " can't be closed", e);
            }
        }
    }

    boolean isOpen() {
        return open;
    }

    void checkOpen() {
        if (!open) {
            throw new InvalidStateStoreException("The store " + name + " is closed");
        }
    }

    // ---- layers

    private String keyspaceName(Object segment) {
        return "data/" + name + "/" + segment;
    }

    /** The layer of a number, made if there is none. Only the writing thread makes some. */
    Layer layer(long number) {
        Layer layer = layers.get(number);
        if (layer == null) {
            layer = new Layer(database.db().createKeyspaceIfAbsent(keyspaceName(number)));
            layers.put(number, layer);
        }
        return layer;
    }

    /** The layer of a number, or null. */
    Layer layerIfAny(long number) {
        return layers.get(number);
    }

    /** The numbers of all layers from one to another, both inclusive, in order. */
    List<Long> layerNumbers(long from, long to) {
        return layers.keySet().stream()
                .filter(number -> number >= from && number <= to)
                .sorted()
                .toList();
    }

    /** Drops all layers below a number, at the price of one small write each. */
    private void dropLayersBelow(long number) {
        for (long old : layerNumbers(Long.MIN_VALUE, Long.MAX_VALUE)) {
            if (old < number) {
                layers.remove(old);
                database.db().dropKeyspace(keyspaceName(old));
            }
        }
    }

    /** The highest time that was seen, or -1. Committed with the writes. */
    long streamTime() {
        return streamTime;
    }

    void observe(long time) {
        if (time > streamTime) {
            streamTime = time;
        }
    }

    // ---- writes

    /** To be called before anything else of a write, so that S5 holds. */
    void beginWrite() {
        checkOpen();
        requireWhole();
        if (!restored.isEmpty()) {
            run("restore", () -> {
                flush(restored.offsets(), Durability.NONE);
                return null;
            });
        }
    }

    /** Writes a pair, or deletes a key if the value is null. */
    void put(Layer layer, byte[] key, byte[] value) {
        run("write to", () -> {
            synchronized (position) {
                stage(layer, key, value);
                StoreQueryUtils.updatePosition(position, context);
            }
            return null;
        });
    }

    /** Writes a pair without a look at where the record in process comes from. */
    void stage(Layer layer, byte[] key, byte[] value) {
        if (restoring) {
            restored.take(layer.stage(key, value, true));
            return;
        }
        assert restored.isEmpty() : "S5";
        written = true;
        if (buffered) {
            layer.stage(key, value, false);
        } else if (value == null) {
            layer.keyspace().delete(key, UNFORCED);
        } else {
            layer.keyspace().put(key, value, UNFORCED);
        }
    }

    /** Something was done for the record in process that wrote nothing. */
    void touch() {
        synchronized (position) {
            StoreQueryUtils.updatePosition(position, context);
        }
    }

    private void restore(Collection<ConsumerRecord<byte[], byte[]>> records, Restorer restorer) {
        checkOpen();
        requireWhole();
        run("restore", () -> {
            for (ConsumerRecord<byte[], byte[]> each : records) {
                synchronized (position) {
                    restore(each, restorer);
                }
                if (restored.areMany()) {
                    flush(restored.offsets(), Durability.NONE); // S4
                }
            }
            if (restored.areManyInAll()) {
                flush(restored.offsets(), Durability.NONE); // S4
            }
            if (!written) { // all that the position tells of comes from the changelog, and is shown to all
                showPosition();
            }
            return null;
        });
    }

    private void restore(ConsumerRecord<byte[], byte[]> changelogRecord, Restorer restorer) {
        restoring = true;
        torn = true;
        try {
            restorer.restore(changelogRecord);
            ChangelogRecordDeserializationHelper.applyChecksAndUpdatePosition(changelogRecord, consistency, position);
        } finally {
            restoring = false;
        }
        restored.reached(
                new TopicPartition(changelogRecord.topic(), changelogRecord.partition()), changelogRecord.offset());
        lastCommit = null;
        torn = false;
    }

    /** A failure has ended the task: no offset is given any more of records that are not there. */
    private void requireWhole() {
        if (torn) {
            throw new ProcessorStateException(
                    "The store " + name + " failed when a record was restored, and has to be opened again");
        }
    }

    // ---- commits

    /** See {@link StateStore#commit}. */
    void commit(Map<TopicPartition, Long> offsets) {
        checkOpen();
        requireWhole();
        if (!written && restored.isEmpty() && offsets.equals(lastCommit) && isPositionShown()) {
            return;
        }
        run("commit", () -> {
            cleared &= offsets.isEmpty();
            flush(offsets, database.commitDurability());
            written = false;
            lastCommit = new HashMap<>(offsets);
            return null;
        });
    }

    /** Writes all that is in memory and not expired, with offsets of the changelog. */
    private void flush(Map<TopicPartition, Long> offsets, Durability durability) {
        dropLayersBelow(firstLiveLayer.getAsLong());
        synchronized (committedPosition) {
            if (uncommittedBytes() > MAX_BATCH_BYTES) {
                writeMuch(offsets, durability);
            } else {
                writeBatch(offsets, durability);
            }
            layers.values().forEach(Layer::clearMemory);
            restored.clear();
            showPosition();
        }
    }

    /** Has queries of what is committed know the position of now. */
    private void showPosition() {
        synchronized (committedPosition) {
            synchronized (position) {
                committedPosition.merge(position);
            }
        }
    }

    private boolean isPositionShown() {
        synchronized (committedPosition) {
            synchronized (position) {
                return committedPosition.equals(position);
            }
        }
    }

    private void writeMuch(Map<TopicPartition, Long> offsets, Durability durability) {
        try {
            writeTransaction(offsets, durability);
        } catch (IllegalArgumentException e) {
            // A value may be larger than a memtable. Of a batch, it goes to the data file by itself.
            writeBatch(offsets, durability);
        }
    }

    private void writeTransaction(Map<TopicPartition, Long> offsets, Durability durability) {
        try (Transaction transaction = database.db().begin()) {
            for (Layer layer : layers.values()) {
                layer.forEach(into(transaction, layer.keyspace()));
            }
            addMeta(into(transaction, database.meta()), offsets);
            transaction.commit(durability); // S6
        }
    }

    private static BiConsumer<byte[], byte[]> into(Transaction transaction, Keyspace keyspace) {
        Transaction here = transaction.in(keyspace);
        return into(here::put, here::delete);
    }

    private static BiConsumer<byte[], byte[]> into(WriteBatch batch, Keyspace keyspace) {
        WriteBatch here = batch.in(keyspace);
        return into(here::put, here::delete);
    }

    private static BiConsumer<byte[], byte[]> into(BiConsumer<byte[], byte[]> put, Consumer<byte[]> delete) {
        return (key, value) -> {
            if (value == null) {
                delete.accept(key);
            } else {
                put.accept(key, value);
            }
        };
    }

    private void writeBatch(Map<TopicPartition, Long> offsets, Durability durability) {
        WriteBatch batch = new WriteBatch();
        for (Layer layer : layers.values()) {
            BiConsumer<byte[], byte[]> here = into(batch, layer.keyspace());
            if (restored.isEmpty()) {
                layer.forEach(here); // S6
            } else {
                layer.loadOr(here);
            }
        }
        addMeta(into(batch, database.meta()), offsets);
        if (batch.size() > 0) {
            database.db().write(batch, durability); // S1, S4
        } else if (written && durability == Durability.SYNC) {
            database.db().sync();
        }
    }

    /** Adds what is kept beside the data to the writes that a consumer takes. */
    private void addMeta(BiConsumer<byte[], byte[]> writes, Map<TopicPartition, Long> offsets) {
        cleared |= meta.addOffsets(writes, offsets); // S3
        if (streamTime >= 0) {
            meta.addTime(writes, streamTime);
        }
        synchronized (position) {
            if (!position.isEmpty()) {
                meta.addPosition(writes, position);
            }
        }
    }

    /** See {@link StateStore#committedOffset}. */
    Long committedOffset(TopicPartition partition) {
        checkOpen();
        return run("read", () -> {
            Long offset = meta.offset(partition);
            if (offset != null) {
                return offset;
            }
            // By S3 nothing in it is wrong: it is restored from the beginning, and its task is not thrown away.
            return exactlyOnce && !cleared ? OFFSET_UNKNOWN : null;
        });
    }

    /** About how much memory uncommitted writes take. */
    long uncommittedBytes() {
        long bytes = 0;
        for (Layer layer : layers.values()) {
            bytes += layer.uncommittedBytes();
        }
        return bytes;
    }

    // ---- reads

    /** The value of a key, or null; null also if there is no layer. */
    byte[] get(Layer layer, byte[] key, boolean committedOnly) {
        checkOpen();
        return layer == null ? null : run("read", () -> layer.get(key, committedOnly));
    }

    /** Keeps an iterator, to be closed with the store. */
    void register(AutoCloseable iterator) {
        iterators.add(iterator);
        if (!open) {
            closeIterators();
            checkOpen();
        }
    }

    void unregister(AutoCloseable iterator) {
        iterators.remove(iterator);
    }

    /** About how many pairs there are. */
    long approximateEntries() {
        checkOpen();
        return run("read", () -> {
            long pairs = 0;
            for (Layer layer : layers.values()) {
                pairs += layer.keyspace().estimate().pairs();
            }
            return pairs;
        });
    }

    private long entriesIfOpen() {
        try {
            return open ? approximateEntries() : 0;
        } catch (InvalidStateStoreException e) {
            return 0; // closed meanwhile
        }
    }

    private FlexDBStats statsIfOpen() {
        TaskDatabase current = database;
        try {
            return open && current != null ? current.db().stats() : null;
        } catch (StoreClosedException e) {
            return null; // meanwhile
        }
    }

    // ---- queries

    Position position() {
        return position;
    }

    <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config, StateStore store) {
        Position of = QueryIsolation.committedOnly(config) ? committedPosition : position;
        return StoreQueryUtils.handleBasicQueries(query, bound, config, store, of, context);
    }

    /** Answers a query that Kafka Streams knows only of its own stores. */
    <R> QueryResult<R> answer(PositionBound bound, QueryConfig config, Supplier<R> result) {
        Position of = QueryIsolation.committedOnly(config) ? committedPosition : position;
        int partition = context.taskId().partition();
        synchronized (of) {
            QueryResult<R> answer = StoreQueryUtils.isPermitted(of, bound, partition)
                    ? QueryResult.forResult(result.get())
                    : QueryResult.notUpToBound(of, bound, partition);
            answer.setPosition(of.copy());
            return answer;
        }
    }

    // ---- errors

    /** Does something with the FlexDB, and has its exceptions be those of Kafka Streams. */
    <T> T run(String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (StoreClosedException e) {
            throw new InvalidStateStoreException("The store " + name + " is closed", e);
        } catch (SnapshotTooOldException e) {
            throw new InvalidStateStoreException(
                    "An iterator of the store " + name + " was open for too long: " + e.getMessage(), e);
        } catch (StorageException | IllegalArgumentException e) {
            throw failed(what, e);
        }
    }

    private ProcessorStateException failed(String what, RuntimeException e) {
        return new ProcessorStateException("Can't " + what + " the store " + name + ": " + e.getMessage(), e);
    }
}
