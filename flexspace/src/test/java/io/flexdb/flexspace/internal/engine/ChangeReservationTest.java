package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever is told that there is room finds it, whatever happened since room was looked for. */
class ChangeReservationTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int SEGMENT = 32 * 512;
    private static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegments(SEGMENT, 512)
            .withCheckpointLogBytes(48 << 10)
            .withLogBufferBytes(16 << 10);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(8);
    private SpaceEngine engine;
    private long fewestLiveBytes; // when something is refused

    private void open(FlexSpaceOptions options) {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), epochs);
    }

    private void publish() {
        for (int phase = 0; phase < 3; phase++) {
            engine.current();
            epochs.advance();
            engine.reclaim();
        }
    }

    private boolean insert(int length) {
        if (!engine.reservation().reserve(length, 0, 0, 0, this::publish)) {
            return false;
        }
        engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.allocate(length), 0, length, 1);
        return true;
    }

    private boolean overwrite(int length) {
        long offset = random.nextInt((int) engine.size() - length);
        if (!engine.reservation().reserve(length, offset, length, 0, this::publish)) {
            return false;
        }
        engine.overwrite(offset, ByteBuffer.allocate(length), 0, length, 1);
        return true;
    }

    private boolean collapse(int length) {
        if (!engine.reservation().reserveForEdits(1, false, this::publish)) {
            return false;
        }
        engine.collapse(random.nextInt((int) engine.size() - length), length);
        return true;
    }

    private boolean insertBatch() {
        int count = 1 + random.nextInt(30);
        if (!engine.reservation().reserveForBatch(count * 200L, 3L * count, 0, 0, this::publish)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.allocate(200), 0, 200, 1);
        }
        return true;
    }

    /** Anything that an owner does. Returns whether it was refused. */
    private boolean isRefused() {
        int dice = random.nextInt(100);
        if (dice < 45 || engine.size() < 2000) {
            return !insert(1 + random.nextInt(512));
        } else if (dice < 65) {
            return !overwrite(1 + random.nextInt(512));
        } else if (dice < 80) {
            assertTrue(collapse(1 + random.nextInt(600)), "what removes was refused");
        } else if (dice < 85) {
            return !insertBatch();
        } else if (dice < 93) {
            engine.collectSomeGarbage(true);
        } else if (dice < 95) {
            engine.collectGarbage();
        } else if (dice < 97) {
            engine.sync(0);
        } else if (dice < 98 && engine.reservation().reserveForCheckpoint()) {
            engine.checkpoint();
        } else {
            publish();
        }
        return false;
    }

    private int refusalsOf(int steps) {
        assertTrue(insert(500) && insert(500));
        while (engine.size() < 20_000) {
            assertTrue(insert(500));
        }
        int refusals = 0;
        for (int i = 0; i < steps; i++) {
            if (isRefused()) {
                refusals++;
                assertTrue(
                        engine.figures().liveBytes() >= fewestLiveBytes,
                        () -> "refused although there is little but garbage: "
                                + engine.reservation().refusal().getMessage());
                while (refusals % 4 == 0 && engine.size() > 40_000) {
                    assertTrue(collapse(600), "what removes was refused");
                }
            }
            engine.collectSomeGarbage(true);
        }
        engine.checkInvariants();
        engine.sync(0);
        engine.close();
        return refusals;
    }

    @Test
    void whatACapGrantsIsThere() {
        open(SMALL.withMaxDataBytes(32L * SEGMENT));
        int refusals = refusalsOf(20_000);
        assertTrue(refusals > 20, refusals + " refusals");
        long dataBytes = vfs.content(DIRECTORY.resolve("data")).length;
        assertTrue(dataBytes <= 4096 + 32L * SEGMENT, dataBytes + " bytes in the data file");
    }

    /** Values are staged while small changes take what they are granted. */
    @ParameterizedTest
    @MethodSource("twentySeeds")
    void whatIsStagedMeanwhileIsBelowTheCapToo(int seed) {
        random.setSeed(seed);
        open(SMALL.withMaxDataBytes(32L * SEGMENT));
        int dataBytes = engine.store().format().dataBytes;
        long most = 28L * dataBytes / 32 * 30;
        fill(most - 4 * dataBytes);
        try (StagedBytes staged = engine.stage()) {
            staged.append(ByteBuffer.allocate(512)); // so it has a segment
            fill(most - dataBytes - random.nextInt(2000));
            do {
                assertTrue(insert(1 + random.nextInt(20)));
                staged.append(ByteBuffer.allocate(512));
            } while (staged.roomInSegment() >= 512);
            int changes = 0;
            while (insert(1 + random.nextInt(20))) {
                assertTrue(engine.figures().liveBytes() + staged.bytes() <= most);
                assertTrue(++changes < 10_000);
            }
        }
        engine.close();
    }

    private void fill(long liveBytes) {
        while (engine.figures().liveBytes() < liveBytes) {
            assertTrue(insert(512));
            engine.collectSomeGarbage(true);
        }
    }

    private static List<Integer> twentySeeds() {
        return Effort.some(IntStream.rangeClosed(1, 20).boxed().toList());
    }

    private static List<Integer> sixtySeeds() {
        return Effort.some(IntStream.rangeClosed(1, 60).boxed().toList());
    }

    /** What lives is removed at random once the space is full, so that each segment keeps a little. */
    @ParameterizedTest
    @MethodSource("twentySeeds")
    void aSpaceFullOfGarbageTakesMore(int seed) {
        random.setSeed(seed);
        fewestLiveBytes = 16L * SEGMENT;
        open(SMALL.withMaxDataBytes(32L * SEGMENT));
        assertTrue(refusalsOf(3000) >= 4);
    }

    @Test
    void aRefusalSaysWhichRoomThereIsNot() {
        open(SMALL.withMaxDataBytes(32L * SEGMENT));
        while (insert(512)) {
            engine.collectSomeGarbage(true);
        }
        String message = engine.reservation().refusal().getMessage();
        assertTrue(message.contains("32 segments"), message);
        assertFalse(insert(512));
        long size = engine.size();
        assertTrue(collapse(10_000));
        assertTrue(insert(512), "refused although there is room again");
        assertEquals(size - 10_000 + 512, engine.size());
        engine.close();
    }

    /** A checkpoint that has ended wants a log, which a full disk refuses too. */
    @Test
    void aSpaceAtItsCapSaysSoWhateverElseThereIsNot() {
        open(SMALL.withMaxDataBytes(32L * SEGMENT).withCheckpointLogBytes(4096));
        while (insert(512)) {
            engine.collectSomeGarbage(true);
        }
        vfs.delayBackground(2);
        long checkpoints = engine.checkpointsBegun();
        while (engine.checkpointsBegun() == checkpoints) {
            assertTrue(overwrite(16));
            engine.sync(0);
        }
        for (int i = 0; i < 4; i++) {
            vfs.open(DIRECTORY.resolve("data"), OpenMode.READ).close(); // meanwhile it ends
        }
        vfs.setCapacity(fileBytes());
        assertFalse(insert(512));
        String message = engine.reservation().refusal().getMessage();
        assertTrue(message.contains("32 segments"), message);
        engine.close();
    }

    private long fileBytes() {
        return vfs.files().stream().mapToLong(file -> vfs.content(file).length).sum();
    }

    /** What batches were granted is there when the disk is full the moment after, wherever they change the tree. */
    @ParameterizedTest
    @MethodSource("sixtySeeds")
    void whatABatchIsGrantedIsThereForTheNextCheckpoint(int seed) {
        random.setSeed(seed);
        open(SMALL.withCheckpointLogBytes(1 << 30).withLogBufferBytes(1 << 20));
        int extents = seed <= 4 ? 100_000 : 100 << random.nextInt(9);
        for (int i = 0; i < extents; i++) { // leaves are as full as can be
            engine.insert(engine.size(), ByteBuffer.allocate(4), 0, 4, i & 1); // an extent of its own
        }
        assertTrue(insert(1)); // from here on nothing is done that did not ask
        engine.checkpoint();
        for (int batch = 0; batch < 4; batch++) { // later, most nodes fit what earlier ones have left
            int leaves = 1 + (int) engine.figures().extentCount() / 84;
            int edits = random.nextBoolean() ? leaves : 1 + random.nextInt(1 << random.nextInt(12));
            takeNoMoreThan(edits);
            editAnywhere(edits);
            assertTrue(
                    engine.reservation().reserveForCheckpoint(),
                    () -> edits + " edits: " + engine.reservation().refusal());
            vfs.setCapacity(Long.MAX_VALUE);
        }
        engine.checkpoint();
        engine.checkInvariants();
        engine.close();
    }

    /** Leaves the disk full when a batch has what it asks for. */
    private void takeNoMoreThan(int edits) {
        vfs.setCapacity(fileBytes());
        for (int more = 0;
                !engine.reservation().reserveForBatch(8L * edits, 2L * edits, 0, 0, this::publish);
                more += 16) {
            vfs.setCapacity(fileBytes() + (more << 10));
        }
        vfs.setCapacity(fileBytes());
    }

    /** At random, close together, or one in each leaf, so that all of them are split. */
    private void editAnywhere(int edits) {
        int kind = random.nextInt(4);
        long start = random.nextInt((int) engine.size() + 1);
        for (int i = 0; i < edits; i++) {
            int size = (int) engine.size();
            int at = (int)
                    switch (kind) {
                        case 0 -> random.nextInt(size + 1);
                        case 1 -> Math.min(size, start + random.nextInt(1000));
                        case 2 -> (start + 84L * 4 * i) % size;
                        default -> (start + (long) size / edits * i) % size;
                    };
            if (random.nextInt(5) == 0 && size > 10_000 && at < size) {
                engine.collapse(at, Math.min(1 + random.nextInt(random.nextInt(50) == 0 ? 4000 : 40), size - at));
            } else {
                int length = 1 + random.nextInt(8);
                engine.insert(at, ByteBuffer.allocate(length), 0, length, 1);
            }
        }
    }

    @Test
    void aBatchAsksForNoMoreThanItMayNeed() {
        open(SMALL.withCheckpointLogBytes(1 << 30));
        for (int i = 0; i < 20_000; i++) {
            engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.allocate(20), 0, 20, 1);
        }
        engine.checkpoint();
        engine.checkpoint();
        long before = vfs.content(DIRECTORY.resolve("tree")).length;
        assertTrue(engine.reservation().reserveForBatch(60_000, 600, 0, 0, this::publish));
        long claimed = vfs.content(DIRECTORY.resolve("tree")).length - before;
        assertTrue(
                claimed < 2 << 20,
                claimed + " bytes for 600 edits among " + engine.figures().extentCount() + " extents");
        engine.close();
    }

    @Test
    void aRefusalOfACheckpointSaysWhichRoomThereIsNot() {
        open(SMALL.withCheckpointLogBytes(1 << 20));
        for (int i = 0; i < 20_000; i++) { // without asking for room
            engine.insert(random.nextInt((int) engine.size() + 1), ByteBuffer.allocate(20), 0, 20, 1);
        }
        vfs.setCapacity(0);
        assertFalse(engine.reservation().reserveForCheckpoint());
        String message = engine.reservation().refusal().getMessage();
        assertTrue(message.contains("/space/tree"), message);
        engine.close();
    }

    private boolean insertAt(long offset) {
        if (!engine.reservation().reserve(100, 0, 0, 0, this::publish)) {
            return false;
        }
        engine.insert(offset, ByteBuffer.allocate(100).putLong(0, random.nextLong()), 0, 100, 1);
        return true;
    }

    private void collapseAt(long offset, long length) {
        assertTrue(engine.reservation().reserveForEdits(1, false, this::publish), "what removes was refused");
        engine.collapse(offset, (int) length);
    }

    /** Has all of it in a checkpoint, and no byte more for the files than they have. */
    private void fillDisk() {
        assertTrue(engine.reservation().reserveForCheckpoint());
        engine.checkpoint();
        publish();
        vfs.setCapacity(fileBytes());
    }

    private byte[] content() {
        byte[] bytes = new byte[(int) engine.size()];
        engine.reads().read(engine.current(), 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    /** Live bytes of each segment, for messages. */
    private String segments() {
        StringBuilder live = new StringBuilder("live in segments");
        for (int number = 0; number < engine.store().segmentCount(); number++) {
            int bytes = engine.store().segment(number).liveBytes;
            live.append(engine.store().isFree(number) ? " free" : " " + bytes);
        }
        return live.toString();
    }

    private void assertEditsFindTheirPlace(int edits) {
        byte[] before = content();
        assertTrue(
                engine.reservation().reserveForBatch(100, edits, 0, 0, this::publish),
                () -> engine.reservation().refusal() + ", " + segments());
        assertArrayEquals(before, content());
        engine.insert(0, ByteBuffer.allocate(100), 0, 100, 1);
        for (int i = 1; i < edits / 2; i++) {
            engine.punchHole(random.nextInt((int) engine.size() - 50), 1);
        }
        assertTrue(engine.reservation().reserveForCheckpoint());
        engine.checkpoint();
        engine.checkInvariants();
        byte[] after = content();
        SimulatedVfs cut = vfs.crash(0);
        engine.close();
        engine = SpaceEngine.open(cut, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        assertArrayEquals(after, content());
        engine.checkInvariants();
        engine.close();
    }

    /** Log and tree want more of a full disk than there is, and each segment of the data file is half garbage. */
    @ParameterizedTest
    @ValueSource(ints = {40, 160})
    void whatLogAndTreeLackIsMadeOfGarbageInTheDataFile(int segmentCount) {
        open(SMALL);
        while (engine.figures().segmentCount() <= segmentCount) {
            assertTrue(insertAt(100 * random.nextInt((int) engine.size() / 100 + 1)));
        }
        for (long offset = engine.size() - 100; offset >= 0; offset -= 200) {
            collapseAt(offset, 100);
        }
        fillDisk();
        assertEditsFindTheirPlace(1000);
    }

    /** The same where nothing but the order of the segments is to be mended: the free ones are not the last. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void whatLogAndTreeLackIsMadeOfFreeSegmentsWhateverLiesBehindThem(int segmentsBehind) {
        open(SMALL);
        while (engine.figures().segmentCount() <= 40) {
            assertTrue(insertAt(engine.size()));
        }
        int segmentBytes = (int) engine.size() / 40;
        long begin = 5 * segmentBytes;
        long behind = segmentsBehind * segmentBytes + engine.store().openSegment().liveBytes;
        collapseAt(begin, engine.size() - behind - begin);
        fillDisk();
        assertEditsFindTheirPlace(4000);
    }

    /** An owner who only removes asks, too: what garbage collection moves then must find its place all the same. */
    @Test
    void whoRemovesOnlyHasGarbageMovedToWhatIsReserved() {
        open(SMALL);
        while (engine.figures().segmentCount() <= 40) {
            assertTrue(insertAt(engine.size()));
        }
        assertTrue(engine.reservation().reserveForCheckpoint());
        engine.checkpoint();
        engine.close();
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
        vfs.setCapacity(fileBytes());
        long size = engine.size();
        for (long offset = size - 200; offset >= 0; offset -= 200) {
            collapseAt(offset, 100);
            engine.collectSomeGarbage(true);
        }
        while (engine.collectSlice(Long.MAX_VALUE)) {
            publish();
        }
        engine.sync(0);
        engine.checkInvariants();
        assertEquals(size - size / 200 * 100, engine.size());
        engine.close();
    }
}
