package io.flexdb.jmh.flexspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * What is measured: FlexSpace, or a file. A call uses what is between the buffer's position and limit. Changes come
 * from one thread, reads from any.
 */
interface AddressSpace extends AutoCloseable {
    /**
     * Inserts bytes; what is behind them shifts.
     *
     * @throws UnsupportedOperationException if this one can't
     */
    void insert(long logicalOffset, ByteBuffer buffer) throws IOException;

    /** Writes bytes over what is there, or beyond the end. */
    void write(long logicalOffset, ByteBuffer buffer) throws IOException;

    /** Fills the buffer. */
    void read(long logicalOffset, ByteBuffer buffer) throws IOException;

    /** The I/O barrier: what was written before is on the disk when it returns. */
    void barrier() throws IOException;

    /** Lets go of what it keeps of the file in memory, page cache aside. While nobody reads or writes. */
    default void becomeCold() throws IOException {}

    /** Bytes of the space. */
    long size();

    /** Bytes written so far to the files beneath, if they are counted. */
    OptionalLong bytesWritten();

    @Override
    void close() throws IOException;
}
