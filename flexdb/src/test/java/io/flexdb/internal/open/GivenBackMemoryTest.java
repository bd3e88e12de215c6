package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.SharedThreads;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.Payload;
import io.flexdb.testing.Waiting;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * When many small stores commit at the same time, and there are few threads for that, one takes the memory that another
 * has given back.
 */
class GivenBackMemoryTest {
    private static final int WRITES = 1000;
    private static final int VALUE_BYTES = 500;

    private final Queue<Long> bytesAtTurns = new ConcurrentLinkedQueue<>();
    private volatile Store store;

    /** Threads of which there are always too few. */
    private final class FewThreads implements Scheduler {
        private final SharedThreads threads = new SharedThreads(2);

        @Override
        public Task add(String name, Work work) {
            boolean commits = name.startsWith("flexdb-commit ");
            return threads.add(name, () -> {
                long rest = work.run();
                if (commits && rest == 0 && store != null) { // it gives way
                    bytesAtTurns.add(store.memory.heldBytes(OffHeap.Use.SEGMENTS));
                }
                return rest;
            });
        }

        @Override
        public boolean areScarce() {
            return true;
        }

        @Override
        public int helpers(int wanted) {
            return threads.helpers(wanted);
        }

        @Override
        public void runForeign(String name, Runnable code) {
            threads.runForeign(name, code);
        }

        @Override
        public long nanoTime() {
            return threads.nanoTime();
        }

        @Override
        public <T> T choose(Supplier<? extends T> ahead, Supplier<? extends T> onDemand) {
            return threads.choose(ahead, onDemand);
        }
    }

    @Test
    void aStoreWithSmallMemtablesKeepsNoSegmentInMemoryWhileOthersHaveTheirTurn() {
        StoreSettings settings = new StoreSettings();
        settings.resources = new StoreResources(256 << 20, true, 2);
        try (Store opened = StoreOpener.open(new SimulatedVfs(), Path.of("/store"), settings, new FewThreads())) {
            store = opened;
            for (int i = 0; i < WRITES; i++) {
                Payload payload = Payload.reused();
                int key = payload.beginPut(4, VALUE_BYTES);
                payload.bytes()[key] = (byte) (i >> 8);
                payload.bytes()[key + 1] = (byte) i;
                payload.end();
                opened.writer().write(payload, Force.WHEN_ASKED);
            }
            assertTrue(opened.versions.current().newest().table().firstSequence() > 1, "one was filled");
            Waiting.whileTrue(() -> opened.versions.current().logs().length > 1 || bytesAtTurns.isEmpty());
            for (long bytes : bytesAtTurns) {
                assertEquals(0, bytes);
            }
        } finally {
            store = null;
        }
    }
}
