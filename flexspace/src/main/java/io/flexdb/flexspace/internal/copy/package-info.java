/** Copies of one state of a space, made beside its readers and writer. Not part of the public surface. */
package io.flexdb.flexspace.internal.copy;
