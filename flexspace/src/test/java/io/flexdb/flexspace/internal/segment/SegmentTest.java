package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.segment.Segment.State;
import org.junit.jupiter.api.Test;

class SegmentTest {
    private final Segment segment = new Segment(3, 1, 0);

    @Test
    void itsLifeGoesFromOneStateToTheNext() {
        assertFalse(segment.isSealed());
        segment.goTo(State.SEALING);
        assertFalse(segment.isSealed(), "it may not be in the file yet");
        segment.goTo(State.SEALED);
        assertTrue(segment.isSealed());
        assertFalse(segment.isReleased());
        segment.goTo(State.RELEASED);
        segment.becomeFree();
        assertTrue(segment.isSealed() && segment.isReleased());
    }

    @Test
    void noStateIsLeftOutAndNoneComesBack() {
        assertThrows(AssertionError.class, () -> segment.goTo(State.SEALED));
        segment.goTo(State.SEALING);
        segment.goTo(State.SEALED);
        assertThrows(AssertionError.class, () -> segment.goTo(State.SEALED));
        assertThrows(AssertionError.class, () -> segment.goTo(State.OPEN));
        assertThrows(AssertionError.class, () -> segment.goTo(State.FREE));
    }
}
