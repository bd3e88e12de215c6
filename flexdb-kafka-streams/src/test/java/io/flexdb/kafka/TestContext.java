package io.flexdb.kafka;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.CommitCallback;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;

/** What a store sees of a task: a directory, properties, and the record that is being processed. */
final class TestContext implements StateStoreContext {
    private final Path directory;
    private final Map<String, Object> configs = new HashMap<>();
    private RecordMetadata metadata;
    private StateRestoreCallback callback;

    TestContext(Path directory) {
        this.directory = directory;
    }

    TestContext with(String property, Object value) {
        configs.put(property, value);
        return this;
    }

    /** The record with this offset of the topic {@code input} is being processed. */
    void processes(long offset) {
        metadata = new RecordMetadata() {
            @Override
            public String topic() {
                return "input";
            }

            @Override
            public int partition() {
                return 0;
            }

            @Override
            public long offset() {
                return offset;
            }
        };
    }

    /** Restores records of the changelog. */
    void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
        ((RecordBatchingStateRestoreCallback) callback).restoreBatch(new ArrayList<>(records));
    }

    /** A copy of the directory as a killed process would leave it. */
    TestContext killed(Path parent) {
        TestContext context = null;
        for (int tries = 0; context == null; tries++) {
            Path copy = parent.resolve("copy-" + tries);
            try {
                if (names(directory).equals(copyTo(copy))) {
                    context = new TestContext(copy);
                }
            } catch (NoSuchFileException e) {
                // A log was renamed meanwhile.
                assert tries < 100 : e;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        context.configs.putAll(configs);
        return context;
    }

    private static List<Path> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(directory::relativize).sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause(); // as if the walk had not been lazy
        }
    }

    private List<Path> copyTo(Path copy) throws IOException {
        List<Path> names = names(directory);
        for (Path name : names) {
            Path file = directory.resolve(name);
            Path target = copy.resolve(name.toString());
            if (Files.isDirectory(file)) {
                Files.createDirectories(target);
            } else {
                Files.copy(file, target);
            }
        }
        return names;
    }

    @Override
    public String applicationId() {
        return "test";
    }

    @Override
    public TaskId taskId() {
        return new TaskId(0, 0);
    }

    @Override
    public Optional<RecordMetadata> recordMetadata() {
        return Optional.ofNullable(metadata);
    }

    @Override
    public Serde<?> keySerde() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Serde<?> valueSerde() {
        throw new UnsupportedOperationException();
    }

    @Override
    public File stateDir() {
        return directory.toFile();
    }

    @Override
    public StreamsMetrics metrics() {
        return null; // of a task only
    }

    @Override
    public void register(StateStore store, StateRestoreCallback stateRestoreCallback) {
        callback = stateRestoreCallback;
    }

    @Override
    public void register(StateStore store, StateRestoreCallback stateRestoreCallback, CommitCallback commitCallback) {
        callback = stateRestoreCallback;
    }

    @Override
    public Map<String, Object> appConfigs() {
        return configs;
    }

    @Override
    public Map<String, Object> appConfigsWithPrefix(String prefix) {
        throw new UnsupportedOperationException();
    }
}
