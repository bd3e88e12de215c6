package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Leases;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.MappedReads;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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
     *     bytes from before a crash are not taken for those written to the same place after it. The generations that
     *     the log knows before an opening go up by a number that is greater with each opening; so does the generation
     *     of the open segment, which may have been filled and sealed before the crash, and the checksums that it has
     *     are turned into those of the new one.
     */
    private final VfsFile file;
    private final SegmentFormat format;
    private final Epochs epochs;
    private final ChecksumCache checksums;
    private final SegmentReader reader;
    private final MappedReads mapped; // or null
    private final BufferPool buffers;
    private final SegmentSealer sealer;
    private final Consumer<ByteBuffer> givingBack;
    private WriterPauses pauses = new WriterPauses(() -> 0); // of nobody, until there is a writer

    private final SegmentPlaces places;
    private final EmptiedSegments emptied;
    private final SegmentNotes notes;

    private Segment open;
    private SegmentBuffer openBuffer; // null before the first append after a recovery
    private int framesLogged; // of the open segment: their checksums are in the logical log
    private int openClaimedBytes; // of the open segment, up to where it has its place in the file, as far as known
    private long segmentsOpened;
    private boolean unforced;
    private long liveBytes;
    private long bytesWritten;

    private final OffHeap memory;
    private final StagingArea staging;
    private final List<Segment> keptInUse = new ArrayList<>(); // by a recovery

    /** @param worker for what is done beside the writer; closed with this */
    public SegmentStore(VfsFile file, SegmentFormat format, Epochs epochs, BackgroundWorker worker) {
        this(new DataFile(file, format, null), epochs, worker, new OffHeap(), new SpaceSettings().frameTableBytes);
    }

    /**
     * @param worker for what is done beside the writer; closed with this
     * @param memory for segments
     * @param frameTableBytes for checksums of sealed segments
     */
    public SegmentStore(DataFile data, Epochs epochs, BackgroundWorker worker, OffHeap memory, long frameTableBytes) {
        this.file = data.file();
        this.format = data.format();
        this.epochs = epochs;
        this.memory = memory;
        this.checksums = new ChecksumCache(format, frameTableBytes);
        this.reader = new SegmentReader(data, checksums);
        this.mapped = data.mapped();
        this.givingBack = memory::giveBack; // made at opening, and not in a heap that may be full
        this.places = new SegmentPlaces(file, format, this::liveBytes);
        this.notes = new SegmentNotes(places);
        this.staging = new StagingArea(file, format, epochs, places, checksums, memory);
        this.emptied = new EmptiedSegments(epochs, this::becomeFree);
        this.buffers = new BufferPool(
                format.segmentBytes,
                new SpaceSettings().segmentBuffers,
                epochs,
                bytes -> memory.take(OffHeap.Use.SEGMENTS, bytes));
        this.sealer = new SegmentSealer(worker, this::sealed);
        sealer.pauses(pauses);
    }

    /**
     * Says who reads the file in other processes, and for how many bytes of it that is to be heeded. Before the first
     * change.
     */
    public void honour(Leases leases, long maxBytes) {
        emptied.honour(leases, (int) Math.min(Integer.MAX_VALUE, maxBytes / format.segmentBytes));
    }

    /** Says who is to know when appending and the like may wait for the file. Before the first append. */
    public void pauses(WriterPauses newPauses) {
        pauses = newPauses;
        sealer.pauses(newPauses);
    }

    // ---- memory

    /**
     * Gives back the memory for segments as far as nobody needs it until the next change: all that was appended must be
     * in the file. The open segment goes on as after a recovery.
     */
    public void giveBackBuffers() {
        if (openBuffer != null && sealer.isIdle() && open.usedBytes == openBuffer.framesInFile() << format.frameShift) {
            ByteBuffer bytes = openBuffer.memory();
            open.memoryStart = open.usedBytes; // first: who has found the memory still looks there for what it has
            open.memory = null;
            openBuffer = null;
            buffers.retire(bytes);
        }
        int before;
        do { // as far as no reader is in the way
            buffers.giveBackFree(givingBack);
            before = epochs.phase();
            epochs.tryNextPhase();
        } while (buffers.areRetired() && epochs.phase() != before);
        buffers.giveBackFree(givingBack);
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
        Segment segment = places.open(epochs.writerEpoch());
        opened(segment, segment.placed ? format.segmentBytes : 0);
    }

    private void opened(Segment segment, int claimedBytes) {
        openClaimedBytes = claimedBytes;
        segmentsOpened++;
        framesLogged = 0;
        open = segment;
        notes.touch(segment);
    }

    /**
     * Opens the very first segment, of which only the beginning has its place in the file; false if it is not the first.
     *
     * @throws io.flexdb.storage.StoreFullException if there is not as much space; nothing has changed then
     */
    public boolean openFirst(int claimedBytes) {
        Segment first = places.openFirst(epochs.writerEpoch(), claimedBytes);
        if (first != null) {
            opened(first, claimedBytes);
        }
        return first != null;
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
        int frames = open == null ? 0 : openFramesInFile();
        notes.hand(batch, open, framesLogged, frames);
        framesLogged = frames;
        emptied.noted();
    }

    /** Bytes that the notes of the next log batch take at most, if so many extents are appended until then. */
    public long noteBytes(long extents) {
        return notes.bytes(extents) + (long) format.dataFrames * Integer.BYTES;
    }

    /** Whether the next log batch has something to say, even if nothing was changed. */
    public boolean hasNotes() {
        return notes.areDue();
    }

    /**
     * Makes the scratch that a read of this store needs.
     *
     * @param cache where frames are looked for before the file is read; null for nowhere
     */
    public ReadScratch newScratch(FrameCache cache) {
        return new ReadScratch(reader.scratchBytes(), cache, mapped == null ? null : new Warmth());
    }

    // ---- staging

    /** Begins to take bytes that get their place in the space later. Any thread. */
    public StagedBytes stage() {
        return staging.begin();
    }

    /** Bytes that were staged, and neither linked nor given back. Any thread. */
    public long stagedBytes() {
        return places.unlinkedBytes();
    }

    /** Follows that an extent begins at an address that was staged, in a segment that is sealed. */
    public void link(long address, int length) {
        Segment segment = segment(format.segmentOf(address));
        assert segment.isHeld() && segment.isSealed() : segment;
        if (!segment.linked) {
            segment.linked = true;
            notes.touch(segment);
            segmentsOpened++;
            unforced = true; // T4
        }
        places.countUnlinked(segment, -length);
        addLive(address, length);
    }

    /** Takes what was given back of what was staged; returns whether there was anything. */
    public boolean takeGivenBack() {
        StagedBytes next = staging.nextGivenBack();
        if (next == null) {
            return false;
        }
        for (; next != null; next = staging.nextGivenBack()) {
            for (Segment segment : next.segments()) {
                letGo(segment);
            }
        }
        return true;
    }

    private void letGo(Segment segment) {
        if (!segment.isSealed()) { // it was not ended
            segment.abandon();
        }
        places.letGo(segment);
        if (!segment.linked) {
            notes.touch(segment); // T5
            notes.isDue();
        }
        segment.letGo();
        if (segment.liveBytes == 0) {
            emptied.add(segment);
        }
    }

    /**
     * Keeps the bytes that an earlier opening has staged at an address, though nothing is known to live there, until
     * {@link #letGoKept}. Between {@link #recovered} and the first change.
     *
     * @return false if there is nothing to keep
     */
    public boolean keep(long address) {
        long number = address >>> format.segmentShift;
        if (number >= format.maxSegments) {
            return false;
        }
        if (places.keep((int) number)) {
            return true;
        }
        Segment segment = number < segmentCount() ? segment((int) number) : null;
        if (segment == null || segment == open) {
            return false;
        }
        if (!segment.isHeld()) { // something was linked
            places.hold(segment);
            keptInUse.add(segment);
        }
        return true;
    }

    /** Fills a buffer from an address, which may be any, with what the file has there; false if there is no such place. */
    public boolean readFromFile(long address, ByteBuffer destination) {
        long number = address >>> format.segmentShift;
        if (number >= format.maxSegments || format.positionOf(address) + destination.remaining() > format.dataBytes) {
            return false;
        }
        file.readFully(destination, format.filePosition((int) number, format.positionOf(address)));
        return true;
    }

    /** Damage at an address. */
    public CorruptionException damage(long address, String expected, String found) {
        long position = format.filePosition(format.segmentOf(address), format.positionOf(address));
        return new CorruptionException(file.path(), position, expected, found);
    }

    /** Lets all that was {@linkplain #keep kept} be free. */
    public void letGoKept() {
        places.letGoKept();
        for (Segment segment : keptInUse) {
            places.letGo(segment);
            segment.letGo();
            if (segment.liveBytes == 0) {
                emptied.add(segment);
            }
        }
        keptInUse.clear();
    }

    // ---- live bytes and reuse

    /** Counts an extent; returns false if that shows that extents overlap. */
    public boolean addLive(long address, long length) {
        Segment segment = segment(format.segmentOf(address));
        segment.liveBytes += (int) length;
        liveBytes += length;
        return segment.liveBytes <= segment.usedBytes;
    }

    public void removeLive(long address, long length) {
        Segment segment = segment(format.segmentOf(address));
        segment.liveBytes -= (int) length;
        liveBytes -= length;
        assert segment.liveBytes >= 0 : segment;
        if (segment.isHeld()) {
            places.countUnlinked(segment, (int) length); // it may be linked again
        } else if (segment.liveBytes == 0 && segment.isSealed()) {
            emptied.add(segment);
        }
    }

    /** Lets the emptied segments go as soon as no reader can see them. Call when all changes so far are durable. */
    public void releaseEmptied() {
        emptied.noted();
        releaseEmptiedBefore();
    }

    /**
     * Lets segments that were emptied before the last log batch go as soon as no reader can see them. Call when that
     * batch is durable.
     */
    public void releaseEmptiedBefore() {
        places.endSharingIfAlone();
        emptied.releaseNoted();
        reclaim();
    }

    /** Reuses what no reader can see any more. */
    public void reclaim() {
        emptied.reclaim();
        buffers.reclaim();
    }

    private void becomeFree(int number) {
        checksums.drop(places.segment(number));
        places.becomeFree(number);
    }

    // ---- the place in the file

    /** Which segments have their place in the file. */
    public SegmentPlaces places() {
        return places;
    }

    /** Gives the rest of the open segment its place in the file, if that {@linkplain #openIsClaimed may lack it}. */
    public void claimOpen() {
        int from = openFramesInFile() << format.frameShift;
        file.allocate(format.filePosition(open.number, from), format.segmentBytes - from);
        openClaimedBytes = format.segmentBytes;
    }

    /** Does the same up to a position in it, which is the end of a frame. */
    public void claimOpenTo(int end) {
        int from = Math.max(openClaimedBytes, openFramesInFile() << format.frameShift);
        file.allocate(format.filePosition(open.number, from), end - from);
        openClaimedBytes = end;
    }

    /** Up to where the open segment, of which there is one, has its place in the file, as far as known. */
    public int openClaimedBytes() {
        return openClaimedBytes;
    }

    /** Whether what is appended to the open segment finds its place in the file. */
    public boolean openIsClaimed() {
        return open == null || openClaimedBytes == format.segmentBytes;
    }

    /** Cuts free segments off the end of the file, or fewer if others have taken some meanwhile. */
    public void cutEnd(int segmentsToCut) {
        pauses.begin();
        try {
            places.cutEnd(segmentsToCut);
        } finally {
            pauses.end();
        }
    }

    /**
     * Gives back to the disk what the file has for segments in which nothing lives. Before closing, when all changes
     * are durable and nobody reads any more: it is the last that is done here. The open segment keeps its place: without
     * it a space that is opened on a full disk could not even go over to another one.
     */
    public void giveBackFree() {
        places.giveBackFree(open);
    }

    /** Whether the open segment, if there is one, has its place in the file, and this number or a greater one. */
    public boolean isOpenFrom(int number) {
        return open != null && openIsClaimed() && open.number >= number;
    }

    /** Ends the open segment before it is full, and opens another one, the first that is free. */
    public void openAnother() {
        openNext();
        awaitSealing();
    }

    // ---- reading

    /** Copies bytes of one segment, each verified. Any thread, inside an epoch that holds a version with them. */
    public void read(long address, ByteBuffer destination, int destinationPosition, int length, ReadScratch scratch) {
        Segment segment = segment(format.segmentOf(address));
        reader.read(segment, format.positionOf(address), destination, destinationPosition, length, scratch);
    }

    /**
     * Copies bytes of one segment, of which those in the file are not verified. As {@link #read}.
     *
     * @return false if they can't be read without verifying them; the destination holds anything then
     */
    public boolean readUnverified(long address, ByteBuffer destination, int destinationPosition, int length) {
        Segment segment = segment(format.segmentOf(address));
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
        Segment[] known = places.segments();
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
        reader.prefetch(segment(format.segmentOf(address)), format.positionOf(address), (int) length);
    }

    /** Does the same for {@link #readUnverified}, which needs no whole frames and no footers. */
    public void prefetchUnverified(long address, int length) {
        reader.prefetchBytes(format.segmentOf(address), format.positionOf(address), length);
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
        return address >>> format.segmentShift < segmentCount()
                && segment(number) != null
                && length <= format.maxExtentBytes
                && format.positionOf(address) + length <= segment(number).usedBytes;
    }

    /** Takes a segment that a recovery knows of, in the place of what it knew before. */
    void put(Segment segment) {
        places.put(segment);
    }

    /** Follows which segment is open, by what a recovery knows; null for none. */
    void foundOpen(Segment segment) {
        open = segment;
    }

    /**
     * Ends a recovery: what has no live byte is free, and the open segment goes on with its next frame.
     *
     * @param newOpening a positive number, greater than at any opening before
     */
    public void recovered(long newOpening) {
        emptied.forgetAll();
        places.found();
        for (int number = 0; number < segmentCount(); number++) {
            if (segment(number).liveBytes == 0 && segment(number) != open) {
                becomeFree(number);
            }
        }
        if (open != null) {
            open.beginGeneration(open.generation + (int) newOpening, format);
            framesLogged = 0;
            open.memoryStart = open.usedBytes;
        }
        notes.recovered(open);
        places.recovered((int) newOpening);
    }

    public int segmentCount() {
        return places.segmentCount();
    }

    public Segment segment(int number) {
        return places.segment(number);
    }

    /** No segment has this number or a greater one. Any thread. */
    public int segmentLimit() {
        return places.segments().length;
    }

    /** The segment with a number below the limit, or null. Any thread, but what it says may be a moment old. */
    public Segment segmentIfAny(int number) {
        return places.segment(number);
    }

    public Segment openSegment() {
        return open;
    }

    /** Frames of the open segment, of which there is one, that are in the file. */
    public int openFramesInFile() {
        return openBuffer == null ? open.usedBytes >>> format.frameShift : openBuffer.framesInFile();
    }

    public boolean isFree(int number) {
        return places.isFree(number);
    }

    public int freeSegmentCount() {
        return places.freeCount();
    }

    public long liveBytes() {
        return liveBytes;
    }

    public long bytesWritten() {
        return bytesWritten + staging.bytesWritten();
    }

    /** Bytes of segments taken by what was appended and padded. Never falls. */
    public long bytesConsumed() {
        return segmentsOpened * format.dataBytes + (open == null ? 0 : open.usedBytes - format.dataBytes);
    }

    /** Segments in which something lives, or may come to live, and that are not open for those who stage. Writer only. */
    public int segmentsInUse() {
        return segmentCount() - freeSegmentCount() - places.parkedCount() - emptied.count() - places.heldCount();
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
