/** After a crash: samples the index, and divides coarse intervals in spare time. */
package io.flexdb.internal.refine;
