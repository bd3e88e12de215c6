package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What logs and checkpoints say of refilled segments, changed under right checksums. As {@link HostileFilesTest}. */
class HostileRefillsTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path TREE = DIRECTORY.resolve("tree");
    private static final int FRAME = 512;
    private static final int FRAMES = 31;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(32 * FRAME, FRAME)
            .withMinimumUtilization(0.1)
            .withMaxDataBytes(64L * 32 * FRAME);

    private static SimulatedVfs good;
    private static byte[] tree;
    private static byte[] log;
    private static Path logPath;
    private static int header;
    private static int table;
    private static int refillsInTable;

    private int refused;
    private int accepted;

    /** See {@link RefilledSpace}. */
    @BeforeAll
    static void loadSpace() {
        good = RefilledSpace.load(DIRECTORY);
        tree = good.content(TREE);
        logPath = DIRECTORY.resolve(good.list(DIRECTORY).stream()
                .filter(name -> name.matches("log-\\d+"))
                .findFirst()
                .orElseThrow());
        log = good.content(logPath);
        ByteBuffer source = ByteBuffer.wrap(tree).order(ByteOrder.LITTLE_ENDIAN);
        header = source.getLong(32) > source.getLong(4096 + 32) ? 0 : 4096;
        table = (int) TreeFileFormat.slotPosition(source.getInt(header + 76));
        int tableBytes = source.getInt(header + 80);
        refillsInTable = (tableBytes - refillsOffset(source)) / (4 * (1 + FRAMES));
        assertTrue(refillsInTable > 1, refillsInTable + " refilled segments in the table");
    }

    private static int refillsOffset(ByteBuffer source) {
        return TreeFileFormat.TABLE_HEADER_BYTES + 4 * (source.getInt(table) + source.getInt(table + 8));
    }

    private static void publish(SpaceEngine engine, Epochs epochs) {
        for (int i = 0; i < 3; i++) {
            epochs.advance();
            engine.reclaim();
        }
    }

    private static void overwrite(SpaceEngine engine, Epochs epochs, Random random) {
        for (int i = 0; i < 100; i++) {
            byte[] bytes = new byte[FRAME];
            random.nextBytes(bytes);
            long offset = (long) random.nextInt((int) (engine.size() / FRAME)) * FRAME;
            if (!engine.reservation().reserve(FRAME, offset, FRAME, 0, () -> publish(engine, epochs))) {
                return;
            }
            engine.overwrite(offset, ByteBuffer.wrap(bytes), 0, FRAME, 1);
            if (engine.collectSomeGarbage(true)) {
                publish(engine, epochs);
            }
        }
    }

    private static List<Integer> values(int original) {
        return Stream.of(
                        0,
                        1,
                        -1,
                        FRAMES,
                        FRAMES + 1,
                        63,
                        64,
                        1 << 29,
                        1 << 30,
                        1 << 31,
                        3 << 30,
                        Integer.MAX_VALUE,
                        original + 1,
                        original - 1,
                        original ^ 1 << 30,
                        original ^ 1 << 31,
                        ~original)
                .toList();
    }

    private void mutate(byte[] original, int at, Path path, Consumer<ByteBuffer> fixChecksums) {
        int was = ByteBuffer.wrap(original).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
        for (int value : Effort.some(values(was))) {
            ByteBuffer bad = ByteBuffer.wrap(original.clone()).order(ByteOrder.LITTLE_ENDIAN);
            bad.putInt(at, value);
            fixChecksums.accept(bad);
            open(path, bad.array(), "4 bytes at " + at + " of " + path + " set to " + value);
        }
    }

    private void open(Path path, byte[] bytes, String what) {
        SimulatedVfs vfs = good.copy();
        vfs.setContent(path, bytes);
        Epochs epochs = new Epochs();
        try {
            SpaceEngine engine = SpaceEngine.open(vfs, DIRECTORY, 0, OPTIONS.settings(), epochs);
            accepted++;
            try {
                use(engine, epochs);
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
    private static void use(SpaceEngine engine, Epochs epochs) {
        engine.checkInvariants();
        try {
            int length = (int) engine.size();
            engine.reads().read(engine.current(), 0, ByteBuffer.allocate(length), 0, length);
        } catch (StorageException e) {
            // It was noticed late.
        }
        overwrite(engine, epochs, new Random(2));
        engine.checkpoint();
        engine.checkInvariants();
    }

    @Test
    void nothingIsWrongWithTheOriginal() {
        open(logPath, log, "the original");
        assertEquals(1, accepted);
    }

    @Test
    void segmentTables() {
        ByteBuffer source = ByteBuffer.wrap(tree).order(ByteOrder.LITTLE_ENDIAN);
        int bytes = source.getInt(header + 80);
        Consumer<ByteBuffer> fix = bad -> {
            bad.putInt(header + 84, FilePreamble.crc(bad, table, bytes));
            bad.putInt(header + 96, FilePreamble.crc(bad, header, 96));
        };
        int first = table + refillsOffset(source);
        for (int refill = 0; refill < refillsInTable; refill++) {
            int at = first + refill * 4 * (1 + FRAMES);
            for (int field = 0; field < 1 + FRAMES; field += 6) {
                mutate(tree, at + 4 * field, TREE, fix);
            }
        }
        assertTrue(
                refused > Effort.times(5) && accepted > Effort.times(5),
                refused + " refused, " + accepted + " accepted");
    }

    @Test
    void notes() {
        int notes = 0;
        for (int frame = 4096; frame + 32 < log.length && log[frame + 8] != 0; ) {
            int at = frame;
            ByteBuffer source = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
            Consumer<ByteBuffer> fix = bad -> {
                bad.putInt(at + 24, FilePreamble.crc(bad, at + 32, bad.getInt(at)));
                bad.putInt(at + 28, FilePreamble.crc(bad, at, 28));
            };
            int end = at + 32 + source.getInt(at);
            for (int note = at + 48 + 24 * source.getInt(at + 40); note < end; notes++) {
                for (int field = 0; field < 4; field++) {
                    mutate(log, note + 4 * field, logPath, fix);
                }
                note += 16 + 4 * source.getInt(note + 12);
            }
            frame += (int) LogFormat.frameBytes(source.getInt(at));
        }
        assertTrue(
                notes > 8 && refused > Effort.times(100),
                notes + " notes, " + refused + " refused, " + accepted + " accepted");
    }
}
