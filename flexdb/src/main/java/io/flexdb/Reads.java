package io.flexdb;

/**
 * How a store reads its data file. Every pair is verified by its own checksum either way, and one that does not match
 * by those of its part of the file, so a damaged file gives a {@link io.flexdb.storage.CorruptionException} and a disk
 * that fails, or a file that others have cut, a {@link io.flexdb.storage.StoreIoException}.
 */
public enum Reads {
    /**
     * Through mappings of the file, where its file system is known to be safe for that (ext4, XFS and tmpfs), and as
     * {@link #POSITIONAL} elsewhere. A read is a copy of the pair out of the operating system's page cache and takes no
     * system call. That cache holds the data, as far as the machine has memory for it, and {@code cacheBytes} only what
     * says where each pair is. The memory that tools report for the process includes what is mapped; the operating
     * system takes it back when it is needed.
     *
     * <p>A thread that has to wait for a disk inside a mapping holds up the garbage collector's pauses for as long,
     * which a thread that waits in a system call does not.
     */
    MAPPED,

    /**
     * By system calls, in whole frames of some KiB, which are verified and kept in the greater part of
     * {@code cacheBytes}. What is not there costs several times as much as a mapped read. For stores much larger than
     * memory on slow disks whose program can't do with a garbage collection that waits for a read, and for processes
     * whose memory, as tools report it, must not include the page cache.
     */
    POSITIONAL
}
