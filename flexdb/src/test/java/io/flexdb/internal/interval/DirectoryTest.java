package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private static final CRC32C CRC = new CRC32C();

    private static byte[][] sorted(Iterable<byte[]> keys) {
        Set<byte[]> set = new TreeSet<>(Arrays::compareUnsigned);
        keys.forEach(set::add);
        return set.toArray(new byte[0][]);
    }

    private static byte[] read(ByteBuffer image, int position, int length) {
        byte[] bytes = new byte[length];
        image.get(position, bytes);
        return bytes;
    }

    private static int find(ByteBuffer image, int base, byte[] key) {
        return Directory.find(image, base, key, key.length, Images.FINGERPRINTS.of(key, key.length));
    }

    private static int valueLength(ByteBuffer image, int base, int pair) {
        return RecordFormat.valueLength(Directory.header(image, Directory.recordPosition(image, base, pair)));
    }

    /** The first pair whose key is not below one, by comparing with each. */
    private static int lowerBound(ByteBuffer image, int base, byte[] key, int from, int length) {
        int pair = 0;
        while (pair < Directory.pairCount(image, base) && Directory.compare(key, from, length, image, base, pair) > 0) {
            pair++;
        }
        return pair;
    }

    private static int upperBound(ByteBuffer image, int base, byte[] key, int from, int length) {
        int pair = lowerBound(image, base, key, from, length);
        boolean found =
                pair < Directory.pairCount(image, base) && Directory.compare(key, from, length, image, base, pair) == 0;
        return found ? pair + 1 : pair;
    }

    @Property
    void everyPairIsFoundByItsKeyAndByItsPlace(
            @ForAll @Size(max = 70) List<@Size(min = 1, max = 20) byte[]> some,
            @ForAll @Size(max = 20) List<@Size(max = 20) byte[]> probes,
            @ForAll @IntRange(max = 9) int base) {
        byte[][] keys = sorted(some);
        byte[][] values = new byte[keys.length][];
        for (int i = 0; i < keys.length; i++) {
            values[i] = new byte[i * 7 % 200];
            Arrays.fill(values[i], (byte) i);
        }
        ByteBuffer data = Images.pairs(keys, values);
        assertEquals(keys.length, Directory.countPairs(data, 0, data.capacity()));
        int bytes = Images.bytes(data.capacity(), keys.length);
        ByteBuffer image = ByteBuffer.allocateDirect(base + bytes).order(ByteOrder.LITTLE_ENDIAN);
        Directory.build(image, base, 77, keys.length, data, 0, data.capacity(), CRC, Images.FINGERPRINTS, 0xFFFF);
        assertEquals(77, Directory.contentNumber(image, base));
        assertEquals(keys.length, Directory.pairCount(image, base));
        assertEquals(data.capacity(), Directory.dataBytes(image, base));
        assertEquals(bytes, Directory.bytes(image, base) + Directory.dataBytes(image, base));
        assertEquals(data.capacity(), Directory.relativePosition(image, base, keys.length));
        for (int i = 0; i < keys.length; i++) {
            assertEquals(i, find(image, base, keys[i]));
            assertEquals(
                    Directory.recordPosition(image, base, i),
                    Directory.dataPosition(image, base) + Directory.relativePosition(image, base, i));
            int at = Directory.keyPosition(image, base, i);
            assertArrayEquals(keys[i], read(image, at, Directory.keyLength(image, base, i)));
            at = Directory.keyPosition(image, base, i) + keys[i].length;
            assertArrayEquals(values[i], read(image, at, valueLength(image, base, i)));
            assertEquals(i, lowerBound(image, base, keys[i], 0, keys[i].length));
            assertEquals(i + 1, upperBound(image, base, keys[i], 0, keys[i].length));
        }
        for (byte[] probe : probes) {
            int place = Arrays.binarySearch(keys, probe, Arrays::compareUnsigned);
            assertEquals(Math.max(-1, place), find(image, base, probe));
            int bound = place >= 0 ? place : -place - 1;
            assertEquals(bound, lowerBound(image, base, probe, 0, probe.length));
            assertEquals(place >= 0 ? bound + 1 : bound, upperBound(image, base, probe, 0, probe.length));
        }
    }

    @Test
    void keysWithTheSameFingerprintAreToldApart() {
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
        byte[] missing = alike.remove(4);
        byte[][] keys = sorted(alike);
        ByteBuffer image = Images.build(1, keys, new byte[keys.length][5]);
        for (int i = 0; i < keys.length; i++) {
            assertEquals(i, find(image, 0, keys[i]));
        }
        assertEquals(-1, find(image, 0, missing));
    }

    @Test
    void pairsReadToTheirPlaceAreNotMoved() {
        byte[][] keys = {{1}, {1, 0}, {2}};
        byte[][] values = {{7, 7}, {}, {8}};
        ByteBuffer expected = Images.build(5, keys, values);
        ByteBuffer data = Images.pairs(keys, values);
        ByteBuffer image = ByteBuffer.allocateDirect(expected.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        int at = Directory.bytes(data.capacity(), 3);
        image.put(at, data, 0, data.capacity());
        Directory.build(image, 0, 5, 3, image, at, data.capacity(), CRC, Images.FINGERPRINTS, 0xFFFF);
        assertEquals(expected, image);
    }

    @Test
    void anEmptyIntervalHasAnImageToo() {
        ByteBuffer image = Images.build(3, new byte[0][], new byte[0][]);
        assertEquals(Directory.HEADER_BYTES, image.capacity());
        assertEquals(-1, find(image, 0, new byte[] {1}));
        assertEquals(0, lowerBound(image, 0, new byte[] {1}, 0, 1));
    }

    private static BadRecordException refusal(int pairCount, ByteBuffer data) {
        ByteBuffer image = ByteBuffer.allocateDirect(Images.bytes(data.capacity(), pairCount))
                .order(ByteOrder.LITTLE_ENDIAN);
        return assertThrows(
                BadRecordException.class,
                () -> Directory.build(
                        image, 0, 1, pairCount, data, 0, data.capacity(), CRC, Images.FINGERPRINTS, 0xFFFF));
    }

    @Test
    void pairsOutOfOrderOrTooManyOrTooFewAreRefusedWithTheirPosition() {
        byte[][] values = new byte[3][2];
        BadRecordException e = refusal(3, Images.pairs(new byte[][] {{1}, {3}, {2}}, values));
        assertEquals(18, e.position());
        assertTrue(e.getMessage().contains(e.expected()) && e.getMessage().contains(e.found()));
        assertEquals(
                9,
                refusal(3, Images.pairs(new byte[][] {{1}, {1}, {2}}, values)).position());
        assertEquals(
                0,
                refusal(0, Images.pairs(new byte[][] {{1}, {2}, {3}}, values)).position());
        assertEquals(
                18,
                refusal(2, Images.pairs(new byte[][] {{1}, {2}, {3}}, values)).position());
        assertEquals(
                27,
                refusal(4, Images.pairs(new byte[][] {{1}, {2}, {3}}, values)).position());
    }

    @Test
    void damagedBytesAreRefusedOrAreOtherPairsButNeverReadBeyondTheirEnd() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[][] keys = {{1}, {1, 5, 6}, {2}, {4, 4, 4, 4, 4, 4, 4, 4, 4}};
        byte[][] values = {new byte[3], new byte[200], {}, {5}};
        ByteBuffer good = Images.pairs(keys, values);
        for (int i = 0; i < 20_000; i++) {
            // Exactly as large as the data, so that a read beyond it would throw something else.
            int bytes = random.nextInt(4) == 0 ? random.nextInt(good.capacity() + 1) : good.capacity();
            ByteBuffer data = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            data.put(0, good, 0, bytes);
            for (int n = random.nextInt(4); n > 0 && bytes > 0; n--) {
                data.put(random.nextInt(bytes), (byte) random.nextInt(256));
            }
            try {
                int count = Directory.countPairs(data, 0, bytes);
                ByteBuffer image =
                        ByteBuffer.allocate(Images.bytes(bytes, count)).order(ByteOrder.LITTLE_ENDIAN);
                Directory.build(image, 0, 1, count, data, 0, bytes, CRC, Images.FINGERPRINTS, 0xFFFF);
                assertEquals(count, lowerBound(image, 0, new byte[70_000], 0, 0) == 0 ? count : -1);
            } catch (BadRecordException expected) {
                assertTrue(expected.position() >= 0 && expected.position() <= bytes, "seed " + seed);
            }
        }
        assertEquals(RecordFormat.BAD, RecordFormat.readWhole(good, 0, 3));
    }

    @Test
    void aPairWithAWrongByteIsRefusedWithItsPosition() {
        ByteBuffer good = Images.pairs(new byte[][] {{1}, {2, 3}}, new byte[][] {{7}, {8, 9}});
        int second = RecordFormat.recordBytes(1, 1);
        for (int i = 0; i < good.capacity(); i++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                good.put(i, (byte) (good.get(i) ^ 1 << bit));
                assertEquals(i < second ? 0 : second, refusal(2, good).position());
                good.put(i, (byte) (good.get(i) ^ 1 << bit));
            }
        }
    }

    @Test
    void positionsBeyondTwoBytesAreKept() {
        byte[][] keys = {{1}, {2}, {3}};
        ByteBuffer image = Images.build(1, keys, new byte[][] {new byte[0xFFFF], new byte[0xFFFF], {5}});
        for (int i = 0; i < keys.length; i++) {
            assertEquals(i, find(image, 0, keys[i]));
            assertEquals(i, Directory.candidate(image, 0, Images.FINGERPRINTS.of(keys[i], 1), i));
        }
        int bytes = RecordFormat.recordBytes(1, 0xFFFF);
        assertEquals(bytes, Directory.relativePosition(image, 0, 1));
        assertEquals(2 * bytes, Directory.relativePosition(image, 0, 2));
    }

    /** An image the pairs of which lie in pieces at these addresses, from these pairs on. */
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
        IntervalCache cache = new IntervalCache(new Epochs(), 1 << 20);
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
