package io.flexdb.flexspace.internal.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
    private static final int UNIT = 1024;
    private static final int UNITS = 5003;

    private final BitSet prefetched = new BitSet(); // by unit
    private final BitSet brought = new BitSet();
    private int waits; // reads of what was neither prefetched nor brought before
    private int reads;

    private final VfsFile file = new ForwardingVfsFile(new SimulatedVfs().open(Path.of("/file"), OpenMode.CREATE)) {
        @Override
        public void prefetch(long position, long bytes) {
            assertTrue(bytes > 0 && position + bytes <= size(), position + "+" + bytes);
            int from = (int) (position / UNIT);
            int end = (int) ((position + bytes + UNIT - 1) / UNIT);
            assertTrue(prefetched.nextClearBit(from) < end, "prefetched again");
            prefetched.set(from, end);
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            int from = (int) (position / UNIT);
            int end = from + dst.remaining() / UNIT;
            reads++;
            if (!prefetched.get(from) && !brought.get(from)) {
                waits++;
            }
            brought.set(from, end);
            return super.read(dst, position);
        }
    };

    ReadAheadTest() {
        for (int unit = 0; unit < UNITS; unit++) {
            file.write(ByteBuffer.allocate(UNIT).putInt(0, unit), (long) unit * UNIT);
        }
    }

    private static void read(ReadAhead images, int unit) {
        ByteBuffer buffer = ByteBuffer.allocate(UNIT);
        images.read(buffer, (long) unit * UNIT);
        assertEquals(0, buffer.remaining());
        assertEquals(unit, buffer.getInt(0));
    }

    @Test
    void whatFollowsIsPrefetchedWhereUnitsAreReadInOrder() {
        ReadAhead images = new ReadAhead(file);
        for (int unit = 0; unit < UNITS; unit++) {
            read(images, unit);
        }
        assertTrue(waits < 10, waits + " of " + reads + " reads wait");
        assertTrue(prefetched.get(UNITS - 1));
    }

    @Test
    void nothingIsPrefetchedWhereTheyAreReadInNoOrder() {
        ReadAhead images = new ReadAhead(file);
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            read(images, i % 2 == 0 ? 4500 + random.nextInt(500) : random.nextInt(4000));
        }
        assertEquals(0, prefetched.cardinality());
    }
}
