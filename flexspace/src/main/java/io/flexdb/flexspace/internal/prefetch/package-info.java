/**
 * Tells the kernel what will be read from files that are read from one end to the other. Not part of the public
 * surface.
 */
package io.flexdb.flexspace.internal.prefetch;
