package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogBatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a checkpoint says of the segments: their generations, and the checksums of frames that have no footer to rely
 * on. See {@link TreeFileFormat}.
 */
public final class SegmentTable {
    private SegmentTable() {}

    /** The table as of now, when nothing waits for the log: then all footers count. */
    public static ByteBuffer of(SegmentStore store) {
        Segment open = store.openSegment();
        int segments = store.segmentCount();
        int frames = open == null ? 0 : store.openFramesInFile();
        ByteBuffer table = ByteBuffer.allocate(bytes(segments, frames)).order(ByteOrder.LITTLE_ENDIAN);
        table.putInt(segments).putInt(open == null ? -1 : open.number).putInt(frames);
        for (int number = 0; number < segments; number++) {
            table.putInt(store.segment(number).generation);
        }
        for (int frame = 0; frame < frames; frame++) {
            table.putInt(open.checksums[frame]);
        }
        return table.flip();
    }

    /** Bytes of a table, at most, until a few more segments are opened. */
    public static int mostBytes(SegmentStore store) {
        return bytes(store.segmentCount() + 64, store.format().dataFrames);
    }

    private static int bytes(int segments, int openFrames) {
        return TreeFileFormat.TABLE_HEADER_BYTES + (segments + openFrames) * Integer.BYTES;
    }

    /** How many segments a table knows, or claims to know. */
    public static int count(ByteBuffer table, SegmentFormat format) {
        int count = table.remaining() < Integer.BYTES ? 0 : table.getInt(table.position());
        return Math.max(0, Math.min(format.maxSegments, count));
    }

    /**
     * Takes a table into a store without segments.
     *
     * @return null, or what is wrong with it
     */
    public static String restore(ByteBuffer table, SegmentStore store) {
        if (table.remaining() < TreeFileFormat.TABLE_HEADER_BYTES) {
            return table.remaining() + " bytes";
        }
        int segments = table.getInt();
        int open = table.getInt();
        int frames = table.getInt();
        int framesOfSegment = store.format().dataFrames;
        boolean sound = segments >= 0
                && open >= -1
                && open < segments
                && frames >= 0
                && (open >= 0 || frames == 0)
                && frames <= framesOfSegment
                && table.remaining() >= ((long) segments + frames) * Integer.BYTES
                && (table.remaining() - ((long) segments + frames) * Integer.BYTES)
                                % ((1 + framesOfSegment) * Integer.BYTES)
                        == 0;
        if (!sound) {
            return segments + " segments, " + open + " open, " + frames + " frames";
        }
        SegmentRestore restore = new SegmentRestore(store);
        for (int number = 0; number < segments; number++) {
            restore.restore(number, table.getInt());
        }
        if (open >= 0) {
            restore.restoreFrames(open, store.segment(open).generation, 0, 0, table, frames);
        }
        while (table.hasRemaining()) {
            int number = table.getInt();
            boolean known = number >= 0 && number < segments && number != open;
            if (!known || !store.segment(number).footerCounts) {
                return "segment " + number + " refilled, of " + segments + ", " + open + " open";
            }
            int generation = store.segment(number).generation;
            restore.restoreFrames(number, generation, LogBatch.REFILLED, 0, table, framesOfSegment);
        }
        return null;
    }
}
