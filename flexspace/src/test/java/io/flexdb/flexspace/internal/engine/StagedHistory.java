package io.flexdb.flexspace.internal.engine;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * An engine that lives with bytes staged beside it, and an oracle that is worked out with arrays. After a cut it is one
 * of the states since the last sync.
 */
final class StagedHistory {
    static final Path DIRECTORY = Path.of("/space");
    static final int FRAME = 512;
    static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegmentBuffers(100) // one thread can't wait for itself
            .withSegments(32 * FRAME, FRAME)
            .withCheckpointLogBytes(64 << 10)
            .withMinimumUtilization(0.7);

    private record Piece(long address, byte[] bytes) {}

    private static final class Run {
        final StagedBytes staged;
        final List<Piece> pieces = new ArrayList<>();
        boolean flushed = true;

        Run(StagedBytes staged) {
            this.staged = staged;
        }
    }

    final Random random;
    FlexSpaceOptions options = SMALL;
    SimulatedVfs vfs;
    SpaceEngine engine;
    final List<byte[]> states = new ArrayList<>(); // since the last sync
    int mostBytes = 60_000; // of which half is removed then, some time
    int refusals;
    int links;
    private Epochs epochs;
    private final List<Run> runs = new ArrayList<>();

    StagedHistory(long seed, SimulatedVfs vfs) {
        this.random = new Random(seed);
        this.vfs = vfs;
        states.add(new byte[0]);
    }

    void open() {
        epochs = new Epochs();
        runs.clear();
        if (!SpaceEngine.exists(vfs, DIRECTORY)) {
            SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), List.of());
        }
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), epochs);
    }

    byte[] now() {
        return states.get(states.size() - 1);
    }

    byte[] content() {
        byte[] bytes = new byte[(int) engine.size()];
        engine.reads().read(engine.current(), 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    /** Opens what a cut has left, and checks it. */
    void survive(SimulatedVfs after) {
        vfs = after;
        open();
        engine.checkInvariants();
        byte[] found = content();
        if (states.stream().noneMatch(state -> Arrays.equals(state, found))) {
            throw new AssertionError(found.length + " bytes, which is none of " + states.size() + " states");
        }
        states.clear();
        states.add(found);
    }

    void publish() {
        FlexTreeView view = engine.current();
        assert view != null;
        epochs.advance();
        engine.reclaim();
    }

    private boolean reserve(boolean there) {
        if (!there) {
            refusals++;
        }
        return there;
    }

    /** Something that an owner does, or others do beside him. */
    void step() {
        int dice = random.nextInt(100);
        if (dice < 15) {
            insert();
        } else if (dice < 27) {
            collapse();
        } else if (dice < 32 && runs.size() < 4) {
            runs.add(new Run(engine.stage()));
        } else if (dice < 62) {
            stage();
        } else if (dice < 68) {
            flush();
        } else if (dice < 80) {
            linkOrGiveBack();
        } else if (dice < 84) {
            engine.collectSomeGarbage(true);
        } else if (dice < 86) {
            engine.collectGarbage();
        } else if (dice < 90) {
            sync();
        } else if (dice < 92) {
            checkpoint();
        } else {
            publish();
        }
        checkStaged();
    }

    void sync() {
        engine.sync(0);
        synced();
    }

    void synced() {
        byte[] last = now();
        states.clear();
        states.add(last);
    }

    void checkpoint() {
        if (engine.reservation().reserveForCheckpoint()) {
            engine.checkpoint();
            synced();
        }
    }

    /** Inserts until there are so many bytes, or no more. */
    void fill(int bytes) {
        while (now().length < bytes && refusals == 0) {
            insert();
        }
        refusals = 0;
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[1 + random.nextInt(engine.maxExtentBytes())];
        random.nextBytes(bytes);
        return bytes;
    }

    private void insert() {
        byte[] bytes = randomBytes();
        if (reserve(engine.reservation().reserve(bytes.length, 0, 0, 0, this::publish))) {
            int offset = random.nextInt(now().length + 1);
            states.add(inserted(now(), offset, bytes));
            engine.insert(offset, ByteBuffer.wrap(bytes), 0, bytes.length, 1);
        }
    }

    private void collapse() {
        byte[] before = now();
        if (before.length > 2000) {
            if (!engine.reservation().reserveForEdits(1, false, this::publish)) {
                throw new AssertionError(
                        "what removes was refused", engine.reservation().refusal());
            }
            int length = 1 + random.nextInt(before.length > mostBytes ? before.length / 2 : 400);
            int offset = random.nextInt(before.length - length + 1);
            byte[] after = new byte[before.length - length];
            System.arraycopy(before, 0, after, 0, offset);
            System.arraycopy(before, offset + length, after, offset, after.length - offset);
            states.add(after);
            engine.collapse(offset, length);
        }
    }

    private Run anyRun() {
        return runs.isEmpty() ? null : runs.get(random.nextInt(runs.size()));
    }

    void stage() {
        Run run = anyRun();
        if (run != null) {
            byte[] bytes = randomBytes();
            try {
                run.pieces.add(new Piece(run.staged.append(ByteBuffer.wrap(bytes)), bytes));
                run.flushed = false;
            } catch (StoreFullException e) {
                refusals++;
            }
        }
    }

    private void flush() {
        Run run = anyRun();
        if (run != null) {
            if (random.nextBoolean()) {
                run.staged.flush();
            } else {
                run.staged.force();
            }
            run.flushed = true;
        }
    }

    /** Links some of a run, one group for all or one for each piece, then gives it back. */
    private void linkOrGiveBack() {
        Run run = anyRun();
        if (run == null) {
            return;
        }
        if (random.nextInt(4) > 0) {
            run.staged.finish();
            run.flushed = true;
            run.pieces.removeIf(piece -> random.nextInt(4) == 0);
            if (reserve(engine.reservation().reserveForLinks(run.pieces.size() + 1, this::publish))) {
                link(run, random.nextBoolean());
            }
            if (random.nextBoolean()) {
                publish();
                engine.collectSomeGarbage(true);
            }
            if (random.nextBoolean()) {
                collapse();
                sync();
            }
            checkStaged();
        }
        runs.remove(run);
        run.staged.close();
    }

    private void link(Run run, boolean atOnce) {
        if (atOnce) {
            engine.beginGroup();
        }
        byte[] after = now();
        for (Piece piece : run.pieces) {
            int offset = random.nextInt(after.length + 1);
            after = inserted(after, offset, piece.bytes);
            if (!atOnce) {
                states.add(after);
            }
            engine.insertStaged(offset, piece.address, piece.bytes.length, 1);
            links++;
        }
        if (atOnce) {
            states.add(after);
            engine.endGroup();
        }
    }

    /** What is flushed and not given back can be read, whether it was linked, removed again or not. */
    private void checkStaged() {
        for (Run run : runs) {
            for (Piece piece : run.flushed ? run.pieces : List.<Piece>of()) {
                byte[] found = new byte[piece.bytes.length];
                engine.reads().readStaged(piece.address, ByteBuffer.wrap(found), 0, found.length);
                if (!Arrays.equals(piece.bytes, found)) {
                    throw new AssertionError("a piece at " + piece.address + " has changed");
                }
            }
        }
    }

    static byte[] inserted(byte[] before, int offset, byte[] bytes) {
        byte[] after = Arrays.copyOf(before, before.length + bytes.length);
        System.arraycopy(before, offset, after, offset + bytes.length, before.length - offset);
        System.arraycopy(bytes, 0, after, offset, bytes.length);
        return after;
    }
}
