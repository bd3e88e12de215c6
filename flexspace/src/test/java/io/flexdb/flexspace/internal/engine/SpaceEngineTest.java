package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLogReader;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpaceEngineTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegmentBuffers(100) // some tests read and write by turns in one thread, which can't wait for itself
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(64 << 10)
            .withMinimumUtilization(0.7);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(2);
    private SpaceEngine engine;

    SpaceEngineTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
    }

    private void insert(long offset, byte[] bytes, int flags) {
        engine.insert(offset, ByteBuffer.wrap(bytes), 0, bytes.length, flags);
    }

    private FlexTreeView publish() {
        FlexTreeView view = engine.current();
        epochs.advance();
        engine.reclaim();
        return view;
    }

    private byte[] read(FlexTreeView view) {
        byte[] bytes = new byte[(int) view.size()];
        engine.reads().read(view, 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private void fill(int extents) {
        for (int i = 0; i < extents; i++) {
            insert(engine.size(), randomBytes(500), 0);
        }
    }

    private void overwriteAll() {
        for (long offset = 0; offset < engine.size(); offset += 500) {
            engine.overwrite(offset, ByteBuffer.wrap(randomBytes(500)), 0, 500, 0);
        }
        engine.sync(1);
    }

    /** Whatever a recovery would find: batches of the log, and checkpoints. */
    @Test
    void whoWantsToKnowIsToldBeforeTheNextWrite() {
        for (boolean checkpoint : new boolean[] {false, true}) {
            fill(3);
            engine.sync(1);
            List<Long> told = new ArrayList<>();
            long before = logAndTreeBytes();
            engine.beforeNextWrite(() -> told.add(logAndTreeBytes()));
            engine.sync(1); // has nothing to write
            fill(1);
            assertEquals(List.of(), told);
            if (checkpoint) {
                engine.checkpoint();
            } else {
                engine.sync(1);
            }
            assertEquals(List.of(before), told);
            assertTrue(logAndTreeBytes() > before);
            fill(1);
            engine.sync(2);
            assertEquals(1, told.size(), "told once");
        }
    }

    /** Who can't do what is to be done first is told again, and nothing is written. */
    @Test
    void nothingIsWrittenAsLongAsSomebodyObjects() {
        fill(3);
        engine.sync(1);
        long before = logAndTreeBytes();
        engine.beforeNextWrite(() -> {
            throw new StoreIoException("deletion", DIRECTORY, new IOException("a test"));
        });
        fill(1);
        for (int i = 0; i < 2; i++) {
            assertThrows(StoreIoException.class, () -> engine.sync(1));
            assertThrows(StoreIoException.class, engine::checkpoint);
        }
        assertEquals(before, logAndTreeBytes());
    }

    private long logAndTreeBytes() {
        return vfs.bytesWritten(name -> name.contains("log") || name.contains("tree"));
    }

    /** A read that begins late still finds the view published last, though checkpoints have ended epochs since then. */
    @Test
    void checkpointsDoNotLetGoWhatIsPublished() {
        fill(200);
        FlexTreeView published = publish();
        byte[] content = read(published);
        for (int i = 0; i < 4; i++) {
            overwriteAll();
            engine.checkpoint();
        }
        int ticket = epochs.enter();
        for (int i = 0; i < 4; i++) {
            publish();
            overwriteAll();
            assertArrayEquals(content, read(published), "after " + i + " publications more");
        }
        epochs.exit(ticket);
    }

    /** A view that is pinned reads as it did when it was published, whatever is overwritten, moved and used again. */
    @Test
    void aPinnedViewKeepsItsSegments() {
        List<FlexTreeView> views = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        fill(200);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 60; i++) {
                byte[] bytes = randomBytes(500);
                engine.overwrite(random.nextInt(199 * 500), ByteBuffer.wrap(bytes), 0, 500, 0);
            }
            engine.sync(round);
            FlexTreeView view = publish();
            int ticket = epochs.enter();
            epochs.pin(view.version());
            epochs.exit(ticket);
            views.add(view);
            contents.add(read(view));
            engine.collectGarbage();
            publish();
            publish();
            if (round % 3 == 2) {
                int gone = random.nextInt(views.size());
                epochs.unpin(views.remove(gone).version());
                contents.remove(gone);
            }
            for (int i = 0; i < views.size(); i++) {
                assertArrayEquals(contents.get(i), read(views.get(i)), "round " + round + ", view " + i);
            }
            engine.checkInvariants();
        }
        int held = engine.figures().segmentCount() - engine.freeSegmentCount();
        views.forEach(view -> epochs.unpin(view.version()));
        for (int i = 0; i < 4; i++) {
            publish();
        }
        int left = engine.figures().segmentCount() - engine.freeSegmentCount();
        assertTrue(left < held / 2, held + " segments in use, and " + left + " when no view was pinned");
        assertTrue(engine.figures().bytesMoved() > 0);
        engine.closeCleanly();
    }

    @Test
    void aShortReadKeepsTheSegmentsItMaySee() {
        fill(100);
        engine.sync(1);
        FlexTreeView view = publish();
        byte[] before = read(view);
        int ticket = epochs.enter();
        engine.collapse(0, engine.size());
        engine.sync(2);
        for (int i = 0; i < 5; i++) {
            publish();
        }
        assertEquals(0, engine.freeSegmentCount());
        fill(100);
        engine.sync(3);
        publish();
        assertArrayEquals(before, read(view));
        epochs.exit(ticket);
        for (int i = 0; i < 5; i++) {
            publish();
        }
        assertTrue(engine.freeSegmentCount() >= 3, "free: " + engine.freeSegmentCount());
        engine.closeCleanly();
    }

    /** What the log does not say yet must be found where it was (O2). */
    @Test
    void aSegmentIsNotUsedAgainBeforeTheLogSaysThatItIsEmpty() {
        fill(100);
        engine.sync(1);
        byte[] before = read(publish());
        engine.collapse(0, engine.size());
        for (int i = 0; i < 10; i++) {
            publish();
        }
        assertEquals(0, engine.freeSegmentCount());
        fill(100);
        SimulatedVfs cut = vfs.crash(1);
        SpaceEngine recovered = SpaceEngine.open(cut, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        engine = recovered;
        assertArrayEquals(before, read(recovered.current()));
        recovered.close();
    }

    @Test
    void theTagComesBackWithTheEditsItWasGivenFor() {
        insert(0, randomBytes(10), 0);
        engine.sync(17);
        insert(0, randomBytes(10), 0);
        engine = reopened();
        assertEquals(17, engine.tag());
        assertEquals(10, engine.size());
        engine.sync(18);
        engine = reopened();
        assertEquals(18, engine.tag());
        engine.checkpoint();
        engine = reopened();
        assertEquals(18, engine.tag());
        engine.close();
    }

    private SimulatedVfs current = vfs;

    private SpaceEngine reopened() {
        current = current.crash(0);
        return SpaceEngine.open(current, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
    }

    @Test
    void flagsStayWithExtentsThroughGarbageCollection() {
        for (int i = 0; i < 1000; i++) {
            insert(engine.size(), randomBytes(100 + i % 400), i % 3 == 0 ? 1 : 0);
        }
        for (int i = 0; i < 600; i++) {
            engine.collapse(180L * i, 200);
        }
        engine.sync(1);
        List<String> before = flags();
        byte[] content = read(engine.current());
        publish();
        assertTrue(engine.collectGarbage() > 0);
        assertArrayEquals(content, read(publish()));
        assertEquals(before, flags());
        engine.checkInvariants();
        assertEquals(0, engine.collectGarbage(), "there is nothing left to gain");
        engine.closeCleanly();
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        assertArrayEquals(content, read(engine.current()));
        assertEquals(before, flags());
        engine.close();
    }

    /** Where extents with a flag lie; others may be joined. */
    private List<String> flags() {
        List<String> flagged = new ArrayList<>();
        ExtentCursor cursor = engine.current().cursor();
        for (boolean found = cursor.seek(0); found; found = cursor.next()) {
            if (cursor.flags() != 0) {
                flagged.add(cursor.logicalOffset() + "+" + cursor.length());
            }
        }
        return flagged;
    }

    @Test
    void aGroupIsKeptWholeOrNotAtAll() {
        insert(0, randomBytes(100), 0);
        engine.sync(1);
        engine.beginGroup();
        for (int i = 0; i < 1000; i++) {
            insert(0, randomBytes(100), 0);
        }
        SimulatedVfs cut = vfs.copy();
        engine.endGroup();
        SpaceEngine half = SpaceEngine.open(cut.crash(1), DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        assertEquals(100, half.size());
        half.close();
        engine.sync(2);
        SpaceEngine whole = SpaceEngine.open(vfs.crash(0), DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        assertEquals(100_100, whole.size());
        whole.close();
    }

    /** However slow checkpoints are, a recovery has not more than twice the log to replay after which they begin. */
    @Test
    void aChangeWaitsForACheckpointRatherThanLetTheLogsGrow() {
        vfs.delayBackground(1_000_000);
        long longest = 0;
        for (int i = 0; i < 4000; i++) {
            insert(random.nextInt((int) engine.size() + 1), randomBytes(100), 0);
            engine.sync(i);
            longest = Math.max(longest, logBytes());
        }
        assertTrue(longest > 100 << 10 && longest < 130 << 10, longest + " bytes of log");
        assertTrue(engine.figures().checkpointWaits() > 3, engine.figures().checkpointWaits() + " waits");
        vfs.delayBackground(0);
        engine.checkpoint();
        long waits = engine.figures().checkpointWaits();
        for (int i = 0; i < 4000; i++) {
            insert(random.nextInt((int) engine.size() + 1), randomBytes(100), 0);
            engine.sync(i);
        }
        assertEquals(waits, engine.figures().checkpointWaits(), "checkpoints that are done at once");
        engine.close();
    }

    @Test
    void aCheckpointThatFindsNoThreadLeavesNothingOpen() {
        engine.close();
        CountingVfs withoutThreads = new CountingVfs(vfs) {
            @Override
            public BackgroundTask start(String name, Runnable task) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        };
        engine = SpaceEngine.open(withoutThreads, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
        assertEquals(3, withoutThreads.openFiles());
        fill(10);
        assertThrows(OutOfMemoryError.class, engine::checkpoint);
        engine.close();
        assertEquals(0, withoutThreads.openFiles());
    }

    private static SimulatedVfs filesWith(byte[] content) {
        SimulatedVfs files = new SimulatedVfs();
        SpaceEngine.create(files, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        try (SpaceEngine space = SpaceEngine.open(files, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs())) {
            space.insert(0, ByteBuffer.wrap(content), 0, content.length, 0);
            space.sync(1);
        }
        return files;
    }

    /** It is read to be replayed, and once more to be copied: what was not replayed must not be taken for it. */
    @Test
    void aLogThatReadsDifferentlyWhenItIsCopiedIsReported() {
        SimulatedVfs files = filesWith(new byte[] {1, 2, 3});
        Path log = files.list(DIRECTORY).stream()
                .filter(name -> LogFormat.generationOf(name) > 0)
                .map(DIRECTORY::resolve)
                .findFirst()
                .orElseThrow();
        SpaceEngine recovered = SpaceEngine.recover(files, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        files.setContent(log, filesWith(new byte[] {1, 2, 4}).content(log));
        CorruptionException thrown = assertThrows(CorruptionException.class, recovered::begin);
        assertTrue(thrown.getMessage().contains("replayed"), thrown.getMessage());
        recovered.close();
        assertTrue(files.exists(log));
    }

    /** Bytes of the logs that a recovery would replay. */
    private long logBytes() {
        long bytes = 0;
        for (String name : vfs.list(DIRECTORY)) {
            if (LogFormat.generationOf(name) > 0) {
                try (VfsFile file = vfs.open(DIRECTORY.resolve(name), OpenMode.READ)) {
                    bytes += LogicalLogReader.syncedUpTo(file, LogFormat.generationOf(name));
                }
            }
        }
        return bytes;
    }

    @Test
    void longHolesAreLoggedInPieces() {
        long hole = 3L * (512 << 16) + 7;
        insert(0, randomBytes(5), 0);
        engine.insertHole(2, hole);
        engine.sync(1);
        engine = reopened();
        assertEquals(hole + 5, engine.size());
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        engine.reads().read(engine.current(), 1000, buffer, 0, 10_000);
        assertArrayEquals(new byte[10_000], buffer.array());
        ExtentCursor cursor = engine.current().cursor();
        cursor.seek(100);
        buffer.put(0, (byte) 1);
        engine.reads().readExtent(cursor, buffer, 0, 1);
        assertEquals(0, buffer.get(0));
        engine.close();
    }

    @Test
    void readingBeyondTheEndIsRefused() {
        insert(0, randomBytes(5), 0);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> engine.reads().read(engine.current(), 3, ByteBuffer.allocate(3), 0, 3));
        engine.close();
    }

    @Test
    void anotherStoresIdIsRefused() {
        engine.close();
        assertThrows(
                CorruptionException.class,
                () -> SpaceEngine.open(vfs, DIRECTORY, 2, OwnedSpaces.settings(SMALL), epochs));
        SpaceEngine any = SpaceEngine.open(vfs, DIRECTORY, 0, OwnedSpaces.settings(SMALL), epochs);
        assertEquals(1, any.storeId());
        any.close();
    }

    @Test
    void noFileStaysOpenWhateverFails() {
        fill(40);
        engine.sync(1);
        engine.close();
        SimulatedVfs base = vfs.kill();
        for (long operation = 1; operation < 60; operation++) {
            SimulatedVfs next = base.copy();
            CountingVfs counting = new CountingVfs(next);
            next.failAt(operation, Fault.EIO);
            try {
                SpaceEngine opened =
                        SpaceEngine.open(counting, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
                try {
                    engine = opened;
                    fill(40);
                    opened.checkpoint();
                } finally {
                    opened.close();
                }
            } catch (StoreIoException e) {
                assertEquals(1, next.faultsFired());
            }
            assertEquals(0, counting.openFiles(), "after a failure of operation " + operation);
        }
    }
}
