package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers go on while the writer waits for a disk, whatever for: the writer is held there until they have read. */
class ReadersDoNotWaitTest {
    private final ExecutorService reader = Executors.newSingleThreadExecutor();
    private final WatchedVfs vfs = new WatchedVfs(new SimulatedVfs());
    private final Set<String> held = new TreeSet<>();
    private Thread writer; // the one that runs the test
    private FlexSpace space;
    private String stuck; // the operation beside which a read has not ended

    private void open(FlexSpaceOptions options) {
        writer = Thread.currentThread();
        space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, options);
    }

    @AfterEach
    void close() {
        vfs.watch(operation -> {});
        reader.shutdownNow();
        space.close();
    }

    /** Has another thread do something before each file operation of this one. */
    private void beside(Runnable changes, Callable<?> reading) {
        vfs.watch(operation -> {
            if (Thread.currentThread() == writer && stuck == null) {
                held.add(operation.replaceAll("[0-9]+", ""));
                try {
                    reader.submit(reading).get(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES);
                } catch (TimeoutException e) {
                    stuck = operation;
                } catch (ExecutionException e) {
                    throw new AssertionError(operation, e.getCause());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        try {
            changes.run();
        } finally {
            vfs.watch(operation -> {});
        }
        assertEquals(null, stuck, "a read waited for this");
    }

    private void assertHeld(String operation) {
        assertTrue(held.contains(operation), "the writer has not come to " + operation + ", only to " + held);
    }

    /** Inserts so much at a time, and has readers find whatever has returned. */
    private void insertBesideReads(int count, int bytes) {
        long[] returned = {space.size()};
        beside(
                () -> {
                    for (int i = 0; i < count; i++) {
                        space.insertRange(
                                space.size() / 2, ByteBuffer.wrap(SpaceOracle.randomBytes(new Random(i), bytes)));
                        returned[0] += bytes;
                    }
                },
                () -> {
                    long least = returned[0];
                    assertTrue(space.size() >= least, space.size() + " bytes of " + least + " are seen");
                    space.read(Math.max(0, least - 10), ByteBuffer.allocate((int) Math.min(10, least)));
                    return null;
                });
    }

    @Test
    void aReadGoesOnBesideAForce() {
        open(CrashHistory.SMALL);
        space.insertRange(0, ByteBuffer.allocate(1000));
        beside(space::sync, () -> {
            space.read(0, ByteBuffer.allocate(1000));
            return null;
        });
        assertHeld("force data");
        assertHeld("force log-");
    }

    @Test
    void aReadGoesOnBesideACommitThatNobodyAskedFor() {
        open(CrashHistory.SMALL.withCheckpointLogBytes(1 << 20));
        space.insertRange(0, ByteBuffer.allocate(1000));
        insertBesideReads(200, 10);
        assertHeld("force data");
        assertHeld("force log-");
    }

    @Test
    void aReadGoesOnBesideACheckpointThatNobodyAskedFor() {
        open(CrashHistory.SMALL);
        space.insertRange(0, ByteBuffer.allocate(1000));
        insertBesideReads(1000, 10);
        assertHeld("rename log.new");
        assertHeld("force tree");
    }

    @Test
    void aReadGoesOnBesideTheWritingOfFullSegments() {
        open(CrashHistory.SMALL.withLogBufferBytes(64 << 10).withCheckpointLogBytes(1 << 20));
        space.insertRange(0, ByteBuffer.allocate(1000));
        insertBesideReads(100, 1000);
        assertHeld("write data");
        insertBesideReads(1, 1 << 20); // one change that fills many
    }

    @Test
    void aReadGoesOnBesideDefragmenting() {
        open(CrashHistory.SMALL);
        for (int i = 0; i < 500; i++) {
            space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(new Random(i), 100)));
        }
        byte[] content = SpaceOracle.contentOf(space);
        int[] reads = {0};
        beside(() -> space.defragment(0, content.length), () -> {
            reads[0]++;
            assertArrayEquals(content, SpaceOracle.contentOf(space));
            return null;
        });
        assertHeld("read data");
        assertTrue(reads[0] > 100, reads[0] + " reads");
        assertArrayEquals(content, SpaceOracle.contentOf(space));
    }

    @Test
    void aReadGoesOnBesideGarbageCollection() {
        open(CrashHistory.SMALL);
        Random random = new Random(8);
        byte[] bytes = new byte[500];
        space.insertRange(0, ByteBuffer.allocate(400_000));
        space.sync();
        beside(
                () -> {
                    for (int i = 0; i < 1500; i++) {
                        random.nextBytes(bytes);
                        space.write(random.nextInt(800) * 500L, ByteBuffer.wrap(bytes));
                    }
                },
                () -> {
                    space.read(random.nextInt(300_000), ByteBuffer.allocate(5000));
                    return null;
                });
        assertTrue(space.stats().collection().bytesMoved() > 0, () -> "" + space.stats());
        assertHeld("read data");
    }

    /** Whatever is done, a read sees the state before the change under way, or the one after it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noFileOperationOfTheWriterHoldsUpAReader(boolean capped) {
        long seed = 77;
        Random random = new Random(seed);
        FlexSpaceOptions options = CrashHistory.SMALL;
        open(capped ? options.withMaxDataBytes(32L * 32 * 512) : options);
        SpaceOracle oracle = new SpaceOracle();
        byte[][] seen = {null};
        for (int i = 0; i < Effort.times(1500); i++) {
            SpaceStep step = SpaceStep.any(random);
            if (step == SpaceStep.KILL || step == SpaceStep.CLOSE_AND_OPEN) {
                continue;
            }
            byte[] before = oracle.now();
            seen[0] = null;
            beside(
                    () -> {
                        try {
                            step.apply(space, oracle, random);
                        } catch (StoreFullException e) {
                            if (oracle.now() != before) {
                                oracle.refused();
                            }
                        }
                    },
                    () -> {
                        seen[0] = contentSeen();
                        return null;
                    });
            boolean allowed = seen[0] == null || Arrays.equals(before, seen[0]) || Arrays.equals(oracle.now(), seen[0]);
            assertTrue(allowed, "seed " + seed + ": " + step + " number " + i);
        }
        assertArrayEquals(oracle.now(), SpaceOracle.contentOf(space));
        assertTrue(held.size() > 8, held + " only");
    }

    /** In one view, since the writer may go on between two. */
    private byte[] contentSeen() {
        try (FlexSpaceSnapshot snapshot = space.snapshot()) {
            byte[] bytes = new byte[(int) snapshot.size()];
            if (bytes.length > 0) {
                snapshot.read(0, ByteBuffer.wrap(bytes));
            }
            return bytes;
        }
    }
}
