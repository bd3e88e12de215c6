package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SavedDirectoriesTest {
    private static final Path FILE = Path.of("/store/directories");
    private static final int COUNT = 3;
    private static final int TABLE = 64;
    private static final int FIRST = TABLE + COUNT * SavedDirectories.ENTRY_BYTES;
    private static final int PAIRS = 30;

    private final Epochs epochs = new Epochs();
    private final SimulatedVfs files = new SimulatedVfs(FILE.getParent());

    private IntervalCache newCache() {
        return new IntervalCache(epochs, 1 << 20, new OffHeap());
    }

    /** Pairs in so many pieces of a data file; none if each has an address of its own. */
    private static ByteBuffer image(int pairs, int pieces, int valueBytes) {
        byte[][] keys = new byte[pairs][];
        byte[][] values = new byte[pairs][];
        for (int i = 0; i < pairs; i++) {
            keys[i] = new byte[] {(byte) (i >> 8), (byte) i};
            values[i] = new byte[valueBytes + i % 7];
        }
        ByteBuffer image = Images.build(7, keys, values);
        for (int i = 0; i < pairs; i++) {
            int piece = pieces == 0 ? i : i * pieces / pairs;
            Directory.setAddress(image, 0, i, 1_000_000L * (1 + piece) + Directory.relativePosition(image, 0, i));
        }
        return image;
    }

    /** A file with one directory, that of content 2. */
    private byte[] file(IntervalCache cache, ByteBuffer image) {
        cache.insert(image, 0, false);
        ByteBuffer bytes = ByteBuffer.allocate(FIRST + (64 << 10)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(FIRST);
        assertTrue(cache.saveDirectory(7, Directory.pairCount(image, 0), bytes));
        int length = bytes.position() - FIRST;
        int entry = TABLE + SavedDirectories.ENTRY_BYTES;
        bytes.putLong(entry, FIRST).putInt(entry + 8, length);
        bytes.putInt(entry + 12, SavedDirectories.checksum(new CRC32C(), 2, bytes.slice(FIRST, length)));
        return Arrays.copyOf(bytes.array(), FIRST + length);
    }

    private SavedDirectories open(byte[] content, IntervalCache into) {
        files.deleteIfExists(FILE);
        try (VfsFile file = files.open(FILE, OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
        return new SavedDirectories(files.open(FILE, OpenMode.READ), TABLE, COUNT, into);
    }

    @Property(tries = 50)
    void whatWasSavedIsRestoredOnceAndIsTheSame(
            @ForAll @IntRange(min = 1, max = 300) int pairs,
            @ForAll @IntRange(min = 0, max = 9) int pieces,
            @ForAll boolean wide) {
        ByteBuffer image = image(pairs, pieces, wide ? 300 : 20);
        long bytes = Directory.dataBytes(image, 0);
        IntervalCache cache = newCache();
        SavedDirectories saved = open(file(newCache(), image), cache);
        assertTrue(saved.mayHave(2));
        long location = saved.restore(2, pairs, bytes);
        assertTrue(location >= 0);
        assertEquals(location, cache.findDirectory(2, 0));
        ByteBuffer region = cache.buffer(location);
        int base = cache.base(location);
        for (int i = 0; i < pairs; i++) {
            assertEquals(Directory.address(image, 0, i), Directory.address(region, base, i));
            assertEquals(Directory.checksum(image, 0, i), Directory.checksum(region, base, i));
            assertEquals(Directory.fingerprint(image, 0, i), Directory.fingerprint(region, base, i));
            assertEquals(Directory.window(image, 0, i), Directory.window(region, base, i));
            assertEquals(Directory.recordBytes(image, 0, i), Directory.recordBytes(region, base, i));
        }
        assertFalse(saved.mayHave(2));
        assertEquals(-1, saved.restore(2, pairs, bytes));
        saved.close();
    }

    @Test
    void whatNobodyHasAskedForIsCopiedToTheNextFile() {
        ByteBuffer image = image(PAIRS, 3, 20);
        byte[] content = file(newCache(), image);
        SavedDirectories saved = open(content, newCache());
        ByteBuffer to = ByteBuffer.allocate(64 << 10).order(ByteOrder.LITTLE_ENDIAN);
        assertFalse(saved.copy(1, to));
        assertTrue(saved.copy(2, to));
        assertEquals(content.length - FIRST, to.position());
        assertArrayEquals(Arrays.copyOfRange(content, FIRST, content.length), Arrays.copyOf(to.array(), to.position()));
        saved.restore(2, PAIRS, Directory.dataBytes(image, 0));
        assertFalse(saved.copy(2, to), "the cache has had it");
        saved.close();
    }

    @Test
    void otherContentsAndOtherIntervalsGetNone() {
        ByteBuffer image = image(PAIRS, 3, 20);
        long bytes = Directory.dataBytes(image, 0);
        byte[] content = file(newCache(), image);
        for (long number : new long[] {Long.MIN_VALUE, -1, 0, 1, 3, 4, Long.MAX_VALUE}) {
            SavedDirectories saved = open(content, newCache());
            assertEquals(-1, saved.restore(number, PAIRS, bytes), "content " + number);
            saved.close();
        }
        for (int change = 0; change < 2; change++) {
            SavedDirectories saved = open(content, newCache());
            assertEquals(-1, saved.restore(2, PAIRS + change, bytes + 1 - change));
            saved.close();
        }
        System.arraycopy(content, TABLE + SavedDirectories.ENTRY_BYTES, content, TABLE, SavedDirectories.ENTRY_BYTES);
        SavedDirectories saved = open(content, newCache());
        assertEquals(-1, saved.restore(1, PAIRS, bytes), "a directory in the place of another one");
        saved.close();
    }

    @Test
    void eachFlippedBitAndEachCutCostsADirectoryAndNothingElse() {
        ByteBuffer image = image(PAIRS, 3, 20);
        long bytes = Directory.dataBytes(image, 0);
        byte[] sound = file(newCache(), image);
        int entry = TABLE + SavedDirectories.ENTRY_BYTES;
        for (int bit = 8 * entry; bit < 8 * sound.length; bit++) {
            if (bit >= 8 * (entry + SavedDirectories.ENTRY_BYTES) && bit < 8 * FIRST) {
                continue; // of another content
            }
            byte[] damaged = sound.clone();
            damaged[bit >>> 3] ^= (byte) (1 << (bit & 7));
            SavedDirectories saved = open(damaged, newCache());
            assertEquals(-1, saved.restore(2, PAIRS, bytes), "bit " + bit);
            saved.close();
        }
        for (int length = 0; length < sound.length; length++) {
            SavedDirectories saved = open(Arrays.copyOf(sound, length), newCache());
            assertEquals(-1, saved.restore(2, PAIRS, bytes), "cut to " + length);
            saved.close();
        }
    }

    /** Bytes with a sound checksum, of whatever make: what is taken for a directory can be used like one. */
    @Property(tries = 300)
    void bytesOfAnotherMakeAreRefusedOrStayWithinTheirInterval(@ForAll long seed) {
        Random random = new Random(seed);
        ByteBuffer image = image(PAIRS, random.nextInt(5), 20);
        long bytes = Directory.dataBytes(image, 0);
        byte[] content = file(newCache(), image);
        int length = content.length - FIRST;
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            int at = random.nextBoolean() ? random.nextInt(Math.min(length, 90)) : random.nextInt(length);
            content[FIRST + at] = (byte) random.nextInt();
        }
        int checksum = SavedDirectories.checksum(new CRC32C(), 2, ByteBuffer.wrap(content, FIRST, length));
        ByteBuffer.wrap(content)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(TABLE + SavedDirectories.ENTRY_BYTES + 12, checksum);
        IntervalCache cache = newCache();
        SavedDirectories saved = open(content, cache);
        long location = saved.restore(2, PAIRS, bytes);
        if (location >= 0) {
            PairPlaces places = new PairPlaces(
                    ByteBuffer.allocateDirect(PairPlaces.MEMORY_BYTES).order(ByteOrder.LITTLE_ENDIAN));
            places.take(cache.buffer(location), cache.base(location));
            places.place(0, PAIRS);
            for (int i = 0; i < PAIRS; i++) {
                Directory.address(cache.buffer(location), cache.base(location), i);
                assertTrue(places.position(i) < places.position(i + 1) && places.position(i + 1) <= bytes);
            }
        }
        saved.close();
    }
}
