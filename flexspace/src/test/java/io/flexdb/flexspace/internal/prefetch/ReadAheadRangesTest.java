package io.flexdb.flexspace.internal.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadAheadRangesTest {
    private static final int PIECE = ReadAhead.PIECE_BYTES;
    private static final int PIECES_AHEAD = ReadAhead.AHEAD_BYTES / PIECE;

    private final List<String> prefetched = new ArrayList<>();

    private VfsFile file(int bytes) {
        VfsFile file = new SimulatedVfs().open(Path.of("/file"), OpenMode.CREATE);
        file.write(ByteBuffer.allocate(bytes), 0);
        return new ForwardingVfsFile(file) {
            @Override
            public void prefetch(long position, long length) {
                prefetched.add(position + "+" + length);
            }
        };
    }

    @Test
    void asMuchIsPrefetchedAsTheDiskNeedsToGoOn() {
        ReadAhead ranges = new ReadAhead(file(10 * ReadAhead.AHEAD_BYTES));
        assertTrue(PIECES_AHEAD > 2);
        ranges.add(100, 8L * ReadAhead.AHEAD_BYTES);
        assertEquals(List.of(), prefetched);
        ranges.beforeRead(PIECE);
        assertEquals(PIECES_AHEAD + 1, prefetched.size(), "what is read, and so much ahead");
        assertEquals("100+" + PIECE, prefetched.get(0));
        ranges.beforeRead(PIECE / 2);
        ranges.beforeRead(PIECE / 2);
        assertEquals(PIECES_AHEAD + 2, prefetched.size());
        assertEquals(100 + (PIECES_AHEAD + 1) * PIECE + "+" + PIECE, prefetched.get(PIECES_AHEAD + 1));
        ranges.beforeRead(3 * PIECE);
        assertEquals(PIECES_AHEAD + 5, prefetched.size());
    }

    @Test
    void rangesThatAdjoinAreOneAndNothingBetweenOthersIsPrefetched() {
        ReadAhead ranges = new ReadAhead(file(100 * PIECE));
        ranges.add(10, PIECE - 5);
        ranges.add(PIECE + 5, 25);
        ranges.add(7 * PIECE, 10);
        ranges.add(9 * PIECE, 2 * PIECE);
        ranges.beforeRead(1);
        assertEquals(
                List.of(
                        "10+" + PIECE,
                        PIECE + 10 + "+20",
                        7 * PIECE + "+10",
                        9 * PIECE + "+" + PIECE,
                        10 * PIECE + "+" + PIECE),
                prefetched);
        ranges.beforeRead(4 * PIECE);
        ranges.beforeRead(4 * PIECE);
        assertEquals(5, prefetched.size(), "there is no more");
    }

    @Test
    void moreRangesThanAreExpectedAreKept() {
        ReadAhead ranges = new ReadAhead(file(100 * PIECE));
        for (int i = 0; i < 100; i++) {
            ranges.add(10L * i, 5);
        }
        ranges.beforeRead(1);
        assertEquals(100, prefetched.size());
        assertEquals("990+5", prefetched.get(99));
    }

    @Test
    void nothingIsPrefetchedBeyondTheEndOfTheFile() {
        ReadAhead ranges = new ReadAhead(file(PIECE + 50));
        ranges.add(0, 3 * PIECE);
        ranges.add(5 * PIECE, PIECE);
        ranges.beforeRead(PIECE);
        assertEquals(List.of("0+" + PIECE, PIECE + "+50"), prefetched);
        ranges.beforeRead(4 * PIECE);
        assertEquals(2, prefetched.size());
    }
}
