package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FlexSpaceSnapshotTest {

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);

    private static byte[] contentOf(FlexSpaceSnapshot snapshot) {
        byte[] bytes = new byte[(int) snapshot.size()];
        if (bytes.length > 0) {
            snapshot.read(0, ByteBuffer.wrap(bytes));
        }
        return bytes;
    }

    private record Moment(FlexSpaceSnapshot snapshot, byte[] content) {}

    /** Everything is overwritten, moved, collected and reused in the meantime. */
    @Test
    void aSnapshotKeepsWhatTheSpaceHeldAtItsMoment() {
        for (long seed = 0; seed < Effort.times(6); seed++) {
            Random random = new Random(seed);
            SimulatedVfs files = new SimulatedVfs();
            SpaceOracle oracle = new SpaceOracle();
            Deque<Moment> moments = new ArrayDeque<>();
            try (FlexSpace changing = FlexSpace.open(files, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
                for (int i = 0; i < 1500; i++) {
                    SpaceStep step = SpaceStep.any(random);
                    if (step != SpaceStep.CLOSE_AND_OPEN && step != SpaceStep.KILL) {
                        step.apply(changing, oracle, random);
                    }
                    if (random.nextInt(50) == 0) {
                        moments.add(new Moment(changing.snapshot(), oracle.now()));
                    }
                    if (moments.size() > 4 || !moments.isEmpty() && random.nextInt(60) == 0) {
                        Moment moment = random.nextBoolean() ? moments.removeFirst() : moments.removeLast();
                        assertArrayEquals(moment.content, contentOf(moment.snapshot), "seed " + seed + ", step " + i);
                        moment.snapshot.close();
                    }
                    assertEquals(moments.size(), changing.stats().snapshots());
                }
                assertTrue(changing.stats().collection().bytesMoved() > 0);
                changing.checkInvariants();
            }
        }
    }

    @Test
    void snapshotsKeepNoSegmentBuffers() {
        List<Moment> moments = new ArrayList<>();
        Random random = new Random(5);
        byte[] content = new byte[0];
        int segmentBytes = space.stats().data().segmentBytes();
        for (int i = 0; i < 60; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, segmentBytes);
            space.insertRange(0, ByteBuffer.wrap(bytes));
            content = SpaceOracle.inserted(content, 0, bytes);
            moments.add(new Moment(space.snapshot(), content));
            assertTrue(space.stats().buffers().memoryBytes() <= 4L * segmentBytes, space.stats() + "");
        }
        for (Moment moment : moments) {
            assertArrayEquals(moment.content, contentOf(moment.snapshot));
            moment.snapshot.close();
        }
    }

    @Test
    void whatASnapshotPinsIsCountedAndFreeAgainAfterwards() {
        byte[] bytes = SpaceOracle.randomBytes(new Random(3), 200_000);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        FlexSpaceSnapshot snapshot = space.snapshot();
        for (int round = 0; round < 20; round++) {
            space.write(0, ByteBuffer.wrap(SpaceOracle.randomBytes(new Random(round), 200_000)));
            space.sync();
        }
        FlexSpaceStats pinned = space.stats();
        assertEquals(1, pinned.snapshots());
        assertTrue(pinned.data().pinnedSegments() >= 200_000 / pinned.data().segmentBytes(), pinned.toString());
        assertArrayEquals(bytes, contentOf(snapshot));
        snapshot.close();
        snapshot.close();
        for (int round = 0; round < 5; round++) {
            space.write(0, ByteBuffer.wrap(new byte[1]));
            space.sync();
        }
        FlexSpaceStats after = space.stats();
        assertEquals(0, after.snapshots());
        assertEquals(0, after.data().pinnedSegments());
        assertTrue(
                after.data().freeSegments()
                        >= pinned.data().freeSegments() + pinned.data().pinnedSegments() - 2,
                pinned + ", then " + after);
        space.close();
    }

    @Test
    void anExtentIsReadFromItsBeginningInASnapshotToo() {
        space.insertRange(0, ByteBuffer.wrap("first".getBytes(StandardCharsets.UTF_8)));
        space.insertRange(0, ByteBuffer.wrap("second".getBytes(StandardCharsets.UTF_8)));
        try (FlexSpaceSnapshot snapshot = space.snapshot()) {
            space.collapseRange(0, 11);
            ByteBuffer buffer = ByteBuffer.allocate(20);
            assertEquals(new FlexSpace.Extent(6, 5), snapshot.readExtent(8, buffer));
            assertEquals("first", new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8));
            assertThrows(IndexOutOfBoundsException.class, () -> snapshot.readExtent(11, buffer));
            assertThrows(IndexOutOfBoundsException.class, () -> snapshot.read(0, ByteBuffer.allocate(12)));
        }
        space.close();
    }

    @Test
    void afterCloseOfItselfOrOfTheSpaceASnapshotIsRefused() {
        space.insertRange(0, ByteBuffer.wrap(new byte[10]));
        FlexSpaceSnapshot first = space.snapshot();
        FlexSpaceSnapshot second = space.snapshot();
        first.close();
        assertRefused(first);
        assertEquals(10, second.size());
        space.close();
        assertRefused(second);
        second.close();
        assertRefused(second);
    }

    private static void assertRefused(FlexSpaceSnapshot snapshot) {
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThrows(StoreClosedException.class, snapshot::size);
        assertThrows(StoreClosedException.class, () -> snapshot.read(0, one));
        assertThrows(StoreClosedException.class, () -> snapshot.readExtent(0, one));
        assertEquals(1, one.remaining());
    }

    /** A read that has begun must not see nodes and segments that are used again because the snapshot is closed. */
    @Test
    void closingASnapshotUnderItsReadersIsSafe() throws Exception {
        byte[] bytes = SpaceOracle.randomBytes(new Random(1), 60_000);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        AtomicReference<Throwable> problem = new AtomicReference<>();
        for (int round = 0; round < Effort.times(60); round++) {
            space.write(0, ByteBuffer.wrap(bytes));
            FlexSpaceSnapshot snapshot = space.snapshot();
            List<Thread> threads = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                Thread thread = new Thread(() -> readUntilClosed(snapshot, bytes, problem));
                thread.start();
                threads.add(thread);
            }
            for (int i = 0; i < 6; i++) {
                space.write(0, ByteBuffer.wrap(new byte[60_000]));
                space.sync();
                if (i == 3) {
                    snapshot.close();
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertNull(problem.get(), () -> "" + problem.get());
        }
        assertEquals(0, space.stats().snapshots());
        space.close();
    }

    private static void readUntilClosed(FlexSpaceSnapshot snapshot, byte[] bytes, AtomicReference<Throwable> problem) {
        byte[] found = new byte[20_000];
        try {
            while (true) {
                snapshot.read(17, ByteBuffer.wrap(found));
                assertTrue(Arrays.equals(bytes, 17, 20_017, found, 0, 20_000), "other bytes than there were");
            }
        } catch (StoreClosedException e) {
            // as it should be
        } catch (Throwable e) {
            problem.compareAndSet(null, e);
        }
    }
}
