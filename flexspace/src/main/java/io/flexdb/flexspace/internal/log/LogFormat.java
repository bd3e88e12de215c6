package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Where the bytes of a logical log are. The file is named {@code log-<generation>}.
 *
 * <pre>
 * file     OFFSET  SIZE  FIELD
 *          0       32    common fields, see FilePreamble
 *          32      8     generation of the log
 *          40      8     version of the FlexTree it extends
 *          48      8     generation of the log that it continues, 0 if there was none to continue
 *          56      8     sequence of the last frame of that log
 *          64      4     CRC32C
 *          512     8     synced-up-to mark: this generation
 *          520     8     synced-up-to mark: position up to which the log was forced
 *          528     4     synced-up-to mark: CRC32C of the 16 bytes before it
 *          4096          frames
 *
 * frame    OFFSET  SIZE  FIELD
 *          0       4     bytes of the payload
 *          4       4     reserved, zero
 *          8       8     generation of the log
 *          16      8     sequence of the frame, from 1
 *          24      4     CRC32C of the payload
 *          28      4     CRC32C of the 28 bytes before it
 *          32      n     payload, a LogBatch
 *          32 + n        zeros up to the next multiple of 8
 * </pre>
 *
 * <p>A log begins when a version of the FlexTree is sealed, which is before that version is durable. Until then the
 * tree is the version before it, followed by that version's log and by the one that continues it.
 *
 * <p>The log ends before the first frame that is not whole. If that is below the synced-up-to mark, the file is
 * damaged; above it, a crash cut a frame that was not acknowledged.
 */
public final class LogFormat {
    /**
     * The longest hole of one log entry. A hole is made of extents, each of which takes 12 to 24 bytes of memory: so
     * what a recovery needs for the tree is at most some 20 times the log, whatever a log says.
     */
    public static final long MAX_HOLE_BYTES = 16L * FlexTree.MAX_EXTENT_BYTES;

    static final String NAME_PREFIX = "log-";
    private static final Pattern NAME = Pattern.compile(NAME_PREFIX + "[1-9][0-9]{0,17}");
    public static final int GENERATION_OFFSET = FilePreamble.FIELDS_OFFSET;
    public static final int TREE_VERSION_OFFSET = GENERATION_OFFSET + Long.BYTES;
    public static final int FIELD_BYTES = 4 * Long.BYTES;

    public static final int MARK_OFFSET = 512;
    public static final int MARK_BYTES = 20;

    public static final int FRAMES_OFFSET = FilePreamble.BLOCK_BYTES;
    public static final int FRAME_HEADER_BYTES = 32;
    public static final int FRAME_PAYLOAD_BYTES_OFFSET = 0;
    public static final int FRAME_RESERVED_OFFSET = 4;
    public static final int FRAME_GENERATION_OFFSET = 8;
    public static final int FRAME_SEQUENCE_OFFSET = 16;
    public static final int FRAME_PAYLOAD_CRC_OFFSET = 24;
    public static final int FRAME_HEADER_CRC_OFFSET = 28;

    private LogFormat() {}

    public static String fileName(long generation) {
        return NAME_PREFIX + generation;
    }

    /** The generation in a file's name, or -1 if it is not the name of a log. */
    public static long generationOf(String fileName) {
        if (!NAME.matcher(fileName).matches()) {
            return -1;
        }
        return Long.parseLong(fileName.substring(NAME_PREFIX.length()));
    }

    /**
     * Whether the header of a frame is sound, but for its sequence.
     *
     * @param at where it is in these bytes
     * @param generation of the log
     * @param bytesBehind that the log has behind it
     */
    public static boolean isFrameHeader(ByteBuffer bytes, int at, long generation, long bytesBehind) {
        int payloadBytes = bytes.getInt(at + FRAME_PAYLOAD_BYTES_OFFSET);
        // The generation comes first: a check asks this at every eighth byte of what is damaged.
        return bytes.getLong(at + FRAME_GENERATION_OFFSET) == generation
                && bytes.getInt(at + FRAME_HEADER_CRC_OFFSET) == FilePreamble.crc(bytes, at, FRAME_HEADER_CRC_OFFSET)
                && bytes.getInt(at + FRAME_RESERVED_OFFSET) == 0
                && payloadBytes >= LogBatch.HEADER_BYTES
                && payloadBytes <= bytesBehind;
    }

    public static long frameBytes(int payloadBytes) {
        return (FRAME_HEADER_BYTES + (long) payloadBytes + 7) & -8L;
    }
}
