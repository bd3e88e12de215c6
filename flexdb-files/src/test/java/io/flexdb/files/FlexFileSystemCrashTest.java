package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.StoresOnSimulatedFiles;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cuts the power at file operations of a script, and looks at what is left: after each cut the file system is sound and
 * is what it was after one of the script's steps, the last that had returned or the one under way; with weaker
 * durabilities an earlier one.
 */
class FlexFileSystemCrashTest {
    private FlexFilesOptions options = FilesFixture.SMALL;

    private static final int CUTS = Effort.times(60);

    /** A step of a script, which happens as a whole or not at all. */
    interface Step {
        void run(FlexFileSystem files) throws IOException;
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Writes with one call, so that it is one step. */
    private static Step write(String path, int at, int length) {
        return files -> {
            try (SeekableByteChannel channel = Files.newByteChannel(files.getPath(path), StandardOpenOption.WRITE)) {
                channel.position(at).write(ByteBuffer.wrap(bytes(at + length, length)));
            }
        };
    }

    private static Step truncate(String path, int length) {
        return files -> {
            try (SeekableByteChannel channel = Files.newByteChannel(files.getPath(path), StandardOpenOption.WRITE)) {
                channel.truncate(length);
            }
        };
    }

    private static Step create(String path) {
        return files -> Files.createFile(files.getPath(path));
    }

    private static Step createDirectory(String path) {
        return files -> Files.createDirectory(files.getPath(path));
    }

    private static Step move(String from, String to) {
        return files -> Files.move(files.getPath(from), files.getPath(to), StandardCopyOption.REPLACE_EXISTING);
    }

    private static Step copy(String from, String to) {
        return files -> Files.copy(files.getPath(from), files.getPath(to), StandardCopyOption.REPLACE_EXISTING);
    }

    private static Step deleteAll(String path) {
        return files -> files.deleteRecursively(files.getPath(path));
    }

    private static List<Step> script() {
        List<Step> steps = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            String top = "/r" + round;
            steps.add(createDirectory(top));
            for (int i = 0; i < 4; i++) {
                String directory = top + "/d" + i;
                steps.add(createDirectory(directory));
                for (int j = 0; j < 3; j++) {
                    steps.add(create(directory + "/f" + j));
                    steps.add(write(directory + "/f" + j, 0, 60 + 900 * j));
                }
                steps.add(write(directory + "/f1", 3000, 7000));
                steps.add(copy(directory + "/f1", top + "/copy"));
                steps.add(truncate(directory + "/f1", 3500));
                steps.add(move(directory + "/f2", directory + "/f1"));
            }
            steps.add(files -> Files.createSymbolicLink(files.getPath(top + "/link"), files.getPath("d0")));
            steps.add(move(top + "/d0", top + "/d1/moved"));
            steps.add(deleteAll(top + "/d1"));
            steps.add(files -> Files.delete(files.getPath(top + "/d2/f0")));
            if (round > 0) {
                steps.add(deleteAll("/r" + (round - 1)));
            }
        }
        return steps;
    }

    /** All that there is, by path. */
    private static TreeMap<String, String> tree(FlexFileSystem files) throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(files.getPath("/"))) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String content = Files.isSymbolicLink(path)
                        ? "-> " + Files.readSymbolicLink(path)
                        : Files.isDirectory(path) ? "" : new String(Files.readAllBytes(path), "ISO-8859-1");
                found.put(path.toString(), content);
            }
        }
        return found;
    }

    /** What there is after each step. */
    private List<TreeMap<String, String>> statesOf(List<Step> steps) throws IOException {
        List<TreeMap<String, String>> states = new ArrayList<>();
        try (FlexDB db = StoresOnSimulatedFiles.open(new SimulatedVfs(), Durability.NONE);
                FlexFileSystem files = FlexFileSystem.open(db, options)) {
            states.add(tree(files));
            for (Step step : steps) {
                step.run(files);
                states.add(tree(files));
            }
        }
        return states;
    }

    /** Runs steps until they have ended or the power is cut; returns how many have returned. */
    private int run(SimulatedVfs vfs, Durability durability, List<Step> steps) throws IOException {
        int done = 0;
        try {
            FlexDB db = StoresOnSimulatedFiles.open(vfs, durability);
            FlexFileSystem files = FlexFileSystem.open(db, options);
            for (Step step : steps) {
                step.run(files);
                done++;
            }
            files.close();
            db.close();
        } catch (IOException | RuntimeException | SimulatedCrash e) {
            if (!vfs.isDead()) {
                throw e;
            }
        }
        return done;
    }

    @ParameterizedTest
    @EnumSource
    void afterEachCutThereIsWhatOneOfTheStepsHasLeft(Durability durability) throws IOException {
        List<Step> steps = script();
        List<TreeMap<String, String>> states = statesOf(steps);
        SimulatedVfs whole = new SimulatedVfs();
        assertEquals(steps.size(), run(whole, durability, steps));
        long operations = whole.operationCount();
        int sawOldState = 0;
        for (int cut = 1; cut <= CUTS; cut++) {
            long operation = operations * cut / (CUTS + 1);
            SimulatedVfs vfs = new SimulatedVfs();
            vfs.crashAt(operation);
            int done = run(vfs, durability, steps);
            for (long seed = 0; seed < 4; seed++) {
                String at = "cut at " + operation + ", seed " + seed + ", after step " + done;
                int state = assertIsAState(vfs.crash(seed), states, done, durability, at);
                sawOldState += state < done ? 1 : 0;
            }
        }
        assertEquals(durability == Durability.SYNC, sawOldState == 0, "states older than acknowledged: " + sawOldState);
    }

    /** Writes through one channel, of which some are forced. */
    private static final class ForcedScript {
        private final List<Step> steps = new ArrayList<>();
        private FileChannel channel;
        private int done;
        private int forced; // how many steps had been done

        ForcedScript() {
            steps.add(files -> channel = FileChannel.open(
                    files.getPath("/file"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE));
            for (int i = 0; i < 40; i++) {
                int at = 350 * i;
                ByteBuffer first = ByteBuffer.wrap(bytes(i, 300));
                ByteBuffer second = ByteBuffer.wrap(bytes(-i, 400));
                steps.add(
                        files -> channel.position(at).write(new ByteBuffer[] {first.duplicate(), second.duplicate()}));
                if (i % 7 == 3) {
                    steps.add(files -> channel.truncate(at - 900));
                }
                boolean withTimes = i % 2 == 0;
                if (i % 3 == 2) {
                    steps.add(files -> {
                        channel.force(withTimes);
                        forced = done;
                    });
                }
            }
            steps.replaceAll(step -> files -> {
                step.run(files);
                done++;
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasForcedIsThereAfterEachCut(Durability durability) throws IOException {
        List<TreeMap<String, String>> states = statesOf(new ForcedScript().steps);
        SimulatedVfs whole = new SimulatedVfs();
        run(whole, durability, new ForcedScript().steps);
        int sawUnforced = 0;
        for (int cut = 1; cut <= CUTS; cut++) {
            long operation = whole.operationCount() * cut / (CUTS + 1);
            SimulatedVfs vfs = new SimulatedVfs();
            vfs.crashAt(operation);
            ForcedScript script = new ForcedScript();
            int done = run(vfs, durability, script.steps);
            for (long seed = 0; seed < 4; seed++) {
                String at = "cut at " + operation + ", seed " + seed + ", after step " + done;
                int state = assertIsAState(vfs.crash(seed), states, done, durability, at);
                assertTrue(state >= script.forced, at + ": state " + state + " from before " + script.forced);
                sawUnforced += state < done ? 1 : 0;
            }
        }
        assertEquals(durability == Durability.SYNC, sawUnforced == 0, "states older than written: " + sawUnforced);
    }

    /** Directories that were made in turns with others, so that each is a run of numbers by itself. */
    private static List<Step> scriptOfRuns() {
        List<Step> steps = new ArrayList<>();
        steps.add(createDirectory("/stay"));
        steps.add(createDirectory("/go"));
        for (int i = 0; i < 12; i++) {
            String below = i % 3 == 0 ? "/go/d" + i : "/go/d" + (i - i % 3) + "/e" + i;
            steps.add(createDirectory("/stay/d" + i));
            steps.add(createDirectory(below));
            steps.add(create("/stay/f" + i));
            steps.add(create(below + "/f"));
            steps.add(write(below + "/f", 0, 600));
        }
        steps.add(deleteAll("/go"));
        return steps;
    }

    @Test
    void aTreeThatGoesInManyTransactionsGoesAfterEachCutBetweenThem() throws IOException {
        for (int ids : new int[] {1 << 20, 5}) {
            options = FilesFixture.SMALL.withRemoval(ids, 2);
            List<Step> steps = scriptOfRuns();
            List<TreeMap<String, String>> states = statesOf(steps);
            SimulatedVfs whole = new SimulatedVfs();
            long[] first = new long[1];
            List<Step> counted = new ArrayList<>(steps);
            counted.add(steps.size() - 1, files -> first[0] = whole.operationCount());
            run(whole, Durability.SYNC, counted);
            int sawWhole = 0;
            for (long cut = first[0]; cut < whole.operationCount(); cut++) {
                SimulatedVfs vfs = new SimulatedVfs();
                vfs.crashAt(cut);
                int done = run(vfs, Durability.SYNC, steps);
                int state = assertIsAState(vfs.crash(cut), states, done, Durability.SYNC, "cut at " + cut);
                sawWhole += done == steps.size() - 1 && state == done ? 1 : 0;
            }
            assertTrue(sawWhole > 0, "no cut before the tree was gone");
        }
    }

    private int assertIsAState(
            SimulatedVfs vfs, List<TreeMap<String, String>> states, int done, Durability durability, String at)
            throws IOException {
        try (FlexDB db = StoresOnSimulatedFiles.open(vfs, durability);
                FlexFileSystem files = FlexFileSystem.open(db, options)) {
            FlexFilesCheckReport report = files.check();
            assertEquals(List.of(), report.problems(), at);
            TreeMap<String, String> found = tree(files);
            long entries = report.directories() + report.files() + report.links();
            assertEquals(found.size(), entries, at + ": what no path leads to");
            int state = states.subList(0, Math.min(states.size(), done + 2)).lastIndexOf(found);
            assertTrue(state >= 0, at + ": a state that never was: " + found.keySet());
            assertTrue(state >= done || durability != Durability.SYNC, at + ": state " + state);
            return state;
        }
    }
}
