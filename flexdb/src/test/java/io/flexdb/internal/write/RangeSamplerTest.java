package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.internal.interval.Interval;
import org.junit.jupiter.api.Test;

class RangeSamplerTest {
    @Test
    void keysOfLargeSpacesAreFartherApartUpToABound() {
        assertEquals(Interval.MAX_BYTES, RangeSampler.stride(0));
        assertEquals(Interval.MAX_BYTES, RangeSampler.stride(1L << 30));
        assertEquals(3 * Interval.MAX_BYTES / 2, RangeSampler.stride(3L << 29));
        assertEquals(2 * Interval.MAX_BYTES, RangeSampler.stride(1L << 31));
        assertEquals(2 * Interval.MAX_BYTES, RangeSampler.stride(1L << 45));
    }
}
