/**
 * One driver for all benchmarks: suites, each a table or a figure of the paper or a question of its own, the store of
 * their results, and the report. {@code jmh/run.sh} starts {@link io.flexdb.jmh.suite.Evaluation}.
 */
package io.flexdb.jmh.suite;
