package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A segment store whose segments are sealed when the test says so, or somebody has to wait for it. */
class SegmentSealerTest {
    private static final int EXTENT = 512;

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final SegmentFormat format = new SegmentFormat(32 * EXTENT, EXTENT, 9);
    private final Held worker = new Held();
    private final SegmentStore store =
            new SegmentStore(vfs.open(Path.of("/data"), OpenMode.CREATE), format, epochs, worker);
    private final ReadScratch scratch = store.newScratch(null);
    private int appended;

    /** Does nothing by itself. */
    private static final class Held implements BackgroundWorker {
        private final ArrayDeque<Piece> waiting = new ArrayDeque<>();
        private boolean closed;

        private final class Piece implements BackgroundTask {
            private final Runnable task;

            Piece(Runnable task) {
                this.task = task;
            }

            @Override
            public boolean isDone() {
                return !waiting.contains(this);
            }

            @Override
            public void await() {
                while (!isDone()) {
                    doFirst();
                }
            }
        }

        void doFirst() {
            waiting.peek().task.run();
            waiting.poll();
        }

        @Override
        public BackgroundTask start(Runnable task) {
            assertFalse(closed);
            Piece piece = new Piece(task);
            waiting.add(piece);
            return piece;
        }

        @Override
        public void close() {
            while (!waiting.isEmpty()) {
                doFirst();
            }
            closed = true;
        }
    }

    /** Appends extents, each with its number, until so many segments are full and one more is open. */
    private void fill(int segments) {
        while (appended < segments * format.dataFrames + 1) {
            ByteBuffer bytes = ByteBuffer.allocate(EXTENT).putInt(0, appended++);
            store.addLive(store.append(bytes, 0, EXTENT), EXTENT);
        }
    }

    private long addressOf(int extent) {
        return format.address(extent / format.dataFrames, extent % format.dataFrames * EXTENT);
    }

    private void checkAll() {
        ByteBuffer found = ByteBuffer.allocateDirect(EXTENT);
        for (int extent = 0; extent < appended; extent++) {
            store.read(addressOf(extent), found, 0, EXTENT, scratch);
            assertEquals(extent, found.getInt(0));
        }
    }

    private void publish() {
        epochs.advance();
        store.reclaim();
    }

    /** As when a log batch is written that says so. */
    private void commit() {
        SegmentStores.force(store);
        store.noteTouched(new LogBatch());
        store.releaseEmptied();
        publish();
        publish();
        publish();
    }

    @Test
    void readersFindASegmentInMemoryUntilItIsInTheFile() {
        fill(2);
        publish();
        assertEquals(2, worker.waiting.size());
        assertEquals(0, store.file().size());
        checkAll();
        worker.doFirst();
        assertNull(store.segment(0).memory);
        assertNotNull(store.segment(1).memory);
        assertEquals(format.filePosition(1, 0), store.file().size());
        assertFalse(store.segment(0).isSealed(), "nobody has told the writer");
        checkAll();
        commit();
        assertTrue(store.segment(0).isSealed() && store.segment(1).isSealed());
        assertNull(store.segment(1).memory);
        checkAll();
    }

    @Test
    void aForceWaitsForWhatIsUnderWay() {
        fill(2);
        vfs.startTrace();
        SegmentStores.force(store);
        assertEquals(
                List.of(
                        "write /data " + format.filePosition(2, 0) + "+" + EXTENT,
                        "write /data " + format.filePosition(0, 0) + "+" + format.segmentBytes,
                        "write /data " + format.filePosition(1, 0) + "+" + format.segmentBytes,
                        "force /data"),
                vfs.trace());
        assertTrue(worker.waiting.isEmpty());
    }

    @Test
    void theWriterWaitsWhenTooManyAreUnderWay() {
        Set<ByteBuffer> used = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int segments = 1; segments < 30; segments++) {
            fill(segments);
            used.add(store.openSegment().memory);
            assertTrue(worker.waiting.size() <= 2, worker.waiting.size() + " wait");
            publish();
        }
        assertTrue(used.size() < 10, used.size() + " buffers");
        checkAll();
    }

    @Test
    void theWriterWaitsForAReaderWhenAllMemoryForSegmentsIsInUse() throws Exception {
        store.buffers().reserve(1, 2);
        int ticket = epochs.enter();
        Thread writer = new Thread(() -> fill(4));
        writer.start();
        Waiting.whileTrue(() -> {
            assertTrue(writer.isAlive(), "it took more memory than it may");
            return writer.getState() != Thread.State.WAITING;
        });
        assertEquals(2 * format.segmentBytes, store.buffers().memoryBytes());
        epochs.exit(ticket);
        writer.join();
        assertEquals(4 * format.dataFrames + 1, appended);
        assertEquals(2 * format.segmentBytes, store.buffers().memoryBytes());
        checkAll();
    }

    @Test
    void withMemoryForOneSegmentOneIsSealedBeforeTheNextIsBegun() {
        store.buffers().reserve(1, 1);
        fill(3);
        assertEquals(format.segmentBytes, store.buffers().memoryBytes());
        checkAll();
    }

    /** What lies in it is removed before it was written: whoever used it again would be written over. */
    @Test
    void aSegmentIsNotFreeBeforeItIsInTheFile() {
        fill(1);
        publish();
        for (int extent = 0; extent < format.dataFrames; extent++) {
            store.removeLive(addressOf(extent), EXTENT);
        }
        assertEquals(0, store.emptied().unnotedCount());
        store.releaseEmptied();
        publish();
        publish();
        publish();
        assertEquals(0, store.freeSegmentCount());
        assertEquals(0, store.places().freeAtEnd());
        commit();
        assertNull(store.segment(0).memory);
        assertEquals(1, store.freeSegmentCount());
        fill(3);
        assertEquals(2, store.segment(0).generation, "used again");
        SegmentStores.force(store);
        assertEquals(3, store.segmentCount());
    }

    @Test
    void aFailureIsThrownByTheNextAppendAndByEachForce() {
        fill(2);
        vfs.failAt(1, Fault.EIO);
        worker.doFirst();
        long operations = vfs.operationCount();
        ByteBuffer bytes = ByteBuffer.allocate(EXTENT);
        StoreIoException failure = assertThrows(StoreIoException.class, () -> store.append(bytes, 0, EXTENT));
        assertSame(failure, assertThrows(StoreIoException.class, () -> SegmentStores.force(store)));
        assertSame(failure, assertThrows(StoreIoException.class, store::awaitSealing));
        checkAll();
        worker.doFirst();
        store.close();
        assertEquals(operations, vfs.operationCount(), "something was written after a failure");
        assertTrue(worker.closed);
    }

    @Test
    void aFailureOfWhatIsWaitedForIsThrownAtOnce() {
        fill(1);
        vfs.failAt(vfs.operationCount() + 2, Fault.SHORT_WRITE); // the open segment is written first
        StoreIoException failure = assertThrows(StoreIoException.class, () -> SegmentStores.force(store));
        assertSame(failure, assertThrows(StoreIoException.class, () -> SegmentStores.force(store)));
        store.close();
    }

    @Test
    void closingBeginsNoMoreWriting() {
        fill(2);
        long operations = vfs.operationCount();
        store.close();
        store.close();
        assertEquals(operations, vfs.operationCount());
        assertTrue(worker.closed);
    }
}
