package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Lives with power cuts, each of which returns how many states it checked. What is wrong with one ends up as an
 * {@link AssertionError} that says how to repeat it. Each file system is first given to a consumer, which may make it
 * worse.
 */
final class CrashScenarios {
    private CrashScenarios() {}

    static int randomHistory(long seed, Consumer<SimulatedVfs> prepare) {
        return randomHistory(seed, 0, prepare).crashPoints;
    }

    /** @param backgroundDelay how many file operations a checkpoint waits before it is made */
    static CrashHistory randomHistory(long seed, int backgroundDelay, Consumer<SimulatedVfs> prepare) {
        CrashHistory history = new CrashHistory(seed, new SimulatedVfs(), prepare);
        history.delayBackground(backgroundDelay);
        try {
            history.liveAndDie(400, 6);
        } catch (Throwable e) {
            throw new AssertionError(
                    "randomHistory(" + seed + ", " + backgroundDelay + "), after " + history.crashPoints
                            + " crash points",
                    e);
        }
        return history;
    }

    /** The same with a space at its cap, which is overwritten in blocks. */
    static CrashHistory randomHistoryAtTheCap(long seed, int backgroundDelay, Consumer<SimulatedVfs> prepare) {
        CrashHistory history = atTheCapInBlocks(seed, prepare);
        history.delayBackground(backgroundDelay);
        SpaceStep[] others = {
            SpaceStep.SYNC,
            SpaceStep.SYNC,
            SpaceStep.SYNC,
            SpaceStep.CHECKPOINT,
            SpaceStep.KILL,
            SpaceStep.CLOSE_AND_OPEN,
            SpaceStep.OVERWRITE,
            SpaceStep.MOVE,
            SpaceStep.COLLAPSE,
            SpaceStep.INSERT_MUCH,
            SpaceStep.DEFRAGMENT
        };
        Random random = history.random;
        try {
            history.liveAndDie(
                    400,
                    4,
                    () -> random.nextInt(8) > 0 ? SpaceStep.OVERWRITE_BLOCKS : others[random.nextInt(others.length)]);
        } catch (Throwable e) {
            throw new AssertionError(
                    "randomHistoryAtTheCap(" + seed + ", " + backgroundDelay + "), after " + history.crashPoints
                            + " crash points",
                    e);
        }
        return history;
    }

    /** All sequences of up to so many steps that matter to files; each ends with a sync. */
    static List<List<SpaceStep>> shortHistories(int most) {
        List<SpaceStep> alphabet = List.of(
                SpaceStep.INSERT_LITTLE,
                SpaceStep.INSERT_MUCH,
                SpaceStep.OVERWRITE,
                SpaceStep.COLLAPSE,
                SpaceStep.MOVE,
                SpaceStep.SYNC,
                SpaceStep.CHECKPOINT,
                SpaceStep.CLOSE_AND_OPEN,
                SpaceStep.KILL);
        List<List<SpaceStep>> histories = new ArrayList<>(List.of(List.of()));
        for (int from = 0, length = 1; length <= most; length++) {
            int to = histories.size();
            for (; from < to; from++) {
                for (SpaceStep step : alphabet) {
                    List<SpaceStep> longer = new ArrayList<>(histories.get(from));
                    longer.add(step);
                    histories.add(longer);
                }
            }
        }
        histories.replaceAll(FlexSpaceCrashTest::withSync);
        return histories;
    }

    /** Lives a history again and again, with a cut before each of its file operations. */
    static int cutEverywhere(
            List<SpaceStep> steps, SimulatedVfs base, SpaceOracle start, int variants, Consumer<SimulatedVfs> prepare) {
        return cutEverywhere(CrashHistory.SMALL, steps, base, start, variants, prepare);
    }

    private static int cutEverywhere(
            FlexSpaceOptions options,
            List<SpaceStep> steps,
            SimulatedVfs base,
            SpaceOracle start,
            int variants,
            Consumer<SimulatedVfs> prepare) {
        int points = 0;
        for (long operation = 1; ; operation++) {
            CrashHistory history = new CrashHistory(7, base.copy(), prepare);
            history.options = options;
            history.oracle = start.copy();
            history.cutAt(operation);
            try {
                boolean finished = livesToTheEnd(history, steps);
                history.survive(variants);
                points += history.crashPoints;
                if (finished) {
                    return points;
                }
            } catch (Throwable e) {
                throw new AssertionError(steps + ", cut before operation " + operation, e);
            }
        }
    }

    private static boolean livesToTheEnd(CrashHistory history, List<SpaceStep> steps) {
        try {
            history.live(steps);
            return true;
        } catch (SimulatedCrash e) {
            return false;
        }
    }

    /** Segments of which little is used, and then a change that makes garbage collection begin. */
    static int cutGarbageCollectionEverywhere(long seed, int variants, Consumer<SimulatedVfs> prepare) {
        SimulatedVfs base = new SimulatedVfs();
        CrashHistory past = new CrashHistory(seed, base, prepare);
        past.live(List.of());
        byte[] bytes = SpaceOracle.randomBytes(past.random, 120_000);
        past.oracle.begins(bytes);
        past.space.insertRange(0, ByteBuffer.wrap(bytes));
        past.space.sync();
        past.oracle.synced();
        for (int offset = 60_000; offset >= 0; offset -= 1500) {
            past.oracle.begins(SpaceOracle.collapsed(past.oracle.now(), offset, 1000));
            past.space.collapseRange(offset, 1000);
        }
        past.space.close();
        past.oracle.synced();
        return cutEverywhere(
                List.of(SpaceStep.INSERT_MUCH, SpaceStep.INSERT_MUCH, SpaceStep.INSERT_MUCH, SpaceStep.SYNC),
                base.kill(),
                past.oracle,
                variants,
                prepare);
    }

    /** A space that is full to its cap, so that each change is paid for with a part of a sweep, or refused. */
    static int cutAtTheCapEverywhere(long seed, int variants, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = atTheCap(seed, prepare);
        List<SpaceStep> steps = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            steps.add(SpaceStep.OVERWRITE);
        }
        steps.addAll(List.of(SpaceStep.INSERT_MUCH, SpaceStep.COLLAPSE, SpaceStep.OVERWRITE, SpaceStep.SYNC));
        return cutEverywhere(past.options, steps, past.vfs.kill(), past.oracle, variants, prepare);
    }

    /** The same with blocks, which leave dead frames in all segments. */
    static int cutBlocksAtTheCapEverywhere(long seed, int variants, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = atTheCapInBlocks(seed, prepare);
        List<SpaceStep> steps = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            steps.add(SpaceStep.OVERWRITE_BLOCKS);
            if (i == 12 || i == 30) {
                steps.add(SpaceStep.SYNC);
            }
        }
        steps.addAll(List.of(SpaceStep.CHECKPOINT, SpaceStep.OVERWRITE_BLOCKS, SpaceStep.SYNC));
        return cutEverywhere(past.options, steps, past.vfs.kill(), past.oracle, variants, prepare);
    }

    /** Segments with dead frames, in the middle of a sweep. */
    static CrashHistory atTheCapInBlocks(long seed, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = new CrashHistory(seed, new SimulatedVfs(), prepare);
        int block = SpaceStep.BLOCK;
        past.options = CrashHistory.SMALL
                .withSegments(32 * block, block)
                .withFrameTableBytes(8 << 10)
                .withMaxDataBytes(32L * 32 * block);
        past.live(List.of());
        while (past.refusals == 0) {
            byte[] bytes = SpaceOracle.randomBytes(past.random, 20 * block);
            past.append(bytes);
            past.liveStep(SpaceStep.SYNC);
        }
        for (int i = 0; i < 200; i++) {
            past.liveStep(SpaceStep.OVERWRITE_BLOCKS);
            if (i % 20 == 0) {
                past.liveStep(SpaceStep.SYNC);
            }
        }
        past.liveStep(SpaceStep.SYNC);
        return past;
    }

    private static CrashHistory atTheCap(long seed, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = new CrashHistory(seed, new SimulatedVfs(), prepare);
        past.options = CrashHistory.SMALL
                .withFrameTableBytes(8 << 10)
                .withMaxDataBytes(32L * CrashHistory.SMALL.segmentBytes());
        past.live(List.of());
        while (past.refusals < 12) {
            past.liveStep(past.refusals < 4 ? SpaceStep.INSERT_MUCH : SpaceStep.INSERT_LITTLE);
        }
        past.liveStep(SpaceStep.SYNC);
        return past;
    }

    /** Removes most of a space, so that the end of its file is cut off, and makes it grow again. */
    static int cutShrinkingEverywhere(long seed, int variants, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = new CrashHistory(seed, new SimulatedVfs(), prepare);
        past.live(List.of());
        byte[] bytes = SpaceOracle.randomBytes(past.random, 900_000);
        past.oracle.begins(bytes);
        past.space.insertRange(0, ByteBuffer.wrap(bytes));
        past.liveStep(SpaceStep.SYNC);
        past.oracle.begins(SpaceOracle.collapsed(past.oracle.now(), 1000, 880_000));
        past.space.collapseRange(1000, 880_000);
        List<SpaceStep> steps = List.of(
                SpaceStep.COLLAPSE,
                SpaceStep.SYNC,
                SpaceStep.INSERT_LITTLE,
                SpaceStep.SYNC,
                SpaceStep.CHECKPOINT,
                SpaceStep.INSERT_MUCH,
                SpaceStep.INSERT_MUCH,
                SpaceStep.SYNC);
        past.space.close();
        past.oracle.synced();
        return cutEverywhere(steps, past.vfs.kill(), past.oracle, variants, prepare);
    }

    /** Cuts the power at every operation of a life that is mostly a checkpoint. */
    static int cutCheckpointEverywhere(int variants, Consumer<SimulatedVfs> prepare) {
        CrashHistory past = new CrashHistory(3, new SimulatedVfs(), prepare);
        past.live(List.of(SpaceStep.INSERT_MUCH, SpaceStep.SYNC));
        List<SpaceStep> steps =
                List.of(SpaceStep.INSERT_LITTLE, SpaceStep.CHECKPOINT, SpaceStep.INSERT_LITTLE, SpaceStep.SYNC);
        return cutEverywhere(steps, past.vfs.kill(), past.oracle, variants, prepare);
    }

    /** Kills the process at every operation of a checkpoint, and cuts the power at every operation of the next one. */
    static int killAndCutEverywhere(long seed, Consumer<SimulatedVfs> prepare) {
        int points = 0;
        try {
            for (long operation = 1; ; operation++) {
                CrashHistory history = new CrashHistory(seed, new SimulatedVfs(), prepare);
                history.live(List.of(SpaceStep.INSERT_MUCH, SpaceStep.SYNC, SpaceStep.INSERT_LITTLE));
                history.vfs.crashAt(history.vfs.operationCount() + operation);
                boolean finished = false;
                try {
                    history.liveStep(SpaceStep.CHECKPOINT);
                    history.liveStep(SpaceStep.INSERT_LITTLE);
                    history.liveStep(SpaceStep.SYNC);
                    finished = true;
                } catch (SimulatedCrash e) {
                    // The process ends here, and the power goes after the next one has begun.
                }
                points += cutEverywhere(
                        List.of(SpaceStep.INSERT_LITTLE, SpaceStep.SYNC, SpaceStep.CHECKPOINT),
                        history.vfs.kill(),
                        history.oracle,
                        2,
                        prepare);
                if (finished) {
                    return points;
                }
            }
        } catch (Throwable e) {
            throw new AssertionError("killAndCutEverywhere(" + seed + ")", e);
        }
    }

    /** Kills the process at every operation of a creation, and cuts the power at every operation of the next one. */
    static int killCreationAndCutEverywhere(Consumer<SimulatedVfs> prepare) {
        int points = 0;
        for (long operation = 1; ; operation++) {
            CrashHistory history = new CrashHistory(operation, new SimulatedVfs(), prepare);
            history.vfs.crashAt(operation);
            boolean finished = false;
            try {
                SpaceEngine.createDirectory(history.vfs, CrashHistory.DIRECTORY);
                SpaceEngine.createWhereChecked(
                        history.vfs, CrashHistory.DIRECTORY, 5, CrashHistory.SMALL.settings(), List.of("LOCK"));
                finished = true;
            } catch (SimulatedCrash e) {
                // The process ends here.
            }
            points += cutEverywhere(
                    List.of(SpaceStep.INSERT_LITTLE, SpaceStep.SYNC), history.vfs.kill(), history.oracle, 2, prepare);
            if (finished) {
                if (!SpaceEngine.exists(history.vfs.crash(0), CrashHistory.DIRECTORY)) {
                    throw new AssertionError("the space created is gone");
                }
                return points;
            }
        }
    }

    /** Closes a space that ends with a short log, cuts the power, and damages what the log has. */
    static void damageAfterClose(Consumer<SimulatedVfs> prepare) {
        SimulatedVfs vfs = new SimulatedVfs();
        prepare.accept(vfs);
        FlexSpaceOptions options = CrashHistory.SMALL.withCheckpointLogBytes(1 << 20);
        try (FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, options)) {
            space.insertRange(0, ByteBuffer.wrap(new byte[100]));
        }
        SimulatedVfs found = vfs.crash(0);
        Path log = found.files().stream()
                .filter(file -> file.getFileName().toString().matches("log-[0-9]+"))
                .reduce((earlier, later) -> later) // the cut has brought others back
                .orElseThrow();
        byte[] content = found.content(log);
        content[LogFormat.FRAMES_OFFSET + LogFormat.FRAME_HEADER_BYTES + 1] ^= 1;
        found.setContent(log, content);
        try (FlexSpace space = FlexSpace.open(found, CrashHistory.DIRECTORY, options)) {
            throw new AssertionError("damage is taken for what a cut has torn; " + space.size() + " bytes");
        } catch (CorruptionException e) {
            // as it should be
        }
    }

    /** Takes the state after a cut, and cuts its recovery everywhere, and each of the recoveries after that. */
    static int cutRecoveryEverywhere(long seed, Consumer<SimulatedVfs> prepare) {
        CrashHistory history = new CrashHistory(seed, new SimulatedVfs(), prepare);
        history.vfs.crashAt(40 + history.random.nextInt(160));
        try {
            List<SpaceStep> steps = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                steps.add(SpaceStep.any(history.random));
            }
            steps.removeIf(step -> step == SpaceStep.KILL);
            history.live(steps);
        } catch (SimulatedCrash e) {
            // as it should be
        }
        SimulatedVfs image = seed % 3 == 0 ? history.vfs.kill() : history.vfs.crash(seed);
        try {
            return cutRecovery(image, history, seed, 2, prepare);
        } catch (Throwable e) {
            throw new AssertionError("cutRecoveryEverywhere(" + seed + ")", e);
        }
    }

    private static int cutRecovery(
            SimulatedVfs image, CrashHistory history, long seed, int levels, Consumer<SimulatedVfs> prepare) {
        int points = 0;
        for (long operation = 1; ; operation++) {
            CrashHistory recovery = new CrashHistory(seed + operation, image.copy(), prepare);
            recovery.oracle = history.oracle.copy();
            recovery.vfs.crashAt(operation);
            try {
                recovery.live(List.of());
                return points + 1;
            } catch (SimulatedCrash e) {
                for (long variant = 0; variant < 3; variant++) {
                    SimulatedVfs next = recovery.vfs.crash(variant < 2 ? variant : seed + operation);
                    if (levels > 1) {
                        points += cutRecovery(next, history, seed, levels - 1, prepare);
                    } else {
                        CrashHistory last = new CrashHistory(seed, next, prepare);
                        last.oracle = history.oracle.copy();
                        last.live(List.of());
                        points++;
                    }
                }
            }
        }
    }
}
