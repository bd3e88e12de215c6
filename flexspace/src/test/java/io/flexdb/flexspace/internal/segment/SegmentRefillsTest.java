package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.check.Findings;
import io.flexdb.flexspace.internal.check.SegmentVerifier;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Dead frames of sealed segments, and the order of what is written when they are used again. */
class SegmentRefillsTest {
    private static final int FRAME = 1024; // so that a power cut can tear a footer
    private static final int FRAMES = 31;
    private static final Path DATA = Path.of("/data");

    private final SegmentFormat format = new SegmentFormat(32 * FRAME, FRAME, 9);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(8);
    private final TreeMap<Long, byte[]> live = new TreeMap<>(); // by address
    private final List<ByteBuffer> log = new ArrayList<>(); // what is durable of it
    private Map<Long, byte[]> durable = new TreeMap<>(); // what lived when that was written
    private SegmentStore store = newStore(vfs, OpenMode.CREATE, epochs);
    private boolean cuts; // before and after each batch

    SegmentRefillsTest() {
        vfs.syncDirectory(Path.of("/"));
    }

    private SegmentStore newStore(SimulatedVfs files, OpenMode mode, Epochs readers) {
        SegmentStore made = new SegmentStore(files.open(DATA, mode), format, readers, files.worker("seal"));
        made.enableRefills();
        return made;
    }

    private long append(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        long address = store.append(ByteBuffer.wrap(bytes), 0, length);
        store.addLive(address, length);
        assertNull(live.put(address, bytes), "where something lives");
        return address;
    }

    private void remove(long address) {
        store.removeLive(address, live.remove(address).length);
    }

    /** As the engine does it. */
    private void commit() {
        cutIfWanted();
        SegmentStores.force(store);
        cutIfWanted();
        writeBatch();
        store.batchDurable();
        store.releaseEmptied();
        cutIfWanted();
    }

    private void writeBatch() {
        LogBatch batch = new LogBatch();
        store.noteTouched(batch);
        log.add(batch.finish(0));
        durable = new TreeMap<>(live);
    }

    private void cutIfWanted() {
        if (cuts) {
            readableAfterAnyCut();
        }
    }

    private void publish() {
        for (int i = 0; i < 3; i++) {
            epochs.advance();
            store.reclaim();
        }
    }

    private void fillSegments(int count) {
        for (int i = 0; i < count * FRAMES; i++) {
            append(FRAME);
        }
        append(FRAME); // so that the last one is sealed
    }

    private void removeFrames(int segment, int... frames) {
        for (int frame : frames) {
            remove(format.address(segment, frame * FRAME));
        }
    }

    /** Sees what a recovery would of a file, and reads everything. */
    private void readableAfterAnyCut() {
        for (long seed = 0; seed < 12; seed++) {
            recoverAndRead(vfs.copy().crash(seed));
        }
    }

    private SegmentStore recoverAndRead(SimulatedVfs files) {
        SegmentStore found = newStore(files, OpenMode.READ_WRITE, new Epochs());
        for (ByteBuffer payload : log) {
            ByteBuffer batch = payload.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            int notes = batch.getInt(12);
            batch.position(LogBatch.HEADER_BYTES);
            for (int i = 0; i < notes; i++) {
                int number = batch.getInt();
                int generation = batch.getInt();
                int flagsAndFirst = batch.getInt();
                int frames = batch.getInt();
                int first = flagsAndFirst & LogBatch.FRAME_MASK;
                int flags = flagsAndFirst - first;
                assertTrue(found.isNote(number, generation, flags, first, frames));
                found.restoreFrames(number, generation, flags, first, batch, frames);
            }
            assertFalse(batch.hasRemaining());
        }
        durable.forEach((address, bytes) -> assertTrue(found.addLive(address, bytes.length)));
        found.recovered(1);
        readAll(found, durable);
        return found;
    }

    private void readAll(SegmentStore from, Map<Long, byte[]> expected) {
        readAll(from, expected, from.newScratch(null));
    }

    private static void readAll(SegmentStore from, Map<Long, byte[]> expected, ReadScratch scratch) {
        expected.forEach((address, bytes) -> {
            ByteBuffer read = ByteBuffer.allocate(bytes.length);
            from.read(address, read, 0, bytes.length, scratch);
            assertArrayEquals(bytes, read.array(), "at " + address);
        });
    }

    private void verifySealed(SegmentStore of, SimulatedVfs files) {
        Findings findings = new Findings();
        SegmentVerifier verifier = new SegmentVerifier(
                files.open(DATA, OpenMode.READ), format, findings, format.segmentBytes, bytes -> {});
        for (int number = 0; number < of.segmentCount(); number++) {
            Segment segment = of.segment(number);
            if (segment.liveBytes > 0 && segment.isSealed() && segment.refill == null) {
                verifier.verifySealed(segment);
            }
        }
        assertTrue(findings.isEmpty(), () -> findings.result(0, 0, 0).toString());
    }

    // ---- the choice

    @Test
    void theSegmentsWithTheMostDeadFramesAreChosen() {
        fillSegments(10);
        for (int segment = 0; segment < 10; segment++) {
            for (int frame = 0; frame <= segment; frame++) {
                removeFrames(segment, 3 * frame);
            }
        }
        assertTrue(store.refills().choose());
        for (int segment = 0; segment < 10; segment++) {
            assertEquals(segment >= 6, store.segment(segment).refill != null, "segment " + segment);
        }
        assertEquals(10, store.segment(9).refill.framesLeft());
        assertNull(store.openSegment().refill);
    }

    @Test
    void framesInRunsTooShortForWhatIsAppendedAreNoReasonToChoose() {
        SegmentFormat longer = new SegmentFormat(128 * FRAME, FRAME, 9);
        SegmentStore other =
                new SegmentStore(vfs.open(Path.of("/other"), OpenMode.CREATE), longer, epochs, vfs.worker("seal"));
        other.enableRefills();
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            long address = other.append(ByteBuffer.allocate(4 * FRAME), 0, 4 * FRAME);
            other.addLive(address, 4 * FRAME);
            addresses.add(address);
        }
        addresses.forEach(address -> other.removeLive(address, FRAME));
        assertEquals(127 - 3 * 31, other.segment(1).liveFrames.deadCount());
        assertFalse(other.refills().choose(), "four frames are wanted, but there is one here and one there");
        for (int i = 0; i < 400; i += 4) {
            other.removeLive(addresses.get(i) + FRAME, 3 * FRAME);
        }
        assertTrue(other.refills().choose());
        assertTrue(other.segment(1).refill.hasRunFor(4 * FRAME));
        for (int i = 0; i < 1000; i++) {
            other.refills().choice().appended(1);
        }
        assertTrue(other.refills().choose(), "now that extents are short");
    }

    @Test
    void aFewDeadFramesAreNotWorthACommit() {
        fillSegments(3);
        removeFrames(0, 1, 2, 3);
        removeFrames(1, 4, 5);
        assertTrue(store.refills().areFew(2));
        assertFalse(store.refills().choose());
        assertFalse(store.refills().areFew(2), "not at once again");
        assertEquals(0, store.segment(0).refillState);
    }

    @Test
    void victimsAndUnreadableSegmentsAreLeftAlone() {
        fillSegments(3);
        for (int segment = 0; segment < 3; segment++) {
            removeFrames(segment, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        }
        store.segment(0).victim = true;
        store.segment(1).leaveAlone(true);
        assertTrue(store.refills().choose());
        assertNull(store.segment(0).refill);
        assertNull(store.segment(1).refill);
        assertNotNull(store.segment(2).refill);
    }

    @Test
    void aSegmentWhoseFooterIsDamagedIsNotChosen() {
        fillSegments(2);
        commit();
        byte[] file = vfs.content(DATA);
        file[(int) format.filePosition(0, format.dataBytes) + 5] ^= 1;
        vfs.setContent(DATA, file);
        SegmentStore found = newStore(vfs.copy(), OpenMode.READ_WRITE, new Epochs());
        for (int number = 0; number < 2; number++) {
            found.restore(number, 1);
            found.addLive(format.address(number, 0), 1);
        }
        found.recovered(1);
        assertTrue(found.refills().choose());
        assertFalse(found.segment(0).takesTurn());
        assertNull(found.segment(0).refill);
        assertNotNull(found.segment(1).refill);
    }

    // ---- who waits for whom

    /** Half of three segments is dead, and a batch that says so is durable. */
    private void chooseThree() {
        fillSegments(3);
        commit();
        publish();
        chooseHalfOfThree();
    }

    private void chooseHalfOfThree() {
        for (int segment = 0; segment < 3; segment++) {
            removeFrames(segment, 0, 2, 3, 4, 7, 8, 10, 13, 20, 22, 24, 25, 26, 27, 28, 30);
        }
        assertTrue(store.refills().choose());
        assertFalse(store.refills().hasRoomFor(1), "the log does not know");
        commit();
    }

    @Test
    void whatAPinnedVersionHoldsIsNotWritten() {
        fillSegments(3);
        commit();
        publish();
        int ticket = epochs.enter();
        long pinned = epochs.writerEpoch() - 1;
        epochs.pin(pinned);
        epochs.exit(ticket);
        Map<Long, byte[]> before = new TreeMap<>(live);
        for (int segment = 0; segment < 3; segment++) {
            removeFrames(segment, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        }
        assertTrue(store.refills().choose());
        commit();
        publish();
        assertFalse(store.refills().hasRoomFor(FRAME));
        assertTrue(store.refills().areWaiting());
        for (int i = 0; i < 100; i++) {
            append(FRAME);
        }
        commit();
        readAll(store, before);
        epochs.unpin(pinned);
        publish();
        assertTrue(store.refills().hasRoomFor(FRAME));
        assertFalse(store.refills().areWaiting());
        append(FRAME);
        assertEquals(1, store.refills().segmentsRefilled());
    }

    @Test
    void aShortReadUnderWayIsWaitedFor() {
        int ticket = epochs.enter();
        chooseThree();
        publish();
        assertFalse(store.refills().hasRoomFor(FRAME));
        epochs.exit(ticket);
        publish();
        assertTrue(store.refills().hasRoomFor(FRAME));
    }

    // ---- appending

    @Test
    void extentsGoIntoDeadFramesAndNowhereElse() {
        chooseThree();
        publish();
        int segments = store.segmentCount();
        List<Long> appended = new ArrayList<>();
        while (store.refills().hasRoomFor(FRAME)) {
            appended.add(append(FRAME));
            readAll(store, live);
        }
        assertEquals(3 * 16, appended.size());
        assertEquals(segments, store.segmentCount());
        assertEquals(3, store.refills().segmentsRefilled());
        assertEquals(3L * 16 * FRAME, store.refills().bytesRefilled());
        assertFalse(store.refills().areThere());
        commit();
        commit();
        verifySealed(store, vfs);
        for (int segment = 0; segment < 3; segment++) {
            assertNull(store.segment(segment).refill);
            assertEquals(2, store.segment(segment).refillState);
        }
    }

    /** Whoever was promised room for some bytes finds it, in whatever pieces they come. */
    @Test
    void roomThatIsPromisedIsThere() {
        for (int round = 0; round < 300; round++) {
            SegmentRefillsTest other = new SegmentRefillsTest();
            other.random.setSeed(round);
            other.chooseThree();
            other.publish();
            int promises = 0;
            while (true) {
                int bytes = 1 + other.random.nextInt(other.format.maxExtentBytes);
                if (!other.store.refills().hasRoomFor(bytes)) {
                    break;
                }
                promises++;
                long before = other.store.refills().bytesRefilled();
                for (int left = bytes; left > 0; ) {
                    int piece = 1 + other.random.nextInt(left);
                    other.append(piece);
                    left -= piece;
                }
                assertEquals(bytes, other.store.refills().bytesRefilled() - before, "round " + round);
                if (other.random.nextInt(4) == 0) {
                    SegmentStores.force(other.store);
                }
            }
            assertTrue(promises > 20, promises + " promises");
            other.readAll(other.store, other.live);
        }
    }

    @Test
    void aForceWritesWholeFramesWhichAreNotWrittenAgain() {
        chooseThree();
        publish();
        append(100);
        vfs.startTrace();
        SegmentStores.force(store);
        long next = append(100);
        SegmentStores.force(store);
        assertEquals(0, format.positionOf(next) % FRAME);
        List<String> writes =
                vfs.trace().stream().filter(line -> line.startsWith("write")).toList();
        assertEquals(2, writes.size(), () -> "" + vfs.trace());
        assertFalse(writes.get(0).equals(writes.get(1)), () -> "" + vfs.trace());
        assertTrue(writes.stream().allMatch(line -> line.endsWith("+" + FRAME)), () -> "" + vfs.trace());
    }

    /** Of what a reader has in a cache, nothing else is read from the file again. */
    @Test
    void deadFramesAreForgottenBeforeTheyAreWritten() {
        FrameCache cache = new FrameCache(format, 1 << 20, ByteBuffer::allocateDirect);
        ReadScratch scratch = store.newScratch(cache);
        fillSegments(3);
        commit();
        publish();
        readAll(store, live, scratch);
        assertEquals(3 * FRAMES, cache.misses());
        chooseHalfOfThree();
        publish();
        while (store.refills().hasRoomFor(FRAME)) {
            append(FRAME);
            readAll(store, live, scratch);
        }
        commit();
        commit();
        for (int i = 0; i < 2; i++) {
            readAll(store, live, scratch);
            assertEquals(3 * FRAMES + 3 * 16, cache.misses());
        }
    }

    /** A reader has read ahead into what was dead, and comes there when it is written. */
    @Test
    void whatWasReadBeforeARefillIsReadAgain() {
        fillSegments(3);
        commit();
        publish();
        ReadScratch scratch = store.newScratch(null);
        readSegment(0, scratch);
        chooseHalfOfThree();
        publish();
        fillRefills();
        commit();
        commit();
        assertEquals(2, store.segment(0).refillState);
        readBackwards(0, scratch);
    }

    @Test
    void soIsWhatWasReadBeforeItsFramesAreWritten() {
        fillSegments(3);
        chooseHalfOfThree();
        ReadScratch scratch = store.newScratch(null);
        readSegment(0, scratch);
        publish();
        fillRefills();
        assertNull(store.segment(0).memory, "in the file");
        assertEquals(1, store.segment(0).refillState);
        readBackwards(0, scratch);
    }

    private void fillRefills() {
        while (store.refills().hasRoomFor(FRAME)) {
            append(FRAME);
        }
    }

    /** In its order, with what lies between. */
    private void readSegment(int segment, ReadScratch scratch) {
        ByteBuffer read = ByteBuffer.allocate(FRAME / 2);
        for (int at = 0; at < FRAMES * FRAME; at += FRAME / 2) {
            store.read(format.address(segment, at), read, 0, FRAME / 2, scratch);
        }
    }

    /** What was read last is asked for first. */
    private void readBackwards(int segment, ReadScratch scratch) {
        Map<Long, byte[]> inSegment = live.subMap(format.address(segment, 0), format.address(segment + 1, 0));
        for (long address : new TreeMap<>(inSegment).descendingKeySet()) {
            readAll(store, Map.of(address, live.get(address)), scratch);
        }
    }

    // ---- what becomes empty, and what is given up

    @Test
    void aSegmentThatIsEmptiedBeforeItIsWrittenToIsFree() {
        chooseThree();
        Map<Long, byte[]> all = new TreeMap<>(live);
        all.keySet().stream().filter(address -> format.segmentOf(address) == 1).forEach(this::remove);
        commit();
        publish();
        assertTrue(store.isFree(1));
        while (store.refills().hasRoomFor(FRAME)) {
            assertFalse(format.segmentOf(append(FRAME)) == 1);
        }
        fillSegments(2);
        assertEquals(2, store.segment(1).generation);
        commit();
        commit();
        readAll(store, live);
        verifySealed(store, vfs);
    }

    @Test
    void aSegmentThatIsEmptiedWhileItIsWrittenToIsFreeOnceThatHasEnded() {
        chooseThree();
        publish();
        int segment = format.segmentOf(append(FRAME));
        List.copyOf(live.keySet()).stream()
                .filter(address -> format.segmentOf(address) == segment)
                .forEach(this::remove);
        commit();
        publish();
        assertFalse(store.isFree(segment), "more is written to it");
        long next = append(FRAME);
        while (format.segmentOf(next) == segment) {
            remove(next);
            next = append(FRAME);
        }
        commit();
        publish();
        assertTrue(store.isFree(segment));
        readAll(store, live);
        verifySealed(store, vfs);
    }

    @Test
    void whatIsGivenUpIsSealedAsItWas() {
        chooseThree();
        store.refills().cancel();
        assertFalse(store.refills().areThere());
        publish();
        assertFalse(store.refills().hasRoomFor(1));
        vfs.startTrace();
        append(1);
        commit();
        assertEquals(
                1,
                vfs.trace().stream().filter(line -> line.startsWith("write")).count(),
                () -> "footers need not be written again: " + vfs.trace());
        for (int segment = 0; segment < 3; segment++) {
            assertNull(store.segment(segment).refill);
        }
        verifySealed(store, vfs);
        assertTrue(store.refills().choose(), "and can be chosen again");
    }

    // ---- power cuts

    /** Several rounds, in which what was refilled dies again, with a look at everything after each step. */
    @Test
    void everythingCanBeReadAfterAnyCut() {
        cuts = true;
        liveThroughRefills();
        assertTrue(store.refills().segmentsRefilled() > 10, store.refills().segmentsRefilled() + " refilled");
    }

    private void liveThroughRefills() {
        fillSegments(4);
        commit();
        for (int round = 0; round < 12; round++) {
            List<Long> addresses = new ArrayList<>(live.keySet());
            for (int i = 0; i < 40 && addresses.size() > 60; i++) {
                remove(addresses.remove(random.nextInt(addresses.size())));
            }
            store.refills().choose();
            commit();
            publish();
            for (int i = 0; i < 40; i++) {
                append(random.nextInt(3) == 0 ? 1 + random.nextInt(FRAME) : FRAME);
                if (random.nextInt(15) == 0) {
                    commit();
                }
            }
            readAll(store, live);
        }
        commit();
        commit();
        verifySealed(store, vfs);
    }

    /** R1: the spoiled order is the one in which the log does not know yet that the segments are refilled. */
    @Test
    void writingToASegmentBeforeTheLogHasItsChecksumsWouldBeNoticed() {
        fillSegments(3);
        commit();
        for (int segment = 0; segment < 3; segment++) {
            removeFrames(segment, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        }
        commit();
        readableAfterAnyCut();
        assertTrue(store.refills().choose());
        SegmentStores.force(store);
        store.noteTouched(new LogBatch());
        store.batchDurable();
        fillReady();
        assertThrows(CorruptionException.class, this::readableAfterAnyCut);
    }

    /** R3: the spoiled order is the one without a force. */
    @Test
    void sealingInTheLogBeforeAForceOfTheFooterWouldBeNoticed() {
        chooseThree();
        fillReady();
        readableAfterAnyCut();
        writeBatch();
        // What is old matches the old footer, and what is half old matches none.
        assertThrows(AssertionError.class, () -> recoverAndRead(vfs.copy().crash(0)));
        assertThrows(CorruptionException.class, () -> {
            for (long seed = 1; seed < 20; seed++) {
                recoverAndReadButWhatIsOld(seed);
            }
        });
    }

    private void recoverAndReadButWhatIsOld(long seed) {
        try {
            recoverAndRead(vfs.copy().crash(seed));
        } catch (AssertionError e) {
            assertTrue(e.getMessage().startsWith("at "), e::getMessage);
        }
    }

    private void fillReady() {
        publish();
        fillRefills();
    }

    @Test
    void aRecoveryWritesTheFootersAgain() {
        chooseThree();
        publish();
        for (int i = 0; i < 40; i++) {
            append(FRAME);
            if (i % 10 == 0) {
                commit();
            }
        }
        commit();
        for (int i = 0; i < 40; i++) {
            append(FRAME);
        }
        for (long seed = 0; seed < 20; seed++) {
            SimulatedVfs left = vfs.copy().crash(seed);
            SegmentStore found = recoverAndRead(left);
            int unsettled = found.refills().unsettled().size();
            assertTrue(unsettled > 0, "what the log does not say to be sealed");
            found.refills().sealRecovered();
            SegmentStores.force(found);
            found.noteTouched(new LogBatch());
            found.batchDurable();
            assertEquals(0, found.refills().unsettled().size());
            verifySealed(found, left);
        }
    }
}
