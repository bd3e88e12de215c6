package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SavedOutlinesTest {
    private final Epochs epochs = new Epochs();

    private IntervalCache newCache() {
        return new IntervalCache(epochs, 1 << 20, new OffHeap());
    }

    private static ByteBuffer image(long content, int pairs, int longest, Random random) {
        byte[][] keys = new byte[pairs][];
        byte[][] values = new byte[pairs][];
        Arrays.setAll(keys, i -> new byte[] {(byte) (i >> 8), (byte) i});
        Arrays.setAll(values, i -> new byte[longest == 0 ? 100 : random.nextInt(longest)]);
        return Images.build(content, keys, values);
    }

    private static ByteBuffer save(IntervalCache cache, long content, int pairs) {
        ByteBuffer saved = ByteBuffer.allocate(1 << 10).order(ByteOrder.LITTLE_ENDIAN);
        new SavedOutlines(cache).save(content, pairs, saved);
        return saved.flip();
    }

    /** Of pairs of one length, of lengths that differ little, and much. */
    @Property
    void whatWasSavedOfADirectoryOrOutlineIsRestored(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 255) int pairs, @ForAll boolean ofOutline) {
        Random random = new Random(seed);
        int longest = new int[] {0, 20, 250}[random.nextInt(3)];
        ByteBuffer image = image(7, pairs, longest, random);
        IntervalCache cache = newCache();
        assertTrue((ofOutline ? cache.insertOutline(image, 0) : cache.insert(image, 0, false)) >= 0);
        ByteBuffer saved = save(cache, 7, pairs);
        IntervalCache other = newCache();
        SavedOutlines outlines = new SavedOutlines(other);
        assertTrue(outlines.restore(99, 1, 5, ByteBuffer.wrap(new byte[1])), "that there is none");
        assertTrue(outlines.restore(8, pairs, Directory.dataBytes(image, 0), saved));
        assertFalse(saved.hasRemaining());
        Images.assertIsOutline(image, other, 8);
        outlines.forgetRestored();
        assertFalse(other.contains(8));
    }

    @Test
    void onlyWhatTheIndexHasCountedIsSaved() {
        IntervalCache cache = newCache();
        cache.insert(image(7, 30, 0, new Random(1)), 0, false);
        assertEquals(1, save(cache, 7, 0xFFFF).remaining());
        assertEquals(1, save(cache, 8, 30).remaining());
        assertNotEquals(1, save(cache, 7, 30).remaining());
        cache.insert(image(9, 256, 0, new Random(1)), 0, false);
        assertEquals(1, save(cache, 9, 256).remaining(), "more than a byte can count");
    }

    @Test
    void bytesThatAreNoOutlineOfTheIntervalAreRefused() {
        Random random = new Random(3);
        ByteBuffer image = image(7, 40, 250, random);
        int bytes = Directory.dataBytes(image, 0);
        IntervalCache cache = newCache();
        cache.insert(image, 0, false);
        ByteBuffer saved = save(cache, 7, 40);
        SavedOutlines outlines = new SavedOutlines(newCache());
        assertFalse(outlines.restore(1, 41, bytes, saved.duplicate().order(ByteOrder.LITTLE_ENDIAN)));
        assertFalse(outlines.restore(1, 40, bytes + 1, saved.duplicate().order(ByteOrder.LITTLE_ENDIAN)));
        for (int length = 0; length < saved.limit(); length++) {
            ByteBuffer cut = saved.duplicate().order(ByteOrder.LITTLE_ENDIAN).limit(length);
            assertFalse(outlines.restore(1, 40, bytes, cut), "of length " + length);
        }
        for (int i = 0; i < 100_000; i++) { // whatever they are, none of them leads anywhere but into the interval
            ByteBuffer hostile = saved.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            byte[] mutated = Arrays.copyOf(saved.array(), saved.limit());
            mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
            hostile = ByteBuffer.wrap(mutated).order(ByteOrder.LITTLE_ENDIAN);
            IntervalCache other = i % 1000 == 0 ? newCache() : null;
            SavedOutlines into = other == null ? outlines : new SavedOutlines(other);
            if (into.restore(2, 40, bytes, hostile) && other != null && other.contains(2)) {
                long location = other.find(2, 0);
                int last = 0;
                for (int pair = 1; pair <= 40; pair++) {
                    int at = Directory.relativePosition(other.buffer(location), other.base(location), pair);
                    assertTrue(at > last && at <= bytes);
                    last = at;
                }
            }
        }
    }
}
