package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameCacheTest {
    private static final int FRAME = 512;
    private static final int FRAMES = 31; // of a segment
    private static final int CHUNK_FRAMES = (16 << 20) / FRAME;

    private final SegmentFormat format = new SegmentFormat(32 * FRAME, FRAME, 9);
    private final ByteBuffer source = ByteBuffer.allocateDirect(FRAMES * FRAME);
    private final ByteBuffer found = ByteBuffer.allocateDirect(FRAMES * FRAME);

    private FrameCache cacheOf(int frames) {
        return new FrameCache(format, (long) frames * FRAME + FRAME - 1, new OffHeap());
    }

    /** Fills a frame with a number, over and over. */
    private static void name(ByteBuffer buffer, int position, long number) {
        for (int at = position; at < position + FRAME; at += Long.BYTES) {
            buffer.putLong(at, number);
        }
    }

    private void put(FrameCache cache, FrameCache.Frames frames, int frame, long number) {
        name(source, 0, number);
        cache.put(frames, frame, 1, source, 0);
    }

    /** Looks for a whole frame, and reads it. */
    private boolean hit(FrameCache cache, FrameCache.Frames frames, int frame, long number) {
        int copied = cache.copy(frames, frame * FRAME, found, 0, FRAME);
        assertTrue(copied == 0 || copied == FRAME, copied + " bytes of a frame");
        for (int at = 0; at < copied; at += Long.BYTES) {
            assertEquals(number, found.getLong(at));
        }
        return copied > 0;
    }

    @Test
    void framesAreFoundWhereTheyWerePut() {
        FrameCache cache = cacheOf(100);
        FrameCache.Frames one = cache.newFrames();
        FrameCache.Frames other = cache.newFrames();
        for (int frame = 0; frame < FRAMES; frame++) {
            assertFalse(hit(cache, one, frame, 0));
            put(cache, one, frame, frame);
            assertFalse(hit(cache, other, frame, 0), "of another segment, or another use of it");
            put(cache, other, frame, 1000 + frame);
        }
        for (int frame = 0; frame < FRAMES; frame++) {
            assertTrue(hit(cache, one, frame, frame));
            assertTrue(hit(cache, other, frame, 1000 + frame));
        }
        assertEquals(100 * FRAME, cache.memoryBytes());
    }

    @Test
    void bytesAreCopiedUpToTheFirstFrameThatIsNotThere() {
        FrameCache cache = cacheOf(100);
        FrameCache.Frames frames = cache.newFrames();
        for (int i = 0; i < 4; i++) {
            name(source, i * FRAME, 3 + i);
        }
        cache.put(frames, 3, 4, source, 0);
        put(cache, frames, FRAMES - 1, 30);
        int from = 3 * FRAME + 8;
        assertEquals(4 * FRAME - 8, cache.copy(frames, from, found, 16, 20 * FRAME));
        assertEquals(3, found.getLong(16));
        assertEquals(6, found.getLong(16 + 4 * FRAME - 16));
        assertEquals(100, cache.copy(frames, 4 * FRAME - 50, found, 0, 100), "no more than is wanted");
        assertEquals(0, cache.copy(frames, 7 * FRAME, found, 0, FRAME));
        assertEquals(0, cache.copy(frames, 2 * FRAME + 500, found, 0, 100), "the first byte is not there");
        assertEquals(12, cache.missing(frames, 2 * FRAME + 500, 100));
        assertEquals(3 * FRAME, cache.missing(frames, 0, 9 * FRAME));
        assertEquals(FRAME + 10, cache.missing(frames, 0, FRAME + 10));
        assertEquals(23 * FRAME, cache.missing(frames, 7 * FRAME, 24 * FRAME), "up to the segment's last frame");
        assertEquals(20, cache.copy(frames, FRAMES * FRAME - 20, found, 0, 20));
        ByteBuffer inHeap = ByteBuffer.allocate(100);
        assertEquals(100, cache.copy(frames, 5 * FRAME, inHeap, 0, 100));
        assertEquals(5, inHeap.getLong(0));
    }

    @Test
    void framesThatWereHitAreLastToLeave() {
        FrameCache cache = cacheOf(4);
        FrameCache.Frames frames = cache.newFrames();
        for (int frame = 0; frame < 4; frame++) {
            put(cache, frames, frame, frame);
        }
        hit(cache, frames, 0, 0);
        hit(cache, frames, 2, 2);
        put(cache, frames, 4, 4);
        put(cache, frames, 5, 5);
        for (int frame = 0; frame < 6; frame++) {
            assertEquals(frame != 1 && frame != 3, cache.holds(frames, frame), "frame " + frame);
        }
        put(cache, frames, 6, 6);
        assertFalse(cache.holds(frames, 0), "it was not hit since");
    }

    @Test
    void whatIsReadOnceDoesNotDisplaceWhatIsReadAgain() {
        FrameCache cache = cacheOf(16);
        FrameCache.Frames hot = cache.newFrames();
        for (int frame = 0; frame < 8; frame++) {
            put(cache, hot, frame, frame);
        }
        FrameCache.Frames cold = cache.newFrames();
        for (int i = 0; i < 100 * FRAMES; i++) {
            assertTrue(hit(cache, hot, i % 8, i % 8), "after " + i);
            cold = i % FRAMES == 0 ? cache.newFrames() : cold;
            put(cache, cold, i % FRAMES, -1);
        }
    }

    /** Nobody goes through the whole of a large cache to find a slot. */
    @Test
    void whereAllFramesWereHitFewSlotsAreLookedAt() {
        FrameCache cache = cacheOf(200);
        List<FrameCache.Frames> segments = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (i % FRAMES == 0) {
                segments.add(cache.newFrames());
            }
            put(cache, segments.get(i / FRAMES), i % FRAMES, i);
            assertTrue(hit(cache, segments.get(i / FRAMES), i % FRAMES, i));
        }
        FrameCache.Frames late = cache.newFrames();
        int tries = 0;
        while (!cache.holds(late, 1)) {
            put(cache, late, 1, 1);
            tries++;
        }
        assertEquals(4, tries, "64 slots each, and the first one of the second round takes it");
        assertFalse(cache.holds(segments.get(0), 0));
        assertTrue(cache.holds(segments.get(0), 1));
    }

    @Test
    void aFrameIsPutOnce() {
        FrameCache cache = cacheOf(4);
        FrameCache.Frames frames = cache.newFrames();
        put(cache, frames, 0, 7);
        for (int i = 0; i < 10; i++) {
            put(cache, frames, 1, 8);
        }
        assertTrue(hit(cache, frames, 0, 7));
    }

    @Test
    void memoryIsTakenAsItFills() {
        FrameCache cache = cacheOf(2 * CHUNK_FRAMES + 10);
        assertEquals(0, cache.memoryBytes());
        FrameCache.Frames frames = null;
        for (int i = 0; i <= 2 * CHUNK_FRAMES; i++) {
            frames = i % FRAMES == 0 ? cache.newFrames() : frames;
            put(cache, frames, i % FRAMES, i);
            int chunks = i / CHUNK_FRAMES + 1;
            long most = (2 * CHUNK_FRAMES + 10) * FRAME;
            assertEquals(Math.min(most, (long) chunks * CHUNK_FRAMES * FRAME), cache.memoryBytes());
        }
    }

    @Test
    void aCacheForWhichThereIsNoMoreMemoryStaysAsItIsUntilThereIsSome() {
        AtomicInteger allocations = new AtomicInteger();
        AtomicInteger mostAllocations = new AtomicInteger(2);
        AtomicLong room = new AtomicLong(Long.MAX_VALUE); // which nobody knows
        OffHeap memory = new OffHeap(
                bytes -> {
                    if (allocations.incrementAndGet() > mostAllocations.get()) {
                        throw new OutOfMemoryError("of a test");
                    }
                    return ByteBuffer.allocateDirect(bytes);
                },
                room::get,
                0);
        FrameCache cache = new FrameCache(format, 4L * CHUNK_FRAMES * FRAME, memory);
        FrameCache.Frames frames = null;
        for (int i = 0; i < 10 * CHUNK_FRAMES; i++) {
            frames = i % FRAMES == 0 ? cache.newFrames() : frames;
            put(cache, frames, i % FRAMES, i);
            assertTrue(cache.holds(frames, i % FRAMES), "frame " + i);
        }
        assertEquals(3, allocations.get());
        assertEquals(2L * CHUNK_FRAMES * FRAME, cache.memoryBytes());
        mostAllocations.set(5);
        room.set(1L << 30);
        fill(cache, 5 * CHUNK_FRAMES);
        assertEquals(4L * CHUNK_FRAMES * FRAME, cache.memoryBytes(), "there was some later");
        mostAllocations.set(0);
        FrameCache none = new FrameCache(format, FRAME, memory);
        FrameCache.Frames unlucky = none.newFrames();
        put(none, unlucky, 0, 0);
        assertFalse(hit(none, unlucky, 0, 0));
    }

    private void fill(FrameCache cache, int frameCount) {
        FrameCache.Frames frames = null;
        for (int i = 0; i < frameCount; i++) {
            frames = i % FRAMES == 0 ? cache.newFrames() : frames;
            put(cache, frames, i % FRAMES, i);
        }
    }

    @Test
    void memoryThatIsAskedForIsGivenInChunksUntilTheNextLimit() {
        long chunkBytes = (long) CHUNK_FRAMES * FRAME;
        FrameCache cache = cacheOf(3 * CHUNK_FRAMES + 10);
        FrameCache.Frames first = cache.newFrames();
        put(cache, first, 0, 77);
        fill(cache, 3 * CHUNK_FRAMES + 9);
        assertEquals(3 * chunkBytes + 10 * FRAME, cache.memoryBytes());
        assertEquals(10 * FRAME, cache.giveBack(1));
        assertEquals(chunkBytes, cache.giveBack(chunkBytes));
        assertEquals(2 * chunkBytes, cache.memoryBytes());
        assertTrue(hit(cache, first, 0, 77), "what has its memory still");
        fill(cache, 4 * CHUNK_FRAMES);
        assertEquals(2 * chunkBytes, cache.memoryBytes(), "it does not grow by itself");
        cache.limit(3 * chunkBytes - 1);
        fill(cache, 4 * CHUNK_FRAMES);
        assertEquals(2 * chunkBytes, cache.memoryBytes());
        cache.limit(Long.MAX_VALUE);
        fill(cache, 4 * CHUNK_FRAMES);
        assertEquals(3 * chunkBytes + 10 * FRAME, cache.memoryBytes());
        assertEquals(3 * chunkBytes + 10 * FRAME, cache.giveBack(Long.MAX_VALUE));
        assertEquals(0, cache.giveBack(1));
        assertFalse(hit(cache, first, 0, 77));
        cache.limit(0);
        fill(cache, 100);
        assertEquals(0, cache.memoryBytes());
    }

    @Test
    void aFrameIsNotFoundInMemoryThatWasGivenBackAndTakenAgain() {
        FrameCache cache = cacheOf(2 * CHUNK_FRAMES);
        List<FrameCache.Frames> all = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < CHUNK_FRAMES; i++) {
                FrameCache.Frames frames = i % FRAMES == 0 ? cache.newFrames() : all.get(all.size() - 1);
                if (i % FRAMES == 0) {
                    all.add(frames);
                }
                put(cache, frames, i % FRAMES, all.size());
            }
            for (int i = 0; i < all.size(); i++) {
                hit(cache, all.get(i), 0, i + 1); // there or not, it is no other's
            }
            cache.giveBack(Long.MAX_VALUE);
            all.forEach(frames -> assertFalse(cache.holds(frames, 0)));
            cache.limit(Long.MAX_VALUE);
        }
    }

    /** Frames come and go so fast that most copies are overtaken by the next frame in their slot. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void readersNeverSeeAnotherFrameNorPartsOfTwo(int slots) throws InterruptedException {
        FrameCache cache = cacheOf(slots);
        List<FrameCache.Frames> segments = List.of(cache.newFrames(), cache.newFrames());
        AtomicReference<Throwable> problem = new AtomicReference<>();
        AtomicLong hits = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SplittableRandom random = new SplittableRandom(i);
            FrameCacheTest own = new FrameCacheTest(); // its buffers
            threads.add(new Thread(() -> {
                for (int turn = 0; turn < Effort.times(500_000) && problem.get() == null; turn++) {
                    int segment = random.nextInt(2);
                    int frame = random.nextInt(4);
                    if (turn % 50_000 == 49_999) {
                        cache.giveBack(1);
                        cache.limit(Long.MAX_VALUE);
                    }
                    if (own.hit(cache, segments.get(segment), frame, 10 * segment + frame)) {
                        hits.incrementAndGet();
                    } else {
                        own.put(cache, segments.get(segment), frame, 10 * segment + frame);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.setUncaughtExceptionHandler((failed, e) -> problem.set(e));
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(problem.get(), () -> "" + problem.get());
        System.out.println(hits + " hits of " + Effort.times(2_000_000));
        assertTrue(hits.get() > 1000, hits + " hits");
    }
}
