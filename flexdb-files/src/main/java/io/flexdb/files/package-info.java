/**
 * A {@link java.nio.file.FileSystem} in a store of FlexDB: directories, files and links are pairs, and each operation on
 * them is a transaction. {@link io.flexdb.files.FlexFileSystem} is where to begin.
 */
package io.flexdb.files;
