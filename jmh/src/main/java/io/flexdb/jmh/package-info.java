/** Benchmarks of the key-value store, and what the paper's tables have in common. */
package io.flexdb.jmh;
