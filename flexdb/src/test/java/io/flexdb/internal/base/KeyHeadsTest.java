package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys of many keyspaces in one order (H1, H2). */
class KeyHeadsTest {
    private static final int[] NUMBERS = {
        0,
        1,
        2,
        238,
        239,
        240,
        241,
        254,
        255,
        256,
        511,
        65_535,
        65_536,
        65_537,
        0xFFFFFF,
        0x1000000,
        KeyHeads.MAX_NUMBER
    };

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void aKeyOfTheDefaultKeyspaceHasAHeadOnlyIfItBeginsWithTheHighestByte() {
        byte[] usual = bytes(0xFE, 0xFF);
        assertSame(usual, KeyHeads.DEFAULT.stored(usual));
        assertEquals("ff00ff", hex(KeyHeads.DEFAULT.stored(bytes(0xFF))));
        assertEquals("ff00ff0102", hex(KeyHeads.DEFAULT.stored(bytes(0xFF, 1, 2))));
        assertEquals("ff01", hex(KeyHeads.DEFAULT.end()));
        assertNull(KeyHeads.DEFAULT.begin());
    }

    @Test
    void aNumberTakesAsFewBytesAsItCan() {
        assertEquals("ff0100", hex(KeyHeads.DIRECTORY.begin()));
        assertEquals("ff01ef", hex(KeyHeads.named(239).begin()));
        assertEquals("ff01f0f0", hex(KeyHeads.named(240).begin()));
        assertEquals("ff01f0ff", hex(KeyHeads.named(255).begin()));
        assertEquals("ff01f1", hex(KeyHeads.named(255).end()));
        assertEquals("ff01f10100", hex(KeyHeads.named(256).begin()));
        assertEquals("ff01f2010000", hex(KeyHeads.named(65_536).begin()));
        assertEquals("ff01f37fffffff", hex(KeyHeads.named(KeyHeads.MAX_NUMBER).begin()));
        assertEquals(
                KeyHeads.MAX_HEAD_BYTES, KeyHeads.named(KeyHeads.MAX_NUMBER).begin().length);
    }

    @Test
    void keyspacesAreRangesThatDoNotMeet() {
        byte[] behind = KeyHeads.DEFAULT.end();
        for (int number : NUMBERS) {
            KeyHeads heads = KeyHeads.named(number);
            assertTrue(Arrays.compareUnsigned(behind, heads.begin()) <= 0, () -> "number " + number);
            assertTrue(Arrays.compareUnsigned(heads.begin(), heads.end()) < 0, () -> "number " + number);
            behind = heads.end();
        }
    }

    @Test
    void keysKeepTheirOrderAndComeBackAsTheyWere() {
        long seed = new Random().nextLong();
        System.out.println("KeyHeadsTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            KeyHeads heads =
                    round % 2 == 0 ? KeyHeads.DEFAULT : KeyHeads.named(NUMBERS[random.nextInt(NUMBERS.length)]);
            byte[] a = key(random);
            byte[] b = key(random);
            byte[] storedA = heads.stored(a);
            byte[] storedB = heads.stored(ByteBuffer.wrap(b));
            assertEquals(
                    Integer.signum(Arrays.compareUnsigned(a, b)),
                    Integer.signum(Arrays.compareUnsigned(storedA, storedB)),
                    () -> hex(a) + " " + hex(b));
            assertTrue(heads.begin() == null || Arrays.compareUnsigned(heads.begin(), storedA) < 0);
            assertTrue(Arrays.compareUnsigned(storedA, heads.end()) < 0);
            int head = heads.bytesOf(storedA[0]);
            assertArrayEquals(a, Arrays.copyOfRange(storedA, head, storedA.length));
            assertEquals(head, KeyHeads.headBytes(storedA));
            assertEquals(heads != KeyHeads.DEFAULT, KeyHeads.isNamed(storedA));
        }
    }

    /** Bytes that heads are made of, mostly. */
    private static byte[] key(Random random) {
        byte[] key = new byte[1 + random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
            key[i] = random.nextInt(4) == 0 ? (byte) random.nextInt() : (byte) (random.nextInt(5) - 2);
        }
        return key;
    }

    @Test
    void aKeyThatIsChangedWhileItIsCopiedDoesNotGetIntoAnotherKeyspace() {
        byte[] key = bytes(1, 1, 0);
        byte[] head = KeyHeads.DEFAULT.of(key);
        key[0] = (byte) 0xFF; // by another thread
        assertThrows(IllegalArgumentException.class, () -> KeyHeads.DEFAULT.copy(head, key, new byte[10], 0));
        ByteBuffer buffer = ByteBuffer.wrap(key);
        assertThrows(IllegalArgumentException.class, () -> KeyHeads.DEFAULT.copy(head, buffer, new byte[10], 0));
        assertEquals(3, KeyHeads.RAW.copy(head, key, new byte[10], 0));
    }

    @Test
    void behindAPrefixComesItsSuccessor() {
        assertArrayEquals(bytes(2), KeyHeads.behind(bytes(1)));
        assertArrayEquals(bytes(2), KeyHeads.behind(bytes(1, 0xFF, 0xFF)));
        assertArrayEquals(bytes(0x80), KeyHeads.behind(bytes(0x7F, 0xFF)));
        assertNull(KeyHeads.behind(bytes(0xFF, 0xFF)));
    }
}
