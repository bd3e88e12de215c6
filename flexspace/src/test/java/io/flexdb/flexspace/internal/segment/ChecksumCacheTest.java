package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChecksumCacheTest {
    private static final int ROOM = 20;

    private final SegmentFormat format = new SegmentFormat(32 * 512, 512, 1);
    private final int bytesEach = format.dataFrames * Integer.BYTES;
    private final ChecksumCache cache = new ChecksumCache(format, ROOM * bytesEach);
    private final Segment[] segments = IntStream.range(0, 100)
            .mapToObj(number -> new Segment(number, 1, 0))
            .toArray(Segment[]::new);

    private int[] sumsOf(Segment segment) {
        int[] sums = new int[format.dataFrames];
        Arrays.fill(sums, segment.number);
        return sums;
    }

    private long inMemory() {
        return Arrays.stream(segments)
                .filter(segment -> segment.checksums != null)
                .count();
    }

    @Test
    void thereAreNeverMoreThanThereIsRoomFor() {
        for (int round = 0; round < 3; round++) {
            for (Segment segment : segments) {
                cache.offer(segment, sumsOf(segment));
                assertNotNull(segment.checksums);
                assertTrue(inMemory() <= ROOM);
                assertEquals(inMemory() * bytesEach, cache.memoryBytes());
            }
        }
        assertEquals(ROOM, inMemory());
    }

    @Test
    void thoseNeededAgainStay() {
        Segment wanted = segments[0];
        int[] sums = cache.offer(wanted, sumsOf(wanted));
        for (Segment segment : segments) {
            cache.offer(segment, sumsOf(segment));
            assertSame(sums, wanted.checksums);
            wanted.checksumsUsed = true;
        }
        for (int i = 1; i <= 2 * ROOM; i++) {
            cache.offer(segments[i], sumsOf(segments[i]));
        }
        assertNull(wanted.checksums);
    }

    @Test
    void whatIsNotInTheFileIsNotDroppedBeforeItIsSealed() {
        Segment open = segments[0];
        int[] sums = sumsOf(open);
        open.checksums = sums;
        for (int i = 1; i < segments.length; i++) {
            cache.offer(segments[i], sumsOf(segments[i]));
        }
        assertSame(sums, open.checksums);
        assertSame(sums, cache.offer(open, sumsOf(open)), "those in the footer don't count");
        assertEquals(ROOM + 1, inMemory());
        cache.sealed(open);
        assertEquals(ROOM, inMemory());
        cache.drop(open);
        assertNull(open.checksums);
        assertEquals((ROOM - 1) * bytesEach, cache.memoryBytes());
    }

    @Test
    void readersInManyThreadsFindTheChecksumsOfTheirSegment() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                Random random = new Random(thread);
                ends.add(threads.submit(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        Segment segment = segments[random.nextInt(segments.length)];
                        int[] sums = segment.checksums;
                        if (sums == null) {
                            sums = cache.offer(segment, sumsOf(segment));
                        }
                        segment.checksumsUsed = true;
                        assertEquals(segment.number, sums[random.nextInt(sums.length)]);
                        if (random.nextInt(50) == 0) {
                            cache.drop(segment);
                        }
                    }
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertTrue(inMemory() <= ROOM);
        assertEquals(inMemory() * bytesEach, cache.memoryBytes());
    }
}
