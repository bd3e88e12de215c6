package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The time of a store under clocks that err. T1 to T6 are those of {@link StoreClock}. */
class StoreClockTest {
    private static final long BEGIN = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;
    private static final long YEAR = 365 * 24 * HOUR;
    private static final long SUSPENDED = 8 * HOUR;

    private long reading = BEGIN;
    private long nanos = -5_000_000_000L; // from anywhere, as System.nanoTime
    private RuntimeException failure;

    private final InstantSource source = new InstantSource() {
        @Override
        public long millis() {
            if (failure != null) {
                throw failure;
            }
            return reading;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }
    };
    private final StoreClock ofUser = new StoreClock(source, null);
    private final StoreClock ofSystem = new StoreClock(source, () -> nanos);

    private void pass(long millis) {
        reading += millis;
        nanos += millis * 1_000_000;
    }

    @Test
    void theTimeIsTheClocks() {
        for (long step : new long[] {0, 1, 999, 1000, 60_000, HOUR, YEAR}) {
            pass(step);
            assertEquals(reading, ofUser.now());
            assertEquals(reading, ofSystem.now());
        }
    }

    @Test
    void stepsBackOfUpToASecondAreWaitedFor() {
        for (StoreClock clock : List.of(ofUser, ofSystem)) {
            long before = clock.now();
            reading -= StoreClock.STEP_MILLIS;
            assertEquals(before, clock.now());
            pass(StoreClock.STEP_MILLIS);
            assertEquals(before, clock.now());
            pass(1);
            assertEquals(before + 1, clock.now());
        }
    }

    @Test
    void behindALargerStepBackTheTimeGoesOnFromWhereItIs() {
        for (long step : new long[] {StoreClock.STEP_MILLIS + 1, HOUR, YEAR}) {
            for (StoreClock clock : step < HOUR ? List.of(ofSystem) : List.of(ofUser, ofSystem)) {
                long before = clock.now();
                reading -= step;
                assertEquals(before, clock.now());
                pass(200);
                assertEquals(before + 200, clock.now());
                pass(999);
                long later = clock.now();
                assertTrue(later >= before + 1198 && later <= before + 1199, "T5: " + (later - before));
            }
        }
    }

    @Test
    void whatHasPassedCountsThoughTheClockWentBackUnseen() {
        ofSystem.now();
        pass(HOUR);
        reading -= 2 * HOUR; // nobody has asked meanwhile
        assertEquals(BEGIN + HOUR, ofSystem.now());
    }

    @Test
    void whatTheStoreIsAheadShrinksByAThousandth() {
        for (StoreClock clock : List.of(ofUser, ofSystem)) {
            clock.now();
            reading -= HOUR;
            long ahead = clock.now() - reading;
            for (int i = 0; i < 2000; i++) {
                long before = clock.now();
                pass(2000);
                assertEquals(before + 1998, clock.now());
            }
            assertEquals(ahead - 4000, clock.now() - reading);
            reading = clock.now();
        }
    }

    @Test
    void theSystemsClockIsNotBelievedAtOnce() {
        ofSystem.now();
        reading += YEAR;
        for (int second = 0; second < 59; second++) {
            assertEquals(BEGIN + 1000L * second, ofSystem.now());
            pass(1000);
        }
        reading -= YEAR;
        assertEquals(reading, ofSystem.now(), "T3: as if nothing had been");
        pass(5);
        assertEquals(reading, ofSystem.now());
    }

    @Test
    void aJumpThatStaysIsBelievedWhenItHasStayedForAsLongAndForAMinuteAtMost() {
        for (long jump : new long[] {1500, 5000, 59_000, HOUR, YEAR}) {
            long before = ofSystem.now();
            reading += jump;
            ofSystem.now();
            long wait = Math.min(jump, StoreClock.BELIEVED_MILLIS);
            pass(wait - 1);
            assertEquals(before + wait - 1, ofSystem.now());
            pass(1);
            assertEquals(before + wait + jump, ofSystem.now());
        }
    }

    @Test
    void whatHasPassedDuringASuspensionCountsAMinuteLater() {
        ofSystem.now();
        reading += SUSPENDED; // while the other clock stood still
        assertEquals(BEGIN, ofSystem.now());
        pass(StoreClock.BELIEVED_MILLIS);
        assertEquals(reading, ofSystem.now());
    }

    @Test
    void aClockOfTheUsersIsTakenAtItsWordAheadAndItsWayBackIsNoTime() {
        ofUser.now();
        for (int i = 0; i < 10; i++) {
            reading = BEGIN + YEAR + i;
            assertEquals(BEGIN + YEAR + i, ofUser.now());
            reading = BEGIN + i;
            assertEquals(BEGIN + YEAR + i, ofUser.now());
        }
    }

    @Test
    void aClockThatTremblesDoesNotRunAway() {
        ofUser.now();
        for (int i = 0; i < 1000; i++) {
            pass(100);
            long tremor = i % 2 == 0 ? 0 : 3000;
            reading -= tremor;
            long error = ofUser.now() - (BEGIN + 100 * (i + 1));
            assertTrue(error >= -3000 && error <= 3000, "an error of " + error + " ms");
            reading += tremor;
        }
    }

    @Test
    void stepsForwardUseUpWhatTheStoreIsAhead() {
        ofSystem.now();
        reading -= HOUR;
        ofSystem.now();
        reading += HOUR; // it was right
        assertEquals(BEGIN, ofSystem.now());
        pass(2000);
        assertEquals(reading, ofSystem.now());
    }

    @Test
    void noReadingIsTooWild() {
        ofUser.now();
        reading = Long.MAX_VALUE;
        assertEquals(StoreClock.MAX_READING, ofUser.now());
        for (long wild : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            reading = wild;
            long now = ofUser.now();
            assertTrue(now >= StoreClock.MAX_READING && now < Long.MAX_VALUE / 4, "T1: " + now);
        }
        reading = Long.MIN_VALUE;
        StoreClock early = new StoreClock(source, null);
        assertTrue(early.now() > Long.MIN_VALUE);
        reading = BEGIN;
        assertEquals(BEGIN, early.now());
    }

    @Test
    void aClockThatFailsDoesNotStopWhatIsUnderWay() {
        assertEquals(BEGIN, ofUser.now());
        failure = new IllegalStateException("no time");
        assertThrows(IllegalStateException.class, ofUser::now);
        assertEquals(BEGIN, ofUser.nowOrLatest());
        assertEquals(BEGIN, ofUser.beginReclaiming());
        failure = null;
        pass(1);
        assertEquals(BEGIN + 1, ofUser.now());
    }

    @Test
    void onlyTheSystemsClocksAreHeldAgainstWhatPasses() {
        for (InstantSource system : List.of(InstantSource.system(), Clock.systemUTC(), Clock.systemDefaultZone())) {
            assertTrue(new StoreClock(system).isMeasured(), system.toString());
        }
        for (InstantSource other : List.of(source, Clock.fixed(Instant.EPOCH, java.time.ZoneOffset.UTC))) {
            assertTrue(!new StoreClock(other).isMeasured(), other.toString());
        }
    }

    @Test
    void aMarkIsKeptOnceAMinuteIfTimesWereWritten() {
        List<Long> kept = new ArrayList<>();
        ofUser.beginAt(BEGIN + YEAR, kept::add);
        assertEquals(BEGIN + YEAR, ofUser.now(), "T6");
        pass(StoreClock.MARK_MILLIS);
        ofUser.now();
        ofUser.keepMark();
        ofUser.keepLastMark();
        assertEquals(List.of(), kept, "no times were written");
        pass(500);
        long written = ofUser.nowToWrite();
        ofUser.keepMark();
        ofUser.keepMark();
        assertEquals(List.of(written), kept);
        pass(900);
        long last = ofUser.now();
        ofUser.keepMark();
        ofUser.keepLastMark();
        ofUser.keepLastMark();
        assertEquals(List.of(written, last), kept);
    }

    /** A disk may be slow, and all who look up or write ask for the time. */
    @Test
    void nobodyWaitsForAMarkThatIsBeingWritten() {
        AtomicLong meanwhile = new AtomicLong();
        ofUser.beginAt(BEGIN, time -> {
            pass(2 * StoreClock.STEP_MILLIS); // so that the reading is looked at
            meanwhile.set(CompletableFuture.supplyAsync(ofUser::now)
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join());
        });
        pass(StoreClock.MARK_MILLIS);
        ofUser.nowToWrite();
        ofUser.keepMark();
        assertEquals(reading, meanwhile.get());
    }

    @Test
    void aClockThatHasGoneBackByWhatHasPassedDoesNotStopTheTime() {
        StoreClock clock = new StoreClock(source, () -> nanos);
        reading = BEGIN;
        assertEquals(BEGIN, clock.now());
        nanos += 3_600_000L * 1_000_000;
        reading = BEGIN + 500; // as if half a second had passed, not an hour
        assertEquals(BEGIN + 3_600_000, clock.now());
        nanos += 300L * 1_000_000;
        reading += 300;
        assertEquals(BEGIN + 3_600_300, clock.now());
    }

    /** The true time is what passes; now and then the clock is wrong for less than a minute, or a little for long. */
    @Test
    void excursionsOfAllKindsHardlyShowAndTheTimeNeverGoesBack() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        System.out.println("-Dflexdb.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < Effort.times(200); round++) {
            StoreClock clock = new StoreClock(source, () -> nanos);
            reading = BEGIN;
            long truth = BEGIN;
            long last = clock.now();
            long wrong = 0;
            long wrongFor = 0;
            for (int i = 0; i < 300; i++) {
                if (wrongFor <= 0) {
                    boolean jumps = random.nextInt(5) == 0;
                    wrong = jumps ? (random.nextBoolean() ? 1 : -1) * (long) (Math.exp(random.nextDouble() * 30)) : 0;
                    wrong = Math.abs(wrong) > 60_000 || wrong < 0 ? wrong : 0; // short ones are believed soon
                    wrongFor = jumps ? 1 + random.nextInt(50_000) : random.nextInt(100_000);
                }
                long step = (long) Math.exp(random.nextDouble() * 9);
                truth += step;
                wrongFor -= step;
                nanos += step * 1_000_000;
                reading = truth + (wrongFor > 0 ? wrong : 0);
                long now = clock.now();
                assertTrue(now >= last, "T1");
                last = now;
                long error = now - truth;
                assertTrue(Math.abs(error) <= 2 * StoreClock.STEP_MILLIS + 300, "an error of " + error + " ms");
            }
        }
    }
}
