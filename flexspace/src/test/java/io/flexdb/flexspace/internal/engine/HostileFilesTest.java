package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.log.LogicalLogTest;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Files whose checksums are right and whose content is not. Nothing but a {@link StorageException} may come of it, in
 * bounded time and memory.
 */
class HostileFilesTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final long STORE_ID = 0x1234567890ABCDEFL;
    private static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults().withSegments(32 * 512, 512);
    private static final int HEADER = 0; // of tree version 2

    private static SimulatedVfs good;
    private static byte[] tree;
    private static byte[] log;
    private static Path logPath;

    private int refused;
    private int accepted;

    /** A tree of two levels, several segments, an open one, and a log with edits of every kind and notes. */
    @BeforeAll
    static void makeSpace() {
        SimulatedVfs vfs = new SimulatedVfs();
        SpaceEngine.create(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(SMALL), List.of());
        Random random = new Random(1);
        try (SpaceEngine engine =
                SpaceEngine.open(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(SMALL), new Epochs())) {
            for (int i = 0; i < 300; i++) {
                edit(engine, random);
            }
            engine.insertHole(100, 5000);
            engine.checkpoint();
            for (int batch = 0; batch < 3; batch++) {
                for (int i = 0; i < 12; i++) {
                    edit(engine, random);
                }
                engine.insertHole(100, 50);
                engine.collapse(50, 500);
                engine.move(100, 700, 3000);
                engine.punchHole(2000, 900);
                engine.move(5000, 1200, 10);
                engine.sync(batch + 1);
            }
        }
        good = vfs.copy();
        tree = good.content(DIRECTORY.resolve("tree"));
        logPath = DIRECTORY.resolve(vfs.list(DIRECTORY).get(1));
        log = good.content(logPath);
    }

    private static void edit(SpaceEngine engine, Random random) {
        byte[] bytes = new byte[1 + random.nextInt(400)];
        random.nextBytes(bytes);
        if (engine.size() > 10_000 && random.nextInt(4) == 0) {
            engine.overwrite(random.nextInt(9000), ByteBuffer.wrap(bytes), 0, bytes.length, 0);
        } else {
            engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.wrap(bytes), 0, bytes.length, 0);
        }
    }

    private static List<Long> values(long original) {
        return LongStream.of(
                        0,
                        1,
                        -1,
                        2,
                        3,
                        7,
                        64,
                        255,
                        256,
                        1 << 16,
                        1L << 31,
                        1L << 32,
                        1L << 61,
                        1L << 62,
                        original + 1,
                        original - 1,
                        original * 2,
                        ~original,
                        original ^ 1L << 15,
                        Integer.MAX_VALUE,
                        Integer.MIN_VALUE,
                        Long.MAX_VALUE,
                        Long.MIN_VALUE,
                        Long.MAX_VALUE / 2 + 1)
                .boxed()
                .toList();
    }

    /** Sets each field of so many bytes to each strange value. */
    private void mutate(
            byte[] original, int from, int to, int fieldBytes, Path path, Consumer<ByteBuffer> fixChecksums) {
        for (int at = from; at + fieldBytes <= to; at += fieldBytes) {
            ByteBuffer source = ByteBuffer.wrap(original).order(ByteOrder.LITTLE_ENDIAN);
            long was = fieldBytes == 2 ? source.getShort(at) : fieldBytes == 4 ? source.getInt(at) : source.getLong(at);
            for (long value : Effort.some(values(was))) {
                ByteBuffer bad = ByteBuffer.wrap(original.clone()).order(ByteOrder.LITTLE_ENDIAN);
                switch (fieldBytes) {
                    case 2 -> bad.putShort(at, (short) value);
                    case 4 -> bad.putInt(at, (int) value);
                    default -> bad.putLong(at, value);
                }
                fixChecksums.accept(bad);
                open(path, bad.array(), fieldBytes + " bytes at " + at + " of " + path + " set to " + value);
            }
        }
    }

    private void open(Path path, byte[] bytes, String what) {
        SimulatedVfs vfs = good.copy();
        vfs.setContent(path, bytes);
        try {
            SpaceEngine engine = SpaceEngine.open(vfs, DIRECTORY, 0, OwnedSpaces.settings(SMALL), new Epochs());
            accepted++;
            try {
                use(engine);
            } finally {
                engine.close();
            }
        } catch (StorageException e) {
            refused++;
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what, e);
        }
    }

    /** Whatever was accepted must be usable, if not readable. */
    private static void use(SpaceEngine engine) {
        engine.checkInvariants();
        try {
            int length = (int) Math.min(engine.size(), 60_000);
            engine.reads().read(engine.current(), 0, ByteBuffer.allocate(length), 0, length);
        } catch (StorageException e) {
            // It was noticed late.
        }
        engine.insert(engine.size() / 2, ByteBuffer.wrap(new byte[100]), 0, 100, 0);
        engine.collapse(0, 50);
        engine.checkpoint();
        engine.checkInvariants();
    }

    private static void fixHeader(ByteBuffer bad) {
        bad.putInt(HEADER + 24, FilePreamble.crc(bad, HEADER, 24));
        bad.putInt(HEADER + 96, FilePreamble.crc(bad, HEADER, 96));
    }

    private static int slotPosition(ByteBuffer bytes, int at) {
        return (int) TreeFileFormat.slotPosition(bytes.getInt(at));
    }

    @Test
    void headers() {
        mutate(tree, HEADER + 8, HEADER + 32, 4, DIRECTORY.resolve("tree"), HostileFilesTest::fixHeader);
        mutate(tree, HEADER + 32, HEADER + 64, 8, DIRECTORY.resolve("tree"), HostileFilesTest::fixHeader);
        mutate(tree, HEADER + 64, HEADER + 96, 4, DIRECTORY.resolve("tree"), HostileFilesTest::fixHeader);
        assertTrue(refused > Effort.times(200), refused + " refused, " + accepted + " accepted");
    }

    @Test
    void segmentTables() {
        ByteBuffer source = ByteBuffer.wrap(tree).order(ByteOrder.LITTLE_ENDIAN);
        int table = slotPosition(source, HEADER + 76);
        int bytes = source.getInt(HEADER + 80);
        mutate(tree, table, table + bytes, 4, DIRECTORY.resolve("tree"), bad -> {
            bad.putInt(HEADER + 84, FilePreamble.crc(bad, table, bytes));
            fixHeader(bad);
        });
        assertTrue(refused > Effort.times(50), refused + " refused, " + accepted + " accepted");
    }

    @Test
    void rootNodes() {
        ByteBuffer source = ByteBuffer.wrap(tree).order(ByteOrder.LITTLE_ENDIAN);
        int root = slotPosition(source, HEADER + 64);
        assertTrue(source.getInt(HEADER + 72) == 1, "the root is an internal node");
        int count = source.getShort(root + 6);
        Consumer<ByteBuffer> fix = bad -> fixRoot(bad, root);
        mutate(tree, root + 4, root + 16, 2, DIRECTORY.resolve("tree"), fix);
        mutate(tree, root + 16, root + 16 + 8 * count, 8, DIRECTORY.resolve("tree"), fix);
        mutate(tree, root + 16 + 8 * count, root + 16 + 16 * count, 4, DIRECTORY.resolve("tree"), fix);
        assertTrue(refused > Effort.times(200), refused + " refused, " + accepted + " accepted");
    }

    private static void fixRoot(ByteBuffer bad, int root) {
        bad.putInt(HEADER + 68, fixImage(bad, root, 16));
        fixHeader(bad);
    }

    private static int fixImage(ByteBuffer bad, int at, int entryBytes) {
        int length = 16 + entryBytes * (bad.getShort(at + 6) & 0xFFFF);
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < 64; shift += 8) {
            crc.update((int) (STORE_ID >>> shift) & 0xFF);
        }
        crc.update(bad.duplicate().limit(Math.min(bad.capacity(), at + length)).position(at + 4));
        bad.putInt(at, (int) crc.getValue());
        return (int) crc.getValue();
    }

    @Test
    void leaves() {
        ByteBuffer source = ByteBuffer.wrap(tree).order(ByteOrder.LITTLE_ENDIAN);
        int root = slotPosition(source, HEADER + 64);
        int children = source.getShort(root + 6);
        int leaf = slotPosition(source, root + 16 + 8 * children);
        int crcInRoot = root + 16 + 12 * children;
        int count = Math.min(20, source.getShort(leaf + 6));
        int words = leaf + 16 + 4 * source.getShort(leaf + 6);
        Consumer<ByteBuffer> fix = bad -> {
            bad.putInt(crcInRoot, fixImage(bad, leaf, 12));
            fixRoot(bad, root);
        };
        mutate(tree, leaf + 4, leaf + 16, 2, DIRECTORY.resolve("tree"), fix);
        mutate(tree, leaf + 16, leaf + 16 + 4 * count, 4, DIRECTORY.resolve("tree"), fix);
        mutate(tree, words, words + 8 * count, 8, DIRECTORY.resolve("tree"), fix);
        assertTrue(refused > Effort.times(200), refused + " refused, " + accepted + " accepted");
    }

    @Test
    void logBatches() {
        int frame = 4096;
        int frames = 0;
        for (; frame + 32 < log.length && log[frame + 8] != 0; frames++) { // behind the frames there are zeros
            int at = frame;
            ByteBuffer source = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
            int bytes = source.getInt(at);
            Consumer<ByteBuffer> fix = bad -> {
                int length = Math.max(0, Math.min(bad.getInt(at), log.length - at - 32));
                bad.putInt(at + 24, FilePreamble.crc(bad, at + 32, length));
                bad.putInt(at + 28, FilePreamble.crc(bad, at, 28));
            };
            mutate(log, at, at + 8, 4, logPath, fix);
            mutate(log, at + 8, at + 24, 8, logPath, fix);
            mutate(log, at + 40, at + 48, 4, logPath, fix);
            int edits = source.getInt(at + 40);
            mutate(log, at + 48, at + 48 + 24 * edits, 8, logPath, fix);
            mutate(log, at + 48 + 24 * edits, at + 32 + bytes, 4, logPath, fix);
            frame += (int) LogFormat.frameBytes(bytes);
        }
        assertTrue(
                frames == 3 && refused > Effort.times(500),
                frames + " frames, " + refused + " refused, " + accepted + " accepted");
    }

    @Test
    void operationsOfEveryKindAtEveryOffset() {
        for (int operation = 0; operation < 4; operation++) {
            for (int shift = 0; shift < 62; shift++) {
                ByteBuffer bad = ByteBuffer.wrap(log.clone()).order(ByteOrder.LITTLE_ENDIAN);
                bad.putLong(4096 + 48, (long) operation << 62 | 1L << shift);
                bad.putLong(4096 + 48 + 8, -1L >>> operation);
                bad.putLong(4096 + 48 + 16, 1L << (61 - shift));
                bad.putInt(4096 + 24, FilePreamble.crc(bad, 4096 + 32, bad.getInt(4096)));
                bad.putInt(4096 + 28, FilePreamble.crc(bad, 4096, 28));
                open(logPath, bad.array(), "operation " + operation + " with offset and length 2^" + shift);
            }
        }
        assertTrue(refused > Effort.times(100), refused + " refused, " + accepted + " accepted");
    }

    @Test
    void logPreambles() {
        Consumer<ByteBuffer> fix = bad -> {
            bad.putInt(24, FilePreamble.crc(bad, 0, 24));
            bad.putInt(48, FilePreamble.crc(bad, 0, 48));
        };
        mutate(log, 8, 24, 8, logPath, fix);
        mutate(log, 32, 48, 8, logPath, fix);
        mutate(log, 512, 528, 8, logPath, bad -> bad.putInt(528, FilePreamble.crc(bad, 512, 16)));
        assertTrue(refused > Effort.times(50), refused + " refused, " + accepted + " accepted");
    }

    /** A log of one batch, of an empty space. */
    private static SimulatedVfs withLog(ByteBuffer payload) {
        SimulatedVfs vfs = new SimulatedVfs();
        SpaceEngine.create(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(SMALL), List.of());
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 9, 1, LogicalLogTest.some(List.of(payload)))
                .close();
        return vfs;
    }

    @Test
    void anEntryOfALogMakesFewExtents() {
        LogBatch batch = new LogBatch();
        for (int i = 0; i < 30; i++) {
            batch.edit(LogBatch.INSERT, 0, 1L << 40, FlexTree.HOLE, 0);
        }
        SimulatedVfs vfs = withLog(batch.finish(0));
        assertThrows(
                CorruptionException.class,
                () -> SpaceEngine.open(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(SMALL), new Epochs())
                        .close());
    }

    @Test
    void aNoteInALogTakesTheChecksumsOfOneOpenSegment() {
        LogBatch batch = new LogBatch();
        for (int number = 0; number < 30; number++) {
            batch.segmentNote(number, 1, 0, 0, new int[31], 0);
        }
        SimulatedVfs vfs = withLog(batch.finish(0));
        assertThrows(
                CorruptionException.class,
                () -> SpaceEngine.open(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(SMALL), new Epochs())
                        .close());
    }

    /** Holes of every length, recovered from the log alone. */
    @Test
    void whatARecoveryTakesIsBoundedByTheLogThatItReads() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexSpaceOptions options = SMALL.withCheckpointLogBytes(1 << 30);
        SpaceEngine.create(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(options), List.of());
        SpaceEngine engine = SpaceEngine.open(vfs, DIRECTORY, STORE_ID, OwnedSpaces.settings(options), new Epochs());
        Random random = new Random(4);
        for (int i = 0; i < 20; i++) {
            engine.insertHole(engine.size() / 2, 1L << random.nextInt(41));
            engine.punchHole(engine.size() / 3, engine.size() / 3 + 1);
            engine.sync(i);
        }
        long size = engine.size();
        long logBytes = engine.figures().logBytesWritten();
        SimulatedVfs killed = vfs.kill();
        try (SpaceEngine again =
                SpaceEngine.open(killed, DIRECTORY, STORE_ID, OwnedSpaces.settings(options), new Epochs())) {
            assertEquals(size, again.size());
            long memory = again.figures().treeMemoryBytes();
            assertTrue(memory <= 20 * logBytes + (1 << 20), memory + " bytes for a log of " + logBytes);
        }
    }
}
