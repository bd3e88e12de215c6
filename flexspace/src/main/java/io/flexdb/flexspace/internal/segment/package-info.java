/**
 * The data file: segments from their first frame to their reuse, and all reads of them. Not part of the public surface.
 */
package io.flexdb.flexspace.internal.segment;
