package io.flexdb.flexspace.internal.segment;

/** The same where a cache is asked first, which is too small for what is read. */
class ReadWindowBehindCacheTest extends ReadWindowTest {
    @Override
    FrameCache cache(SegmentFormat ofFormat) {
        return FrameCache.of(ofFormat, ofFormat.frameBytes);
    }
}
