/** Keys and records as bytes: their order, hash, lengths and limits. Knows none of the other rooms. */
package io.flexdb.internal.keys;
