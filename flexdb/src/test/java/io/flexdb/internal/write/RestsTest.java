package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RestsTest implements RestSaver {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = Long.MAX_VALUE - 5; // it may pass zero
    private Runnable beforeWrite;
    private boolean isWorthIt = true;
    private long bytes = 10 << 20;
    private int saves;
    private long lastWrite;
    private int deletions;
    private final Rests rests = new Rests(action -> beforeWrite = action, () -> lastWrite, () -> now);

    RestsTest() {
        rests.serve(this);
    }

    @Override
    public boolean isWorthIt() {
        return isWorthIt;
    }

    @Override
    public long save(BooleanSupplier goOn) {
        saves++;
        return goOn.getAsBoolean() ? bytes : 0;
    }

    @Override
    public void forget() {
        deletions++;
    }

    private void write() {
        beforeWrite.run();
        beforeWrite = null;
    }

    private void passes(long seconds) {
        now += seconds * SECOND;
    }

    private void save(boolean isFree) {
        assertTrue(rests.isDue());
        rests.saveIfWorthIt(() -> isFree);
    }

    @Test
    void itSavesOnceWhenNothingHasBeenWrittenForAWhile() {
        assertFalse(rests.isDue());
        passes(29);
        write();
        assertFalse(rests.isDue());
        assertEquals(30 * SECOND, rests.nanosToNextLook());
        passes(29);
        assertFalse(rests.isDue());
        assertEquals(SECOND, rests.nanosToNextLook());
        passes(1);
        save(true);
        assertEquals(1, saves);
        passes(1000);
        assertFalse(rests.isDue(), "nothing has changed");
        assertEquals(Long.MAX_VALUE, rests.nanosToNextLook());
    }

    @Test
    void whatWasSavedIsDeletedBeforeSomethingIsWritten() {
        rests.isDue();
        passes(30);
        save(true);
        deletions = 0;
        write();
        assertEquals(1, deletions);
    }

    /** Else a store that rests for ten seconds each minute would write all of it each minute. */
    @Test
    void itWritesNoMoreThanAPartOfTheTimeWouldWrite() {
        bytes = 100 << 20;
        rests.isDue();
        passes(30);
        save(true);
        write();
        assertFalse(rests.isDue());
        passes(50);
        assertFalse(rests.isDue());
        assertEquals(50 * SECOND, rests.nanosToNextLook());
        passes(50);
        save(true);
        assertEquals(2, saves);
    }

    /** Writes to memtables change nothing in the space yet, but somebody is at work. */
    @Test
    void itWaitsForThoseThatWriteWithoutACommit() {
        rests.isDue();
        passes(29);
        lastWrite++;
        passes(1);
        assertFalse(rests.isDue());
        passes(30);
        save(true);
        lastWrite++;
        passes(30);
        assertFalse(rests.isDue(), "the space has not changed");
        assertEquals(1, saves);
    }

    /** An interrupted save has written for nothing. */
    @Test
    void whoIsInterruptedTriesAgainLaterAndLater() {
        rests.isDue();
        passes(30);
        for (int wait = 60; wait <= 240; wait *= 2) {
            save(false);
            passes(wait - 1);
            assertFalse(rests.isDue());
            passes(1);
        }
        save(true);
        assertEquals(4, saves);
        write();
        rests.isDue();
        passes(30);
        save(false);
        passes(60);
        save(true);
    }

    @Test
    void whatFailsIsTriedAgainWhenSomethingWasWritten() {
        bytes = FAILED;
        rests.isDue();
        passes(30);
        save(true);
        passes(10_000);
        assertFalse(rests.isDue());
        write();
        rests.isDue();
        passes(30);
        save(true);
        assertEquals(2, saves);
    }

    @Test
    void aSmallStoreIsLookedAtAgainWhenItWasWrittenTo() {
        isWorthIt = false;
        rests.isDue();
        passes(30);
        save(true);
        assertEquals(0, saves);
        assertFalse(rests.isDue());
        write();
        isWorthIt = true;
        assertFalse(rests.isDue());
        passes(30);
        save(true);
        assertEquals(1, saves);
    }
}
