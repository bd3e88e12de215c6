package io.flexdb.it.race;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** One thread reads an item while another one replaces it and wants its memory back. */
public final class EpochsRace {
    private EpochsRace() {}

    /** A short read of an item that the writer retires. */
    @JCStressTest
    @Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "Read the old item, which was freed later.")
    @Outcome(id = "2, true", expect = Expect.ACCEPTABLE, desc = "Read the new item, and the old one was freed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Read a freed or unfinished item, or the old one was never freed.")
    @State
    public static class ShortRead extends ReplacedItem {
        @Actor
        public void writer() {
            replaceAndReclaim();
        }

        @Actor
        public void reader(IZ_Result result) {
            int ticket = epochs.enter();
            result.r1 = read(current());
            epochs.exit(ticket);
        }

        @Arbiter
        public void afterwards(IZ_Result result) {
            reclaim();
            result.r2 = isFreed();
        }
    }

    /** A pin that is taken in a short read and outlives it. */
    @JCStressTest
    @Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "Read the old item, which was freed after the pin.")
    @Outcome(id = "2, true", expect = Expect.ACCEPTABLE, desc = "Read the new item, and the old one was freed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Read a freed or unfinished item, or the old one was never freed.")
    @State
    public static class PinTakenInAShortRead extends ReplacedItem {
        @Actor
        public void writer() {
            replaceAndReclaim();
        }

        @Actor
        public void reader(IZ_Result result) {
            int ticket = epochs.enter();
            Item item = current();
            epochs.pin(item.version);
            epochs.exit(ticket);
            result.r1 = read(item);
            epochs.unpin(item.version);
        }

        @Arbiter
        public void afterwards(IZ_Result result) {
            reclaim();
            result.r2 = isFreed();
        }
    }

    /** A short read of an item that somebody unlinks who is not the writer, while others move the phase on. */
    @JCStressTest
    @Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "Read the old item, which could be freed later.")
    @Outcome(id = "2, true", expect = Expect.ACCEPTABLE, desc = "Read the new item, and the old one could be freed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Read a freed or unfinished item, or the old one was never freed.")
    @State
    public static class UnlinkedByAnyThread extends ReplacedItem {
        private int unlinked;

        @Actor
        public void unlinker() {
            replace();
            unlinked = epochs.phase();
            for (int i = 0; i < 3; i++) {
                epochs.tryNextPhase();
            }
            if (epochs.shortReadsEndedSince(unlinked)) {
                free();
            }
        }

        @Actor
        public void reader(IZ_Result result) {
            epochs.tryNextPhase();
            int ticket = epochs.enter();
            Item item = current();
            epochs.tryNextPhase();
            result.r1 = read(item);
            epochs.exit(ticket);
        }

        @Arbiter
        public void afterwards(IZ_Result result) {
            for (int i = 0; i < 3; i++) {
                epochs.tryNextPhase();
            }
            result.r2 = epochs.shortReadsEndedSince(unlinked);
        }
    }
}
