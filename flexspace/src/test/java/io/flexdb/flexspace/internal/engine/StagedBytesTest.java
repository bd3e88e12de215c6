package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is staged, one case at a time; histories are in {@link StagedHistoryTest}. */
class StagedBytesTest {
    private static final Path DIRECTORY = StagedHistory.DIRECTORY;
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final int FRAME = StagedHistory.FRAME;
    private static final int DATA_BYTES = 31 * FRAME;

    private SimulatedVfs vfs = new SimulatedVfs();
    private final Random random = new Random(4);
    private Epochs epochs;
    private SpaceEngine engine;

    StagedBytesTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(StagedHistory.SMALL), List.of());
        open();
    }

    private void open() {
        epochs = new Epochs();
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(StagedHistory.SMALL), epochs);
    }

    private void crash() {
        vfs = vfs.crash(SimulatedVfs.ALL);
        open();
    }

    private void publish() {
        epochs.advance();
        engine.reclaim();
    }

    private byte[] piece() {
        byte[] bytes = new byte[FRAME];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] content() {
        byte[] bytes = new byte[(int) engine.size()];
        engine.reads().read(engine.current(), 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    private long stage(StagedBytes staged, byte[] bytes) {
        return staged.append(ByteBuffer.wrap(bytes));
    }

    /** Gives all back and has it become free. */
    private void letGo(StagedBytes staged) {
        staged.close();
        engine.sync(0);
        for (int i = 0; i < 4; i++) {
            publish();
        }
    }

    @Test
    void linkingWritesNothingButTheLog() {
        try (StagedBytes staged = engine.stage()) {
            byte[] bytes = piece();
            long address = stage(staged, bytes);
            staged.finish();
            staged.finish();
            long before = vfs.bytesWritten(name -> name.equals("data"));
            engine.insertStaged(0, address, FRAME, 1);
            engine.sync(5);
            assertEquals(before, vfs.bytesWritten(name -> name.equals("data")));
            assertArrayEquals(bytes, content());
        }
        crash();
        assertEquals(5, engine.tag());
        assertEquals(FRAME, engine.size());
    }

    @Test
    void piecesAreNeverCutOverSegmentsAndFlushesPadToFrames() {
        StagedBytes staged = engine.stage();
        assertEquals(0, staged.roomInSegment());
        long first = stage(staged, new byte[1]);
        staged.flush();
        staged.flush();
        assertEquals(first + FRAME, stage(staged, new byte[1]));
        assertEquals(first + FRAME + 1, stage(staged, new byte[3]));
        staged.force();
        while (staged.roomInSegment() > 7) {
            stage(staged, new byte[Math.min(FRAME, staged.roomInSegment() - 7)]);
        }
        assertEquals(DATA_BYTES, staged.bytes());
        long next = stage(staged, new byte[8]);
        assertEquals(0, next % (32 * FRAME));
        assertEquals(2 * DATA_BYTES, staged.bytes());
        staged.finish();
        assertThrows(IllegalStateException.class, () -> stage(staged, new byte[1]));
        staged.close();
        staged.close();
    }

    @Test
    void whatWasNotLinkedIsFreeAndUsedAgain() {
        int before = engine.figures().segmentCount();
        for (int i = 0; i < 50; i++) {
            StagedBytes staged = engine.stage();
            stage(staged, piece());
            if (i % 2 == 0) {
                staged.finish();
            }
            letGo(staged);
        }
        assertEquals(engine.figures().segmentCount(), engine.freeSegmentCount());
        assertTrue(
                engine.figures().segmentCount() <= before + 2,
                "" + engine.figures().segmentCount());
        assertEquals(0, engine.store().stagedBytes());
        engine.checkInvariants();
    }

    @Test
    void afterACrashWhatWasNotLinkedIsFree() {
        for (int i = 0; i < 10; i++) {
            stage(engine.stage(), piece());
        }
        engine.insert(0, ByteBuffer.allocate(FRAME), 0, FRAME, 0);
        engine.sync(1);
        crash();
        assertEquals(1, engine.figures().segmentCount() - engine.freeSegmentCount());
        engine.checkInvariants();
    }

    /** Else bytes from before a crash could pass for those written to the same place after it (I6). */
    @Test
    void noGenerationOfASegmentIsUsedTwice() {
        Set<String> uses = new HashSet<>();
        for (int life = 0; life < 6; life++) {
            for (int i = 0; i < 5; i++) {
                StagedBytes staged = engine.stage();
                long address = stage(staged, piece());
                var segment = engine.store().segment(engine.store().format().segmentOf(address));
                assertTrue(uses.add(segment.number + ":" + segment.generation), segment + " in life " + life);
                if (random.nextBoolean()) {
                    letGo(staged);
                } else if (random.nextBoolean()) {
                    staged.close();
                    publish();
                }
            }
            crash();
        }
    }

    @Test
    void heldSegmentsAreNeitherEmptiedNorMoved() {
        StagedBytes staged = engine.stage();
        byte[] unlinked = piece();
        long first = stage(staged, piece());
        long second = stage(staged, unlinked);
        staged.finish();
        engine.insertStaged(0, first, FRAME, 0);
        for (int i = 0; i < 400; i++) {
            engine.insert(0, ByteBuffer.wrap(piece()), 0, FRAME, 0);
        }
        engine.collapse(0, 350L * FRAME);
        engine.sync(1);
        long address = engine.store().format().segmentOf(first);
        engine.collectGarbage();
        publish();
        assertEquals(FRAME, engine.store().segment((int) address).liveBytes);
        engine.collapse(engine.size() - FRAME, FRAME);
        engine.sync(2);
        publish();
        publish();
        publish();
        byte[] found = new byte[FRAME];
        engine.reads().readStaged(second, ByteBuffer.wrap(found), 0, FRAME);
        assertArrayEquals(unlinked, found);
        letGo(staged);
        assertTrue(engine.store().isFree((int) address));
        engine.checkInvariants();
    }

    /** Who has an address may have pinned the version that was the last one when it was staged. */
    @Test
    void aPinFromWhenItWasStagedKeepsIt() {
        FlexTreeView view = engine.current();
        publish();
        StagedBytes staged = engine.stage();
        byte[] bytes = piece();
        long address = stage(staged, bytes);
        staged.flush();
        epochs.pin(view.version());
        letGo(staged);
        for (int i = 0; i < 40; i++) {
            stage(engine.stage(), piece());
        }
        byte[] found = new byte[FRAME];
        engine.reads().readStaged(address, ByteBuffer.wrap(found), 0, FRAME);
        assertArrayEquals(bytes, found);
        epochs.unpin(view.version());
        publish();
        publish();
        assertTrue(engine.store().isFree(engine.store().format().segmentOf(address)));
    }

    @Test
    void aDamagedFrameIsNotLetOut() {
        StagedBytes staged = engine.stage();
        long address = stage(staged, piece());
        staged.flush();
        byte[] file = vfs.content(DATA);
        int at = 4096 + (int) address + 9;
        try (VfsFile data = vfs.open(DATA, OpenMode.READ_WRITE)) {
            data.write(ByteBuffer.wrap(new byte[] {(byte) (file[at] ^ 4)}), at);
        }
        assertThrows(
                CorruptionException.class,
                () -> engine.reads().readStaged(address, ByteBuffer.allocate(FRAME), 0, FRAME));
        staged.close();
    }

    /** An earlier opening has staged them, and somebody else knows where. */
    @Test
    void keptBytesStayAsTheyAreUntilTheyAreLetGo() {
        byte[][] bytes = new byte[40][];
        long[] addresses = new long[40];
        StagedBytes staged = engine.stage();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = piece();
            addresses[i] = stage(staged, bytes[i]);
        }
        staged.force();
        vfs = vfs.crash(SimulatedVfs.ALL);
        epochs = new Epochs();
        engine = SpaceEngine.recover(vfs, DIRECTORY, 1, OwnedSpaces.settings(StagedHistory.SMALL), epochs);
        for (long address : addresses) {
            assertTrue(engine.keep(address, FRAME));
        }
        assertFalse(engine.keep(1L << 40, FRAME));
        assertFalse(engine.keep((1L << 48) - 1, FRAME));
        assertFalse(engine.keep(-1, FRAME));
        assertFalse(engine.keep(DATA_BYTES - FRAME + 1, FRAME));
        engine.begin();
        for (int i = 0; i < 200; i++) {
            engine.insert(0, ByteBuffer.wrap(piece()), 0, FRAME, 0);
            stage(engine.stage(), piece());
        }
        engine.sync(1);
        for (int i = 0; i < bytes.length; i++) {
            ByteBuffer found = ByteBuffer.allocate(FRAME);
            engine.readKept(addresses[i], found);
            assertArrayEquals(bytes[i], found.array());
        }
        int free = engine.freeSegmentCount();
        engine.letGoKept();
        assertEquals(free + 2, engine.freeSegmentCount());
        engine.checkInvariants();
        crash();
    }

    @Test
    void aRefusalChangesNothing() {
        vfs.setCapacity(vfs.content(DATA).length + 600_000); // of which the writer keeps some
        StagedBytes staged = engine.stage();
        int taken = 0;
        try {
            while (true) {
                stage(staged, piece());
                taken++;
            }
        } catch (StoreFullException e) {
            assertTrue(taken > 30 && engine.store().places().allocatable() >= 6, taken + " pieces");
        }
        int room = staged.roomInSegment();
        assertThrows(StoreFullException.class, () -> stage(staged, new byte[FRAME]));
        assertEquals(room, staged.roomInSegment());
        letGo(staged);
        assertTrue(engine.reservation().reserve(FRAME, 0, 0, 0, this::publish));
        stage(engine.stage(), piece());
    }

    @Test
    void othersStageWhileTheWriterGoesOn() throws Exception {
        Thread[] threads = new Thread[3];
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger running = new AtomicInteger(threads.length);
        for (int t = 0; t < threads.length; t++) {
            int seed = t;
            threads[t] = new Thread(() -> {
                Random own = new Random(seed);
                try {
                    for (int run = 0; run < 40; run++) {
                        try (StagedBytes staged = engine.stage()) {
                            for (int i = 0; i < 50; i++) {
                                byte[] bytes = new byte[1 + own.nextInt(FRAME)];
                                own.nextBytes(bytes);
                                long address = stage(staged, bytes);
                                staged.flush();
                                byte[] found = new byte[bytes.length];
                                int ticket = epochs.enter();
                                engine.reads().readStaged(address, ByteBuffer.wrap(found), 0, found.length);
                                epochs.exit(ticket);
                                assertArrayEquals(bytes, found);
                            }
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                } finally {
                    running.decrementAndGet();
                }
            });
            threads[t].start();
        }
        while (running.get() > 0) {
            if (engine.reservation().reserve(FRAME, 0, 0, 0, this::publish)) {
                engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.wrap(piece()), 0, FRAME, 0);
            }
            if (engine.size() > 100_000) {
                engine.collapse(0, 50_000);
            }
            engine.collectSomeGarbage(true);
            if (random.nextInt(10) == 0) {
                publish();
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(failures.isEmpty(), failures::toString);
        engine.sync(0);
        byte[] content = content();
        engine.checkInvariants();
        crash();
        assertArrayEquals(content, content());
        engine.checkInvariants();
    }
}
