package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyHashTest {
    @Test
    void arraysAndBuffersHashAlike() {
        Random random = new Random(1);
        byte[] array = new byte[200];
        random.nextBytes(array);
        ByteBuffer direct = ByteBuffer.allocateDirect(300).order(ByteOrder.LITTLE_ENDIAN);
        direct.put(37, array);
        for (int length = 0; length < 150; length++) {
            for (int offset = 0; offset < 20; offset++) {
                long expected = KeyHash.hash(array, offset, length);
                assertEquals(expected, KeyHash.hash(direct, 37 + offset, length));
            }
        }
    }

    @Test
    void everyByteAndTheLengthCount() {
        for (int length = 0; length < 100; length++) {
            byte[] key = new byte[length];
            Set<Long> hashes = new HashSet<>();
            hashes.add(KeyHash.hash(key, 0, length));
            hashes.add(KeyHash.hash(new byte[length + 1], 0, length + 1));
            for (int i = 0; i < length; i++) {
                key[i] = 1;
                hashes.add(KeyHash.hash(key, 0, length));
                key[i] = 0;
            }
            assertEquals(length + 2, hashes.size(), "length " + length);
        }
    }

    @Test
    void anyBitsOfTheHashSpreadOrdinaryKeys() {
        int keys = 1 << 16;
        for (int shift = 0; shift <= 48; shift += 8) {
            int[] buckets = new int[1 << 10];
            for (int i = 0; i < keys; i++) {
                byte[] key = String.format(Locale.ROOT, "user%012d", i).getBytes(StandardCharsets.US_ASCII);
                buckets[(int) (KeyHash.hash(key, 0, key.length) >>> shift) & buckets.length - 1]++;
            }
            double chiSquare = 0;
            double expected = (double) keys / buckets.length;
            for (int count : buckets) {
                chiSquare += (count - expected) * (count - expected) / expected;
            }
            // Mean 1023, deviation 45 for a random function.
            assertTrue(chiSquare > 800 && chiSquare < 1250, "shift " + shift + ": " + chiSquare);
        }
    }

    private static long hash(byte[] key, KeyHash.Secrets secrets) {
        return KeyHash.hash(key, 0, key.length, secrets);
    }

    /** Hashes that two keys or more of a family have in common, over many secrets. */
    private static long collisions(byte[][] family) {
        long collisions = 0;
        for (int seed = 0; seed < 200; seed++) {
            KeyHash.Secrets secrets = KeyHash.secrets(new Random(seed));
            Set<Long> hashes = new HashSet<>();
            for (byte[] key : family) {
                hashes.add(hash(key, secrets));
            }
            collisions += family.length - hashes.size();
        }
        return collisions;
    }

    private static byte[] words(long... words) {
        ByteBuffer key = ByteBuffer.allocate(8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            key.putLong(word);
        }
        return key.array();
    }

    /** With fixed constants, a word equal to one of them makes a factor 0, and the other factor does not count. */
    @ParameterizedTest
    @ValueSource(longs = {0xe7037ed1a0b428dbL, 0xa0761d6478bd642fL, 0x8ebc6af09c88c6e3L, 0, 1, -1, Long.MIN_VALUE})
    void noWordHidesTheOthers(long word) {
        Random random = new Random(word);
        for (int words = 1; words <= 8; words++) {
            for (int place = 0; place < words; place++) {
                byte[][] family = new byte[words == 1 ? 1 : 100][];
                for (int i = 0; i < family.length; i++) {
                    long[] key = random.longs(words).toArray();
                    key[place] = word;
                    family[i] = words(key);
                }
                assertEquals(0, collisions(family), "word " + place + " of " + words);
            }
        }
    }

    /** What negates a factor need not depend on the secret; see H2. */
    @Test
    void negatedFactorsDoNotMeet() {
        Random random = new Random(3);
        for (int words = 2; words <= 6; words++) {
            for (int low = 0; low < 4; low++) {
                for (int i = 0; i < 20; i++) {
                    long[] key = random.longs(words).map(word -> word & -2).toArray();
                    key[0] |= low & 1;
                    key[1] |= low >> 1;
                    long[] first = key.clone();
                    first[0] = ~first[0] ^ 1;
                    long[] second = key.clone();
                    second[1] = ~second[1] ^ 1;
                    long[] both = first.clone();
                    both[1] = second[1];
                    long[] firstThenCorrected = first.clone();
                    firstThenCorrected[words - 1] ^= 1;
                    long[] secondThenCorrected = second.clone();
                    secondThenCorrected[words - 1] ^= 1;
                    byte[][] family = {
                        words(key),
                        words(first),
                        words(second),
                        words(both),
                        words(firstThenCorrected),
                        words(secondThenCorrected)
                    };
                    int same = words == 2 ? 1 : 0; // of two words, the last is the second: corrected is then itself
                    assertTrue(collisions(family) <= same * 200L, words + " words, low bits " + low);
                }
            }
        }
    }

    @Test
    void eachSecretMakesAnotherFunction() {
        byte[] key = "a key of some length".getBytes(StandardCharsets.US_ASCII);
        Set<Long> hashes = new HashSet<>();
        for (int seed = 0; seed < 1000; seed++) {
            KeyHash.Secrets secrets = KeyHash.secrets(new Random(seed));
            hashes.add(hash(key, secrets));
        }
        assertEquals(1000, hashes.size());
    }

    @Test
    void eachBitOfAKeyChangesEachBitOfTheHashHalfTheTime() {
        Random random = new Random(4);
        for (int length : new int[] {1, 3, 4, 8, 11, 16, 17, 27, 32, 64}) {
            int rounds = 400;
            int[][] changes = new int[8 * length][Long.SIZE];
            for (int round = 0; round < rounds; round++) {
                KeyHash.Secrets secrets = KeyHash.secrets(random);
                byte[] key = new byte[length];
                random.nextBytes(key);
                long before = hash(key, secrets);
                for (int bit = 0; bit < 8 * length; bit++) {
                    key[bit >> 3] ^= (byte) (1 << (bit & 7));
                    long changed = before ^ hash(key, secrets);
                    key[bit >> 3] ^= (byte) (1 << (bit & 7));
                    for (int i = 0; i < Long.SIZE; i++) {
                        changes[bit][i] += (int) (changed >>> i) & 1;
                    }
                }
            }
            for (int[] ofBit : changes) {
                for (int count : ofBit) {
                    // Half of 400, deviation 10 for a random function: 7 deviations, for 90,000 counts.
                    assertTrue(count > 130 && count < 270, "length " + length + ": " + count + " of " + rounds);
                }
            }
        }
    }
}
