package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damage to a closed log: the result is an exception or the same frames, never other ones. */
class WalDamageTest {
    private static final Path DIRECTORY = Path.of("/store/wal");
    private static final Path FILE = DIRECTORY.resolve(WalFormat.fileName(7));
    private static final long STORE_ID = 42;
    private static final int CAPACITY = 8192;
    private static final int FRAMES = 12;

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    private byte[] good;
    private List<byte[]> expected;
    private long end;

    @BeforeEach
    void writeALog() {
        WalWriter writer = Writes.create(vfs, DIRECTORY, 7, STORE_ID, 3, CAPACITY, true);
        for (int i = 0; i < FRAMES; i++) {
            Writes.append(writer, 100 + i, i * 17);
        }
        writer.close();
        end = writer.appendedPosition();
        good = vfs.content(FILE);
        expected = Writes.read(vfs, FILE, STORE_ID);
        assertEquals(FRAMES, expected.size());
    }

    /** Whether the damage was found; fails if it was not and something else was read. */
    private boolean isFound(byte[] content, String what) {
        vfs.setContent(FILE, content);
        try {
            List<byte[]> found = Writes.read(vfs, FILE, STORE_ID);
            assertTrue(Writes.same(expected, found), () -> what + ": read " + found.size() + " other frames");
            return false;
        } catch (CorruptionException e) {
            assertEquals(FILE, e.file());
            assertTrue(e.position() >= 0 && e.position() <= CAPACITY, e::getMessage);
            return true;
        }
    }

    @Test
    void everyFlippedBitIsFoundOrChangesNothing() {
        BitSet used = new BitSet(); // bytes that anybody asks for
        used.set(0, WalFormat.FIRST_FRAME);
        used.clear(WalFormat.MARK_GENERATION, WalFormat.MARK_GENERATION + WalFormat.MARK_BYTES);
        int position = WalFormat.FIRST_FRAME;
        for (byte[] payload : expected) {
            used.set(position, position + WalFormat.FRAME_HEADER_BYTES + payload.length);
            position += (int) WalFormat.frameBytes(payload.length);
        }
        assertEquals(end, position);
        for (int bit = 0; bit < CAPACITY * Byte.SIZE; bit++) {
            if (good[bit / Byte.SIZE] == 0 && bit % Byte.SIZE != bit / Byte.SIZE % Byte.SIZE) {
                continue; // of a zero one bit is enough, mostly there is nothing but zeros
            }
            byte[] content = good.clone();
            content[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            int at = bit;
            assertEquals(used.get(bit / Byte.SIZE), isFound(content, "flip of bit " + bit), () -> "bit " + at);
        }
    }

    @Test
    void anyFlippedBitOfALogThatWasNotForcedToItsEndLeavesAPrefixWithAllThatWas() {
        WalWriter writer = Writes.create(vfs, DIRECTORY, 8, STORE_ID, 4, CAPACITY, true);
        int forced = 3;
        for (int i = 0; i < 2 * forced; i++) {
            Writes.append(writer, 1 + i, 5 + i);
            if (i == forced - 1) {
                writer.force();
            }
        }
        List<byte[]> all = Writes.read(vfs, writer.path(), STORE_ID);
        byte[] content = vfs.content(writer.path());
        int cut = 0;
        for (int bit = 0; bit < writer.appendedPosition() * Byte.SIZE; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            vfs.setContent(writer.path(), flipped);
            String what = "flip of bit " + bit;
            try {
                List<byte[]> found = Writes.read(vfs, writer.path(), STORE_ID);
                assertTrue(found.size() >= forced && found.size() <= all.size(), what);
                assertTrue(Writes.same(all.subList(0, found.size()), found), what);
                cut += found.size() < all.size() ? 1 : 0;
            } catch (CorruptionException e) {
                assertTrue(bit / Byte.SIZE < writer.durablePosition(), what);
            }
        }
        long behind = writer.appendedPosition() - writer.durablePosition();
        assertTrue(cut > (behind - 7 * forced) * Byte.SIZE && cut <= behind * Byte.SIZE, "cut " + cut);
        writer.release();
    }

    @Test
    void zeroedSwappedAndStaleSectorsAreFoundOrChangeNothing() {
        Random random = new Random(2);
        for (int sector = 0; sector < CAPACITY / 512; sector++) {
            byte[] zeroed = good.clone();
            Arrays.fill(zeroed, sector * 512, sector * 512 + 512, (byte) 0);
            isFound(zeroed, "zeroed sector " + sector);
            for (int other = 0; other < CAPACITY / 512; other++) {
                byte[] swapped = good.clone();
                System.arraycopy(good, sector * 512, swapped, other * 512, 512);
                System.arraycopy(good, other * 512, swapped, sector * 512, 512);
                isFound(swapped, "swapped sectors " + sector + " and " + other);
                byte[] doubled = good.clone();
                System.arraycopy(good, sector * 512, doubled, other * 512, 512);
                isFound(doubled, "sector " + sector + " over " + other);
            }
            byte[] noise = good.clone();
            for (int i = 0; i < 512; i++) {
                noise[sector * 512 + i] = (byte) random.nextInt();
            }
            isFound(noise, "noise in sector " + sector);
        }
    }

    @Test
    void aFileOfAnyOtherLengthIsFound() {
        for (int length = 0; length < CAPACITY; length += length < 600 || length > 7000 ? 1 : 13) {
            assertTrue(isFound(Arrays.copyOf(good, length), "cut to " + length), "length " + length);
        }
        assertTrue(isFound(Arrays.copyOf(good, CAPACITY + 1), "longer"));
    }

    @Test
    void aTornTailBehindTheMarkIsCut() {
        WalWriter writer = Writes.create(vfs, DIRECTORY, 8, STORE_ID, 4, CAPACITY, true);
        Writes.append(writer, 1, 10);
        Writes.append(writer, 2, 20);
        writer.force();
        long forced = writer.appendedPosition();
        Writes.append(writer, 3, 30);
        byte[] content = vfs.content(writer.path());
        writer.release();
        for (long position = forced; position < writer.appendedPosition() - 8; position++) {
            byte[] torn = content.clone();
            torn[(int) position] ^= 0x55;
            vfs.setContent(writer.path(), torn);
            assertEquals(2, Writes.read(vfs, writer.path(), STORE_ID).size());
        }
        content[(int) forced - 30] ^= 1;
        vfs.setContent(writer.path(), content);
        CorruptionException e = assertThrows(
                CorruptionException.class,
                () -> Writes.read(vfs, writer.path(), STORE_ID).size());
        assertTrue(e.expected().contains("position " + forced), e::getMessage);
    }

    @Test
    void aFileOfAnotherStoreOrOfAnotherNameIsFound() {
        assertThrows(CorruptionException.class, () -> Writes.read(vfs, FILE, STORE_ID + 1));
        Path other = DIRECTORY.resolve(WalFormat.fileName(8));
        vfs.rename(FILE, other);
        assertThrows(CorruptionException.class, () -> Writes.read(vfs, other, STORE_ID));
    }

    @Test
    void anotherFormatVersionIsNamed() {
        ByteBuffer content = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN);
        content.putInt(12, 9); // the format version of the common fields
        content.putInt(24, checksum(content, 0, 24));
        content.putInt(WalFormat.HEADER_CHECKSUM, checksum(content, 0, WalFormat.HEADER_CHECKSUM));
        vfs.setContent(FILE, good);
        UnsupportedFormatException e =
                assertThrows(UnsupportedFormatException.class, () -> Writes.read(vfs, FILE, STORE_ID));
        assertEquals(9, e.found());
    }

    /** Headers with right checksums but hostile fields, so that the checks behind the checksums are met. */
    @Test
    void hostileFieldsAreFound() {
        long[] values = {0, 1, -1, 7, 4096, CAPACITY, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE};
        for (long value : values) {
            int[] longs = {WalFormat.HEADER_NUMBER, WalFormat.HEADER_GENERATION, WalFormat.HEADER_CAPACITY};
            for (int at : longs) {
                ByteBuffer content = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
                boolean same = content.getLong(at) == value;
                content.putLong(at, value);
                content.putInt(WalFormat.HEADER_CHECKSUM, checksum(content, 0, WalFormat.HEADER_CHECKSUM));
                // A file of another generation holds no frames, and has no mark that says so.
                boolean otherUse = at == WalFormat.HEADER_GENERATION && value > 0;
                if (!same && !otherUse) {
                    assertTrue(isFound(content.array(), "header " + at + " = " + value), at + " = " + value);
                }
            }
        }
        FrameHeader header = new FrameHeader(STORE_ID, 3);
        for (long value : values) {
            ByteBuffer content = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
            int frame = WalFormat.FIRST_FRAME;
            int payload = frame + WalFormat.FRAME_HEADER_BYTES;
            int length = (int) value;
            boolean fits = length >= 0 && length <= CAPACITY - payload;
            int checksum = WritePayload.checksum(good, payload, fits ? length : 0);
            content.putInt(frame + WalFormat.FRAME_LENGTH, length);
            content.putInt(frame + WalFormat.FRAME_CHECK, header.frameCheck(frame, length, checksum));
            assertTrue(isFound(content.array(), "length " + value), "length " + value);
        }
        for (long value : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - FRAMES + 1}) {
            ByteBuffer content = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
            content.putLong(WalFormat.START, value).putInt(WalFormat.START_CHECK, header.startCheck(value));
            assertTrue(isFound(content.array(), "first number " + value), "first number " + value);
        }
    }

    @Test
    void aPayloadThatIsNoWriteIsFound() {
        for (byte[] payload : new byte[][] {{9}, {2, 0, 9}, {2, 0, 2}, {1, 0}, {2, 3, 1}}) {
            WalWriter writer = Writes.create(vfs, DIRECTORY, 9, STORE_ID, 4, CAPACITY, true);
            writer.append(
                    new Payload().set(payload, payload.length, 1, 0, 0),
                    WritePayload.checksum(payload, 0, payload.length),
                    1,
                    false);
            writer.release();
            assertThrows(CorruptionException.class, () -> Writes.read(vfs, writer.path(), STORE_ID));
            vfs.delete(writer.path());
        }
    }

    @Test
    void aLogWithDamageCanStillBePrinted() {
        good[WalFormat.FIRST_FRAME + 200] ^= 1;
        vfs.setContent(FILE, good);
        try (WalReader reader = new WalReader(vfs, FILE, STORE_ID)) {
            String dump = reader.dump();
            assertTrue(dump.contains("4112: #100, 11 bytes\n"), dump);
            assertTrue(dump.contains("damage in "), dump);
        }
    }

    @Test
    void aMissingForcedFrameBetweenLogsIsDamage() {
        WalWriter second = Writes.create(vfs, DIRECTORY, 8, STORE_ID, 4, CAPACITY, true);
        Writes.append(second, 100 + FRAMES, 5);
        second.close();
        assertEquals(100 + FRAMES, WalRecovery.open(vfs, DIRECTORY, STORE_ID).replay(99, (s, p) -> {}));
        vfs.delete(FILE);
        WalRecovery recovery = WalRecovery.open(vfs, DIRECTORY, STORE_ID);
        assertThrows(CorruptionException.class, () -> recovery.replay(99, (s, p) -> {}));
        assertEquals(100 + FRAMES, recovery.replay(99 + FRAMES, (s, p) -> {}));
    }

    @Test
    void aCommitThatCoversHalfAFrameIsDamage() {
        byte[] payload = {2, 0, 2, 0, 2, 0};
        WalWriter writer = Writes.create(vfs, DIRECTORY, 8, STORE_ID, 4, CAPACITY, true);
        writer.append(
                new Payload().set(payload, 6, 3, 0, 0), WritePayload.checksum(payload, 0, 6), 100 + FRAMES, false);
        writer.close();
        WalRecovery recovery = WalRecovery.open(vfs, DIRECTORY, STORE_ID);
        assertThrows(CorruptionException.class, () -> recovery.replay(100 + FRAMES, (s, p) -> {}));
        assertEquals(102 + FRAMES, recovery.replay(102 + FRAMES, (s, p) -> {}));
        assertEquals(2, recovery.files().size());
        assertEquals(8, recovery.highest().number());
        assertEquals(4, recovery.highest().generation());
    }

    private static int checksum(ByteBuffer buffer, int position, int length) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(position + length).position(position));
        return (int) crc.getValue();
    }
}
