package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.MappedReads;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The data file: segments are opened, filled in memory, sealed, emptied and used again. One writer; any number of
 * readers inside an epoch. Sealing goes on beside the writer, see {@link SegmentSealer}.
 */
public final class SegmentStore implements AutoCloseable {
    /*
     * I1  An extent lies in one segment. A force pads the open segment to the next frame, so that a frame that was
     *     forced is never written again.
     * I2  Every frame in the file that something lives in has its checksum in the footer of its sealed segment, or in
     *     the logical log, or in the segment table; but for those of segments being sealed, which no log names before
     *     the footer was waited for.
     * I3  A byte once appended does not change until the segment is free, so readers need no lock.
     * I4  A segment is free only when it is sealed, its last live extent is gone, the log that says so is durable
     *     (until then it is among those emptied), and no version that readers may hold has extents in it.
     * I5  Segments below claimedSegments have their place in the file, but for those that are placeless; those from
     *     there on are free, and so are those. Only a segment that is free by I4 loses its place, so a file may be
     *     shorter after a crash, or longer, by free segments. Whether one that is found free at opening has its place
     *     nobody knows: closing gives back what it can.
     * I6  A segment never has a generation again that it had when it was last written, whether the log knew or not: so
     *     bytes from before a crash are not taken for those written to the same place after it. What the log knows of
     *     before an opening goes up by a number that is greater with each opening; so does the generation of the open
     *     segment, which may have been filled and sealed before the crash, and the checksums that it has are turned
     *     into those of the new one.
     */
    private final VfsFile file;
    private final SegmentFormat format;
    private final Epochs epochs;
    private final ChecksumCache checksums;
    private final SegmentReader reader;
    private final MappedReads mapped; // or null
    private final BufferPool buffers;
    private final SegmentSealer sealer;
    private WriterPauses pauses = new WriterPauses(() -> 0); // of nobody, until there is a writer
    private final FoundRefills foundRefills = new FoundRefills();

    private volatile Segment[] segments = new Segment[8];
    private int segmentCount;
    private final BitSet freeSegments = new BitSet();
    private int claimedSegments;
    private final BitSet placeless = new BitSet(); // free ones below claimedSegments that may lack their place
    private final EmptiedSegments emptied;
    private final List<Segment> touched = new ArrayList<>(); // since the last log batch; the open one is the last

    private Segment open;
    private SegmentBuffer openBuffer; // null before the first append after a recovery
    private int framesLogged; // of the open segment: their checksums are in the logical log
    private boolean openClaimed; // the whole of the open segment has its place in the file
    private long segmentsOpened;
    private int opening = 1; // a greater one with each opening of the space
    private boolean unforced;
    private long liveBytes;
    private long bytesWritten;

    /** @param worker for what is done beside the writer; closed with this */
    public SegmentStore(VfsFile file, SegmentFormat format, Epochs epochs, BackgroundWorker worker) {
        this(file, format, epochs, worker, new OffHeap(), new SpaceSettings().frameTableBytes, null);
    }

    /**
     * @param worker for what is done beside the writer; closed with this
     * @param memory for segments
     * @param frameTableBytes for checksums of sealed segments
     * @param mapped a way to read the file without system calls; null for none
     */
    public SegmentStore(
            VfsFile file,
            SegmentFormat format,
            Epochs epochs,
            BackgroundWorker worker,
            OffHeap memory,
            long frameTableBytes,
            MappedReads mapped) {
        this.file = file;
        this.format = format;
        this.epochs = epochs;
        this.checksums = new ChecksumCache(format, frameTableBytes);
        this.reader = new SegmentReader(file, format, checksums, mapped);
        this.mapped = mapped;
        this.emptied = new EmptiedSegments(epochs, this::becomeFree);
        this.buffers = new BufferPool(
                format.segmentBytes,
                new SpaceSettings().segmentBuffers,
                epochs,
                bytes -> memory.allocate(OffHeap.Use.SEGMENTS, bytes));
        this.sealer = new SegmentSealer(worker, this::sealed);
        sealer.pauses(pauses);
    }

    /** Says who is to know when appending and the like may wait for the file. Before the first append. */
    public void pauses(WriterPauses newPauses) {
        pauses = newPauses;
        sealer.pauses(newPauses);
    }

    // ---- memory

    /**
     * Says how many segments may be in memory at once, and takes the memory without which no change could be made: that
     * of an open segment.
     */
    public void reserveBuffers(int count) {
        buffers.reserve(1, count);
    }

    /** Memory for a segment; if there is none, waits for readers of one that was sealed, or first for the sealing. */
    private ByteBuffer takeBuffer() {
        ByteBuffer buffer = buffers.poll();
        while (buffer == null) {
            if (!buffers.areRetired()) {
                sealer.awaitOne(); // P2: so one is under way
            }
            pauses.begin();
            try {
                buffers.awaitReaders();
            } finally {
                pauses.end();
            }
            buffer = buffers.poll();
        }
        return buffer;
    }

    public BufferPool buffers() {
        return buffers;
    }

    // ---- appending

    /** Bytes that an extent appended now may have without a new segment being opened. */
    public int roomInOpenSegment() {
        return open == null ? 0 : format.dataBytes - open.usedBytes;
    }

    /**
     * Appends an extent, whole in one segment.
     *
     * @param length from 1 to the largest extent
     * @return its address
     */
    public long append(ByteBuffer source, int sourcePosition, int length) {
        sealer.throwFailure();
        if (open == null || format.dataBytes - open.usedBytes < length) {
            openNext();
        }
        return format.address(open.number, openBuffer().append(source, sourcePosition, length));
    }

    private SegmentBuffer openBuffer() {
        if (openBuffer == null) {
            openBuffer = new SegmentBuffer(file, format, open, takeBuffer());
        }
        return openBuffer;
    }

    private void openNext() {
        if (open != null) {
            sealOpen();
        }
        int number = nextFree();
        int generation = opening;
        if (number >= 0) {
            freeSegments.clear(number);
            generation += segments[number].generation; // I6
        } else {
            number = segmentCount;
            growTo(number + 1);
        }
        openClaimed = number < claimedSegments && !placeless.get(number);
        placeless.clear(number);
        claimedSegments = Math.max(claimedSegments, number + 1);
        segmentsOpened++;
        Segment segment = new Segment(number, generation, epochs.writerEpoch());
        framesLogged = 0;
        segment.checksums = new int[format.dataFrames];
        segments[number] = segment;
        open = segment;
        touched.add(segment);
    }

    /**
     * The free segment with the lowest number, so that the end of the file becomes free, of those that have their place
     * if there are any; -1 if none is free.
     */
    private int nextFree() {
        int number = freeSegments.nextSetBit(0);
        if (placeless.isEmpty()) {
            return number;
        }
        int placed = number;
        while (placed >= 0 && placeless.get(placed)) {
            placed = freeSegments.nextSetBit(placed + 1);
        }
        return placed >= 0 && placed < claimedSegments ? placed : number;
    }

    private void growTo(int count) {
        Segment[] old = segments;
        if (count > old.length) {
            segments = Arrays.copyOf(old, Math.max(count, 2 * old.length));
        }
        segmentCount = count;
    }

    /** Ends the open segment and has the rest of it written. */
    private void sealOpen() {
        SegmentBuffer full = openBuffer();
        full.end();
        open.goTo(Segment.State.SEALING);
        open = null;
        openBuffer = null;
        wroteData(full.bytesToSeal());
        sealer.seal(full);
    }

    /** Takes a segment that is in the file, so that it may be emptied and its memory be used again. */
    private void sealed(SegmentBuffer buffer) {
        Segment segment = buffer.segment();
        segment.goTo(Segment.State.SEALED);
        buffers.retire(buffer.memory());
        checksums.sealed(segment);
        if (segment.liveBytes == 0) {
            emptied.add(segment);
        }
    }

    /** Waits until all segments but the open one are in the file. */
    public void awaitSealing() {
        sealer.await();
    }

    /** Counts what was written to the file, for the next force. */
    private void wroteData(int bytes) {
        bytesWritten += bytes;
        unforced = true;
    }

    /**
     * Writes every byte appended so far; those of segments being sealed are waited for. The frames written are
     * {@linkplain #noteTouched noted} by the caller.
     *
     * @return whether the file must be forced, by whomever, before a log batch names what was written (O1)
     */
    public boolean writeAppended() {
        sealer.throwFailure();
        if (openBuffer != null) {
            int written;
            pauses.begin();
            try {
                written = openBuffer.writeAppended();
            } finally {
                pauses.end();
            }
            if (written > 0) {
                wroteData(written);
            }
        }
        sealer.await();
        boolean mustForce = unforced;
        unforced = false;
        return mustForce;
    }

    /**
     * Hands over what the next log batch must say about segments, and forgets it. Call after {@link #writeAppended}.
     */
    public void noteTouched(LogBatch batch) {
        assert sealer.isIdle() : "a log batch would name what may not be in the file";
        for (Segment segment : touched) {
            if (segment != open) {
                batch.segmentNote(segment.number, segment.generation, LogBatch.SEALED, 0, null, 0);
            }
        }
        touched.clear();
        if (open != null) {
            int frames = openFramesInFile();
            batch.segmentNote(open.number, open.generation, 0, framesLogged, open.checksums, frames);
            framesLogged = frames;
            touched.add(open);
        }
        foundRefills.note(batch);
        emptied.noted();
    }

    /** Goes on with what waited for that batch. Call when it is durable, and all batches before it. */
    public void batchDurable() {
        foundRefills.batchDurable(checksums);
    }

    /** Bytes that the notes of the next log batch take at most, if so many extents are appended until then. */
    public long noteBytes(long extents) {
        return (touched.size() + extents / 16 + 2) * LogBatch.NOTE_BYTES
                + (long) format.dataFrames * Integer.BYTES
                + foundRefills.noteBytes();
    }

    /** Whether the next log batch has something to say, even if nothing was changed. */
    public boolean hasNotes() {
        return foundRefills.areThere();
    }

    /**
     * What a read of this store needs.
     *
     * @param cache where frames are looked for before the file is read; null for nowhere
     */
    public ReadScratch newScratch(FrameCache cache) {
        return new ReadScratch(reader.scratchBytes(), cache, mapped == null ? null : new Warmth());
    }

    // ---- live bytes and reuse

    /** Counts an extent; returns false if that shows that extents overlap. */
    public boolean addLive(long address, long length) {
        Segment segment = segments[format.segmentOf(address)];
        segment.liveBytes += (int) length;
        liveBytes += length;
        return segment.liveBytes <= segment.usedBytes;
    }

    public void removeLive(long address, long length) {
        Segment segment = segments[format.segmentOf(address)];
        segment.liveBytes -= (int) length;
        liveBytes -= length;
        assert segment.liveBytes >= 0 : segment;
        if (segment.liveBytes == 0 && segment.isSealed()) {
            foundRefills.forget(segment);
            emptied.add(segment);
        }
    }

    /** Lets the emptied segments go as soon as no reader can see them. Call when all changes so far are durable. */
    public void releaseEmptied() {
        emptied.noted();
        releaseEmptiedBefore();
    }

    /** The same for those that were emptied before the last log batch. Call when that is durable. */
    public void releaseEmptiedBefore() {
        emptied.releaseNoted();
        reclaim();
    }

    /** Reuses what no reader can see any more. */
    public void reclaim() {
        emptied.reclaim();
        buffers.reclaim();
    }

    private void becomeFree(int number) {
        Segment segment = segments[number];
        segment.becomeFree();
        checksums.drop(segment);
        freeSegments.set(number);
    }

    // ---- the place in the file

    /**
     * Gives the next segments their place in the file, so that writing them later finds space.
     *
     * @throws StoreFullException if there is not as much; but for free segments that have their place again nothing has
     *     changed then
     */
    public void claimNext(int segmentsToClaim) {
        int atEnd = segmentsToClaim;
        for (int number = placeless.nextSetBit(0); number >= 0 && atEnd > 0; number = placeless.nextSetBit(number)) {
            file.allocate(format.filePosition(number, 0), format.segmentBytes);
            placeless.clear(number);
            atEnd--;
        }
        if (atEnd == 0) {
            return;
        }
        long position = format.filePosition(claimedSegments, 0);
        try {
            file.allocate(position, (long) atEnd * format.segmentBytes);
        } catch (StoreFullException e) {
            file.truncate(position); // a part of it, of use to others
            throw e;
        }
        claimedSegments += atEnd;
    }

    /** Does the same for the rest of the open segment, if that {@linkplain #openIsClaimed may lack it}. */
    public void claimOpen() {
        int from = openFramesInFile() << format.frameShift;
        file.allocate(format.filePosition(open.number, from), format.segmentBytes - from);
        openClaimed = true;
    }

    /** Whether what is appended to the open segment finds its place in the file. */
    public boolean openIsClaimed() {
        return open == null || openClaimed;
    }

    /** Segments that can be opened without the file becoming longer. */
    public int allocatable() {
        int placed = claimedSegments - placeless.cardinality();
        if (claimedSegments >= segmentCount) {
            return freeSegments.cardinality() + placed - segmentCount;
        }
        return freeSegments.get(0, claimedSegments).cardinality() + placed - claimedSegments;
    }

    /** Free segments before the end of the file that may lack their place in it. */
    public int placelessCount() {
        return placeless.cardinality();
    }

    /** Segments that have their place in the file. */
    public int claimedSegments() {
        return claimedSegments;
    }

    /** Free segments at the end of those that have their place in the file. */
    public int freeAtEnd() {
        int lastInUse = freeSegments.previousClearBit(Math.min(claimedSegments, segmentCount) - 1);
        return claimedSegments - lastInUse - 1;
    }

    /** Cuts free segments off the end of the file. */
    public void cutEnd(int segmentsToCut) {
        assert segmentsToCut <= freeAtEnd();
        pauses.begin();
        try {
            file.truncate(format.filePosition(claimedSegments - segmentsToCut, 0));
        } finally {
            pauses.end();
        }
        claimedSegments -= segmentsToCut;
        placeless.clear(claimedSegments, Math.max(claimedSegments, placeless.length()));
    }

    /**
     * Gives back to the disk what the file has for segments in which nothing lives. Before closing, when all changes
     * are durable and nobody reads any more: it is the last that is done here. The open segment keeps its place: without
     * it a space that is opened on a full disk could not even go over to another one.
     */
    public void giveBackFree() {
        int end = Math.min(segmentCount, claimedSegments);
        while (end > 0 && isEmpty(end - 1)) {
            end--;
        }
        long fileEnd = format.filePosition(end, 0);
        if (file.size() > fileEnd) {
            file.truncate(fileEnd);
        }
        for (int number = 0; number < end; ) {
            int from = number;
            while (number < end && isEmpty(number)) {
                number++;
            }
            if (number > from) {
                file.giveBack(format.filePosition(from, 0), (long) (number - from) * format.segmentBytes);
            }
            number++;
        }
    }

    private boolean isEmpty(int number) {
        return segments[number].liveBytes == 0 && segments[number] != open;
    }

    /** Whether the open segment, if there is one, has its place in the file, and this number or a greater one. */
    public boolean isOpenFrom(int number) {
        return open != null && openClaimed && open.number >= number;
    }

    /** Ends the open segment before it is full, and opens another one, the first that is free. */
    public void openAnother() {
        openNext();
        awaitSealing();
    }

    // ---- reading

    /** Copies bytes of one segment, each verified. Any thread, inside an epoch that holds a version with them. */
    public void read(long address, ByteBuffer destination, int destinationPosition, int length, ReadScratch scratch) {
        Segment segment = segments[format.segmentOf(address)];
        reader.read(segment, format.positionOf(address), destination, destinationPosition, length, scratch);
    }

    /**
     * Copies bytes of one segment, of which those in the file are not verified. As {@link #read}.
     *
     * @return false if they can't be read without verifying them; the destination holds anything then
     */
    public boolean readUnverified(long address, ByteBuffer destination, int destinationPosition, int length) {
        Segment segment = segments[format.segmentOf(address)];
        int from = format.positionOf(address);
        ByteBuffer memory = segment.memory;
        int fileEnd = memory == null ? format.dataBytes : segment.memoryStart;
        int inFile = Math.min(length, Math.max(0, fileEnd - from));
        long position = format.filePosition(segment.number, from);
        if (inFile > 0 && (mapped == null || !mapped.read(position, destination, destinationPosition, inFile))) {
            return false;
        }
        if (inFile < length) {
            destination.put(destinationPosition + inFile, memory, from + inFile, length - inFile);
        }
        return true;
    }

    /** Whether {@link #readUnverified} may be asked for bytes, the address of which may be any. Any thread. */
    public boolean isWithinSegment(long address, int length) {
        Segment[] known = segments;
        long number = address >>> format.segmentShift;
        return number < known.length
                && known[(int) number] != null
                && format.positionOf(address) + length <= format.dataBytes;
    }

    /** Whether {@link #readUnverified} may still succeed. */
    public boolean isReadMapped() {
        return mapped != null && mapped.isPossible();
    }

    /** Bytes of the file that are mapped for it. */
    public long mappedBytes() {
        return mapped == null ? 0 : mapped.mappedBytes();
    }

    /** Throws what has struck {@link #readUnverified} on this thread unnoticed: to be called where that shows. */
    public void throwPendingFault() {
        if (mapped != null) {
            mapped.throwPendingFault();
        }
    }

    /** Tells the kernel that bytes of a segment will be read soon. As {@link #read}. */
    public void prefetch(long address, long length) {
        reader.prefetch(segments[format.segmentOf(address)], format.positionOf(address), (int) length);
    }

    public SegmentReader reader() {
        return reader;
    }

    /** Bytes of checksums that are in memory. Any thread, for which it is about so many. */
    public long frameTableBytes() {
        return checksums.memoryBytes() + (long) buffers.inUse() * format.dataFrames * Integer.BYTES;
    }

    // ---- recovery and checkpoint

    /** Whether an extent lies within a known segment; to be asked of every address that comes from a file. */
    public boolean isExtent(long address, long length) {
        int number = format.segmentOf(address);
        return address >>> format.segmentShift < segmentCount
                && segments[number] != null
                && length <= format.maxExtentBytes
                && format.positionOf(address) + length <= segments[number].usedBytes;
    }

    /** Takes a segment that a recovery knows of, in the place of what it knew before. */
    void put(Segment segment) {
        if (segment.number >= segmentCount) {
            growTo(segment.number + 1);
        }
        segments[segment.number] = segment;
    }

    /** Follows which segment is open, by what a recovery knows; null for none. */
    void foundOpen(Segment segment) {
        open = segment;
    }

    FoundRefills foundRefills() {
        return foundRefills;
    }

    /**
     * Ends a recovery: what has no live byte is free, and the open segment goes on with its next frame.
     *
     * @param newOpening a positive number, greater than at any opening before
     */
    public void recovered(long newOpening) {
        opening = (int) newOpening;
        emptied.forgetAll();
        touched.clear();
        for (int number = 0; number < segmentCount; number++) {
            if (segments[number].liveBytes == 0 && segments[number] != open) {
                becomeFree(number);
            }
        }
        foundRefills.recovered(segment -> segments[segment.number] == segment && !freeSegments.get(segment.number));
        if (open != null) {
            open.beginGeneration(open.generation + opening, format);
            framesLogged = 0;
            open.memoryStart = open.usedBytes;
            touched.add(open);
        }
        long whole = (file.size() - SegmentFormat.FIRST_SEGMENT_POSITION) >> format.segmentShift;
        int inUse = freeSegments.previousClearBit(segmentCount - 1) + 1;
        claimedSegments = (int) Math.max(inUse, Math.min(segmentCount, whole));
        placeless.or(freeSegments);
        placeless.clear(claimedSegments, Math.max(claimedSegments, placeless.length()));
    }

    /** Writes the footers anew that do not count. When what a recovery found is durable. */
    public void writeFootersFound() {
        int bytes = foundRefills.writeFooters(file, format);
        if (bytes > 0) {
            wroteData(bytes);
        }
    }

    public int segmentCount() {
        return segmentCount;
    }

    public Segment segment(int number) {
        return segments[number];
    }

    /** No segment has this number or a greater one. Any thread. */
    public int segmentLimit() {
        return segments.length;
    }

    /** The segment with a number below the limit, or null. Any thread, but what it says may be a moment old. */
    public Segment segmentIfAny(int number) {
        return segments[number];
    }

    public Segment openSegment() {
        return open;
    }

    /** Frames of the open segment, of which there is one, that are in the file. */
    public int openFramesInFile() {
        return openBuffer == null ? open.usedBytes >>> format.frameShift : openBuffer.framesInFile();
    }

    public boolean isFree(int number) {
        return freeSegments.get(number);
    }

    public int freeSegmentCount() {
        return freeSegments.cardinality();
    }

    public long liveBytes() {
        return liveBytes;
    }

    public long bytesWritten() {
        return bytesWritten;
    }

    /** Bytes of segments taken by what was appended and padded. Never falls. */
    public long bytesConsumed() {
        return segmentsOpened * format.dataBytes + (open == null ? 0 : open.usedBytes - format.dataBytes);
    }

    /** Segments without a live byte that are not free yet. */
    public EmptiedSegments emptied() {
        return emptied;
    }

    public VfsFile file() {
        return file;
    }

    public SegmentFormat format() {
        return format;
    }

    @Override
    public void close() {
        try {
            sealer.close();
        } finally {
            file.close();
        }
    }
}
