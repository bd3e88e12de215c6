package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LiveFramesTest {
    private static final int FRAME = 512;
    private final SegmentFormat format = new SegmentFormat(32 * FRAME, FRAME, 1);
    private final LiveFrames frames = new LiveFrames(format);

    @Test
    void aFrameIsDeadUntilItHasALiveByteAndAgainWhenItHasNone() {
        assertEquals(31, frames.deadCount());
        assertTrue(frames.add(FRAME - 1, 2));
        assertEquals(29, frames.deadCount());
        frames.remove(FRAME - 1, 1);
        assertTrue(frames.dead().get(0));
        assertFalse(frames.dead().get(1));
        frames.remove(FRAME, 1);
        assertEquals(31, frames.deadCount());
        assertEquals(31, frames.dead().cardinality());
    }

    @Test
    void extentsThatOverlapAreNoticedWhenAFrameHasMoreThanItCan() {
        assertTrue(frames.add(0, FRAME));
        assertFalse(frames.add(FRAME - 1, 2));
        LiveFrames large = new LiveFrames(new SegmentFormat(32 << 15, 1 << 15, 1));
        assertTrue(large.add(0, 1 << 15));
        assertFalse(large.add(0, 1 << 15), "2^16 do not pass for none");
    }

    @Test
    void theCountsAreThoseOfASetOfBytes() {
        Random random = new Random(5);
        BitSet bytes = new BitSet(format.dataBytes);
        for (int round = 0; round < 3000; round++) {
            int from = random.nextInt(format.dataBytes);
            int to = Math.min(format.dataBytes, from + 1 + random.nextInt(700));
            boolean live = bytes.get(from);
            int other = live ? bytes.nextClearBit(from) : bytes.nextSetBit(from);
            int end = other < 0 ? to : Math.min(other, to);
            if (live) {
                frames.remove(from, end - from);
            } else {
                assertTrue(frames.add(from, end - from));
            }
            bytes.set(from, end, !live);
            BitSet dead = frames.dead();
            assertEquals(dead.cardinality(), frames.deadCount());
            for (int frame = 0; frame < format.dataFrames; frame++) {
                int used = bytes.get(frame * FRAME, (frame + 1) * FRAME).cardinality();
                assertEquals(used == 0, dead.get(frame), "frame " + frame);
            }
        }
    }
}
