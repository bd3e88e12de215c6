/** Keys and values in buffers of Agrona, for programs that have it: nothing else here needs it. */
package io.flexdb.agrona;
