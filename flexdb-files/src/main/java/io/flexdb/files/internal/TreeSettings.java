package io.flexdb.files.internal;

import java.time.InstantSource;

/**
 * What a file system is opened with.
 *
 * @param name of it in its store
 * @param blockBytes of a block, for one that is made now
 * @param smallBytes up to which a file is kept in its entry
 * @param clock what times are taken from
 * @param removal how much is removed at once
 */
public record TreeSettings(String name, int blockBytes, int smallBytes, InstantSource clock, Removal removal) {
    /**
     * How much of a tree is removed at once.
     *
     * @param ids how many entries are read before what they lead to is deleted
     * @param ranges how many a transaction deletes at most; each takes some 80 bytes of a memtable
     */
    public record Removal(int ids, int ranges) {
        /** 256 ranges fit the smallest memtable. */
        public static final Removal DEFAULT = new Removal(1 << 20, 256);
    }

    /** The least bytes of a block. */
    public static final int MIN_BLOCK_BYTES = 512;
    /** The most bytes of a block. */
    public static final int MAX_BLOCK_BYTES = 1 << 20;
}
