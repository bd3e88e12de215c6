package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class KeyBytesTest {
    private static ByteBuffer buffer(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 3).order(ByteOrder.LITTLE_ENDIAN);
        return buffer.put(3, bytes);
    }

    @Property
    void keysCompareAsStringsOfUnsignedBytes(
            @ForAll @Size(max = 40) byte[] stem, @ForAll @Size(max = 12) byte[] a, @ForAll @Size(max = 12) byte[] b) {
        byte[] x = concat(stem, a);
        byte[] y = concat(stem, b);
        int expected = Integer.signum(Arrays.compareUnsigned(x, y));
        int mismatch = Arrays.mismatch(x, y);
        byte[] shifted = concat(new byte[2], x);
        assertEquals(expected, Integer.signum(KeyBytes.compare(shifted, 2, x.length, buffer(y), 3, y.length)));
        assertEquals(expected, Integer.signum(KeyBytes.compare(buffer(x), 3, x.length, buffer(y), 3, y.length)));
        assertEquals(
                mismatch < 0 ? x.length : mismatch,
                KeyBytes.commonPrefix(buffer(x), 3, x.length, buffer(y), 3, y.length));
        int common = Math.min(x.length, y.length);
        assertEquals(mismatch < 0 || mismatch >= common, KeyBytes.equal(shifted, 2, buffer(y), 3, common));
    }

    @Property
    void aWindowIsEightBytesFilledUpWithZeros(
            @ForAll @Size(max = 30) byte[] key, @ForAll @IntRange(max = 40) int skipped) {
        byte[] eight = skipped >= key.length ? new byte[8] : Arrays.copyOfRange(key, skipped, skipped + 8);
        long expected = ByteBuffer.wrap(eight).getLong();
        assertEquals(expected, KeyBytes.window(concat(new byte[1], key), 1, key.length, skipped));
        assertEquals(expected, KeyBytes.window(buffer(key), 3, key.length, skipped));
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
