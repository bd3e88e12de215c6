package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ReadContextTest {
    /** However many reads a walk has that come in the same order each time. */
    @Test
    void eachOfTheSameReadsIsInTheSampleAtSomeTime() {
        for (int reads = 1; reads <= 130; reads++) {
            ReadContext context = new ReadContext(new OffHeap(), OffHeap.Use.READS);
            BitSet chosen = new BitSet();
            int all = 0;
            for (int walk = 0; walk < 400; walk++) {
                for (int read = 0; read < reads; read++) {
                    if (context.isInSample()) {
                        chosen.set(read);
                        all++;
                    }
                }
            }
            assertEquals(reads, chosen.cardinality(), reads + " reads");
            assertTrue(all > 400 * reads / 16 && all < 400 * reads / 4, all + " of " + 400 * reads);
        }
    }
}
