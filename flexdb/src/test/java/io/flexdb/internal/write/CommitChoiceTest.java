package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CommitChoiceTest {
    private long now = 5;
    private final CommitChoice choice = new CommitChoice(null, () -> true, () -> now);

    @Test
    void theFirstCommitWaitsForNothing() {
        assertEquals(0, choice.nanosLeft("first"));
    }

    @Test
    void aCommitWaitsForAShareOfTheTimeOfTheLastOne() {
        long share = 1_000_000;
        choice.took(share * CommitChoice.SHARE_OF_LAST);
        assertEquals(share, choice.nanosLeft("second"));
        now += share - 1;
        assertEquals(1, choice.nanosLeft("second"));
        now += 10;
        assertEquals(0, choice.nanosLeft("second"));
        now += 10;
        assertEquals(0, choice.nanosLeft("second")); // and it does not begin again where there was no room for it
        assertEquals(share, choice.nanosLeft("third"));
    }

    @Test
    void nobodyWaitsForLongBehindASlowCommit() {
        choice.took(Long.MAX_VALUE);
        assertEquals(CommitChoice.MOST_NANOS, choice.nanosLeft("second"));
    }

    @Test
    void whoeverWaitsForCommitsWaitsForNoFurtherMemtable() {
        choice.took(CommitChoice.MOST_NANOS);
        choice.beginHurry();
        choice.beginHurry();
        assertEquals(0, choice.nanosLeft("second"));
        choice.endHurry();
        assertEquals(0, choice.nanosLeft("second"));
        choice.endHurry();
        assertEquals(CommitChoice.MOST_NANOS / CommitChoice.SHARE_OF_LAST, choice.nanosLeft("second"));
    }
}
