package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WalWriterTest {
    private static final Path DIRECTORY = Path.of("/store/wal");
    private static final int CAPACITY = 8192;

    @TempDir
    Path temporary;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void realFilesKeepWhatIsAppendedMappedOrNot(boolean mapped) {
        RealVfs vfs = new RealVfs();
        WalWriter writer = Writes.create(vfs, temporary, 1, 5, 1, 1 << 20, mapped);
        assertEquals(mapped && vfs.mapsSafely(temporary), writer.isMapped());
        long sequence = 1;
        for (int use = 1; use <= 3; use++) {
            long first = sequence;
            while (writer.hasRoom(100_000)) {
                Writes.append(writer, sequence, (int) (sequence * 7919 % 99_000));
                sequence++;
                if (sequence % 3 == 0) {
                    writer.force();
                    assertEquals(sequence - 1, writer.durableSequence());
                    assertEquals(writer.appendedPosition(), writer.durablePosition());
                }
            }
            assertEquals(sequence - 1, writer.lastSequence());
            List<byte[]> found = Writes.read(vfs, writer.path(), 5);
            assertEquals(sequence - first, found.size());
            for (int i = 0; i < found.size(); i++) {
                byte[] expected = Writes.payload(first + i, (int) ((first + i) * 7919 % 99_000));
                assertTrue(Arrays.equals(expected, found.get(i)));
            }
            writer = writer.recycle(new WalId(5, use + 1, use + 1));
            assertEquals(List.of(), Writes.read(vfs, writer.path(), 5));
            assertEquals(use + 1, writer.number());
            assertEquals(use + 1, writer.generation());
            assertEquals(1 << 20, writer.capacity());
        }
        writer.close();
        writer.close();
        writer.release();
        writer.force(); // does nothing any more
        WalWriter closed = writer;
        long next = sequence;
        assertThrows(StoreClosedException.class, () -> Writes.append(closed, next, 1));
    }

    @Test
    void framesOfAnEarlierUseAreNeverReplayed() {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        WalWriter writer = Writes.create(vfs, DIRECTORY, 1, 5, 1, CAPACITY, true);
        long sequence = 1;
        for (int use = 0; use < 30; use++) {
            long first = sequence;
            int frames = use * 7 % 11; // all of one size, so that old frames stand where new ones would
            for (int i = 0; i < frames; i++) {
                Writes.append(writer, sequence++, 50);
            }
            writer.force();
            assertEquals(frames, Writes.read(vfs, writer.path(), 5).size());
            WalRecovery recovery = WalRecovery.open(vfs.copy(), DIRECTORY, 5);
            assertEquals(sequence - 1, recovery.replay(first - 1, (s, p) -> {}));
            WalWriter old = writer;
            writer = writer.recycle(new WalId(5, use + 2, use + 2));
            assertThrows(IllegalStateException.class, () -> old.recycle(new WalId(5, 100, 100)));
        }
    }

    @Test
    void argumentsAreChecked() {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        for (long capacity : new long[] {0, 4096, 8191, 10_000, Integer.MAX_VALUE, 1L << 40}) {
            assertThrows(IllegalArgumentException.class, () -> Writes.create(vfs, DIRECTORY, 1, 5, 1, capacity, true));
        }
        assertThrows(IllegalArgumentException.class, () -> Writes.create(vfs, DIRECTORY, 0, 5, 1, CAPACITY, true));
        assertThrows(IllegalArgumentException.class, () -> Writes.create(vfs, DIRECTORY, 1, 5, 0, CAPACITY, true));
        WalWriter writer = Writes.create(vfs, DIRECTORY, 1, 5, 1, CAPACITY, true);
        assertThrows(IllegalArgumentException.class, () -> writer.recycle(new WalId(5, 2, 1)));
        int longest = WalFormat.maxPayloadBytes(CAPACITY);
        assertTrue(writer.hasRoom(longest));
        assertFalse(writer.hasRoom(longest + 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> writer.append(new Payload().set(new byte[longest + 1], longest + 1, 1, 0, 0), 0, 1, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> writer.append(new Payload().set(new byte[1], 0, 1, 0, 0), 0, 1, false));
        Writes.append(writer, 1, longest - 13);
        assertFalse(writer.hasRoom(1));
        assertEquals(1, Writes.read(vfs, writer.path(), 5).size());
        assertTrue(writer.toString().startsWith("WalWriter[1, generation=1, appended=8192/8192"), writer.toString());
    }

    @Test
    void afterAFailureOfAnyKindTheWriterTakesNothingMore() {
        for (Fault fault : Fault.values()) {
            for (int operation = 1; operation < 40; operation++) {
                for (boolean zeroedAsItFills : new boolean[] {false, true}) {
                    SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
                    vfs.failAt(operation, fault);
                    failOnce(vfs, zeroedAsItFills);
                }
            }
        }
    }

    /** A log whose place is taken without zeros, which are written so many bytes ahead. */
    private static WalWriter createUnwritten(SimulatedVfs vfs, long number, long capacity, int aheadBytes) {
        vfs.allocateUnwritten();
        return WalWriter.create(
                vfs,
                DIRECTORY,
                new WalId(5, number, number),
                capacity,
                new WalMode(true, true, aheadBytes),
                filled -> {});
    }

    private static void failOnce(SimulatedVfs vfs, boolean zeroedAsItFills) {
        int valueLength = zeroedAsItFills ? 2000 : 100; // so that two of three appends write zeros
        long forced = 0;
        WalWriter writer = null;
        try {
            writer = zeroedAsItFills
                    ? createUnwritten(vfs, 1, 8 * CAPACITY, 0)
                    : Writes.create(vfs, DIRECTORY, 1, 5, 1, CAPACITY, true);
            for (int i = 1; i < 9; i++) {
                Writes.append(writer, i, valueLength);
                if (i % 3 == 0) {
                    writer.force();
                    forced = i;
                }
            }
            writer.close();
            forced = 8;
        } catch (StoreIoException | StoreFullException e) {
            if (writer != null && vfs.faultsFired() > 0) {
                refusesEverything(writer);
            }
        }
        vfs.clearFaults();
        WalRecovery recovery = WalRecovery.open(vfs.crash(0), DIRECTORY, 5);
        long last = recovery.replay(0, (s, p) -> {});
        assertTrue(last >= forced, "recovered " + last + " of " + forced);
    }

    private static void refusesEverything(WalWriter writer) {
        long durable = writer.durableSequence();
        assertThrows(StoreFailedException.class, () -> Writes.append(writer, 100, 1));
        StoreFailedException e = assertThrows(StoreFailedException.class, writer::force);
        assertTrue(e.getCause() instanceof StorageException);
        assertThrows(StoreFailedException.class, () -> writer.recycle(new WalId(5, 5, 5)));
        assertEquals(durable, writer.durableSequence());
        writer.close();
    }

    /** W5. */
    @Test
    void aFailureToWriteZerosFailsTheWriterBeforeTheFrameIsThere() {
        for (Fault fault : new Fault[] {Fault.EIO, Fault.SHORT_WRITE}) {
            SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
            WalWriter writer = createUnwritten(vfs, 1, 8 * CAPACITY, 4096);
            Writes.append(writer, 1, 100);
            writer.force();
            long zeroed = writer.zeroedPosition();
            assertEquals(2 * 4096, zeroed);
            vfs.failAt(vfs.operationCount() + 2, fault); // the second page of zeros
            assertThrows(StoreIoException.class, () -> Writes.append(writer, 2, 5000));
            assertEquals(1, vfs.faultsFired());
            assertEquals(zeroed, writer.zeroedPosition());
            assertEquals(1, writer.lastSequence());
            refusesEverything(writer);
            for (long survival = 0; survival < 20; survival++) {
                WalRecovery recovery = WalRecovery.open(vfs.crash(survival), DIRECTORY, 5);
                assertEquals(1, recovery.replay(0, (s, p) -> {}));
            }
        }
    }

    /** W5: through all uses of a file zeros go to each page behind the header once, and before any frame does. */
    @Test
    void zerosAreWrittenOnceAndOnlyBehindAllThatWasEverWritten() {
        int capacity = 16 * 4096;
        for (int ahead : new int[] {0, 4096, 3 * 4096}) {
            Random random = new Random(ahead);
            SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
            vfs.startTrace();
            WalWriter writer = createUnwritten(vfs, 1, capacity, ahead);
            long written = WalFormat.START;
            long zeroed = WalFormat.START;
            long sequence = 1;
            for (int use = 1; use <= 6; use++) {
                int length = 0;
                for (long stop = random.nextInt(capacity); writer.appendedPosition() < stop; sequence++) {
                    length = random.nextInt(6000);
                    if (!writer.hasRoom(length + 20)) {
                        break;
                    }
                    zeroed = requireZeros(vfs, zeroed, written);
                    Writes.append(writer, sequence, length);
                    zeroed = requireZeros(vfs, zeroed, written);
                    assertEquals(zeroed, writer.zeroedPosition());
                    written = Math.max(written, writer.appendedPosition());
                    assertTrue(zeroed >= written, zeroed + " bytes for " + written);
                    assertTrue(zeroed < written + ahead + 4096 || use > 1, zeroed + " bytes for " + written);
                }
                writer.force();
                List<byte[]> found = Writes.read(vfs, writer.path(), 5);
                assertEquals(writer.lastSequence() == 0 ? 0 : sequence - 1, writer.lastSequence());
                assertTrue(found.isEmpty()
                        || Arrays.equals(Writes.payload(sequence - 1, length), found.get(found.size() - 1)));
                writer = writer.recycle(new WalId(5, use + 1, use + 1));
                assertEquals(zeroed, writer.zeroedPosition());
            }
            assertTrue(zeroed > 8 * 4096, zeroed + " bytes");
            writer.release();
        }
    }

    /** Looks at the writes since the last call for pages of zeros, and returns where they end. */
    private static long requireZeros(SimulatedVfs vfs, long zeroed, long written) {
        long end = zeroed;
        for (String line : vfs.trace()) {
            String[] words = line.split("[ +]");
            if (words[0].equals("write") && words[3].equals("4096") && !words[2].equals("0")) {
                assertEquals(end, Long.parseLong(words[2]), line);
                assertTrue(end >= written, () -> line + " behind " + written);
                end += 4096;
            }
        }
        vfs.startTrace();
        return end;
    }

    @Test
    void aFullDiskShowsWhenThePlaceIsTaken() {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        vfs.setCapacity(8 * CAPACITY + 100);
        WalWriter writer = createUnwritten(vfs, 1, 8 * CAPACITY, 0);
        assertThrows(StoreFullException.class, () -> createUnwritten(vfs, 2, CAPACITY, 0));
        for (int i = 1; writer.hasRoom(1100); i++) {
            Writes.append(writer, i, 1000);
        }
        writer.close();
        assertEquals(8 * CAPACITY, writer.zeroedPosition());
    }

    @Test
    void aFullDiskShowsWhenTheFileIsMade() {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        vfs.setCapacity(CAPACITY + 100);
        WalWriter writer = Writes.create(vfs, DIRECTORY, 1, 5, 1, CAPACITY, true);
        assertThrows(StoreFullException.class, () -> Writes.create(vfs, DIRECTORY, 2, 5, 2, CAPACITY, true));
        for (int i = 1; writer.hasRoom(200); i++) {
            Writes.append(writer, i, 100);
        }
        writer.force();
        WalWriter next = writer.recycle(new WalId(5, 3, 3));
        Writes.append(next, 1000, 100);
        next.close();
        vfs.setCapacity(Long.MAX_VALUE);
        assertEquals(2, Writes.create(vfs, DIRECTORY, 2, 5, 2, CAPACITY, true).number());
    }

    @Test
    void namesAreFixed() {
        assertEquals("00000000000000000042", WalFormat.fileName(42));
        assertTrue(WalFormat.isFileName("00000000000000000042"));
        assertFalse(WalFormat.isFileName("0000000000000000042"));
        assertFalse(WalFormat.isFileName("0000000000000000004x"));
        assertTrue(WalFormat.isUnfinishedName("00000000000000000042.new"));
        assertFalse(WalFormat.isUnfinishedName("42.new"));
        assertFalse(WalFormat.isUnfinishedName("00000000000000000042"));
        assertEquals(8, WalFormat.FRAME_HEADER_BYTES);
        assertEquals(16, WalFormat.START_BYTES);
        assertEquals(60, WalFormat.HEADER_BYTES);
        assertEquals(20, WalFormat.MARK_BYTES);
    }

    @Test
    void recoveryLeavesStrangersAlone() {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        vfs.setContent(DIRECTORY.resolve("notes.txt"), new byte[5]);
        vfs.setContent(DIRECTORY.resolve(WalFormat.fileName(3) + ".new"), new byte[5]);
        WalRecovery recovery = WalRecovery.open(vfs, DIRECTORY, 5);
        assertEquals(17, recovery.replay(17, (s, p) -> {}));
        recovery.deleteReplayed();
        assertEquals(List.of("notes.txt"), vfs.list(DIRECTORY));
    }

    @Test
    void appendingMakesNoGarbage() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        WalWriter writer = Writes.create(new RealVfs(), temporary, 1, 5, 1, 8 << 20, true);
        byte[] bytes = Writes.payload(1, 100);
        Payload payload = new Payload().set(bytes, bytes.length, 1, 0, 0);
        long sequence = 1;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 1000 && least >= 1000; round++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 1000; i++) {
                writer.append(payload, 0, sequence++, false);
            }
            least = Math.min(
                    least,
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
        }
        assertTrue(!writer.isMapped() || least < 1000, "bytes of garbage for 1000 appends: " + least);
        writer.release();
    }

    /** What is written to files, and a disk without more space. */
    private static final class WrittenVfs extends ForwardingVfs {
        private long written;
        private boolean full;

        WrittenVfs() {
            super(new RealVfs());
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            VfsFile opened = super.open(file, mode);
            return new ForwardingVfsFile(opened) {
                @Override
                public boolean allocateUnwritten(long position, long bytes) {
                    if (full) {
                        throw new StoreFullException("there are no " + bytes + " bytes");
                    }
                    return opened.allocateUnwritten(position, bytes);
                }

                @Override
                public void write(ByteBuffer src, long position) {
                    written += src.remaining();
                    super.write(src, position);
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLogWithoutZerosTakesItsPlaceAndKeepsWhatIsAppended(boolean mapped) throws Exception {
        WrittenVfs vfs = new WrittenVfs();
        WalWriter zeroed = Writes.create(vfs, temporary, 1, 5, 1, 1 << 20, mapped);
        assertTrue(vfs.written >= 1 << 18, "the size of the zeros ahead: " + vfs.written);
        assertTrue(vfs.written < 1 << 19 || !NativeIo.isAvailable(), vfs.written + " bytes written");
        for (long sequence = 1; zeroed.hasRoom(50_000); sequence++) {
            Writes.append(zeroed, sequence, 49_000);
            zeroed.force();
        }
        assertEquals(1 << 20, zeroed.zeroedPosition());
        assertEquals(zeroed.lastSequence(), Writes.read(vfs, zeroed.path(), 5).size());
        zeroed.release();
        vfs.written = 0;
        WalWriter writer = WalWriter.create(
                vfs, temporary, new WalId(5, 2, 2), 1 << 20, new WalMode(mapped, false, 0), filled -> {});
        boolean allocated = vfs.written < 10_000;
        assertTrue(allocated || !NativeIo.isAvailable(), vfs.written + " bytes written");
        assertEquals(1 << 20, Files.size(writer.path()));
        for (long sequence = 1; writer.hasRoom(50_000); sequence++) {
            Writes.append(writer, sequence, (int) (sequence * 7919 % 49_000));
            writer.force();
        }
        List<byte[]> found = Writes.read(vfs, writer.path(), 5);
        assertEquals(writer.lastSequence(), found.size());
        for (int i = 0; i < found.size(); i++) {
            assertTrue(Arrays.equals(Writes.payload(i + 1, (int) ((i + 1) * 7919L % 49_000)), found.get(i)));
        }
        writer = writer.recycle(new WalId(5, 3, 3));
        assertEquals(List.of(), Writes.read(vfs, writer.path(), 5));
        writer.release();
        vfs.full = true;
        assertThrows(
                StoreFullException.class,
                () -> WalWriter.create(
                        vfs, temporary, new WalId(5, 4, 4), 1 << 20, new WalMode(mapped, false, 0), filled -> {}));
    }

    @Test
    void writesToAMappedLogThatAreNotShortGoByCallsUnlessEachIsForced() {
        WrittenVfs vfs = new WrittenVfs();
        assumeTrue(vfs.mapsSafely(temporary));
        for (boolean zeroed : new boolean[] {false, true}) {
            int number = zeroed ? 2 : 1;
            WalWriter writer = WalWriter.create(
                    vfs, temporary, new WalId(5, number, number), 1 << 20, new WalMode(true, zeroed), filled -> {});
            vfs.written = 0;
            Writes.append(writer, 1, 1000);
            assertEquals(0, vfs.written);
            Writes.append(writer, 2, 200_000);
            Writes.append(writer, 3, 20);
            assertEquals(zeroed, vfs.written == 0, vfs.written + " bytes by calls");
            assertTrue(zeroed || vfs.written >= 200_000 && vfs.written < 201_000, vfs.written + " bytes by calls");
            List<byte[]> found = Writes.read(vfs, writer.path(), 5);
            assertEquals(3, found.size());
            assertTrue(Arrays.equals(Writes.payload(2, 200_000), found.get(1)));
            writer.close();
        }
    }

    /** So it is one buffer, however many logs a store has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void logsOfAStoreAreWrittenThroughTheSameMemory(boolean mapped) {
        SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        WalMode mode = new WalMode(mapped, false);
        List<WalWriter> writers = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            WalId id = new WalId(5, number, number);
            writers.add(WalWriter.create(vfs, DIRECTORY, id, 1 << 20, mode, filled -> {}));
        }
        for (int i = 1; i <= 20; i++) {
            for (WalWriter writer : writers) {
                Writes.append(writer, i, i * 7919 % 100_000);
            }
        }
        for (WalWriter writer : writers) {
            List<byte[]> found = Writes.read(vfs, writer.path(), 5);
            assertEquals(20, found.size());
            for (int i = 1; i <= 20; i++) {
                assertArrayEquals(Writes.payload(i, i * 7919 % 100_000), found.get(i - 1));
            }
            writer.close();
        }
    }

    /** Its pages may have left the page cache, and a store into one of them would wait for the disk. */
    @Test
    void theSystemIsToldThatARecycledLogIsNeededWhole() {
        AtomicLong told = new AtomicLong();
        ForwardingVfs vfs = new ForwardingVfs(new SimulatedVfs(DIRECTORY)) {
            @Override
            public VfsFile open(Path file, OpenMode mode) {
                return new ForwardingVfsFile(super.open(file, mode)) {
                    @Override
                    public void prefetch(long position, long bytes) {
                        assertEquals(told.getAndAdd(bytes), position);
                        assertTrue(bytes <= VfsFile.PREFETCH_BYTES, bytes + " bytes at once");
                    }
                };
            }
        };
        int capacity = 3 * VfsFile.PREFETCH_BYTES + 4096;
        WalWriter writer = Writes.create(vfs, DIRECTORY, 1, 5, 1, capacity, true);
        Writes.append(writer, 1, 50);
        assertEquals(0, told.get());
        writer.recycle(new WalId(5, 2, 2)).close();
        assertEquals(capacity, told.get());
    }

    /** Another thread forces all the time, so that frames are appended between any two steps of a force. */
    @Test
    void afterAForceItsOwnFramesCountAsDurable() throws Exception {
        WalWriter writer = Writes.create(new SimulatedVfs(DIRECTORY), DIRECTORY, 1, 5, 1, 4 << 20, false);
        AtomicBoolean stopped = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!stopped.get()) {
                writer.force();
            }
        });
        other.start();
        try {
            for (long sequence = 1; writer.hasRoom(Writes.payload(sequence, 32).length); sequence++) {
                Writes.append(writer, sequence, 32);
                writer.force();
                assertTrue(writer.durableSequence() >= sequence, "sequence " + sequence);
            }
        } finally {
            stopped.set(true);
            other.join();
            writer.release();
        }
    }
}
