/** Sorted runs: pairs in key order, staged in segments of the data file before the space has them. */
package io.flexdb.internal.run;
