package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.memory.HugePages;
import io.flexdb.base.memory.OffHeap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Keeps frames off-heap that were verified, so that to read them again takes neither a system call nor a checksum. Any
 * number of threads, each inside an epoch that holds a version with the bytes that it asks for. Memory is taken as the
 * cache fills, and kept unless it is asked for.
 */
public final class FrameCache {
    /*
     * The problem: readers without locks, which may be copying from memory that is given to another frame; frames that
     * leave while segments still say where they are; CLOCK, so that what is read again stays.
     *
     * The choice: memory is divided into slots of one frame, each with two words. The stamp is counted up whenever the
     * slot gets another frame, and says so while that goes on; the owner is the number of the frame that is in it,
     * which no other frame ever has. A segment knows the slot that each of its frames was last put into. A reader looks
     * at the stamp, finds that the owner is the frame that he wants, copies his bytes, and looks whether the stamp is
     * the same (a seqlock). So nothing has to be taken back when a frame leaves, or when a segment is used again: that
     * is another Segment, whose frames have other numbers.
     *
     * Frames come in with the CLOCK bit clear, and a hit sets it: what is read once goes before what is read again. Who
     * brings a frame looks at a few slots only; if frames in all of them were hit, his is not kept this time.
     *
     * The cost: 16 bytes of heap for each slot, and 4 for each frame of the segments that are read. A reader that does
     * not find a frame copies it twice.
     *
     * Memory that is asked for is given in whole chunks, the last ones first: who is copying from one keeps it, others
     * find none, and a chunk made in its place later begins with no frames.
     *
     * Each hit touches another page, and there are too many of them for the processor to remember where all are. In
     * huge pages, where they are to be had, a copy takes a sixth less time.
     *
     * C1  A stamp never returns, and the owner and the bytes of a slot change only while it says so.
     * C2  What is put into a slot was verified in memory of ours, and comes from there: a caller's buffer may change
     *     under our hands, and all other readers would suffer.
     * C3  Frames in the file do not change (I3).
     */
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int CHUNK_SHIFT = 24; // memory is taken in chunks of so many bytes
    private static final int MAX_SLOTS = 1 << 30;
    private static final int MAX_LOOKED_AT = 64;
    private static final int STRIDE = 16; // longs: two cache lines, out of the reach of the adjacent-line prefetcher

    // A stamp: how often the slot was filled, and two bits.
    private static final long HIT = 1; // the CLOCK bit
    private static final long FILLING = 2;
    private static final long FILLED_ONCE = 4;

    private final int frameShift;
    private final int framesOfSegment;
    private final int chunkShift; // in slots
    private final int slotCount;
    private final AtomicReferenceArray<Chunk> chunks;
    private final OffHeap memory;
    private final AtomicLongArray hand = new AtomicLongArray(2 * STRIDE); // its steps, away from what hits read
    private final AtomicLong nextNumber = new AtomicLong(1); // of a frame; 0 owns nothing
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private volatile long memoryBytes;
    private volatile boolean noMoreMemory; // until the next limit, or until there is some
    private volatile int allowedChunks; // written under this object's lock

    /**
     * Makes an empty cache.
     *
     * @param bytes how much off-heap memory to take at most; at least a frame
     * @param memory where it comes from
     */
    FrameCache(SegmentFormat format, long bytes, OffHeap memory) {
        assert bytes >= format.frameBytes : bytes;
        this.frameShift = format.frameShift;
        this.framesOfSegment = format.dataFrames;
        this.chunkShift = Math.max(0, CHUNK_SHIFT - frameShift);
        this.slotCount = (int) Math.min(MAX_SLOTS, bytes >>> frameShift);
        this.chunks = new AtomicReferenceArray<>((slotCount - 1 >>> chunkShift) + 1);
        this.allowedChunks = chunks.length();
        this.memory = memory;
    }

    /**
     * A cache of so many bytes, or null if that is not even a frame.
     *
     * @param memory where it comes from
     */
    public static FrameCache of(SegmentFormat format, long bytes, OffHeap memory) {
        return bytes < format.frameBytes ? null : new FrameCache(format, bytes, memory);
    }

    private ByteBuffer allocate(int bytes) {
        return bytes < HugePages.LEAST_BYTES // and whoever stays small does without that class
                ? memory.tryAllocate(OffHeap.Use.CACHE, bytes)
                : HugePages.tryAllocate(memory, OffHeap.Use.CACHE, bytes);
    }

    /** Some slots. */
    private static final class Chunk {
        private final ByteBuffer bytes;
        private final long[] words; // of each slot: stamp and owner

        Chunk(ByteBuffer bytes, int slots) {
            this.bytes = bytes;
            this.words = new long[2 * slots];
        }
    }

    /** Where the frames of one use of a segment were put last. */
    static final class Frames {
        private final long firstNumber;
        private final int[] slots; // plus one; 0 for none

        private Frames(long firstNumber, int count) {
            this.firstNumber = firstNumber;
            this.slots = new int[count];
        }

        private long number(int frame) {
            return firstNumber + frame;
        }

        /** The slot that a frame was last put into, or -1. With it, the chunk that it is in is seen. */
        private int slot(int frame) {
            return (int) SLOTS.getAcquire(slots, frame) - 1;
        }

        private void put(int frame, int slot) {
            SLOTS.setRelease(slots, frame, slot + 1);
        }
    }

    /** Those of a segment of which nothing was put in. */
    Frames newFrames() {
        return new Frames(nextNumber.getAndAdd(framesOfSegment), framesOfSegment);
    }

    // ---- readers

    /**
     * Copies bytes as far as their frames are here.
     *
     * @param from position of the first byte in the segment
     * @return how many bytes; if not all, then the frame of the next one is not here
     */
    int copy(Frames frames, int from, ByteBuffer destination, int destinationPosition, int length) {
        int frameBytes = 1 << frameShift;
        int done = 0;
        while (done < length) {
            int inFrame = from + done & frameBytes - 1;
            int piece = Math.min(length - done, frameBytes - inFrame);
            if (!copy(frames, from + done >>> frameShift, inFrame, destination, destinationPosition + done, piece)) {
                break;
            }
            done += piece;
        }
        return done;
    }

    private boolean copy(
            Frames frames, int frame, int inFrame, ByteBuffer destination, int destinationPosition, int length) {
        int slot = frames.slot(frame);
        if (slot < 0) {
            return false;
        }
        Chunk chunk = chunks.getPlain(slot >>> chunkShift);
        if (chunk == null) {
            return false; // it was given back
        }
        long[] words = chunk.words;
        int word = wordOf(slot);
        long stamp = (long) WORDS.getAcquire(words, word); // the owner and the bytes are read after it
        if ((stamp & FILLING) != 0 || words[word + 1] != frames.number(frame)) {
            return false;
        }
        destination.put(destinationPosition, chunk.bytes, positionOf(slot) + inFrame, length);
        VarHandle.loadLoadFence(); // and before it is read again
        if (((long) WORDS.getOpaque(words, word) & ~HIT) != (stamp & ~HIT)) {
            return false;
        }
        if ((stamp & HIT) == 0) { // else many readers would write what all of them read
            WORDS.compareAndSet(words, word, stamp, stamp | HIT);
        }
        return true;
    }

    /** Whether a frame is here, at this moment. */
    boolean holds(Frames frames, int frame) {
        int slot = frames.slot(frame);
        if (slot < 0) {
            return false;
        }
        Chunk chunk = chunks.getPlain(slot >>> chunkShift);
        if (chunk == null) {
            return false;
        }
        long[] words = chunk.words;
        int word = wordOf(slot);
        return ((long) WORDS.getAcquire(words, word) & FILLING) == 0 && words[word + 1] == frames.number(frame);
    }

    /** The stamp's place in the words of the slot's chunk; the owner's is the next. */
    private int wordOf(int slot) {
        return 2 * (slot & (1 << chunkShift) - 1);
    }

    /** The frame's place in the bytes of the slot's chunk. */
    private int positionOf(int slot) {
        return (slot & (1 << chunkShift) - 1) << frameShift;
    }

    /**
     * How many bytes are to be read from the file, up to the first one whose frame is here, if any.
     *
     * @param from position in the segment of a byte whose frame is not here
     */
    int missing(Frames frames, int from, int length) {
        int end = from + length;
        int frame = from >>> frameShift;
        do {
            frame++;
        } while (frame << frameShift < end && !holds(frames, frame));
        return Math.min(frame << frameShift, end) - from;
    }

    /** Counts the frames that a read has found, and those that it has not. */
    void count(int found, int missed) {
        if (found > 0) {
            hits.add(found);
        }
        if (missed > 0) {
            misses.add(missed);
        }
    }

    // ---- filling

    /**
     * Puts frames in that were verified, as far as there are slots for them.
     *
     * @param source has them from a position on; nobody else can write to it (C2)
     */
    void put(Frames frames, int first, int count, ByteBuffer source, int sourcePosition) {
        for (int i = 0; i < count; i++) {
            if (!holds(frames, first + i)) { // else another reader was faster
                put(frames, first + i, source, sourcePosition + (i << frameShift));
            }
        }
    }

    private void put(Frames frames, int frame, ByteBuffer source, int sourcePosition) {
        for (int looks = 0; looks < MAX_LOOKED_AT; looks++) {
            long step = hand.getAndIncrement(STRIDE);
            int slot = (int) (step % slotCount);
            Chunk chunk = chunkOf(slot);
            if (chunk == null) {
                hand.compareAndSet(STRIDE, step + 1, step - slot + slotCount); // what follows has no memory either
                lookForMemory(slot);
            } else if (fill(chunk, slot, frames.number(frame), source, sourcePosition)) {
                frames.put(frame, slot);
                return;
            }
        }
    }

    /** Fills a slot, unless its frame was hit since the last time, or somebody else is there. */
    private boolean fill(Chunk chunk, int slot, long owner, ByteBuffer source, int sourcePosition) {
        long[] words = chunk.words;
        int word = wordOf(slot);
        long stamp = (long) WORDS.getOpaque(words, word);
        if ((stamp & HIT) != 0) {
            WORDS.compareAndSet(words, word, stamp, stamp & ~HIT);
            return false;
        }
        if ((stamp & FILLING) != 0 || !WORDS.compareAndSet(words, word, stamp, stamp | FILLING)) {
            return false;
        }
        VarHandle.storeStoreFence(); // who has copied any of what follows finds another stamp then (C1)
        words[word + 1] = owner;
        chunk.bytes.put(positionOf(slot), source, sourcePosition, 1 << frameShift);
        WORDS.setRelease(words, word, stamp + FILLED_ONCE);
        return true;
    }

    private Chunk chunkOf(int slot) {
        int number = slot >>> chunkShift;
        Chunk chunk = chunks.getAcquire(number);
        return chunk != null || noMoreMemory ? chunk : makeChunk(number);
    }

    /** Takes a lock, once for some MiB. No read shall fail because there is no memory for a cache. */
    private synchronized Chunk makeChunk(int number) {
        Chunk chunk = chunks.getPlain(number);
        if (chunk == null && !noMoreMemory && number < allowedChunks) {
            int slots = slotsOf(number);
            ByteBuffer bytes = allocate(slots << frameShift);
            if (bytes == null) {
                noMoreMemory = true;
                return null;
            }
            chunk = new Chunk(bytes, slots);
            chunks.setRelease(number, chunk);
            memoryBytes += slots << frameShift;
        }
        return chunk;
    }

    /** Memory that was not there once may have been freed since; asked for once in a round. */
    private void lookForMemory(int slot) {
        int number = slot >>> chunkShift;
        if (number < allowedChunks && memory.isThere(slotsOf(number) << frameShift)) {
            noMoreMemory = false;
        }
    }

    private int slotsOf(int chunk) {
        return Math.min(1 << chunkShift, slotCount - (chunk << chunkShift));
    }

    // ---- giving memory back

    /**
     * Says how much memory the cache may take now, its budget at most. It lets go of memory beyond that. Any thread.
     */
    public synchronized void limit(long bytes) {
        allowedChunks = bytes >= (long) slotCount << frameShift
                ? chunks.length()
                : (int) Math.max(0, bytes >>> frameShift + chunkShift);
        noMoreMemory = allowedChunks == 0;
        dropFrom(allowedChunks, Long.MAX_VALUE);
    }

    /**
     * Lets go of so much memory, or somewhat more, or of what there is if that is less. The cache grows again behind the
     * next {@link #limit}, or once there is memory to spare. Any thread.
     *
     * @return bytes let go of; the garbage collector frees them
     */
    public synchronized long giveBack(long bytes) {
        noMoreMemory = true;
        return dropFrom(0, bytes);
    }

    /** Drops chunks, the last first, until those from a number on are gone or it is enough. */
    private long dropFrom(int first, long wanted) {
        long given = 0;
        for (int number = chunks.length() - 1; number >= first && given < wanted; number--) {
            if (chunks.getPlain(number) != null) {
                chunks.setRelease(number, null);
                given += (long) slotsOf(number) << frameShift;
            }
        }
        memoryBytes -= given;
        memory.letGo(OffHeap.Use.CACHE, given);
        return given;
    }

    // ---- figures

    /** Frames that reads found here. */
    public long hits() {
        return hits.sum();
    }

    /** Frames that reads looked for and did not find. */
    public long misses() {
        return misses.sum();
    }

    /** Off-heap bytes taken. */
    public long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public String toString() {
        return "FrameCache[slots=" + slotCount + ", memory=" + memoryBytes + ", hits=" + hits() + ", misses=" + misses()
                + "]";
    }
}
