package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlidingReaderTest {
    private static final int SOURCE_BYTES = 10_000;
    private static final int BUFFER_BYTES = 512;
    private static final int FIRST_BYTES = 16;
    private static final Path FILE = Path.of("/file");

    private final byte[] source = new byte[SOURCE_BYTES];
    private final List<String> reads = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final SlidingReader reader = reader(false);
    private long damage = Long.MAX_VALUE;

    SlidingReaderTest() {
        new Random(1).nextBytes(source);
        reader.begin(SOURCE_BYTES);
    }

    private SlidingReader reader(boolean sparing) {
        return new SlidingReader(this::read, buffer, FIRST_BYTES, sparing);
    }

    private void read(ByteBuffer destination, long position) {
        assertEquals(0, destination.position());
        int bytes = destination.remaining();
        reads.add(position + "+" + bytes);
        if (position <= damage && damage < position + bytes) {
            throw new StoreIoException("reading", FILE, new IOException("damage"));
        }
        destination.put(source, (int) position, bytes);
    }

    private void load(SlidingReader from, long position, int bytes) {
        requireLoaded(from.load(position, bytes), position, bytes);
    }

    private void requireLoaded(int index, long position, int bytes) {
        for (int i = 0; i < bytes; i++) {
            assertEquals(source[(int) position + i], buffer.get(index + i));
        }
    }

    private void requireReads(String... expected) {
        assertEquals(List.of(expected), reads);
        reads.clear();
    }

    @Test
    void readsMoreAndMoreWhileTheWalkGoesOnAndFewBehindAJump() {
        for (long position = 100; position < 2_000; position += 4) {
            load(reader, position, 4);
        }
        requireReads("100+16", "116+64", "180+256", "436+512", "948+512", "1460+512", "1972+512");
        load(reader, 9_000, 4);
        load(reader, 9_012, 8);
        load(reader, 50, 4);
        requireReads("9000+16", "9012+64", "50+16");
    }

    @Test
    void readsNothingThatTheBufferHas() {
        load(reader, 100, FIRST_BYTES);
        load(reader, 108, 8);
        load(reader, 100, 1);
        requireReads("100+16");
    }

    @Test
    void readsAsManyAsAreAskedForOrWillBeUpToWhatTheBufferHolds() {
        load(reader, 0, 200);
        requireLoaded(reader.load(1_000, 4, 300), 1_000, 300);
        requireLoaded(reader.load(3_000, 4, 1L << 40), 3_000, BUFFER_BYTES);
        requireReads("0+200", "1000+300", "3000+512");
    }

    @Test
    void readsNothingFromTheEndOn() {
        load(reader, SOURCE_BYTES - 8, 8);
        requireReads("9992+8");
        reader.begin(20);
        load(reader, 4, 8);
        load(reader, 16, 4);
        requireReads("4+16");
    }

    @Test
    void readsAnewWhatItWasToldToForget() {
        load(reader, 0, 8);
        source[3]++;
        reader.begin(SOURCE_BYTES);
        load(reader, 0, 8);
        requireReads("0+16", "0+16");
    }

    @Test
    void checksumsAndCopiesMayBeLongerThanTheBuffer() {
        for (int bytes : new int[] {0, 1, FIRST_BYTES, BUFFER_BYTES, BUFFER_BYTES + 1, 5_000}) {
            int expected = FilePreamble.crc(ByteBuffer.wrap(source), 77, bytes);
            assertEquals(expected, reader.checksum(77, bytes));
            byte[] copy = new byte[3 + bytes];
            ByteBuffer destination = ByteBuffer.wrap(copy, 3, bytes);
            reader.copy(77, destination);
            assertEquals(0, destination.remaining());
            assertEquals(expected, FilePreamble.crc(ByteBuffer.wrap(copy), 3, bytes));
        }
    }

    @Test
    void checksumsAndCopiesReadNoByteTwice() {
        load(reader, 0, 8);
        reader.checksum(8, 700);
        requireReads("0+16", "16+512", "528+512");
    }

    @Test
    void aReadThatFailsLeavesNothing() {
        load(reader, 0, 8);
        damage = 30;
        assertThrows(StoreIoException.class, () -> reader.load(16, 4));
        requireReads("0+16", "16+64");
        damage = Long.MAX_VALUE;
        load(reader, 16, 4);
        load(reader, 0, 8);
        requireReads("16+16", "0+16");
    }

    @Test
    void aSparingOneReadsUpToDamageWhatIsAskedFor() {
        SlidingReader sparing = reader(true).begin(SOURCE_BYTES);
        damage = 14;
        load(sparing, 0, 8);
        load(sparing, 8, 4);
        requireReads("0+16", "0+8", "8+32", "8+4");
        assertEquals(FilePreamble.crc(ByteBuffer.wrap(source), 0, 14), sparing.checksum(0, 14));
        reads.clear();
        assertThrows(StoreIoException.class, () -> sparing.load(12, 4));
        requireReads("12+56", "12+4");
        damage = Long.MAX_VALUE;
        load(sparing, 12, 4);
        requireReads("12+16");
    }
}
