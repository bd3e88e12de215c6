package io.flexdb.it.race;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** One thread takes and reads views of a tree while the writer changes and publishes it. */
public final class TreeViewRace {
    private static final TreeOfVersions VERSIONS = TreeOfVersions.SHARED;

    private TreeViewRace() {}

    /** A view taken while a version is published. */
    @JCStressTest
    @Outcome(id = TreeOfVersions.WHOLE, expect = Expect.ACCEPTABLE, desc = "Exactly one version.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A mixture of versions, or garbage.")
    @State
    public static class TakenWhilePublished {
        private final ExtentCursor cursor = new ExtentCursor();

        @Actor
        public void writer() {
            VERSIONS.publishNext();
        }

        @Actor
        public void reader(L_Result result) {
            try (FlexTreeView view = VERSIONS.tree.view()) {
                result.r1 = TreeOfVersions.read(view, cursor);
            }
        }
    }

    /** A view held while many versions are published, each in the nodes that others have given back. */
    @JCStressTest
    @Outcome(id = TreeOfVersions.WHOLE, expect = Expect.ACCEPTABLE, desc = "Exactly one version.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A node of the view was used again.")
    @State
    public static class HeldWhileNodesAreReused {
        private static final int READS = 20;

        // The reader's, across the states of a run
        private static final ExtentCursor CURSOR = new ExtentCursor();
        private static FlexTreeView held = VERSIONS.tree.view();
        private static int reads;

        @Actor
        public void writer() {
            VERSIONS.publishNext();
        }

        @Actor
        public void reader(L_Result result) {
            result.r1 = TreeOfVersions.read(held, CURSOR);
            if (++reads % READS == 0) {
                FlexTreeView next = VERSIONS.tree.view();
                held.close();
                held = next;
            }
        }
    }

    /** Two views taken one after the other. */
    @JCStressTest
    @Outcome(id = "forwards", expect = Expect.ACCEPTABLE, desc = "The second is no older than the first.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A version went backwards.")
    @State
    public static class TakenOneAfterTheOther {
        private volatile long announced;

        @Actor
        public void writer() {
            announced = VERSIONS.publishNext();
        }

        @Actor
        public void reader(L_Result result) {
            long atLeast = announced;
            try (FlexTreeView first = VERSIONS.tree.view();
                    FlexTreeView second = VERSIONS.tree.view()) {
                boolean forwards = first.version() >= atLeast && second.version() >= first.version();
                result.r1 = forwards ? "forwards" : "backwards";
            }
        }
    }
}
