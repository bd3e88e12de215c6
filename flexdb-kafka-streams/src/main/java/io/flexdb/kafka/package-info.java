/**
 * State stores of Kafka Streams in FlexDB: all stores of a task share one {@link io.flexdb.FlexDB} in the task's
 * directory. {@link io.flexdb.kafka.FlexDBDslStoreSuppliers} makes them the default of a topology, {@link
 * io.flexdb.kafka.FlexDBStores} has a supplier for each kind.
 *
 * <p>The writes of a store, and the changelog offset up to which it has all writes, are in one ordered log. So after a
 * crash a store goes on behind that offset, and restores nothing that was committed.
 */
package io.flexdb.kafka;
