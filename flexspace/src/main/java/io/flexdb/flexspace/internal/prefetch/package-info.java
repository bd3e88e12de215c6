/**
 * Reading ahead: tells the kernel what will be read, of files that are read from one end to the other and of extents
 * that lie anywhere. Not part of the public surface.
 */
package io.flexdb.flexspace.internal.prefetch;
