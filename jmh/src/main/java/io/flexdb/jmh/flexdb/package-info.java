/**
 * The store beside its rivals: the paper's section 6.3, Tables 3 and 4 and Figures 12 and 13. Each store runs in a
 * process of its own, so that its memory, its time on the processor and what it writes are its own too.
 */
package io.flexdb.jmh.flexdb;
