package io.flexdb.flexspace.internal.segment;

import java.nio.ByteBuffer;

/**
 * One use of a segment of the data file, from its opening until it is free again.
 *
 * <p>Its life goes from one {@link State} to the next, as docs/architecture.md draws it.
 *
 * <p>A recovery takes what the files say, in any order, until it has ended: then there is one open segment at most, and
 * others are sealed or free.
 *
 * <p>Readers use {@code memory} and {@code checksums}, and what is final or volatile; everything else is the writer's.
 */
public final class Segment {
    /** How far it is in its life; in this order. */
    enum State {
        /** Extents are appended. */
        OPEN,
        /** It is full, and is being written. */
        SEALING,
        /** All of it is in the file, and the writer knows. */
        SEALED,
        /** No version from now on has extents in it, so that it is free once nobody reads an older one. */
        RELEASED,
        /** Nobody reads it any more. */
        FREE
    }

    private static final int TURNS_AFTER_AN_ERROR = 16;

    public final int number;
    /** Of this use; goes up at an opening of the space in which it is open, before there are readers. */
    public int generation;
    /** The epoch in which it was opened: no earlier version has extents in it. */
    public final long birth;

    /** The bytes of a segment that is open or being sealed, by position in it; null once they are in the file. */
    public volatile ByteBuffer memory;
    /** Bytes before this position are in the file even while the segment is open. */
    int memoryStart;
    /** Checksums of the data frames that are in the file; null while nobody has needed those in the footer lately. */
    public volatile int[] checksums;
    /** They were needed since {@link ChecksumCache} came by last. */
    boolean checksumsUsed;
    /** Where it is in there, which guards this; -1 if it is not. */
    int checksumSlot = -1;
    /** Where frames that are in the file are cached, if they are; null until one is read. */
    private volatile FrameCache.Frames cachedFrames;

    /** Bytes that were appended, and what padded them. */
    public int usedBytes;
    /** Of them, those that extents of the tree have. */
    public int liveBytes;

    /** It has its place in the file, as far as was known when it was opened. */
    boolean placed;
    /** Of what was staged here, bytes that are not linked; guarded by {@link SegmentPlaces}. */
    int unlinkedBytes;
    /** Something that was staged here was linked. */
    boolean linked;
    /** The thread that staged bytes here has not given it back. */
    private volatile boolean held;
    /** He gave it back before it was sealed: nobody needs what it has, and there may be no footer. */
    private volatile boolean abandoned;

    private volatile State state;
    /** How often it is still left alone since a read of it has failed; see {@link #leaveAlone}. */
    private int turnsLeftAlone;
    /** Garbage collection is moving what lives in it. */
    public boolean victim;
    /** Bytes that lived in it when garbage collection began with it. */
    public int liveBytesWhenChosen;

    Segment(int number, int generation, long birth) {
        this(number, generation, birth, State.OPEN);
    }

    private Segment(int number, int generation, long birth, State state) {
        this.number = number;
        this.generation = generation;
        this.birth = birth;
        this.state = state;
    }

    /** One that a recovery knows of. */
    static Segment found(int number, int generation) {
        return new Segment(number, generation, 0, State.SEALED);
    }

    /** Seals it as one of which nothing is needed. */
    void abandon() {
        abandoned = true;
        goTo(State.SEALING);
        goTo(State.SEALED);
    }

    /** Whether it counts as sealed and need not have what sealed ones have. Any thread. */
    public boolean isAbandoned() {
        return abandoned;
    }

    /** Goes on to the next state. */
    void goTo(State next) {
        assert next.ordinal() == state.ordinal() + 1 : state + " to " + next + ": " + this;
        state = next;
    }

    /** Follows what a log says during a recovery, when there are no readers. */
    void foundSealed(boolean isSealed) {
        state = isSealed ? State.SEALED : State.OPEN;
    }

    /** Turns the checksums of frames in the file into those of another generation (I6), when there are no readers. */
    void beginGeneration(int newGeneration, SegmentFormat format) {
        int frames = usedBytes >>> format.frameShift;
        for (int frame = 0; frame < frames; frame++) {
            checksums[frame] ^=
                    format.seal(0, number, generation, frame) ^ format.seal(0, number, newGeneration, frame);
        }
        generation = newGeneration;
    }

    /** Whether all of it is in the file, and the writer knows. Any thread. */
    public boolean isSealed() {
        return state.compareTo(State.SEALED) >= 0;
    }

    /** Follows that one who stages has taken it. */
    void hold() {
        held = true;
    }

    /** Follows that he has given it back. */
    void letGo() {
        held = false;
    }

    /** Whether it is neither emptied nor a victim, however little lives in it. Any thread. */
    public boolean isHeld() {
        return held;
    }

    /** Whether no version from now on has extents in it. Any thread. */
    public boolean isReleased() {
        return state.compareTo(State.RELEASED) >= 0;
    }

    /** Where frames are in the cache. */
    FrameCache.Frames cachedFrames(FrameCache cache) {
        FrameCache.Frames frames = cachedFrames;
        return frames != null ? frames : makeCachedFrames(cache);
    }

    private synchronized FrameCache.Frames makeCachedFrames(FrameCache cache) {
        if (cachedFrames == null) {
            cachedFrames = cache.newFrames();
        }
        return cachedFrames;
    }

    /**
     * Has those who choose segments to make room leave it alone: whoever reads what lives there will be told.
     *
     * @param forEver whether it is damaged; what could not be read may be read another time
     */
    public void leaveAlone(boolean forEver) {
        turnsLeftAlone = forEver ? Integer.MAX_VALUE : TURNS_AFTER_AN_ERROR;
    }

    /** Whether it may be chosen; to be asked once for each choice. */
    public boolean takesTurn() {
        if (turnsLeftAlone > 0 && turnsLeftAlone < Integer.MAX_VALUE) {
            turnsLeftAlone--;
            return false;
        }
        return turnsLeftAlone == 0;
    }

    /** Lets go what readers need, when there are none. */
    void becomeFree() {
        state = State.FREE; // from any one at the end of a recovery
        cachedFrames = null;
    }

    @Override
    public String toString() {
        return "Segment[" + number + ", generation=" + generation + ", used=" + usedBytes + ", live=" + liveBytes
                + (isSealed() ? ", sealed]" : ", open]");
    }
}
