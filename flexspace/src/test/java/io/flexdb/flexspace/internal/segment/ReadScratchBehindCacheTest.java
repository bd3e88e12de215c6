package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.memory.OffHeap;

/** The same where a cache is asked first, which is too small for what is read. */
class ReadScratchBehindCacheTest extends ReadScratchTest {
    @Override
    FrameCache cache(SegmentFormat ofFormat) {
        return FrameCache.of(ofFormat, ofFormat.frameBytes, new OffHeap());
    }
}
