package io.flexdb.flexspace;

import io.flexdb.storage.StoreLockedException;
import io.flexdb.testing.Effort;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * What {@link FlexSpaceRenamedTest} runs in a JVM of its own: all kinds of steps on a space whose directory is renamed
 * again and again, with another space put where it was. Ends with 0 if nothing was thrown or wrong.
 */
final class RenamedSpaceProcess {
    private static final int STEPS = Effort.times(400);

    private final Path root;
    private final Path before;
    private final Random random;
    private final SpaceOracle oracle = new SpaceOracle();
    private Path now;
    private int renames;

    private RenamedSpaceProcess(Path root, long seed) {
        this.root = root;
        this.before = root.resolve("before");
        this.random = new Random(seed);
        this.now = before;
    }

    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[1]);
        boolean interrupting = Boolean.parseBoolean(arguments[2]);
        AtomicBoolean done = new AtomicBoolean();
        Thread user = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            while (!done.get()) {
                user.interrupt();
                Thread.yield();
            }
        });
        interrupter.setDaemon(true);
        RenamedSpaceProcess process = new RenamedSpaceProcess(Path.of(arguments[0]), seed);
        if (interrupting) {
            interrupter.start();
        }
        process.run();
        done.set(true);
        System.out.println("well: " + process.renames + " renames");
    }

    private void run() throws IOException {
        FlexSpace space = FlexSpace.open(before, CrashHistory.SMALL);
        rename();
        byte[] stranger = new byte[10_000];
        try (FlexSpace other = FlexSpace.open(before, CrashHistory.SMALL)) {
            other.insertRange(0, ByteBuffer.wrap(stranger));
            step(space);
            expect(stranger, SpaceOracle.contentOf(other));
        }
        Map<Path, byte[]> files = filesBelow(before);
        for (int i = 0; i < STEPS; i++) {
            step(space);
            if (random.nextInt(3) == 0) {
                rename();
            }
        }
        try {
            FlexSpace.open(now, CrashHistory.SMALL).close();
            throw new AssertionError("opened twice");
        } catch (StoreLockedException expected) {
            // by its new name, too
        }
        expect(oracle.now(), SpaceOracle.contentOf(space));
        CheckReport report = space.check();
        if (!report.isSound()) {
            throw new AssertionError(report.toString());
        }
        space.close();
        Map<Path, byte[]> left = filesBelow(before);
        if (!left.keySet().equals(files.keySet())) {
            throw new AssertionError("another space has " + left.keySet() + " instead of " + files.keySet());
        }
        files.forEach((path, bytes) -> expect(bytes, left.get(path)));
        try (FlexSpace again = FlexSpace.open(now, CrashHistory.SMALL)) {
            expect(oracle.now(), SpaceOracle.contentOf(again));
            oracle.startFrom(oracle.now());
            step(again);
        }
    }

    private void step(FlexSpace space) {
        SpaceStep step;
        do {
            step = SpaceStep.any(random);
        } while (step == SpaceStep.CLOSE_AND_OPEN || step == SpaceStep.KILL);
        step.apply(space, oracle, random);
    }

    private void rename() throws IOException {
        now = Files.move(now, root.resolve("name-" + ++renames));
    }

    private static void expect(byte[] expected, byte[] found) {
        if (!Arrays.equals(expected, found)) {
            throw new AssertionError("differs at " + Arrays.mismatch(expected, found));
        }
    }

    private static Map<Path, byte[]> filesBelow(Path directory) throws IOException {
        Map<Path, byte[]> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                found.put(file, bytesOf(file));
            }
        }
        return found;
    }

    /** By a stream, which no interrupt closes. */
    private static byte[] bytesOf(Path file) throws IOException {
        try (InputStream in = new FileInputStream(file.toFile())) {
            return in.readAllBytes();
        }
    }
}
