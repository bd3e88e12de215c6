/**
 * A {@link java.nio.file.FileSystem} in a store of FlexDB: directories, files and links are pairs, and each operation on
 * them is a transaction. {@link io.flexdb.files.FlexFileSystem} is where to begin.
 */
@NullMarked
package io.flexdb.files;

import org.jspecify.annotations.NullMarked;
