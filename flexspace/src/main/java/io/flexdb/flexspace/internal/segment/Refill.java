package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.zip.CRC32C;

/**
 * The dead frames of one sealed segment, which are written again while the rest stays as it is. Writer only, but for
 * what readers find in the {@link Segment}.
 */
public final class Refill {
    /*
     * Extents go into runs of dead frames, from the first on. A run is written when it is left, or forced up to the end
     * of a frame. What does not fit a run goes to the next one that it fits: the frames in between stay dead.
     */

    /** What a checksum is where there is nothing to verify: the frame is dead, and holds anything after a crash. */
    public static final int NO_CHECKSUM = 0;

    /** How far it is; in this order. */
    enum Stage {
        /** The log does not know yet. */
        CHOSEN,
        /** The log knows its checksums, without those of dead frames. Readers may see what was in these. */
        WAITING,
        /** Nobody sees what was in the dead frames. */
        READY,
        /** Extents are appended. */
        OPEN,
        /** All that was appended is in the file, and so is the footer, which a power cut may tear. */
        SEALED
    }

    public final Segment segment;
    /** The frames that were dead when it was chosen. */
    final BitSet dead;
    /** Of its frames, as in its footer. */
    final int[] checksumsWhenChosen;
    /** What is appended fits this many bytes in a row, in the mean. */
    final int typicalBytes;

    private final SegmentFormat format;
    private final BitSet left; // dead, and not written since
    private final BitSet unlogged = new BitSet(); // written, and the log does not know their checksums
    private Stage stage = Stage.CHOSEN;

    // While it is open:
    private ByteBuffer bytes; // a private view: readers must not see positions move
    private ByteBuffer memory;
    private int firstUnwritten; // frame of the current run
    private int position; // where the next extent goes
    private int runEnd; // of the current run

    /** @param dead frames that hold nothing, as of the next log batch */
    Refill(Segment segment, SegmentFormat format, BitSet dead, int[] checksums, int typicalBytes) {
        this.checksumsWhenChosen = checksums;
        this.segment = segment;
        this.format = format;
        this.dead = dead;
        this.left = (BitSet) dead.clone();
        this.typicalBytes = typicalBytes;
    }

    /**
     * What a log or a checkpoint says of a segment: its checksums are known, and whether its footer is whole is not.
     */
    static Refill recovered(Segment segment, SegmentFormat format) {
        Refill refill = new Refill(segment, format, new BitSet(), null, 1);
        refill.stage = Stage.OPEN;
        return refill;
    }

    Stage stage() {
        return stage;
    }

    void goTo(Stage next) {
        assert next.compareTo(stage) > 0 : stage + " to " + next;
        stage = next;
    }

    /** Whether extents are, or may be, appended. */
    public boolean takesExtents() {
        return stage != Stage.SEALED;
    }

    /** Dead frames that are not written. */
    int framesLeft() {
        return left.cardinality();
    }

    // ---- appending

    /** Lets extents be appended, once nobody sees what was in the dead frames. */
    void open(ByteBuffer memoryOfSegment) {
        goTo(Stage.OPEN);
        memory = memoryOfSegment;
        bytes = memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        segment.forgetCached(dead); // nobody sees these (R1); before there can be readers of what they will hold
        segment.memoryFrames = dead;
        segment.memory = memory; // volatile: with it goes which frames are there
    }

    /** The memory that it was given when it was opened. */
    ByteBuffer memory() {
        return memory;
    }

    /** Whether so many bytes find room in the current run. */
    boolean fitsRun(int length) {
        return length <= runEnd - position;
    }

    /** Whether so many bytes find room in one run, the current one or one that follows. */
    boolean hasRunFor(int length) {
        return fitsRun(length) || nextRun(length) >= 0;
    }

    /** Goes on to the first run that takes so many bytes; there is one, and the current one is in the file. */
    void moveToRunFor(int length) {
        firstUnwritten = nextRun(length);
        position = firstUnwritten << format.frameShift;
        runEnd = dead.nextClearBit(firstUnwritten) << format.frameShift;
    }

    /** The first frame of the first run behind what was appended that takes so many bytes, or -1. */
    private int nextRun(int length) {
        int from = position + format.frameBytes - 1 >>> format.frameShift;
        for (int first = dead.nextSetBit(from); first >= 0; ) {
            int end = dead.nextClearBit(first);
            if (length <= end - first << format.frameShift) {
                return first;
            }
            first = dead.nextSetBit(end);
        }
        return -1;
    }

    /** Appends an extent that fits the current run, and returns its position in the segment. */
    int append(ByteBuffer source, int sourcePosition, int length) {
        int at = position;
        bytes.put(at, source, sourcePosition, length);
        position = at + length;
        return at;
    }

    /** Bytes in memory that are not in the file, when the frames that they are in are filled up. */
    int bytesToWrite() {
        int from = firstUnwritten << format.frameShift;
        return Math.max(0, (position + format.frameBytes - 1 & -format.frameBytes) - from);
    }

    /** Writes what was appended to the current run, filled up to the end of a frame, and never again (I1). */
    void writeRun(VfsFile file) {
        int length = bytesToWrite();
        int from = firstUnwritten << format.frameShift;
        for (int at = position; at < from + length; at++) {
            bytes.put(at, (byte) 0);
        }
        int end = from + length >>> format.frameShift;
        checksumFrames(firstUnwritten, end);
        bytes.limit(from + length).position(from);
        file.write(bytes, format.filePosition(segment.number, from));
        bytes.clear();
        left.clear(firstUnwritten, end);
        unlogged.set(firstUnwritten, end);
        position = from + length;
        firstUnwritten = end;
    }

    private void checksumFrames(int first, int end) {
        CRC32C crc = new CRC32C();
        for (int frame = first; frame < end; frame++) {
            segment.checksums[frame] =
                    format.checksum(segment.number, segment.generation, frame, bytes, frame << format.frameShift, crc);
        }
        bytes.clear();
    }

    /** Ends appending: writes the footer over the old one; all else is in the file. Readers go there from now on. */
    void seal(VfsFile file) {
        assert bytesToWrite() == 0 : segment;
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        format.putFooter(segment.number, segment.generation, checksums(), footer, 0);
        file.write(footer.clear(), format.filePosition(segment.number, format.dataBytes));
        goTo(Stage.SEALED);
        // The volatile write makes checksums and bytes in the file visible before the memory goes away.
        segment.memory = null;
        bytes = null;
    }

    // ---- checksums

    /** The checksums of all frames in the file, for the log, a checkpoint or the footer. */
    public int[] checksums() {
        int[] sums = segment.checksums.clone();
        for (int frame = left.nextSetBit(0); frame >= 0; frame = left.nextSetBit(frame + 1)) {
            sums[frame] = NO_CHECKSUM;
        }
        return sums;
    }

    /** Hands over what the next log batch must say. */
    void note(LogBatch batch) {
        if (stage == Stage.SEALED) {
            batch.segmentNote(segment.number, segment.generation, LogBatch.SEALED, 0, null, 0);
        } else if (stage == Stage.CHOSEN || bytesOfRuns() > LogBatch.NOTE_BYTES + format.dataFrames * Integer.BYTES) {
            noteFrames(batch, 0, checksums(), format.dataFrames);
        } else {
            for (int first = unlogged.nextSetBit(0); first >= 0; ) {
                int end = unlogged.nextClearBit(first);
                noteFrames(batch, first, segment.checksums, end);
                first = unlogged.nextSetBit(end);
            }
        }
        unlogged.clear();
    }

    private void noteFrames(LogBatch batch, int first, int[] sums, int end) {
        batch.segmentNote(segment.number, segment.generation, LogBatch.REFILLED, first, sums, end);
    }

    private int bytesOfRuns() {
        int noted = 0;
        for (int first = unlogged.nextSetBit(0); first >= 0; ) {
            int end = unlogged.nextClearBit(first);
            noted += LogBatch.NOTE_BYTES + (end - first) * Integer.BYTES;
            first = unlogged.nextSetBit(end);
        }
        return noted;
    }

    @Override
    public String toString() {
        return "Refill[" + stage + ", " + left.cardinality() + " of " + dead.cardinality() + " frames left of "
                + segment + "]";
    }
}
