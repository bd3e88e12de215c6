package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private static byte[][] sorted(Iterable<byte[]> keys) {
        Set<byte[]> set = new TreeSet<>(Arrays::compareUnsigned);
        keys.forEach(set::add);
        return set.toArray(new byte[0][]);
    }

    @Property
    void everyPairIsFoundByItsFingerprintAndByItsPlace(
            @ForAll @Size(max = 70) List<@Size(min = 1, max = 20) byte[]> some, @ForAll @IntRange(max = 9) int base) {
        byte[][] keys = sorted(some);
        byte[][] values = new byte[keys.length][];
        for (int i = 0; i < keys.length; i++) {
            values[i] = new byte[i * 7 % 200];
            Arrays.fill(values[i], (byte) i);
        }
        ByteBuffer data = Images.pairs(keys, values);
        int bytes = Directory.bytes(data.capacity(), keys.length);
        ByteBuffer directory = ByteBuffer.allocateDirect(base + bytes).order(ByteOrder.LITTLE_ENDIAN);
        Images.write(directory, base, 77, keys, data);
        assertEquals(77, Directory.contentNumber(directory, base));
        assertEquals(keys.length, Directory.pairCount(directory, base));
        assertEquals(data.capacity(), Directory.dataBytes(directory, base));
        assertEquals(bytes, Directory.bytes(directory, base));
        assertEquals(Images.skipped(keys), Directory.skipped(directory, base));
        int at = 0;
        for (int i = 0; i < keys.length; i++) {
            byte fingerprint = Images.FINGERPRINTS.of(keys[i], keys[i].length);
            assertEquals(i, Directory.candidate(directory, base, fingerprint, i));
            assertEquals(at, Directory.relativePosition(directory, base, i));
            assertEquals(RecordFormat.checksum(data, at), Directory.checksum(directory, base, i));
            assertEquals(Directory.UNKNOWN, Directory.address(directory, base, i));
            int window = Directory.window(keys[i], 0, keys[i].length, Images.skipped(keys));
            assertEquals(window, Directory.window(directory, base, i));
            at += RecordFormat.recordBytes(keys[i].length, values[i].length);
        }
        assertEquals(at, Directory.relativePosition(directory, base, keys.length));
    }

    @Test
    void keysWithTheSameFingerprintAreAllCandidates() {
        List<byte[]> alike = new ArrayList<>();
        int wanted = -1;
        for (int i = 0; alike.size() < 9; i++) {
            byte[] key = Integer.toString(i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            int fingerprint = Images.FINGERPRINTS.of(key, key.length) & 0xFF;
            if (wanted < 0 || fingerprint == wanted) {
                wanted = fingerprint;
                alike.add(key);
            }
        }
        byte[][] keys = sorted(alike);
        ByteBuffer directory = Images.build(1, keys, new byte[keys.length][5]);
        for (int i = 0; i < keys.length; i++) {
            assertEquals(i, Directory.candidate(directory, 0, (byte) wanted, i));
        }
        assertEquals(-1, Directory.candidate(directory, 0, (byte) wanted, keys.length));
        assertEquals(-1, Directory.candidate(directory, 0, (byte) (wanted + 1), 0));
    }

    @Test
    void anEmptyIntervalHasADirectoryToo() {
        ByteBuffer directory = Images.build(3, new byte[0][], new byte[0][]);
        assertEquals(Directory.HEADER_BYTES, directory.capacity());
        assertEquals(-1, Directory.candidate(directory, 0, (byte) 1, 0));
    }

    @Test
    void positionsBeyondTwoBytesAreKept() {
        byte[][] keys = {{1}, {2}, {3}};
        ByteBuffer image = Images.build(1, keys, new byte[][] {new byte[0xFFFF], new byte[0xFFFF], {5}});
        for (int i = 0; i < keys.length; i++) {
            assertEquals(i, Directory.candidate(image, 0, Images.FINGERPRINTS.of(keys[i], 1), i));
        }
        int bytes = RecordFormat.recordBytes(1, 0xFFFF);
        assertEquals(bytes, Directory.relativePosition(image, 0, 1));
        assertEquals(2 * bytes, Directory.relativePosition(image, 0, 2));
    }

    /** The directory of pairs that lie in pieces at these addresses, from these pairs on. */
    private static ByteBuffer inPieces(int pairs, int[] firsts, long[] addresses) {
        byte[][] keys = new byte[pairs][];
        byte[][] values = new byte[pairs][];
        for (int i = 0; i < pairs; i++) {
            keys[i] = new byte[] {1, (byte) i};
            values[i] = new byte[i % 7];
        }
        ByteBuffer image = Images.build(1, keys, values);
        for (int piece = 0; piece < firsts.length; piece++) {
            int end = piece + 1 < firsts.length ? firsts[piece + 1] : pairs;
            for (int pair = firsts[piece]; pair < end; pair++) {
                int from = Directory.relativePosition(image, 0, firsts[piece]);
                boolean known = addresses[piece] != Directory.UNKNOWN;
                long address = addresses[piece] + (known ? Directory.relativePosition(image, 0, pair) - from : 0);
                Directory.setAddress(image, 0, pair, address);
            }
        }
        return image;
    }

    private static ByteBuffer packed(ByteBuffer image, int base) {
        int layout = Directory.layoutToKeep(image, 0);
        assertTrue(layout > 0, "packed");
        int bytes = Directory.bytes(image, 0, layout);
        ByteBuffer packed = ByteBuffer.allocateDirect(base + bytes).order(ByteOrder.LITTLE_ENDIAN);
        Directory.copy(image, 0, layout, packed, base);
        assertEquals(bytes, Directory.bytes(packed, base));
        assertTrue(bytes < Directory.bytes(image, 0));
        return packed;
    }

    @Property
    void aPackedDirectoryTellsTheSame(@ForAll long seed, @ForAll @IntRange(max = 9) int base) {
        Random random = new Random(seed);
        int pairs = 1 + random.nextInt(PairPlaces.MAX_PAIRS);
        int[] firsts =
                random.ints(1 + random.nextInt(8), 0, pairs).sorted().distinct().toArray();
        firsts[0] = 0;
        long[] addresses = Arrays.stream(firsts)
                .mapToLong(i -> random.nextInt(5) == 0 ? Directory.UNKNOWN : random.nextLong(1L << 40))
                .toArray();
        ByteBuffer image = inPieces(pairs, firsts, addresses);
        if (Directory.layoutToKeep(image, 0) == Directory.FULL) {
            assertTrue(firsts.length * 8 >= pairs * 6, "nothing would be gained");
            return;
        }
        ByteBuffer packed = packed(image, base);
        Images.assertIs(image, packed, base);
        PairPlaces places = newPlaces();
        places.take(packed, base);
        assertEquals(pairs, places.count());
        assertEquals(Directory.dataBytes(image, 0), places.dataBytes());
        int from = random.nextInt(pairs);
        int to = from + 1 + random.nextInt(pairs - from);
        places.place(from, to); // alone, and the others later
        assertPlacesAre(image, places, from, to);
        places.place(0, pairs);
        assertPlacesAre(image, places, 0, pairs);
        for (int i = 0; i < pairs; i++) {
            byte[] key = {1, (byte) i};
            byte fingerprint = Images.FINGERPRINTS.of(key, key.length);
            assertEquals(i, Directory.candidate(packed, base, fingerprint, i));
        }
    }

    private static PairPlaces newPlaces() {
        return new PairPlaces(ByteBuffer.allocateDirect(PairPlaces.MEMORY_BYTES).order(ByteOrder.LITTLE_ENDIAN));
    }

    private static void assertPlacesAre(ByteBuffer image, PairPlaces places, int from, int to) {
        for (int i = from; i < to; i++) {
            assertEquals(Directory.address(image, 0, i), places.address(i));
            assertEquals(Directory.checksum(image, 0, i), places.checksum(i));
            assertEquals(Directory.relativePosition(image, 0, i), places.position(i));
        }
        assertEquals(Directory.relativePosition(image, 0, to), places.position(to));
    }

    @Property
    void placesFindWindowsAsTheirOrderSays(@ForAll long seed, @ForAll boolean inPieces) {
        Random random = new Random(seed);
        int pairs = 1 + random.nextInt(PairPlaces.MAX_PAIRS);
        ByteBuffer image = inPieces(pairs, new int[] {0}, new long[] {random.nextLong(1L << 40)});
        PairPlaces places = newPlaces();
        places.take(inPieces && Directory.layoutToKeep(image, 0) > 0 ? packed(image, 0) : image, 0);
        int window = random.nextBoolean()
                ? Directory.window(image, 0, random.nextInt(pairs))
                : random.nextInt(); // the sign bit, too, is one of the key's
        int lower = 0;
        int upper = 0;
        for (int i = 0; i < pairs; i++) {
            int order = Integer.compareUnsigned(Directory.window(image, 0, i), window);
            lower += order < 0 ? 1 : 0;
            upper += order <= 0 ? 1 : 0;
        }
        assertEquals(lower, places.lowerBound(window));
        assertEquals(upper, places.upperBound(lower, window));
    }

    /** Of a plain directory, a packed one, and of an outline itself. */
    @Property
    void anOutlineTellsOfFingerprintsAndPositionsWhatItsDirectoryDoes(
            @ForAll long seed, @ForAll @IntRange(max = 9) int base, @ForAll @IntRange(max = 2) int from) {
        Random random = new Random(seed);
        int pairs = 12 + random.nextInt(PairPlaces.MAX_PAIRS - 12);
        ByteBuffer image = inPieces(pairs, new int[] {0, pairs / 2}, new long[] {random.nextLong(1L << 40), 7});
        ByteBuffer source = from == 0 ? image : from == 1 ? packed(image, 0) : outline(image, 0);
        ByteBuffer outline = outline(source, base);
        assertTrue(Directory.hasOutline(source, 0));
        assertTrue(3 * Directory.bytes(outline, base) < Directory.bytes(image, 0));
        assertEquals(0, Directory.skipped(outline, base));
        assertEquals(pairs, Directory.pairCount(outline, base));
        assertEquals(Directory.dataBytes(image, 0), Directory.relativePosition(outline, base, pairs));
        for (int i = 0; i < pairs; i++) {
            byte[] key = {1, (byte) i};
            assertEquals(i, Directory.candidate(outline, base, Images.FINGERPRINTS.of(key, key.length), i));
            assertEquals(Directory.relativePosition(image, 0, i), Directory.relativePosition(outline, base, i));
            assertEquals(Directory.recordBytes(image, 0, i), Directory.recordBytes(outline, base, i));
        }
        PairPlaces places = newPlaces();
        places.take(outline, base);
        assertTrue(places.areOutlined());
        assertEquals(pairs, places.count());
        for (int i = 0; i <= pairs; i++) {
            assertEquals(Directory.relativePosition(image, 0, i), places.position(i));
        }
    }

    private static ByteBuffer outline(ByteBuffer directory, int base) {
        int bytes = Directory.bytes(directory, 0, Directory.OUTLINE);
        ByteBuffer outline = ByteBuffer.allocateDirect(base + bytes).order(ByteOrder.LITTLE_ENDIAN);
        Directory.copy(directory, 0, Directory.OUTLINE, outline, base);
        assertTrue(Directory.isOutline(outline, base));
        assertEquals(bytes, Directory.bytes(outline, base));
        return outline;
    }

    @Test
    void pairsOfManyBytesHaveNoOutline() {
        ByteBuffer wide = Images.build(1, new byte[][] {{1}, {2}}, new byte[][] {new byte[0xFFFF], {5}});
        assertFalse(Directory.hasOutline(wide, 0));
        IntervalCache cache = new IntervalCache(new Epochs(), 1 << 20, new OffHeap());
        assertEquals(-1, cache.insertOutline(wide, 0));
        assertTrue(cache.insert(wide, 0, false) >= 0);
    }

    @Test
    void whereOnePairOfAPieceIsFoundTheOthersAreLookedForToo() {
        ByteBuffer packed = packed(inPieces(40, new int[] {0, 10, 30}, new long[] {5000, 900_000, 70_000}), 0);
        int within = Directory.relativePosition(packed, 0, 15) - Directory.relativePosition(packed, 0, 10);
        Directory.setAddress(packed, 0, 15, 3_000_000 + within);
        assertEquals(3_000_000, Directory.address(packed, 0, 10));
        int last = Directory.relativePosition(packed, 0, 29) - Directory.relativePosition(packed, 0, 10);
        assertEquals(3_000_000 + last, Directory.address(packed, 0, 29));
        assertEquals(5000, Directory.address(packed, 0, 0));
        assertEquals(70_000, Directory.address(packed, 0, 30));
        Directory.setAddress(packed, 0, 15, Directory.UNKNOWN);
        assertEquals(3_000_000 + within, Directory.address(packed, 0, 15), "others of its piece are known");
    }

    @Test
    void manyPiecesOrManyBytesAreNotPacked() {
        int[] firsts = new int[9];
        long[] addresses = new long[9];
        Arrays.setAll(firsts, i -> 2 * i);
        Arrays.setAll(addresses, i -> 1000L * i);
        assertEquals(Directory.FULL, Directory.layoutToKeep(inPieces(20, firsts, addresses), 0));
        addresses[8] = addresses[7] + 2 * RecordFormat.recordBytes(2, 0); // nothing but a gap of other bytes
        assertEquals(Directory.FULL, Directory.layoutToKeep(inPieces(20, firsts, addresses), 0));
        ByteBuffer wide = Images.build(1, new byte[][] {{1}, {2}}, new byte[][] {new byte[0xFFFF], {5}});
        assertEquals(Directory.FULL, Directory.layoutToKeep(wide, 0));
        assertEquals(Directory.FULL, Directory.layoutToKeep(Images.build(3, new byte[0][], new byte[0][]), 0));
    }
}
