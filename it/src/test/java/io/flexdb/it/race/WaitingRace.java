package io.flexdb.it.race;

import io.flexdb.base.waiting.EventCount;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.read.VisibleSequence;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** One thread waits for another one. If it were not woken, the race would not end. */
public final class WaitingRace {
    private static final Health HEALTH = new Health("the store", Path.of("store"), null);

    private WaitingRace() {}

    /** A write, the one behind it, and the threads that make them visible. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "Both are visible.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A write has returned and is not visible.")
    @State
    public static class HandOver {
        private final VisibleSequence visible = new VisibleSequence(0, HEALTH);

        @Actor
        public void first() {
            visible.advance(1, 1);
        }

        @Actor
        public void second() {
            visible.advance(2, 3);
        }

        @Arbiter
        public void afterwards(J_Result result) {
            result.r1 = visible.get();
        }
    }

    /** A write, and a thread that waits for it. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Waited for what is visible now.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Returned too early.")
    @State
    public static class WaitForOthers {
        private final VisibleSequence visible = new VisibleSequence(0, HEALTH);

        @Actor
        public void writer() {
            visible.advance(1, 2);
        }

        @Actor
        public void waits(J_Result result) {
            visible.await(2);
            result.r1 = visible.get();
        }
    }

    /** A condition, and a thread that waits for it. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Waited for it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Returned too early.")
    @State
    public static class Signal {
        private final EventCount events = new EventCount();
        private volatile long value;

        @Actor
        public void signals() {
            value = 1;
            events.signal();
        }

        @Actor
        public void waits(J_Result result) {
            events.await(least -> value >= least, 1);
            result.r1 = value;
        }
    }
}
