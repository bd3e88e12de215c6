package io.flexdb.files.internal;

import java.time.InstantSource;

/**
 * What a file system is opened with.
 *
 * @param name of it in its store
 * @param blockBytes of a block, for one that is made now
 * @param smallBytes up to which a file is kept in its entry
 * @param clock what times are taken from
 */
public record TreeSettings(String name, int blockBytes, int smallBytes, InstantSource clock) {
    /** The least bytes of a block. */
    public static final int MIN_BLOCK_BYTES = 512;
    /** The most bytes of a block. */
    public static final int MAX_BLOCK_BYTES = 1 << 20;
}
