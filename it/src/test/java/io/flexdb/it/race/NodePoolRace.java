package io.flexdb.it.race;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** One thread resolves the nodes of a published version while the writer replaces the table that names them. */
public final class NodePoolRace {
    private NodePoolRace() {}

    /** The table grows when the second chunk is made, with node 256. */
    @JCStressTest
    @Outcome(id = "as written", expect = Expect.ACCEPTABLE, desc = "Every node had the bytes written to it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A node was not found, or had other bytes.")
    @State
    public static class TableGrows {
        private static final int NODE_BYTES = 64;
        private static final int NODES_BEFORE = 255;
        private static final int MAX_READS = 2000;

        private final NodePool pool = new NodePool(new Epochs(), NODE_BYTES, new OffHeap(), OffHeap.Use.TREE);
        private volatile int publishedNode;

        public TableGrows() {
            for (int i = 0; i < NODES_BEFORE; i++) {
                allocateAndPublish();
            }
        }

        private void allocateAndPublish() {
            int node = pool.allocate();
            pool.chunk(node).putLong(pool.base(node), node);
            publishedNode = node;
        }

        @Actor
        public void writer() {
            allocateAndPublish();
        }

        /** Goes on until the new node is there, so that it is reading when the table grows. */
        @Actor
        public void reader(L_Result result) {
            int last;
            int reads = 0;
            do {
                last = publishedNode;
                for (int node = last; node > last - 4; node--) {
                    if (pool.chunk(node) == null || pool.chunk(node).getLong(pool.base(node)) != node) {
                        result.r1 = "bad node " + node + " of " + last;
                        return;
                    }
                }
            } while (last == NODES_BEFORE && reads++ < MAX_READS);
            result.r1 = "as written";
        }
    }
}
