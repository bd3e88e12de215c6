package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open file, read and written at positions. Any number of threads may use it at once; what a read sees of a write
 * that overlaps it in time is undefined. Writes are durable only after {@link #force()}. Failures are unchecked, as in
 * {@link Vfs}; after {@link #close()} every method but {@code close} and {@code path} throws
 * {@link io.flexdb.storage.StoreClosedException}. Interrupting a thread fails no operation: the interrupt is still
 * pending when the operation returns.
 *
 * <p>Direct buffers are moved without a copy; heap buffers cost one.
 */
public interface VfsFile extends AutoCloseable {
    /** The bytes of a {@link #prefetch} that the kernel takes at once. */
    int PREFETCH_BYTES = 128 << 10;

    /** The name of the file, which follows it through renames by the same {@link Vfs}. */
    Path path();

    /**
     * Fills the buffer from its position to its limit with the bytes from {@code position} on.
     *
     * @throws CorruptionException if the file ends before the buffer is full
     */
    default void readFully(ByteBuffer dst, long position) {
        int start = dst.position();
        int wanted = dst.remaining();
        while (dst.hasRemaining()) {
            int done = dst.position() - start;
            if (read(dst, position + done) < 0) {
                throw new CorruptionException(
                        path(), position, wanted + " bytes", "the end of the file after " + done + " bytes");
            }
        }
    }

    /**
     * Reads bytes from {@code position} on into the buffer and returns how many; may return before the buffer is full,
     * and returns -1 at or past the end of the file.
     */
    int read(ByteBuffer dst, long position);

    /**
     * Reads as {@link #read} does, for a caller who does not go on behind these bytes: the system should bring nothing
     * else into memory.
     */
    default int readAlone(ByteBuffer dst, long position) {
        return read(dst, position);
    }

    /**
     * Tells that bytes will be read soon, so that they may be brought into memory meanwhile. No more than a hint: it
     * waits for no disk, may do nothing, and never fails, not even after {@link #close()}.
     */
    default void prefetch(long position, long bytes) {}

    /** Does what {@link #prefetch} does, in calls that the kernel takes whole, whatever its settings are. */
    default void prefetchInPieces(long position, long bytes) {
        for (long done = 0; done < bytes; done += PREFETCH_BYTES) {
            prefetch(position + done, Math.min(PREFETCH_BYTES, bytes - done));
        }
    }

    /**
     * Tells that bytes that were written will be forced later, so that the disk may begin with them. No more than a
     * hint: it may do nothing, and never fails, not even after {@link #close()}; errors show when the file is forced.
     */
    default void startWriting(long position, long bytes) {}

    /**
     * Writes the buffer from its position to its limit to the bytes from {@code position} on; the file grows as needed,
     * and a gap reads as zeros. When this fails, any part may have been written.
     *
     * @throws java.nio.channels.NonWritableChannelException if the file was opened for reading only
     */
    void write(ByteBuffer src, long position);

    /**
     * Takes disk space for a range, so that writing there later fails for no want of it. The content of the range is
     * lost; the file is at least as long as its end.
     *
     * @throws io.flexdb.storage.StoreFullException if there is not enough; the range may be in part allocated then
     */
    default void allocate(long position, long bytes) {
        Zeros.write(this, position, bytes);
    }

    /**
     * Does the same without writing anything, if that can be done: a range that nobody has written reads as zeros then.
     * The first write there costs the next force more, since the file system has to note it.
     *
     * @return false if it can't be done; nothing has changed then
     * @throws io.flexdb.storage.StoreFullException as above
     */
    default boolean allocateUnwritten(long position, long bytes) {
        return false;
    }

    /**
     * Gives back the disk space of whole blocks within a range, which reads as zeros then; the file stays as long. Who
     * writes there again may find no space, see {@link #allocate}. May do nothing, as where the file system can't.
     */
    default void giveBack(long position, long bytes) {}

    /**
     * Has the file system let a range of this file share the disk space of one of another, which it keeps apart again
     * once either is written. Nothing is read; the file grows as needed.
     *
     * @param source a file of the same {@link Vfs}
     * @return false if that can't be done here, with nothing changed but, perhaps, the length
     * @throws io.flexdb.storage.StoreFullException if there is no space for it
     */
    default boolean shareFrom(VfsFile source, long sourcePosition, long bytes, long position) {
        return false;
    }

    /**
     * How many names the file has, in whatever directories; 0 where no file system tells that, and a great number where
     * it can't be known at the moment. Asks the file system each time.
     */
    default int linkCount() {
        return 0;
    }

    /** Bytes of the file. */
    long size();

    /**
     * Cuts the file to {@code bytes}, if it is longer. Durable after {@link #force()}.
     *
     * @throws java.nio.channels.NonWritableChannelException if the file was opened for reading only
     */
    void truncate(long bytes);

    /**
     * Returns once everything written so far, through a mapping too, and the size are durable. The name of the file is
     * not: that takes {@link Vfs#syncDirectory}. After a failure what is on disk is unknown, and a later success proves
     * nothing about what was written before.
     *
     * @throws java.nio.channels.NonWritableChannelException if the file was opened for reading only
     */
    void force();

    /**
     * Maps the first {@code bytes} of the file for reading and writing, or returns null where mapped files are not
     * known to be safe. The mapping works until it is garbage collected, even after {@link #close()}. The bytes should
     * have been written before, or a full disk fails a write into the mapping.
     *
     * @throws IllegalArgumentException if the file is shorter, or {@code bytes} does not fit a buffer
     */
    MappedFile map(long bytes);

    /**
     * Maps a part of the file for reading, or returns null where mapped files are not known to be safe. The mapping
     * works until it is garbage collected, even after {@link #close()}. Positions in it are relative to where it
     * begins.
     *
     * @throws IllegalArgumentException if the file ends before, or {@code bytes} does not fit a buffer
     */
    default MappedFile mapForReading(long position, long bytes) {
        long size = size();
        if (position < 0 || bytes < 1 || bytes > Math.min(size - position, Integer.MAX_VALUE)) {
            throw new IllegalArgumentException("bytes must be from 1 to where the file ends, " + size
                    + ", and fit an int: " + bytes + " from " + position);
        }
        return null;
    }

    /** Releases the file. Does not make it durable. Closing again does nothing. */
    @Override
    void close();
}
