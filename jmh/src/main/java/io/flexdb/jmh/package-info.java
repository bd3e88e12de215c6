/** What the benchmarks have in common. */
package io.flexdb.jmh;
