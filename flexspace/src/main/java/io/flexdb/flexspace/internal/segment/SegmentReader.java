package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.MappedReads;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads segments, and lets out no byte of the file that was not verified. Any number of threads. */
public final class SegmentReader {
    /*
     * The problem: what is verified is frames, what is wanted is any bytes, and a copy costs as much as the kernel's.
     * The choice: whole frames go straight into the destination and are verified there, if it is a direct buffer. Parts
     * of frames, and what goes into the heap, are read into a scratch buffer and copied. A read of a few frames that
     * is not aligned is one read of the file into the scratch buffer: a system call costs more than such a copy. For
     * the same reason a sequence of small reads has more read into it than they ask for. Where there is a cache,
     * everything goes through the scratch buffer, so that nobody can change what is cached (C2 in FrameCache).
     *
     * Up to 16 KiB come out of a mapping of the file, if there is one, as copies that take no system call; for 64 KiB
     * that makes no difference. A copy that is not sound counts for nothing: the same is read by a system call, which
     * tells whether the file is damaged, too short, or can't be read.
     */

    private final VfsFile file;
    private final SegmentFormat format;
    private final ChecksumCache checksums;
    private final MappedReads mapped; // or null
    private final int maxReadBytes;

    public SegmentReader(VfsFile file, SegmentFormat format) {
        this(new DataFile(file, format, null), new ChecksumCache(format, 0));
    }

    /** @param checksums where those are kept that were read */
    SegmentReader(DataFile data, ChecksumCache checksums) {
        this.checksums = checksums;
        this.file = data.file();
        this.mapped = data.mapped();
        this.format = data.format();
        this.maxReadBytes = Math.max(ReadScratch.READ_BYTES, format.frameBytes);
    }

    /** Bytes that a scratch buffer must have. */
    public int scratchBytes() {
        return maxReadBytes + 2 * format.frameBytes;
    }

    /**
     * Copies bytes of a segment, each verified. Inside an epoch that holds a version with them. If it fails, the
     * destination holds anything; a direct one is moved meanwhile, and its position and limit put back.
     */
    void read(
            Segment segment,
            int from,
            ByteBuffer destination,
            int destinationPosition,
            int length,
            ReadScratch scratch) {
        ByteBuffer memory = segment.memory;
        int fileEnd = memory == null ? format.dataBytes : segment.memoryStart;
        int inFile = Math.min(length, Math.max(0, fileEnd - from));
        if (inFile > 0) {
            scratch.want(segment, fileEnd, destination, destinationPosition - from);
            try {
                if (scratch.cache == null) {
                    readFromFile(scratch, from, inFile);
                } else {
                    readThroughCache(scratch, from, inFile);
                }
            } finally {
                scratch.wantNothing();
            }
        }
        if (inFile < length) {
            destination.put(destinationPosition + inFile, memory, from + inFile, length - inFile);
        }
    }

    private void readFromFile(ReadScratch scratch, int from, int length) {
        int ahead = scratch.begin(from, length);
        int at = from + scratch.copy(from, length);
        int left = from + length - at;
        if (left == 0) {
            return;
        }
        int head = -at & (format.frameBytes - 1);
        int whole = left - head & -format.frameBytes;
        if (!scratch.destination.isDirect() || isBetterCopied(scratch, left, whole, ahead)) {
            copy(scratch, at, left, Math.min(ahead, scratch.fileEnd - at));
            return;
        }
        if (head > 0) {
            copy(scratch, at, head, 0);
        }
        readWhole(scratch, at + head, whole);
        int tail = left - head - whole;
        if (tail > 0) {
            copy(scratch, at + head + whole, tail, 0);
        }
    }

    /** Whether so many bytes, with so many of them in whole frames, had better come through the window. */
    private boolean isBetterCopied(ReadScratch scratch, int bytes, int whole, int ahead) {
        return isMapped(scratch, bytes)
                ? whole <= 0
                : ahead > 0 || whole < Math.min(bytes, ReadScratch.WORTH_A_CALL_BYTES);
    }

    /** Whether a read of so many bytes goes through mappings. */
    private boolean isMapped(ReadScratch scratch, int bytes) {
        return scratch.warmth != null
                && bytes <= ReadScratch.WORTH_A_CALL_BYTES
                && scratch.warmth.isWarm()
                && mapped.isPossible();
    }

    /** Reads from the file what neither the cache nor the window has: what lies together by one call. */
    private void readThroughCache(ReadScratch scratch, int from, int length) {
        FrameCache cache = scratch.cache;
        FrameCache.Frames frames = scratch.wanted.cachedFrames(cache);
        ByteBuffer destination = scratch.destination;
        int shift = scratch.shift;
        int end = from + length;
        int missed = 0;
        int at = from + cache.copy(frames, from, destination, from + shift, length);
        if (at == end) {
            cache.count(framesOf(from, length), 0);
            return;
        }
        // The rest of a frame will be in the cache: who goes on in smaller steps is back here at the next one.
        int firstMissed = at & -format.frameBytes;
        int ahead = scratch.begin(firstMissed, framesOf(firstMissed, end - firstMissed) << format.frameShift);
        while (at < end) {
            int piece = cache.missing(frames, at, end - at);
            int inWindow = scratch.copy(at, piece);
            if (inWindow > 0) {
                piece = inWindow;
                int first = at >>> format.frameShift;
                int position = scratch.positionOf(first << format.frameShift);
                cache.put(frames, first, framesOf(at, piece), scratch.buffer, position);
            } else {
                copy(scratch, at, piece, Math.min(ahead, scratch.fileEnd - at));
            }
            missed += framesOf(at, piece);
            at += piece;
            at += cache.copy(frames, at, destination, at + shift, end - at);
        }
        cache.count(framesOf(from, length) - missed, missed);
    }

    /** How many frames so many bytes have a part of. */
    private int framesOf(int from, int length) {
        return (from + length - 1 >>> format.frameShift) - (from >>> format.frameShift) + 1;
    }

    /** Reads whole frames into the destination itself. */
    private void readWhole(ReadScratch scratch, int from, int length) {
        Segment segment = scratch.wanted;
        ByteBuffer destination = scratch.destination;
        int[] sums = checksums(segment);
        int position = destination.position();
        int limit = destination.limit();
        try {
            for (int at = from; at < from + length; ) {
                int piece = Math.min(from + length - at, maxReadBytes);
                int first = at >>> format.frameShift;
                int frames = piece >>> format.frameShift;
                if (!copyMapped(scratch, sums, first, frames, destination, at + scratch.shift)) {
                    readFrames(segment, first, frames, destination, at + scratch.shift, scratch.isAlone(length));
                    int damaged = firstDamaged(scratch, sums, first, frames, destination, at + scratch.shift);
                    requireSound(scratch, sums, damaged, first + frames);
                }
                at += piece;
            }
        } finally {
            destination.limit(limit).position(position);
        }
    }

    /**
     * Reads all frames that hold the bytes, and copies them.
     *
     * @param atOnce how many bytes to read from the file, if more than these; the file has them
     */
    private void copy(ReadScratch scratch, int from, int length, int atOnce) {
        Segment segment = scratch.wanted;
        ByteBuffer buffer = scratch.buffer;
        int[] sums = checksums(segment);
        for (int at = from; at < from + length; ) {
            int first = at >>> format.frameShift;
            int piece = Math.min(from + length - at, maxReadBytes);
            int frames = framesOf(at, piece);
            int most = isMapped(scratch, piece) ? ReadScratch.WORTH_A_CALL_BYTES : maxReadBytes;
            int ahead = Math.max(piece, Math.min(atOnce, most));
            readIntoWindow(scratch, sums, first, frames, framesOf(at, ahead));
            buffer.clear();
            if (scratch.cache != null) {
                scratch.cache.put(segment.cachedFrames(scratch.cache), first, frames, buffer, 0);
            }
            scratch.destination.put(at + scratch.shift, buffer, at - (first << format.frameShift), piece);
            at += piece;
        }
    }

    /** Reads some frames into the window, and those behind them as far as that can be done, so many in all. */
    private void readIntoWindow(ReadScratch scratch, int[] sums, int first, int wanted, int withThoseBehind) {
        Segment segment = scratch.wanted;
        scratch.clear();
        int frames = withThoseBehind;
        if (copyMapped(scratch, sums, first, frames, scratch.buffer, 0)) {
            scratch.hold(segment, first << format.frameShift, frames << format.frameShift);
            return;
        }
        try {
            boolean alone = scratch.isAlone(frames << format.frameShift);
            readFrames(segment, first, frames, scratch.buffer, 0, alone);
        } catch (StorageException e) {
            if (frames == wanted) {
                throw e;
            }
            frames = wanted; // W2
            readFrames(segment, first, frames, scratch.buffer, 0);
        }
        int damaged = firstDamaged(scratch, sums, first, frames, scratch.buffer, 0);
        requireSound(scratch, sums, damaged, first + wanted);
        scratch.hold(segment, first << format.frameShift, damaged - first << format.frameShift);
    }

    /**
     * Copies frames of the segment wanted out of a mapping into a buffer from a position on, and verifies them there.
     * Moves the buffer's position and limit.
     *
     * @return false if that is not how they are read now, or not all of them are there and sound
     */
    private boolean copyMapped(
            ReadScratch scratch, int[] sums, int first, int frames, ByteBuffer buffer, int position) {
        int bytes = frames << format.frameShift;
        if (!isMapped(scratch, bytes)) {
            return false;
        }
        buffer.limit(position + bytes);
        try {
            long at = format.filePosition(scratch.wanted.number, first << format.frameShift);
            if (!mapped.read(at, buffer, position, bytes)) {
                return false;
            }
            if (firstDamaged(scratch, sums, first, frames, buffer, position) == first + frames) {
                return true;
            }
            mapped.throwPendingFault();
        } catch (StoreIoException e) {
            return false; // the system call will throw it, or has what the mapping has not
        }
        return false;
    }

    /** Reads frames into a buffer from a position on, unverified. Moves the buffer's position and limit. */
    public void readFrames(Segment segment, int first, int frames, ByteBuffer buffer, int position) {
        readFrames(segment, first, frames, buffer, position, false);
    }

    private void readFrames(Segment segment, int first, int frames, ByteBuffer buffer, int position, boolean alone) {
        buffer.limit(position + (frames << format.frameShift)).position(position);
        long at = format.filePosition(segment.number, first << format.frameShift);
        if (alone) {
            at += Math.max(0, file.readAlone(buffer, at));
        }
        file.readFully(buffer, at);
    }

    /**
     * Verifies frames of the segment wanted that lie in a buffer from a position on. Moves the buffer's position and
     * limit.
     *
     * @return the first damaged one, or the one behind the last
     */
    private int firstDamaged(ReadScratch scratch, int[] sums, int first, int frames, ByteBuffer buffer, int position) {
        Segment segment = scratch.wanted;
        CRC32C crc = scratch.crc;
        for (int i = 0; i < frames; i++) {
            int frame = first + i;
            int expected = sums[frame]; // comes from memory while the checksum is calculated
            int at = position + (i << format.frameShift);
            if (format.checksum(segment.number, segment.generation, frame, buffer, at, crc) != expected) {
                return frame;
            }
        }
        return first + frames;
    }

    /**
     * Requires that the frames before one are sound.
     *
     * @param damaged the first that is not, which {@link #firstDamaged} has returned just now
     */
    private void requireSound(ReadScratch scratch, int[] sums, int damaged, int end) {
        if (damaged < end) {
            // Of the CRC that was compared: a buffer of the caller's may have other bytes by now.
            Segment segment = scratch.wanted;
            int found = format.seal((int) scratch.crc.getValue(), segment.number, segment.generation, damaged);
            throw damage(segment, damaged, sums[damaged], found);
        }
    }

    /** The message about a damaged frame. */
    public CorruptionException damage(Segment segment, int frame, int expected, int found) {
        return new CorruptionException(
                file.path(),
                format.filePosition(segment.number, frame << format.frameShift),
                "checksum " + Integer.toHexString(expected) + " of frame " + frame + " of segment " + segment.number
                        + ", generation " + segment.generation,
                Integer.toHexString(found));
    }

    /** Tells the kernel that bytes of a segment, and its footer if that is not known, will be read soon. */
    void prefetch(Segment segment, int from, int length) {
        if (segment.memory != null) {
            return; // some of it may be in the file, which has been written just now
        }
        int first = from & -format.frameBytes;
        int end = from + length + format.frameBytes - 1 & -format.frameBytes;
        prefetchBytes(segment.number, first, end - first);
        if (segment.checksums == null) {
            prefetchBytes(segment.number, format.dataBytes, format.footerBytes);
        }
    }

    /** Tells it of bytes alone. */
    void prefetchBytes(int segment, int from, int length) {
        file.prefetchInPieces(format.filePosition(segment, from), length);
    }

    /** The checksums of a sealed segment, from its footer if nobody has needed them lately. */
    int[] checksums(Segment segment) {
        int[] sums = segment.checksums;
        if (sums != null) {
            if (!segment.checksumsUsed) { // or readers would write to what others read
                segment.checksumsUsed = true;
            }
            return sums;
        }
        return checksums.offer(segment, readFooter(segment));
    }

    /** The checksums in the footer of a sealed segment. While the segment can't be used again. */
    public int[] readFooter(Segment segment) {
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        long position = format.filePosition(segment.number, format.dataBytes);
        file.readFully(footer, position);
        int end = format.footerBytes - Integer.BYTES;
        int found =
                format.seal(FilePreamble.crc(footer, 0, end), segment.number, segment.generation, format.dataFrames);
        if (found != footer.getInt(end)) {
            throw new CorruptionException(
                    file.path(),
                    position,
                    "checksum " + Integer.toHexString(footer.getInt(end)) + " of the footer of segment "
                            + segment.number + ", generation " + segment.generation,
                    Integer.toHexString(found));
        }
        int[] sums = new int[format.dataFrames];
        for (int frame = 0; frame < sums.length; frame++) {
            sums[frame] = footer.getInt(frame * Integer.BYTES);
        }
        return sums;
    }
}
