package io.flexdb.internal.write;

import static io.flexdb.internal.write.CommitTurns.HELD_NANOS;
import static io.flexdb.internal.write.CommitTurns.MAX_PARKS;
import static io.flexdb.internal.write.CommitTurns.MAX_TURN_NANOS;
import static io.flexdb.internal.write.CommitTurns.STOP_NANOS;
import static io.flexdb.internal.write.CommitTurns.TURN_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Who gives way when, by a clock of the test. */
class CommitTurnsTest {
    private static final long STEP = 1000;

    private long now = 1_000_000_000;
    private long othersTake; // of the processor, when they are let
    private long yielded;
    private int yields;
    private int parks;
    private final CommitTurns turns = new CommitTurns(() -> now, this::yield, () -> parks++);

    private void yield() {
        yields++;
        yielded += othersTake;
        now += othersTake;
    }

    /** Works so long, in small steps. */
    private void work(long nanos) {
        for (long done = 0; done < nanos; done += STEP) {
            now += STEP;
            turns.pass();
        }
    }

    @Test
    void aCommitYieldsAtTheEndOfEachTurn() {
        turns.begin();
        work(100 * TURN_NANOS);
        assertEquals(100, yields);
    }

    @Test
    void aTurnIsAsLongAsTheTimeWithoutTheProcessor() {
        othersTake = 5 * TURN_NANOS;
        turns.begin();
        work(1000 * othersTake);
        assertTrue(yielded > 990 * othersTake && yielded <= 1001 * othersTake, yielded + " ns lost");
    }

    @Test
    void aTurnIsNeverLong() {
        othersTake = 1000 * MAX_TURN_NANOS;
        turns.begin();
        work(TURN_NANOS + 100 * MAX_TURN_NANOS);
        assertEquals(101, yields);
    }

    @Test
    void turnsAreShortAgainWhenThoseOfOthersAre() {
        othersTake = MAX_TURN_NANOS;
        turns.begin();
        work(TURN_NANOS);
        othersTake = 0;
        work(MAX_TURN_NANOS);
        assertEquals(2, yields);
        work(10 * TURN_NANOS);
        assertEquals(12, yields);
    }

    @Test
    void aCommitDoesNotYieldWhileWritersAreHeldBackForIt() {
        turns.begin();
        for (int i = 0; i < 100; i++) {
            turns.heldBack();
            work(HELD_NANOS - STEP);
        }
        assertEquals(0, yields);
        work(10 * TURN_NANOS);
        assertTrue(yields >= 9, "once nobody waits the commit yields: " + yields);
    }

    @Test
    void aCommitThatWasGivenAMomentDoesNotGiveItToOthers() {
        turns.begin();
        now += STOP_NANOS + 1;
        turns.giveWay();
        assertEquals(1, parks);
        work(HELD_NANOS - STEP);
        assertEquals(0, yields);
        work(2 * TURN_NANOS);
        assertTrue(yields > 0);
    }

    @Test
    void aCommitYieldsToWritersThatWereHeldBackForAnEarlierOne() {
        turns.heldBack();
        now += HELD_NANOS;
        turns.begin();
        work(100 * TURN_NANOS);
        assertEquals(100, yields);
    }

    @Test
    void aWriterGivesWayToACommitThatDoesNotGetOn() {
        turns.begin();
        turns.giveWay();
        now += STOP_NANOS - 1;
        turns.giveWay();
        assertEquals(0, parks);
        now += 2;
        turns.giveWay();
        assertEquals(1, parks);
    }

    @Test
    void aCommitThatWaitsForSomethingElseIsGivenFewMoments() {
        turns.begin();
        for (int i = 0; i < 1000; i++) {
            now += STOP_NANOS;
            turns.giveWay();
            turns.giveWay();
        }
        assertEquals(MAX_PARKS, parks);
    }

    @Test
    void theNextStopIsLikeTheFirst() {
        turns.begin();
        for (int i = 0; i < 100; i++) {
            now += STOP_NANOS;
            turns.giveWay();
        }
        turns.pass();
        now += 2 * STOP_NANOS;
        turns.giveWay();
        assertEquals(MAX_PARKS + 1, parks);
    }

    @Test
    void nobodyGivesWayWhenThereIsNothingToCommit() {
        now += 1000 * STOP_NANOS;
        turns.giveWay();
        turns.begin();
        turns.end();
        now += 1000 * STOP_NANOS;
        turns.giveWay();
        turns.pass();
        assertEquals(0, parks + yields);
    }
}
