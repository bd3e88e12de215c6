/** Keys and values in buffers of Agrona, for programs that have it: nothing else here needs it. */
@NullMarked
package io.flexdb.agrona;

import org.jspecify.annotations.NullMarked;
