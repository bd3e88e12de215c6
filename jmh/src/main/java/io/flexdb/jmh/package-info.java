/** The parts that all benchmarks use. */
package io.flexdb.jmh;
