/** The store itself: versions, writing, committing, reading, opening and closing. Not part of the public surface. */
package io.flexdb.internal.store;
