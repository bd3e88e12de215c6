package io.flexdb.jmh.files;

import io.flexdb.jmh.RandomNumbers;
import io.flexdb.ycsb.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;

/** What is measured of one subject, in this process. Whatever was written is read again and compared, beside the clock. */
final class FileWorkload {
    static final String MARK = "measured";

    private static final int PIECE_BYTES = 64 << 10;
    private static final int MAX_OVERWRITE_BYTES = 100;
    private static final int SHOWN_AT_ONCE = 256;

    private final FileTarget target;
    private final FileBenchmarkSettings settings;
    private final TreeShape shape;
    private final RandomNumbers random = new RandomNumbers();
    private final PrintStream out;
    private final Progress progress = new Progress(System.err, false);
    private long started;

    FileWorkload(FileTarget target, FileBenchmarkSettings settings, PrintStream out) {
        this.target = target;
        this.settings = settings;
        this.shape = new TreeShape(settings.files);
        this.out = out;
    }

    private interface Step {
        void run(int number) throws IOException;
    }

    private static void require(long expected, long found, String what) {
        if (expected != found) {
            throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
        }
    }

    /** Runs a step for each number, and returns the nanoseconds. */
    private long time(String name, int count, Step step) throws IOException {
        progress.begin(name, count);
        started = System.nanoTime();
        for (int i = 0; i < count; i++) {
            step.run(i);
            if (i % SHOWN_AT_ONCE == 0) {
                progress.show(i, System.nanoTime() - started);
            }
        }
        long nanos = System.nanoTime() - started;
        progress.end(count, nanos);
        return nanos;
    }

    private void add(String experiment, double value, String unit) {
        out.printf(Locale.ROOT, "%s\t%s\t%s\t%s%n", MARK, experiment, value, unit);
        out.flush();
    }

    private void addRate(String experiment, long operations, long nanos) {
        add(experiment, operations * 1e6 / Math.max(1, nanos), "thousand/s");
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
        long nanos = time("mkdir", shape.directories(), i -> target.createDirectory(shape.directory(i)));
        nanos += time("create", shape.files(), i -> target.createFile(shape.file(i), shape.content(i)));
        addRate("create files", shape.files(), nanos);
    }

    private void look() throws IOException {
        int entries = shape.files() + shape.directories() - 1;
        for (int round = 0; round < settings.rounds; round++) {
            String again = round == 0 ? "" : " again";
            long nanos = time("find", 1, i -> require(entries, target.find(TreeShape.ROOT), "find"));
            addRate("find" + again, entries, nanos);
            long[] listed = new long[2];
            nanos = time("ls", shape.directories(), i -> listed[0] += target.list(shape.directory(i)));
            require(entries, listed[0], "ls");
            addRate("ls" + again, entries, nanos);
            nanos = time("ls -l", shape.directories(), i -> listed[1] += target.listLong(shape.directory(i)));
            require(shape.bytes(), listed[1], "ls -l");
            addRate("ls -l" + again, entries, nanos);
        }
        int[] files = random.shuffled(shape.files());
        long nanos = time(
                "stat", files.length, i -> require(shape.length(files[i]), target.stat(shape.file(files[i])), "stat"));
        addRate("stat, random", files.length, nanos);
        long read = time("read", files.length, i -> shape.check(files[i], target.read(shape.file(files[i]))));
        addRate("read files, random", files.length, read);
    }

    private void grep() throws IOException {
        int[] found = {0};
        long nanos = time(
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
        addRate("grep", shape.files(), nanos);
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
        byte[] expected = new byte[Math.toIntExact(settings.largeBytes / PIECE_BYTES * PIECE_BYTES)];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (byte) random.below(256);
        }
        int pieces = expected.length / PIECE_BYTES;
        byte[] piece = new byte[PIECE_BYTES];
        try (FileTarget.Content file = target.open("/large")) {
            long nanos = time("write", pieces, i -> {
                System.arraycopy(expected, i * PIECE_BYTES, piece, 0, PIECE_BYTES);
                file.write((long) i * PIECE_BYTES, piece);
            });
            addSpeed("write sequential", expected.length, nanos);
            nanos = time("overwrite", settings.overwrites, i -> {
                byte[] few = new byte[4 + (int) random.below(MAX_OVERWRITE_BYTES - 4)];
                int position = (int) random.below(expected.length - few.length);
                Arrays.fill(few, (byte) i);
                System.arraycopy(few, 0, expected, position, few.length);
                file.write(position, few);
            });
            addRate("overwrite 4 to 100 bytes, random", settings.overwrites, nanos);
            boolean[] same = {true};
            nanos = time("read", pieces, i -> {
                file.read((long) i * PIECE_BYTES, piece);
                int from = i * PIECE_BYTES;
                same[0] &= Arrays.equals(piece, 0, PIECE_BYTES, expected, from, from + PIECE_BYTES);
            });
            require(1, same[0] ? 1 : 0, "what was overwritten");
            addSpeed("read sequential", expected.length, nanos);
        }
    }

    private void addSpeed(String experiment, long bytes, long nanos) {
        add(experiment, bytes * 1e3 / Math.max(1, nanos), "MB/s");
    }

    private void rename() throws IOException {
        String from = shape.directory(Math.min(1, shape.directories() - 1));
        String to = "/moved";
        long nanos = time("mv", settings.renames, i -> {
            if (i % 2 == 0) {
                target.rename(from, to);
            } else {
                target.rename(to, from);
            }
        });
        if (settings.renames % 2 == 1) {
            target.rename(to, from);
        }
        require(shape.files() + shape.directories() - 1, target.find(TreeShape.ROOT), "find after mv");
        add("rename a directory", nanos / 1e3 / settings.renames, "µs");
    }

    private void delete() throws IOException {
        long nanos = time("rm -r", 1, i -> target.deleteTree(TreeShape.ROOT));
        require(1, target.list("/"), "what is left");
        addRate("delete a tree, its entries", shape.files() + shape.directories(), nanos);
    }
}
