package io.flexdb.flexspace;

import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A life of a space: steps, power cuts and deaths of the process, and what must be found after each of them. */
final class CrashHistory {
    static final Path DIRECTORY = Path.of("/a/b/space");

    /** Every boundary is met within a few steps. */
    static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(12 << 10)
            .withLogBufferBytes(1024)
            .withMinimumUtilization(0.8)
            .withFrameTableBytes(0);

    private final Consumer<SimulatedVfs> prepare;
    FlexSpaceOptions options = SMALL;
    final Random random;
    SpaceOracle oracle = new SpaceOracle();
    SimulatedVfs vfs;
    FlexSpace space;
    int crashPoints;
    int refusals;
    StoreFullException lastRefusal;
    int continuedLogs; // cuts that left a log, and one that continues it
    private int backgroundDelay;
    private long cutAt = Long.MAX_VALUE / 2;

    /** @param prepare is given each file system before it is used */
    CrashHistory(long seed, SimulatedVfs vfs, Consumer<SimulatedVfs> prepare) {
        this.random = new Random(seed);
        this.vfs = vfs;
        this.prepare = prepare;
        use(vfs);
    }

    /** From now on checkpoints are made that many file operations after they were begun. */
    void delayBackground(int operations) {
        backgroundDelay = operations;
        vfs.delayBackground(operations);
    }

    private void use(SimulatedVfs next) {
        vfs = next;
        vfs.delayBackground(backgroundDelay);
        prepare.accept(vfs);
    }

    /** Does the steps. Throws {@link SimulatedCrash} if the power is cut. */
    void live(List<SpaceStep> steps) {
        open();
        for (SpaceStep step : steps) {
            liveStep(step);
        }
    }

    /**
     * Does random steps, with a cut every now and then, after each of which some of the possible states are looked at.
     */
    void liveAndDie(int steps, int variants) {
        liveAndDie(steps, variants, () -> SpaceStep.any(random));
    }

    void liveAndDie(int steps, int variants, Supplier<SpaceStep> next) {
        cutSometime(200);
        for (int i = 0; i < steps; i++) {
            try {
                if (space == null) {
                    open();
                }
                liveStep(next.get());
            } catch (SimulatedCrash e) {
                survive(variants);
                cutSometime(120);
            }
        }
    }

    private void cutSometime(int operations) {
        cutAt(vfs.operationCount() + 1 + random.nextInt(operations));
    }

    /** Cuts the power before an operation, counted on after the process has been killed. */
    void cutAt(long operation) {
        cutAt = operation;
        vfs.crashAt(operation);
    }

    private void open() {
        int cachedFrames = crashPoints % 2 * 30; // every other time none
        space = FlexSpace.open(vfs, DIRECTORY, options.withCacheBytes(cachedFrames * options.frameBytes()));
        check(space);
        oracle.synced();
    }

    void liveStep(SpaceStep step) {
        if (step == SpaceStep.CLOSE_AND_OPEN) {
            space.close();
            oracle.synced();
            open();
        } else if (step == SpaceStep.KILL) {
            long left = cutAt - vfs.operationCount();
            use(vfs.kill());
            space = null;
            cutAt(left);
            open();
        } else {
            change(() -> step.apply(space, oracle, random));
        }
    }

    /** Adds bytes at the end, if there is room. */
    void append(byte[] bytes) {
        change(() -> {
            byte[] content = oracle.now();
            oracle.begins(SpaceOracle.inserted(content, content.length, bytes));
            space.insertRange(content.length, ByteBuffer.wrap(bytes));
        });
    }

    private void change(Runnable change) {
        byte[] before = oracle.now();
        try {
            change.run();
        } catch (StoreFullException e) {
            refused(before, e);
        }
    }

    /** A change for which there is no room changes nothing, and the space goes on. */
    private void refused(byte[] before, StoreFullException refusal) {
        byte[] found;
        try {
            found = SpaceOracle.contentOf(space);
        } catch (StoreFailedException e) {
            throw refusal; // of a write, after which nobody knows what is in the files
        }
        if (!Arrays.equals(before, found)) {
            throw new AssertionError("what was refused has changed something");
        }
        if (oracle.now() != before) {
            oracle.refused();
        }
        refusals++;
        lastRefusal = refusal;
    }

    /** After a cut: checks several of the states it may have left and goes on with the last one. */
    void survive(int variants) {
        SimulatedVfs dead = vfs;
        for (int variant = 0; variant < variants; variant++) {
            use(dead.crash(variant < 2 ? variant : random.nextLong()));
            continuedLogs += hasContinuedLog() ? 1 : 0;
            cutAt = Long.MAX_VALUE / 2;
            cutRecovery();
            SpaceOracle before = oracle.copy();
            open();
            if (options != SMALL) { // what has dead frames that hold anything
                checkFiles();
            }
            crashPoints++;
            if (variant < variants - 1) {
                if (random.nextInt(8) == 0 && options == SMALL) { // no cap, which might refuse it
                    space.insertRange(0, ByteBuffer.wrap(new byte[700]));
                    oracle.begins(SpaceOracle.inserted(oracle.now(), 0, new byte[700]));
                    space.close();
                    oracle.synced();
                    open();
                }
                oracle = before;
            }
        }
    }

    private void checkFiles() {
        CheckReport report = space.check();
        if (!report.isSound()) {
            throw new AssertionError(report.toString());
        }
    }

    private boolean hasContinuedLog() {
        return vfs.files().stream()
                        .filter(file ->
                                file.getFileName().toString().matches("log-\\d+") && vfs.content(file).length > 4096)
                        .count()
                > 1;
    }

    /** Sometimes the power is cut again while the space recovers, and again. */
    private void cutRecovery() {
        while (random.nextInt(4) == 0) {
            vfs.crashAt(1 + random.nextInt(14));
            try {
                FlexSpace.open(vfs, DIRECTORY, options);
            } catch (SimulatedCrash e) {
                crashPoints++;
            }
            use(vfs.crash(random.nextInt(3) == 0 ? random.nextInt(2) : random.nextLong()));
        }
    }

    /** Checks an opened space; from then on nothing else than what it holds may be found. */
    private void check(FlexSpace opened) {
        opened.checkInvariants();
        byte[] found = SpaceOracle.contentOf(opened);
        if (!oracle.allows(found)) {
            throw new AssertionError(oracle.explain(found));
        }
        oracle.startFrom(found);
    }
}
