package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The segments in a checkpoint: their generations, and the checksums of frames that have no footer to rely on. See
 * {@link TreeFileFormat}.
 */
public final class SegmentTable {
    private SegmentTable() {}

    /** The table as of now, when nothing waits for the log. */
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
        boolean sound = segments >= 0
                && open >= -1
                && open < segments
                && frames >= 0
                && (open >= 0 || frames == 0)
                && frames <= store.format().dataFrames
                && table.remaining() == ((long) segments + frames) * Integer.BYTES;
        if (!sound) {
            return segments + " segments, " + open + " open, " + frames + " frames, and " + table.remaining()
                    + " bytes of generations and checksums";
        }
        SegmentRestore restore = new SegmentRestore(store);
        for (int number = 0; number < segments; number++) {
            restore.restore(number, table.getInt());
        }
        if (open >= 0) {
            restore.restoreFrames(open, store.segment(open).generation, false, 0, table, frames);
        }
        return null;
    }
}
