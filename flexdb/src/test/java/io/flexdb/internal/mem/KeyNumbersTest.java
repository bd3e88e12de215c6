package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.testing.Bytecode;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class KeyNumbersTest {

    private final MemTable table = MemTable.allocate(1, 4 << 20);
    private long sequence = 1;

    private void insert(byte[] key) {
        byte[] payload = new byte[(int) WritePayload.putBytes(key.length, 0)];
        int at = WritePayload.encodePutHeader(payload, 0, key.length, 0);
        System.arraycopy(key, 0, payload, at, key.length);
        int reserved = table.reserve(MemTable.bodyBytes(key.length, 0), 1, sequence);
        assertTrue(reserved != MemTable.NONE);
        table.insertAll(payload, 0, payload.length, sequence++, reserved);
    }

    private KeyNumbers numbers() {
        return KeyNumbers.like(table.nodes, table.tree);
    }

    private static long of(KeyNumbers numbers, byte[] key) {
        byte[] within = new byte[key.length + 5];
        Arrays.fill(within, (byte) 0x5A);
        System.arraycopy(key, 0, within, 2, key.length);
        return numbers.of(within, 2, key.length);
    }

    /** A key as files have it: of a keyspace, with an id that begins with zeros. */
    private static byte[] key(int keyspace, long id, String name) {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        return KeyHeads.named(keyspace)
                .stored(ByteBuffer.allocate(8 + text.length)
                        .putLong(id)
                        .put(text)
                        .array());
    }

    @Test
    void whatTheKeysOfAKeyspaceHaveInCommonIsLeftOut() {
        for (int i = 0; i < 1000; i++) {
            insert(key(1, i, "a"));
            insert(key(2, 70_000 + i, "b"));
        }
        KeyNumbers numbers = numbers();
        assertEquals(
                "KeyNumbers[[-1, 1, 1, 0, 0, 0, 0, 0, 0], [-1, 1, 2, 0, 0, 0, 0, 0, 1]]"
                        + "[8:8 9:8 10:8 12:8 13:8 14:8 15:8, 8:8 9:8 10:8 12:8 13:8 14:8 15:8]",
                numbers.toString());
        for (int i = 0; i < 1000; i++) {
            for (int keyspace = 1; keyspace <= 2; keyspace++) {
                long id = keyspace == 1 ? i : 70_000 + i;
                assertTrue(of(numbers, key(keyspace, id, "")) <= of(numbers, key(keyspace, id, "a")));
                assertTrue(of(numbers, key(keyspace, id, "a")) <= of(numbers, key(keyspace, id, "b")));
                assertTrue(of(numbers, key(keyspace, id, "b")) < of(numbers, key(keyspace, id + 1, "")));
            }
        }
        assertTrue(of(numbers, key(1, 999, "zzz")) < of(numbers, key(2, 70_000, "")));
    }

    @Test
    void oneKeyspaceHasAllEightBytes() {
        insert("user-a".getBytes(StandardCharsets.US_ASCII));
        insert("user-b".getBytes(StandardCharsets.US_ASCII));
        KeyNumbers numbers = numbers();
        byte[] one = "user-12345678".getBytes(StandardCharsets.US_ASCII);
        byte[] next = one.clone();
        next[next.length - 1]++;
        assertEquals(1, of(numbers, next) - of(numbers, one));
    }

    @Test
    void digitsOfIdsWithZerosInFrontAreToldApartWhereverTheyAre() {
        for (int i = 0; i < 3000; i++) {
            insert(id(i));
        }
        KeyNumbers numbers = numbers();
        for (int i = 1; i < 10_000; i++) { // it goes on beyond what the sample has
            assertTrue(of(numbers, id(i - 1)) < of(numbers, id(i)), i + " by " + numbers);
        }
    }

    /** A key of a part, a number with zeros in front, and a sign behind it. */
    private static byte[] id(int number) {
        return String.format(Locale.ROOT, "part-%03d/%020d.", number / 100, number)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void aTableWithoutKeysGoesByWhatItWasTold() {
        MemTable empty = MemTable.allocate(2, 1 << 16);
        assertSame(KeyNumbers.OF_ANY, KeyNumbers.like(empty.nodes, empty.tree));
        insert(key(1, 5, "a"));
        insert(key(2, 5, "a"));
        empty.expectKeysLike(table);
        assertEquals(
                numbers().toString(), KeyNumbers.like(empty.nodes, empty.tree).toString());
    }

    /** The constructor's call sites are linked when the class is initialized, before any heap is full. */
    @Test
    void nothingIsLinkedLateWhenNumbersAreMade() {
        for (String method : Bytecode.of(KeyNumbers.class.getName()).split("\\R\\R")) {
            boolean isConstructor = method.contains("private io.flexdb.internal.mem.KeyNumbers(");
            assertEquals(isConstructor, method.contains("invokedynamic"), method);
        }
    }

    @Test
    void ofTwoKeysTheLesserNeverHasTheGreaterNumberWhateverKeysWereExpected() {
        for (int seed = 1; seed <= Effort.times(400); seed++) {
            Random random = new Random(seed);
            table.reset(seed, null);
            sequence = 1;
            for (int i = random.nextInt(seed % 4 == 0 ? 400 : 40); i > 0; i--) {
                insert(random(random));
            }
            KeyNumbers numbers = numbers();
            TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
            for (int i = 0; i < 100; i++) {
                keys.add(random(random));
            }
            byte[] last = null;
            for (byte[] key : keys) {
                if (last != null) {
                    String two = HexFormat.of().formatHex(last) + " and "
                            + HexFormat.of().formatHex(key);
                    assertTrue(of(numbers, last) <= of(numbers, key), two + " by " + numbers + ", seed " + seed);
                }
                last = key;
            }
        }
    }

    /** With heads of all kinds, whole ones and parts of some, and much in common. */
    private static byte[] random(Random random) {
        byte[] key = new byte[random.nextInt(14)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(3) - 1);
        }
        return switch (random.nextInt(4)) {
            case 0 -> key;
            case 1 -> KeyHeads.DEFAULT.stored(key);
            case 2 -> KeyHeads.named(1 + random.nextInt(3)).stored(key);
            default -> KeyHeads.named(238 + random.nextInt(100)).stored(key);
        };
    }
}
