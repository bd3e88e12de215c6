package io.flexdb.flexspace.internal.vfs;

/** How a file is opened. */
public enum OpenMode {
    /** An existing file, for reading only. */
    READ,
    /** An existing file, for reading and writing. */
    READ_WRITE,
    /** A file that does not exist yet, for reading and writing; only the owner may read and write it. */
    CREATE
}
