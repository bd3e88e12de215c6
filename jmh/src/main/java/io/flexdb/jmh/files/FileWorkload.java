package io.flexdb.jmh.files;

import io.flexdb.jmh.ProcessorTime;
import io.flexdb.jmh.RandomNumbers;
import io.flexdb.ycsb.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;

/**
 * What is measured of one subject, in this process: by the clock, and by the time of processors, of whichever threads.
 * Whatever was written is read again and compared, beside both.
 */
final class FileWorkload {
    static final String MARK = "measured";

    private static final int PIECE_BYTES = 64 << 10;
    private static final int MAX_OVERWRITE_BYTES = 100;
    private static final int SHOWN_AT_ONCE = 256;
    private static final int WARM_UP_LARGE_BYTES = 64 << 20;

    private final FileTarget target;
    private final Sizes sizes;
    private final TreeShape shape;
    private final RandomNumbers random = new RandomNumbers();
    private final PrintStream out;
    private final Progress progress = new Progress(System.err, false);

    /**
     * @param out takes a line for each figure: a mark, the experiment, the value, its unit, and the microseconds of
     *     processors for each file, entry or piece
     */
    FileWorkload(FileTarget target, Sizes sizes, PrintStream out) {
        this.target = target;
        this.sizes = sizes;
        this.shape = new TreeShape(sizes.files);
        this.out = out;
    }

    /** How much is done. */
    record Sizes(int files, int largeBytes, int overwrites, int renames) {
        /** As little as brings code to speed, as far as that goes. */
        Sizes warmUp(int warmUpFiles) {
            return new Sizes(
                    Math.min(files, warmUpFiles),
                    Math.min(largeBytes, WARM_UP_LARGE_BYTES),
                    Math.min(overwrites, warmUpFiles),
                    renames);
        }
    }

    /** What something took, by the clock and by all processors. */
    private record Time(long nanos, long processorNanos) {
        static Time now() {
            return new Time(System.nanoTime(), ProcessorTime.nanosNow());
        }

        Time since(Time before) {
            return new Time(nanos - before.nanos, processorNanos - before.processorNanos);
        }

        Time plus(Time other) {
            return new Time(nanos + other.nanos, processorNanos + other.processorNanos);
        }
    }

    private interface Step {
        void run(int number) throws IOException;
    }

    private static void require(long expected, long found, String what) {
        if (expected != found) {
            throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
        }
    }

    /** Runs a step for each number. */
    private Time time(String name, int count, Step step) throws IOException {
        progress.begin(name, count);
        Time started = Time.now();
        for (int i = 0; i < count; i++) {
            step.run(i);
            if (i % SHOWN_AT_ONCE == 0) {
                progress.show(i, System.nanoTime() - started.nanos);
            }
        }
        Time taken = Time.now().since(started);
        progress.end(count, taken.nanos);
        return taken;
    }

    private void add(String experiment, double value, String unit, long count, Time taken) {
        double processorMicros = taken.processorNanos / 1e3 / count;
        out.printf(Locale.ROOT, "%s\t%s\t%s\t%s\t%s%n", MARK, experiment, value, unit, processorMicros);
        out.flush();
    }

    private void addRate(String experiment, long count, Time taken) {
        add(experiment, count * 1e6 / Math.max(1, taken.nanos), "thousand/s", count, taken);
    }

    void run() throws IOException {
        create();
        look();
        grep();
        writeLarge();
        rename();
        delete();
    }

    private void create() throws IOException {
        Time taken = time("mkdir", shape.directories(), i -> target.createDirectory(shape.directory(i)));
        taken = taken.plus(time("create", shape.files(), i -> target.createFile(shape.file(i), shape.content(i))));
        addRate("create files", shape.files(), taken);
    }

    private void look() throws IOException {
        int entries = shape.files() + shape.directories() - 1;
        for (int round = 0; round < 2; round++) {
            String again = round == 0 ? "" : " again";
            Time taken = time("find", 1, i -> require(entries, target.find(TreeShape.ROOT), "find"));
            addRate("find" + again, entries, taken);
            long[] listed = new long[2];
            taken = time("ls", shape.directories(), i -> listed[0] += target.list(shape.directory(i)));
            require(entries, listed[0], "ls");
            addRate("ls" + again, entries, taken);
            taken = time("ls -l", shape.directories(), i -> listed[1] += target.listLong(shape.directory(i)));
            require(shape.bytes(), listed[1], "ls -l");
            addRate("ls -l" + again, entries, taken);
        }
        int[] files = random.shuffled(shape.files());
        Time taken = time(
                "stat", files.length, i -> require(shape.length(files[i]), target.stat(shape.file(files[i])), "stat"));
        addRate("stat, random", files.length, taken);
        Time read = time("read", files.length, i -> shape.check(files[i], target.read(shape.file(files[i]))));
        addRate("read files, random", files.length, read);
    }

    private void grep() throws IOException {
        int[] found = {0};
        Time taken = time(
                "grep",
                1,
                i -> target.readTree(TreeShape.ROOT, (name, content) -> {
                    found[0] += contains(content) ? 1 : 0;
                }));
        int expected = 0;
        for (int i = 0; i < shape.files(); i++) {
            expected += shape.hasWord(i) ? 1 : 0;
        }
        require(expected, found[0], "grep");
        addRate("grep", shape.files(), taken);
        target.readTree(TreeShape.ROOT, (name, content) -> shape.check(TreeShape.number(name), content));
    }

    private static boolean contains(byte[] content) {
        int last = content.length - TreeShape.WORD.length;
        for (int i = 0; i <= last; i++) {
            if (content[i] == TreeShape.WORD[0]
                    && Arrays.equals(content, i, i + TreeShape.WORD.length, TreeShape.WORD, 0, TreeShape.WORD.length)) {
                return true;
            }
        }
        return false;
    }

    private void writeLarge() throws IOException {
        byte[] expected = new byte[Math.toIntExact(sizes.largeBytes / PIECE_BYTES * PIECE_BYTES)];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (byte) random.below(256);
        }
        int pieces = expected.length / PIECE_BYTES;
        byte[] piece = new byte[PIECE_BYTES];
        try (FileTarget.Content file = target.open("/large")) {
            Time taken = time("write", pieces, i -> {
                System.arraycopy(expected, i * PIECE_BYTES, piece, 0, PIECE_BYTES);
                file.write((long) i * PIECE_BYTES, piece);
            });
            addSpeed("write sequential", expected.length, taken);
            taken = time("overwrite", sizes.overwrites, i -> {
                byte[] few = new byte[4 + (int) random.below(MAX_OVERWRITE_BYTES - 4)];
                int position = (int) random.below(expected.length - few.length);
                Arrays.fill(few, (byte) i);
                System.arraycopy(few, 0, expected, position, few.length);
                file.write(position, few);
            });
            addRate("overwrite 4 to 100 bytes, random", sizes.overwrites, taken);
            boolean[] same = {true};
            taken = time("read", pieces, i -> {
                file.read((long) i * PIECE_BYTES, piece);
                int from = i * PIECE_BYTES;
                same[0] &= Arrays.equals(piece, 0, PIECE_BYTES, expected, from, from + PIECE_BYTES);
            });
            require(1, same[0] ? 1 : 0, "what was overwritten");
            addSpeed("read sequential", expected.length, taken);
        }
    }

    private void addSpeed(String experiment, long bytes, Time taken) {
        add(experiment, bytes * 1e3 / Math.max(1, taken.nanos), "MB/s", bytes / PIECE_BYTES, taken);
    }

    private void rename() throws IOException {
        String from = shape.directory(Math.min(1, shape.directories() - 1));
        String to = "/moved";
        Time taken = time("mv", sizes.renames, i -> {
            if (i % 2 == 0) {
                target.rename(from, to);
            } else {
                target.rename(to, from);
            }
        });
        if (sizes.renames % 2 == 1) {
            target.rename(to, from);
        }
        require(shape.files() + shape.directories() - 1, target.find(TreeShape.ROOT), "find after mv");
        add("rename a directory", taken.nanos / 1e3 / sizes.renames, "µs", sizes.renames, taken);
    }

    private void delete() throws IOException {
        Time taken = time("rm -r", 1, i -> target.deleteTree(TreeShape.ROOT));
        require(1, target.list("/"), "what is left");
        addRate("delete a tree, its entries", shape.files() + shape.directories(), taken);
    }
}
