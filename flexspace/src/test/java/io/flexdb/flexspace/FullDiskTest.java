package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a full disk refuses costs a few attempts to take space and a few sweeps, and is taken once there is some. */
class FullDiskTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int MAX_CLAIMS = 48; // of a change; those of most are one or two
    private static final int MAX_CLAIMED_BYTES = 2 << 20;
    private static final int MAX_SWEEPS = 20;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(64 << 10, 512)
            .withCheckpointLogBytes(256 << 10)
            .withLogBufferBytes(32 << 10);

    /** Counts how often disk space is asked for, and what is written to have it. */
    private static final class ClaimsVfs extends ForwardingVfs {
        private int claims;
        private long claimedBytes;

        ClaimsVfs(SimulatedVfs vfs) {
            super(vfs);
        }

        void change() {
            claims = 0;
            claimedBytes = 0;
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            return new ForwardingVfsFile(super.open(file, mode)) {
                private boolean claiming;

                @Override
                public void allocate(long position, long bytes) {
                    assertTrue(++claims <= MAX_CLAIMS, "one change asks for disk space again and again");
                    claiming = true;
                    try {
                        super.allocate(position, bytes);
                    } finally {
                        claiming = false;
                    }
                }

                @Override
                public void write(ByteBuffer src, long position) {
                    int length = src.remaining();
                    super.write(src, position);
                    claimedBytes += claiming ? length : 0;
                }
            };
        }
    }

    /** A space on a disk of its own, beside an array. */
    private static final class Filled {
        private final SimulatedVfs disk = new SimulatedVfs();
        private final ClaimsVfs vfs = new ClaimsVfs(disk);
        private final Random random;
        private final FlexSpace space;
        private final byte[] model;
        private int size;
        private int refusals;
        private int mostClaims;
        private long mostClaimedBytes;

        Filled(long seed, FlexSpaceOptions options, int diskBytes) {
            random = new Random(seed);
            space = FlexSpace.open(vfs, DIRECTORY, options);
            model = new byte[2 * diskBytes];
            disk.setCapacity(diskBytes);
        }

        int anywhere(int length) {
            return random.nextInt(size - length + 1);
        }

        boolean insert(int offset, int length) {
            byte[] bytes = SpaceOracle.randomBytes(random, length);
            if (isRefused(() -> space.insertRange(offset, ByteBuffer.wrap(bytes)))) {
                return false;
            }
            System.arraycopy(model, offset, model, offset + length, size - offset);
            System.arraycopy(bytes, 0, model, offset, length);
            size += length;
            return true;
        }

        void overwrite(int offset, int length) {
            byte[] bytes = SpaceOracle.randomBytes(random, length);
            if (!isRefused(() -> space.write(offset, ByteBuffer.wrap(bytes)))) {
                System.arraycopy(bytes, 0, model, offset, length);
            }
        }

        void collapse(int offset, int length) {
            assertFalse(isRefused(() -> space.collapseRange(offset, length)), "what removes was refused");
            System.arraycopy(model, offset + length, model, offset, size - offset - length);
            size -= length;
        }

        void appendUntilRefused(int length) {
            while (insert(size, length)) {
                assertTrue(size <= model.length - length, "the disk holds more than it can");
            }
        }

        private boolean isRefused(Runnable change) {
            long scanned = space.stats().collection().extentsScanned();
            vfs.change();
            try {
                change.run();
                return false;
            } catch (StoreFullException e) {
                refusals++;
                mostClaims = Math.max(mostClaims, vfs.claims);
                mostClaimedBytes = Math.max(mostClaimedBytes, vfs.claimedBytes);
                FlexSpaceStats stats = space.stats();
                scanned = stats.collection().extentsScanned() - scanned;
                assertTrue(scanned <= MAX_SWEEPS * stats.tree().extents(), scanned + " extents scanned, " + stats);
                return true;
            }
        }

        void assertSame() {
            assertArrayEquals(Arrays.copyOf(model, size), SpaceOracle.contentOf(space));
            space.checkInvariants();
        }
    }

    @Test
    void aRefusalCostsAFewAttempts() {
        int mostClaims = 0;
        long mostClaimedBytes = 0;
        for (long seed = 0; seed < Effort.times(4); seed++) {
            Filled filled = fillAtRandom(seed);
            mostClaims = Math.max(mostClaims, filled.mostClaims);
            mostClaimedBytes = Math.max(mostClaimedBytes, filled.mostClaimedBytes);
        }
        System.out.println("at most " + mostClaims + " claims, " + mostClaimedBytes + " bytes for a refusal");
        assertTrue(mostClaimedBytes <= MAX_CLAIMED_BYTES, mostClaimedBytes + " bytes written to take space");
    }

    /** Small records anywhere make a large tree, so that it is the FlexTree file and the log that want space, too. */
    private static Filled fillAtRandom(long seed) {
        Random random = new Random(seed);
        FlexSpaceOptions options = OPTIONS.withCheckpointLogBytes(64L << 10 + random.nextInt(5))
                .withLogBufferBytes(2048 << random.nextInt(6));
        Filled filled = new Filled(seed, options, (3 << 20) + random.nextInt(2 << 20));
        int record = 20 + random.nextInt(200);
        boolean inOrder = random.nextInt(4) == 0;
        while (filled.refusals < 25) {
            int dice = random.nextInt(100);
            int length = 1 + random.nextInt(record);
            if (dice < 55 || filled.size < 10 * record) {
                filled.insert(inOrder ? filled.size : filled.anywhere(0), length);
            } else if (dice < 77) {
                filled.overwrite(filled.anywhere(length), length);
            } else if (dice < 96) {
                filled.collapse(filled.anywhere(length), length);
            } else if (dice < 97) {
                filled.insert(filled.anywhere(0), 1 + random.nextInt(2 * OPTIONS.segmentBytes()));
            } else {
                filled.space.sync();
            }
        }
        filled.assertSame();
        filled.space.close();
        return filled;
    }

    @Test
    void whatOthersFreeIsFoundByTheNextChange() {
        int bytes = 2 << 20;
        Filled filled = new Filled(1, OPTIONS, bytes);
        filled.appendUntilRefused(200);
        for (int i = 0; i < 10; i++) {
            assertFalse(filled.insert(17, 200));
        }
        filled.disk.setCapacity(bytes + 4L * OPTIONS.segmentBytes());
        assertTrue(filled.insert(17, 200));
        filled.appendUntilRefused(200);
        filled.disk.setCapacity(Long.MAX_VALUE);
        assertTrue(filled.insert(17, 20 * OPTIONS.segmentBytes()));
        filled.space.checkpoint();
        filled.assertSame();
        filled.space.close();
    }

    @Test
    void whatIsRemovedMakesRoomAtOnce() {
        Filled filled = new Filled(2, OPTIONS, 2 << 20);
        for (int round = 0; round < 4; round++) {
            filled.appendUntilRefused(200);
            filled.collapse(1000, 8 * OPTIONS.segmentBytes());
            int before = filled.refusals;
            for (int i = 0; i < 2 * OPTIONS.segmentBytes() / 200; i++) {
                filled.insert(filled.anywhere(0), 200);
            }
            assertEquals(before, filled.refusals, "refused although there is room again");
        }
        filled.assertSame();
        filled.space.close();
    }
}
