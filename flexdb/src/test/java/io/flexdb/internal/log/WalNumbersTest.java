package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What frames do not store: the generation, which is part of their checks, and sequence numbers, which are counted. */
class WalNumbersTest {
    private static final Path DIRECTORY = Path.of("/store/wal");
    private static final long STORE_ID = 0x7766_5544_3322_1101L;
    private static final int CAPACITY = 8192;
    private static final int FRAMES = 9;

    @TempDir
    Path temporary;

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);

    private WalWriter create(long number, long generation) {
        return Writes.create(vfs, DIRECTORY, number, STORE_ID, generation, CAPACITY, true);
    }

    /** Frames of one size, so that those of two uses of a file stand in the same places. */
    private static void append(WalWriter writer, long firstSequence, int frames) {
        for (int i = 0; i < frames; i++) {
            Writes.append(writer, firstSequence + i, 50);
        }
    }

    private List<Long> numbers(Path file) {
        List<Long> numbers = new ArrayList<>();
        try (WalReader reader = new WalReader(vfs, file, STORE_ID)) {
            while (reader.next()) {
                assertArrayEquals(
                        Writes.payload(reader.firstSequence(), 50),
                        Arrays.copyOf(reader.payload().bytes(), reader.payload().length()));
                numbers.add(reader.firstSequence());
            }
        }
        return numbers;
    }

    private long recover(long coveredSequence) {
        return WalRecovery.open(vfs, DIRECTORY, STORE_ID).replay(coveredSequence, (s, p) -> {});
    }

    // ---- the bytes

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLogHasTheBytesThatTheDocumentSays(boolean mapped) {
        long generation = 0x0506_0708_090a_0b0cL;
        WalWriter writer = Writes.create(vfs, DIRECTORY, 1, STORE_ID, generation, CAPACITY, mapped);
        Writes.append(writer, 77, 3);
        byte[] two = {2, 1, 'a', 2, 1, 'b'};
        writer.append(
                new Payload().set(two, two.length, 2, 0, 0), WritePayload.checksum(two, 0, two.length), 78, false);
        Writes.append(writer, 80, 0);
        ByteBuffer file = ByteBuffer.wrap(vfs.content(writer.path())).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer expected = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
        expected.position(4096).putLong(77).putInt(check(generation, 4096, longBytes(77)));
        putFrame(expected.position(4112), generation, Writes.payload(77, 3));
        putFrame(expected.position(4136), generation, two);
        putFrame(expected.position(4152), generation, Writes.payload(80, 0));
        assertEquals(4176, writer.appendedPosition());
        assertEquals(
                expected.limit(4176).position(4096), file.limit(4176).position(4096), () -> hex(file) + hex(expected));
        try (WalReader reader = new WalReader(vfs, writer.path(), STORE_ID)) {
            assertTrue(reader.next());
            assertEquals(77, reader.firstSequence());
            assertTrue(reader.next());
            assertEquals(78, reader.firstSequence());
            assertEquals(79, reader.lastSequence());
            assertEquals(2, reader.payload().entries());
            assertTrue(reader.next());
            assertEquals(80, reader.firstSequence());
        }
    }

    private static void putFrame(ByteBuffer target, long generation, byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update(payload);
        ByteBuffer content = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        content.putInt(payload.length).putInt((int) crc.getValue());
        int check = check(generation, target.position(), content.array());
        target.putInt(payload.length).putInt(check).put(payload);
    }

    private static int check(long generation, long position, byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(longBytes(STORE_ID));
        crc.update(longBytes(position));
        crc.update(longBytes(generation), 4, 4);
        crc.update(content);
        return (int) crc.getValue() ^ (int) generation;
    }

    private static byte[] longBytes(long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static String hex(ByteBuffer bytes) {
        StringBuilder text = new StringBuilder("\n");
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            text.append(Integer.toHexString(bytes.get(i) & 0xff)).append(' ');
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFirstFrameThatIsLongerThanAnyBufferIsRead(boolean mapped) {
        RealVfs real = new RealVfs();
        WalWriter writer = Writes.create(real, temporary, 1, STORE_ID, 1, 4 << 20, mapped);
        for (int length : new int[] {1_000_000, 65_536, 65_525, 1}) { // with and without the start before it
            Writes.append(writer, 40, length);
            List<byte[]> found = Writes.read(real, writer.path(), STORE_ID);
            assertEquals(1, found.size());
            assertArrayEquals(Writes.payload(40, length), found.get(0));
            Writes.append(writer, 41, length);
            assertArrayEquals(
                    Writes.payload(41, length),
                    Writes.read(real, writer.path(), STORE_ID).get(1));
            writer = writer.recycle(new WalId(STORE_ID, writer.number() + 1, writer.generation() + 1));
        }
        writer.release();
    }

    // ---- the generation

    @Test
    void checksOfTwoGenerationsAreNeverTheSame() {
        Random random = new Random(3);
        for (int i = 0; i < 200_000; i++) {
            long generation = random.nextLong();
            int difference = random.nextInt() | 1 << random.nextInt(Integer.SIZE);
            long inLowHalf = generation ^ difference & 0xffff_ffffL;
            long inHighHalf = generation ^ (long) difference << Integer.SIZE;
            long position = 8L * random.nextInt(1 << 28);
            int length = random.nextInt();
            int checksum = random.nextInt();
            FrameHeader header = new FrameHeader(STORE_ID, generation);
            for (long other : new long[] {inLowHalf, inHighHalf}) {
                FrameHeader otherHeader = new FrameHeader(STORE_ID, other);
                assertNotEquals(
                        header.frameCheck(position, length, checksum),
                        otherHeader.frameCheck(position, length, checksum),
                        () -> "generations " + generation + " and " + other);
                assertNotEquals(header.startCheck(position), otherHeader.startCheck(position));
            }
        }
    }

    /** The file with the header of another generation is what a use leaves that was cut before its first write. */
    @Test
    void aFileUsedAgainHasNoFramesWhateverItsGeneration() {
        for (int shift = 0; shift < Long.SIZE - 1; shift++) {
            long generation = 1 + (1L << shift);
            WalWriter writer = create(1, 1);
            append(writer, 1, FRAMES);
            assertEquals(FRAMES, numbers(writer.path()).size());
            writer = writer.recycle(new WalId(STORE_ID, 2, generation));
            assertEquals(List.of(), numbers(writer.path()), "generation " + generation);
            writer.release();
            vfs.delete(writer.path());
        }
    }

    @Test
    void framesOfAnEarlierUseAreNotTakenBehindThoseOfThisOneWhateverTheirNumbers() {
        for (long second : new long[] {1, 2, 1 + FRAMES, 1L << 32, 1 + (1L << 32)}) {
            for (int frames = 0; frames < FRAMES; frames++) {
                WalWriter writer = create(1, 1);
                append(writer, 1, FRAMES);
                writer = writer.recycle(new WalId(STORE_ID, 2, 2));
                append(writer, second, frames);
                assertEquals(frames, numbers(writer.path()).size());
                writer.release();
                vfs.delete(writer.path());
            }
        }
    }

    /** As a power cut may leave it that keeps a later sector and not the one before. */
    @Test
    void aFrameOfAnEarlierUseInTheMiddleOfThisOneEndsIt() {
        WalWriter writer = create(1, 1);
        append(writer, 1, FRAMES);
        byte[] old = vfs.content(writer.path());
        writer = writer.recycle(new WalId(STORE_ID, 2, 2));
        append(writer, 1, FRAMES); // the same writes under the same numbers
        byte[] content = vfs.content(writer.path());
        long frameBytes = (writer.appendedPosition() - WalFormat.FIRST_FRAME) / FRAMES;
        for (int frame = 0; frame < FRAMES; frame++) {
            byte[] mixed = content.clone();
            int at = (int) (WalFormat.FIRST_FRAME + frame * frameBytes);
            System.arraycopy(old, at, mixed, at, (int) frameBytes);
            vfs.setContent(writer.path(), mixed);
            assertEquals(frame, numbers(writer.path()).size());
        }
        writer.release();
    }

    @Test
    void aFrameInAnotherPlaceOrOfAnotherStoreIsRefused() {
        WalWriter writer = create(1, 1);
        append(writer, 1, 2);
        byte[] content = vfs.content(writer.path());
        int frameBytes = (int) (writer.appendedPosition() - WalFormat.FIRST_FRAME) / 2;
        System.arraycopy(
                content, WalFormat.FIRST_FRAME, content, WalFormat.FIRST_FRAME + frameBytes, frameBytes); // twice
        vfs.setContent(writer.path(), content);
        assertEquals(List.of(1L), numbers(writer.path()));
        SimulatedVfs other = new SimulatedVfs(DIRECTORY);
        WalWriter stranger = Writes.create(other, DIRECTORY, 1, STORE_ID + 1, 1, CAPACITY, true);
        append(stranger, 1, 2);
        byte[] strange = other.content(stranger.path());
        System.arraycopy(strange, WalFormat.FIRST_FRAME, content, WalFormat.FIRST_FRAME, 2 * frameBytes);
        vfs.setContent(writer.path(), content);
        assertEquals(List.of(), numbers(writer.path()));
    }

    // ---- the start

    @Test
    void aStartThatIsNotWholeIsATornFirstWriteOrDamageOnceItWasForced() {
        for (boolean forced : new boolean[] {false, true}) {
            WalWriter writer = create(1, 1);
            append(writer, 5, FRAMES);
            if (forced) {
                writer.force();
            }
            byte[] content = vfs.content(writer.path());
            for (int kept = 0; kept < WalFormat.START_BYTES - Integer.BYTES; kept++) { // the zeros are there anyway
                for (byte rest : new byte[] {0, 1, -1}) {
                    byte[] torn = content.clone();
                    Arrays.fill(torn, WalFormat.START + kept, WalFormat.FIRST_FRAME, rest);
                    vfs.setContent(writer.path(), torn);
                    if (forced) {
                        CorruptionException e =
                                assertThrows(CorruptionException.class, () -> numbers(writer.path()), "kept " + kept);
                        assertTrue(e.found().contains("no start of generation 1"), e::getMessage);
                    } else {
                        assertEquals(List.of(), numbers(writer.path()), "kept " + kept);
                        assertEquals(4, recover(4));
                    }
                }
            }
            writer.release();
            vfs.delete(writer.path());
        }
    }

    @Test
    void theStartOfAnEarlierUseBeforeFramesOfThisOneIsRefused() {
        for (boolean forced : new boolean[] {false, true}) {
            WalWriter writer = create(1, 1);
            append(writer, 5, FRAMES);
            byte[] old = vfs.content(writer.path());
            writer = writer.recycle(new WalId(STORE_ID, 2, 2));
            append(writer, 6, FRAMES);
            if (forced) {
                writer.force();
            }
            byte[] content = vfs.content(writer.path());
            System.arraycopy(old, WalFormat.START, content, WalFormat.START, WalFormat.START_BYTES);
            Path file = writer.path();
            vfs.setContent(file, content);
            if (forced) {
                assertThrows(CorruptionException.class, () -> numbers(file));
            } else {
                assertEquals(List.of(), numbers(file));
            }
            writer.release();
            vfs.delete(file);
        }
    }

    @Test
    void aWholeStartBeforeATornFirstFrameIsAnEmptyLog() {
        WalWriter first = create(1, 1);
        append(first, 1, 3);
        first.close();
        WalWriter second = create(2, 2);
        append(second, 4, 1);
        byte[] content = vfs.content(second.path());
        for (long at = WalFormat.FIRST_FRAME; at < second.appendedPosition() - 7; at++) {
            byte[] torn = content.clone();
            torn[(int) at] ^= 0x10;
            vfs.setContent(second.path(), torn);
            assertEquals(3, recover(0), "byte " + at);
        }
        Arrays.fill(content, WalFormat.FIRST_FRAME, CAPACITY, (byte) 0);
        vfs.setContent(second.path(), content);
        assertEquals(3, recover(0));
        second.release();
    }

    /** No crash makes the check of such a start, so it is not taken for a torn one. */
    @Test
    void aStartWithoutANumberIsDamage() {
        WalWriter writer = create(1, 1);
        append(writer, 1, 1);
        writer.release();
        ByteBuffer content = ByteBuffer.wrap(vfs.content(writer.path())).order(ByteOrder.LITTLE_ENDIAN);
        FrameHeader header = new FrameHeader(STORE_ID, 1);
        for (long number : new long[] {0, -1, Long.MIN_VALUE}) {
            content.putLong(WalFormat.START, number).putInt(WalFormat.START_CHECK, header.startCheck(number));
            vfs.setContent(writer.path(), content.array().clone());
            assertThrows(CorruptionException.class, () -> recover(0), "number " + number);
        }
    }

    /** A start is believed only where the logs before and behind it agree. */
    @Test
    void aStartWithAnotherNumberDoesNotGoTogetherWithOtherLogs() {
        WalWriter first = create(1, 1);
        append(first, 1, 3);
        first.close();
        WalWriter second = create(2, 2);
        append(second, 4, 3);
        second.close();
        assertEquals(6, recover(0));
        ByteBuffer content = ByteBuffer.wrap(vfs.content(second.path())).order(ByteOrder.LITTLE_ENDIAN);
        FrameHeader header = new FrameHeader(STORE_ID, 2);
        content.putLong(WalFormat.START, 5).putInt(WalFormat.START_CHECK, header.startCheck(5));
        vfs.setContent(second.path(), content.array());
        assertThrows(CorruptionException.class, () -> recover(0)); // a gap before what was forced
    }

    // ---- lengths

    /** Behind the end there may be any bytes, those of any length included. */
    @Test
    void aLengthOfNoFrameAsksForNoMemory() {
        int capacity = 32 << 20;
        WalWriter writer = Writes.create(new RealVfs(), temporary, 1, STORE_ID, 1, capacity, false);
        append(writer, 1, 3);
        long end = writer.appendedPosition();
        RealVfs real = new RealVfs();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        int longest = (int) (capacity - end - WalFormat.FRAME_HEADER_BYTES);
        for (int length : new int[] {-1, 0, 1, 300_000, 20 << 20, longest, longest + 1, Integer.MAX_VALUE}) {
            try (VfsFile file = real.open(writer.path(), OpenMode.READ_WRITE)) {
                ByteBuffer header = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
                file.write(header.putInt(length).putInt(length).flip(), end);
            }
            long before = threads.getThreadAllocatedBytes(thread);
            assertEquals(3, Writes.read(real, writer.path(), STORE_ID).size());
            long allocated = threads.getThreadAllocatedBytes(thread) - before;
            assertTrue(allocated < 4 << 20, "length " + length + ": " + allocated + " bytes");
        }
        writer.release();
    }
}
