package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHeads;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys of one request in their order. */
class KeyListTest {
    @Test
    void keysComeInTheirOrderAndThoseThatAreEqualInThatOfTheRequest() {
        long seed = new Random().nextLong();
        System.out.println("KeyListTest seed " + seed);
        Random random = new Random(seed);
        KeyList list = new KeyList();
        for (int round = 0; round < 300; round++) {
            int count = round < 100 ? round : random.nextInt(3000);
            byte[][] keys = new byte[count][];
            list.clear();
            for (int i = 0; i < count; i++) {
                keys[i] = new byte[1 + random.nextInt(round % 7 == 0 ? 3 : 40)];
                random.nextBytes(keys[i]);
                if (round % 5 == 0) {
                    keys[i][0] = (byte) (i * 250L / count); // nearly in order
                }
                if (i % 2 == 0) {
                    list.add(KeyHeads.RAW, keys[i]);
                } else {
                    list.add(KeyHeads.RAW, ByteBuffer.wrap(keys[i]));
                }
            }
            list.sort();
            assertEquals(count, list.count());
            boolean[] seen = new boolean[count];
            for (int place = 0; place < count; place++) {
                int key = list.inOrder(place);
                assertTrue(!seen[key]);
                seen[key] = true;
                byte[] copy = new byte[list.length(key)];
                list.copy(key, copy);
                assertArrayEquals(keys[key], copy);
                if (place > 0) {
                    int before = list.inOrder(place - 1);
                    int order = Arrays.compareUnsigned(keys[before], keys[key]);
                    assertTrue(order < 0 || order == 0 && before < key);
                }
            }
        }
    }
}
