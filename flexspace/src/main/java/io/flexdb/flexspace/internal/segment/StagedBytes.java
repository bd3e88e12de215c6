package io.flexdb.flexspace.internal.segment;

import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

/**
 * Bytes that are in the data file before it is known where in the space they go: in segments of their own, written by
 * any thread while the writer goes on. The writer links them later, by the tree and the log alone.
 *
 * <p>For one thread at a time, but for {@link #close}, which any thread may call once.
 */
public final class StagedBytes implements AutoCloseable {
    /*
     * The problem: a large value passes through a log, and a run of sorted pairs through a memtable, before the writer
     * puts them where they belong, and each time all of it is written. (BetrFS calls a log that names what is elsewhere
     * late-binding.)
     * The choice: whoever has the bytes writes them where they will stay. That takes free segments of the space, one at
     * a time (SegmentPlaces).
     * The cost: a segment that is ended early is filled no more, and garbage collection has to see to it.
     *
     * T1  A piece lies in one segment, whole; after a flush what comes next begins with the next frame, so a frame that
     *     is in the file is never written again, and its checksum stays.
     * T2  The frames that were not written have no checksum in the footer (SegmentFormat.NO_CHECKSUM), and no piece.
     * T3  Until this is closed its segments are held: they are neither emptied nor victims of garbage collection,
     *     however little of them lives. So whoever knows an address can read it.
     * T4  What is linked lies in a sealed segment; its frames and its footer are forced before the log names it (O1).
     * T5  A segment becomes free only after the log has named its generation, linked or not, so no generation is used
     *     twice (I6 of SegmentStore); a crash before that leaves the one generation that the log doesn't know, as it
     *     does for the open segment.
     */
    static final int BUFFER_BYTES = 256 << 10;

    private final StagingArea area;
    private final SegmentFormat format;
    private final CRC32C crc = new CRC32C();
    private final List<Segment> segments = new ArrayList<>();
    private ByteBuffer buffer; // what comes after inFile; null before the first piece and after the end
    private Segment segment; // that is being filled; null if none is
    private int inFile; // position in it, at the beginning of a frame
    private int used; // position behind the last piece
    private boolean ended;
    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean writing; // if this is found, a write has failed

    StagedBytes(StagingArea area) {
        this.area = area;
        this.format = area.format();
    }

    /** Bytes that the next piece can have without going to another segment. */
    public int roomInSegment() {
        return segment == null ? 0 : format.dataBytes - used;
    }

    /** Bytes of the segments taken so far. */
    public long bytes() {
        return (long) segments.size() * format.dataBytes;
    }

    /**
     * Takes a piece, whole in one segment. It can be read after {@link #flush}.
     *
     * @param piece from its position to its limit, from 1 byte to the largest extent; its position moves to its limit
     * @return its address
     * @throws StoreFullException if there is no segment for it; nothing has changed then
     */
    public long append(ByteBuffer piece) {
        int length = piece.remaining();
        long address = begin(length);
        put(piece);
        return address;
    }

    /**
     * Begins a piece, the bytes of which follow by {@link #put}.
     *
     * @param length from 1 to the largest extent
     * @return its address
     * @throws StoreFullException as {@link #append}
     */
    public long begin(int length) {
        assert length > 0 && length <= format.maxExtentBytes : length;
        if (ended || writing) {
            throw new IllegalStateException("no more can be staged here");
        }
        if (buffer == null) {
            buffer = area.takeBuffer(); // before a segment is: there may be no memory
        }
        if (segment == null || format.dataBytes - used < length) {
            Segment next = area.openSegment();
            segments.add(next);
            if (segment != null) {
                seal();
            }
            segment = next;
            inFile = 0;
            used = 0;
        }
        area.count(segment, length);
        return format.address(segment.number, used);
    }

    /** Takes the next bytes of the piece that was begun. */
    public void put(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            int at = used - inFile;
            int length = Math.min(bytes.remaining(), buffer.capacity() - at);
            buffer.put(at, bytes, bytes.position(), length);
            bytes.position(bytes.position() + length);
            used += length;
            if (used - inFile == buffer.capacity()) {
                write();
            }
        }
    }

    /** Has all that was taken in the file, where it can be read. The next bytes begin with the next frame. */
    public void flush() {
        if (segment != null && used > inFile) {
            int end = used + format.frameBytes - 1 & -format.frameBytes;
            for (int at = used - inFile; at < end - inFile; at++) {
                buffer.put(at, (byte) 0);
            }
            used = end;
            write();
        }
    }

    /** Has all that was taken in the file, and forces it. The next bytes begin with the next frame. */
    public void force() {
        flush();
        area.file().force();
    }

    /** Whether a write has failed: the file holds anything, and no more can be staged here. */
    public boolean hasFailed() {
        return writing;
    }

    /** Writes the buffer, which ends with a frame. */
    private void write() {
        writing = true;
        int length = used - inFile;
        int first = inFile >>> format.frameShift;
        int[] sums = segment.checksums;
        for (int at = 0; at < length; at += format.frameBytes) {
            int frame = first + (at >>> format.frameShift);
            sums[frame] = format.checksum(segment.number, segment.generation, frame, buffer, at, crc);
        }
        buffer.limit(length).position(0);
        area.file().write(buffer, format.filePosition(segment.number, inFile));
        buffer.clear();
        area.file().startWriting(format.filePosition(segment.number, inFile), length);
        area.wrote(length);
        inFile = used;
        writing = false;
    }

    /** Ends the segment. */
    private void seal() {
        flush();
        writing = true;
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        format.putFooter(segment.number, segment.generation, segment.checksums, footer, 0);
        area.file().write(footer, format.filePosition(segment.number, format.dataBytes));
        area.wrote(format.footerBytes);
        area.sealed(segment);
        writing = false;
        segment = null;
    }

    /** Ends it: all of it can be linked, and nothing be added. Does nothing the second time. */
    public void finish() {
        if (!ended) {
            if (segment != null) {
                seal();
            }
            end();
        }
    }

    private void end() {
        ended = true;
        if (buffer != null) {
            area.giveBackBuffer(buffer);
            buffer = null;
        }
    }

    /**
     * Gives back what was not linked, and lets what was linked be as all else. No read that is not of a version of the
     * space knows an address any more. Closing again does nothing.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) { // by who uses it, or by who closes the store
            end();
            area.giveBack(this);
        }
    }

    /** Those that it has taken, for the writer, once it is closed. */
    List<Segment> segments() {
        return segments;
    }
}
