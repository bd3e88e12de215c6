/** State stores of Kafka Streams in FlexDB. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.flexdb.kafka {
    requires io.flexdb;
    requires transitive kafka.clients;
    requires transitive kafka.streams;

    exports io.flexdb.kafka;
}
