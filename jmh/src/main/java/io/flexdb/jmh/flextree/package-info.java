/**
 * The address space index alone, in memory: FlexTree beside a B+-tree without shift values and a sorted array, as in
 * Table 1 of the paper (section 6.1).
 */
package io.flexdb.jmh.flextree;
