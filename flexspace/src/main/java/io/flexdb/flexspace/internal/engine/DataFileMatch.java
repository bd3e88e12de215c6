package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.Zeros;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Tells damage, which is found when it is read, from a data file that is not the one of this tree and this log, as when
 * it was cut short or restored from an earlier day: then nothing may be changed, so that the right one can be put in
 * its place. An earlier file lacks the bytes that were forced last, those of the last frames of the open segment.
 */
final class DataFileMatch {
    private static final int NEWEST_FRAMES = 8; // that are looked at

    private final SegmentStore store;

    /** @param store whose segments are those of the tree and the log */
    DataFileMatch(SegmentStore store) {
        this.store = store;
    }

    /** @throws CorruptionException if it is another one */
    void require() {
        long bytes = store.file().size();
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment != null && segment.liveBytes > 0) {
                int used = segment.isSealed() ? store.format().segmentBytes : segment.usedBytes;
                long end = store.format().filePosition(number, used);
                if (end > bytes) {
                    throw new CorruptionException(
                            store.file().path(),
                            bytes,
                            "a data file of " + end + " bytes at least, of which segment " + number + " is the last",
                            bytes + " bytes");
                }
            }
        }
        Segment open = store.openSegment();
        if (open != null && open.liveBytes > 0) {
            requireNewestFrames(open);
        }
    }

    /**
     * One damaged frame is damage. These were never written: two at the end that are both wrong, one that is zero, and
     * one that is wrong like the footer of another segment.
     */
    private void requireNewestFrames(Segment open) {
        SegmentFormat format = store.format();
        int end = open.usedBytes >>> format.frameShift;
        int frames = Math.min(NEWEST_FRAMES, end);
        int first = end - frames;
        ByteBuffer buffer = ByteBuffer.allocateDirect(frames << format.frameShift);
        store.reader().readFrames(open, first, frames, buffer, 0);
        CRC32C crc = new CRC32C();
        int wrong = 0;
        boolean neverWritten = false;
        int found = 0;
        int newest = end - 1;
        for (int frame = end - 1; frame >= first; frame--) {
            int position = frame - first << format.frameShift;
            int checksum = format.checksum(open.number, open.generation, frame, buffer, position, crc);
            boolean zero = Zeros.are(buffer, position, format.frameBytes);
            if (checksum != open.checksums[frame]) {
                if (wrong++ == 0) {
                    newest = frame;
                    found = checksum;
                }
                neverWritten |= zero;
            } else if (!zero) { // padding tells nothing
                break;
            }
        }
        if (wrong > 1 || neverWritten || wrong == 1 && hasWrongFooter()) {
            throw new CorruptionException(
                    store.file().path(),
                    format.filePosition(open.number, newest << format.frameShift),
                    "checksum " + Integer.toHexString(open.checksums[newest])
                            + " of the frame written last; the file may be that of another day",
                    Integer.toHexString(found));
        }
    }

    private boolean hasWrongFooter() {
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment != null && segment.liveBytes > 0 && segment.isSealed()) {
                try {
                    store.reader().readFooter(segment);
                } catch (CorruptionException e) {
                    return true;
                } catch (StoreIoException e) {
                    // tells nothing
                }
            }
        }
        return false;
    }
}
