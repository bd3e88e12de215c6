/**
 * Directories and files as pairs of two keyspaces, by numbers and single names: what it is that a
 * {@link io.flexdb.files.FlexFileSystem} finds by paths. {@code TreeFormat} has the layout.
 */
package io.flexdb.files.internal;
