package io.flexdb.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/** A broker of Kafka in this JVM, which is its own controller. */
final class LocalBroker implements AutoCloseable {
    private static final int MOST_TRIES = 1000; // each asks the broker

    private final String address;
    private final Properties properties;
    private KafkaRaftServer server; // null while it is stopped

    private LocalBroker(String address, Properties properties) {
        this.address = address;
        this.properties = properties;
    }

    /** Formats a directory and starts a broker in it. */
    static LocalBroker start(Path directory) throws Exception {
        return start(directory, 0);
    }

    /**
     * Formats a directory and starts a broker in it.
     *
     * @param rebalanceDelayMillis how long it waits for further members of an empty group
     */
    static LocalBroker start(Path directory, int rebalanceDelayMillis) throws Exception {
        String logs = directory.resolve("kafka").toString();
        new Formatter()
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(1)
                .setDirectories(List.of(logs))
                .setMetadataLogDirectory(logs)
                .setControllerListenerName("CONTROLLER")
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .run();
        int port = freePort();
        int controllerPort = freePort();
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                "1",
                "log.dirs",
                logs,
                "listeners",
                "PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort,
                "advertised.listeners",
                "PLAINTEXT://localhost:" + port,
                "controller.listener.names",
                "CONTROLLER",
                "controller.quorum.voters",
                "1@localhost:" + controllerPort,
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"));
        properties.putAll(Map.of(
                "offsets.topic.replication.factor", "1",
                "offsets.topic.num.partitions", "1",
                "transaction.state.log.replication.factor", "1",
                "transaction.state.log.min.isr", "1",
                "transaction.state.log.num.partitions", "1",
                "group.initial.rebalance.delay.ms", Integer.toString(rebalanceDelayMillis),
                "group.min.session.timeout.ms", "500",
                "log.cleaner.enable", "false"));
        LocalBroker broker = new LocalBroker("localhost:" + port, properties);
        broker.startAgain();
        return broker;
    }

    /** Starts it with what it had when it was stopped. */
    void startAgain() {
        server = new KafkaRaftServer(KafkaConfig.fromProps(properties), Time.SYSTEM);
        server.startup();
    }

    /** Stops it. Does nothing if it is stopped. */
    void stop() {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
            server = null;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Host and port. */
    String address() {
        return address;
    }

    /**
     * Returns when this broker leads all partitions. A producer that came before could have its second batch appended
     * ahead of its first one, which is then refused again and again.
     */
    void createTopic(String name, int partitions) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all()
                    .get();
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (int i = 0; i < partitions; i++) {
                ends.put(new TopicPartition(name, i), OffsetSpec.latest());
            }
            awaitLeaders(admin, ends);
        }
    }

    /** Asks for offsets, which answers once there are leaders; but a broker may not know yet that the topic is there. */
    private static void awaitLeaders(Admin admin, Map<TopicPartition, OffsetSpec> ends)
            throws ExecutionException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException e) {
                boolean known = !(e.getCause() instanceof UnknownTopicOrPartitionException);
                if (known || tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
