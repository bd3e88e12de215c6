/**
 * FlexDB under the Yahoo! Cloud Serving Benchmark: the binding {@link io.flexdb.ycsb.FlexDBClient} for YCSB's own
 * client, and the runner {@link io.flexdb.ycsb.FlexDBYcsb} that loads a store, runs workloads A to F and prints one
 * table.
 */
package io.flexdb.ycsb;
