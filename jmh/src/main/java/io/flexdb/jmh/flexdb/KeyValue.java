package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.Jvm;
import io.flexdb.ycsb.Progress;
import io.flexdb.ycsb.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Is FlexDB faster than its rivals, does it write less, and does it stop less? Tables 3 and 4 and Figures 12 and 13 of
 * the paper, with the stores that users of the JVM have today; and what the paper doesn't show.
 *
 * <p>Stores take turns, each in a process of its own. Every value that is read is checked. Progress goes to standard
 * error, tables to standard output, all figures to a file.
 *
 * <pre>
 * jmh/run.sh program kv --quick
 * jmh/run.sh program kv --records=5000000 --operations=5000000 --rounds=3
 * jmh/run.sh program kv --stores=flexdb,lmdb --parts=ycsb --workloads=a
 * </pre>
 */
public final class KeyValue {
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=";
    private static final long LOAD_DIRECT_BYTES = 4L << 30; // as much as it needs, since memory is not limited then

    private final KeyValueSettings settings;
    private final Comparison comparison = new Comparison();
    private final long start = System.nanoTime();
    private int stepsDone; // for the progress

    KeyValue(KeyValueSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(KeyValueSettings.commandLine(arguments).execute(arguments));
    }

    /** Measures one store in this process. */
    static int measureHere(KeyValueSettings settings) throws Exception {
        Results results = new Results(System.out);
        StoreRun run = new StoreRun(
                settings.measured, settings, settings.measuredDirectory, results, new Progress(System.err, false));
        if (settings.prepare) {
            run.prepare();
        } else {
            run.run();
        }
        return 0;
    }

    /** Measures all stores, each in a process of its own. */
    int run() throws IOException, InterruptedException {
        settings.run.prepare();
        if (!canLimitMemory()) {
            return 1;
        }
        boolean good = true;
        for (int round = 1; round <= settings.run.rounds; round++) {
            for (KeySpace space : settings.spaces) {
                if (settings.hasPartsInOneProcess()) {
                    for (Subject subject : settings.stores) {
                        good &= measure(subject, space, round);
                    }
                }
                if (settings.hasFreshParts()) {
                    good &= measureFresh(space, round);
                }
            }
        }
        System.out.println(comparison.tables(settings.stores));
        System.out.println("All figures: " + settings.run.json);
        if (settings.pictures != null) {
            new KeyValuePictures(settings.stores, comparison, settings.pictures).write();
        }
        return good ? 0 : 1;
    }

    private boolean canLimitMemory() {
        if (settings.memoryBytes > 0) {
            try (MemoryLimit limit = MemoryLimit.of(settings.memoryBytes)) {
                System.err.println("Memory of each process limited by " + limit);
            } catch (IOException e) {
                System.err.println("--memory is not possible here: " + e.getMessage());
                return false;
            }
        }
        return true;
    }

    /** Says what is measured next, of as many steps as there are. */
    private void progress(Subject subject, KeySpace space, String what, int round) {
        int steps = settings.hasPartsInOneProcess() ? settings.stores.size() : 0;
        if (settings.hasFreshParts()) {
            steps += settings.stores.size() * (1 + settings.workloads().size());
        }
        steps *= settings.run.rounds * settings.spaces.size();
        String left = "";
        if (stepsDone > 0) {
            Duration time = Duration.ofNanos((System.nanoTime() - start) / stepsDone * (steps - stepsDone));
            left = ", about " + time.toMinutes() + " min " + time.toSecondsPart() + " s left";
        }
        stepsDone++;
        System.err.printf(
                Locale.ROOT,
                "%s, %s%s, round %d of %d%s%n",
                subject.label(),
                space,
                what,
                round,
                settings.run.rounds,
                left);
    }

    private boolean measure(Subject subject, KeySpace space, int round) throws IOException, InterruptedException {
        progress(subject, space, "", round);
        if (settings.memoryBytes > 0 && !subject.keepsPairs()) {
            comparison.note(round, subject, "left out, since it has all data in the memory that is limited");
            return true;
        }
        Path own = newDirectory(subject);
        List<String> command = command(settings, subject);
        command.addAll(List.of("--measure=" + subject, "--measure-in=" + own, "--measure-space=" + space));
        boolean good = settings.memoryBytes == 0
                ? measure(command, subject, prefix(space), round)
                : measureWithLittleMemory(command, subject, space, round);
        remove(own);
        Files.writeString(settings.run.json, comparison.json());
        return good;
    }

    private Path newDirectory(Subject subject) throws IOException {
        Path own = settings.run.directory.resolve(subject.name().toLowerCase(Locale.ROOT));
        remove(own);
        return Files.createDirectories(own);
    }

    /**
     * Has each store loaded by a process, and measures each workload in another one, on a copy: the stores in turn, so
     * that all have a machine that is as busy with other things.
     */
    private boolean measureFresh(KeySpace space, int round) throws IOException, InterruptedException {
        boolean good = true;
        Map<Subject, Path> loaded = new EnumMap<>(Subject.class);
        for (Subject subject : settings.stores) {
            progress(subject, space, ", load", round);
            if (!subject.keepsPairs()) {
                comparison.note(round, subject, "YCSB left out, since nothing is left of a process that has ended");
                continue;
            }
            Path own = newDirectory(subject);
            Path store = Files.createDirectory(own.resolve("loaded"));
            List<String> load = onlyYcsb(settings.workloads().get(0), subject, space, store);
            load.add("--prepare");
            boolean ended = settings.limitLoad
                    ? measureLimited(load, subject, prefix(space), round)
                    : measure(load, subject, prefix(space), round);
            if (ended) {
                loaded.put(subject, store);
            } else {
                good = false;
                remove(own);
            }
        }
        for (Workloads.Named workload : settings.workloads()) {
            for (Subject subject : settings.stores) {
                if (loaded.containsKey(subject)) {
                    progress(subject, space, ", workload " + workload.name(), round);
                    good &= measureFresh(workload, subject, space, loaded.get(subject), round);
                    Files.writeString(settings.run.json, comparison.json());
                }
            }
        }
        for (Path store : loaded.values()) {
            remove(store.getParent());
        }
        return good;
    }

    private boolean measureFresh(Workloads.Named workload, Subject subject, KeySpace space, Path loaded, int round)
            throws IOException, InterruptedException {
        Path copy = loaded.resolveSibling("copy");
        copy(loaded, copy);
        List<String> command = onlyYcsb(workload, subject, space, copy);
        command.add("--prepared");
        Path recording = loaded.resolveSibling("compilations.jfr");
        remove(recording); // of the workload before
        if (settings.compilations) {
            command.add(1, Compilations.jvmArgument(recording));
        }
        boolean good = measureLimited(command, subject, prefix(space), round);
        if (settings.compilations && Files.exists(recording)) {
            String table = Compilations.table(subject.label() + ", " + workload.name(), recording);
            System.out.println(table);
            if (settings.compilationsBefore != null) {
                System.out.println(Compilations.grown(table, Files.readString(settings.compilationsBefore)));
            }
        }
        remove(copy);
        return good;
    }

    private List<String> onlyYcsb(Workloads.Named workload, Subject subject, KeySpace space, Path directory) {
        List<String> command = command(settings, subject);
        command.addAll(List.of("--measure=" + subject, "--measure-in=" + directory, "--measure-space=" + space));
        command.add("--only=" + workload.name());
        return command;
    }

    /** By the system's program, which leaves the holes of sparse files, and has all on the disk before it is measured. */
    private static void copy(Path from, Path to) throws IOException, InterruptedException {
        for (List<String> command : List.of(List.of("cp", "-a", from.toString(), to.toString()), List.of("sync"))) {
            if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed; see above");
            }
        }
    }

    private String prefix(KeySpace space) {
        return settings.spaces.size() == 1 ? "" : space + ": ";
    }

    /** Measures within the limit of memory, if there is one. */
    private boolean measureLimited(List<String> command, Subject subject, String prefix, int round)
            throws IOException, InterruptedException {
        if (settings.memoryBytes == 0) {
            return measure(command, subject, prefix, round);
        }
        try (MemoryLimit limit = MemoryLimit.of(settings.memoryBytes)) {
            return measure(limit.wrap(command), subject, prefix, round);
        }
    }

    /** Loads without a limit, or that would take hours; so what is measured then are the reads and updates. */
    private boolean measureWithLittleMemory(List<String> command, Subject subject, KeySpace space, int round)
            throws IOException, InterruptedException {
        List<String> prepare = new ArrayList<>(command);
        prepare.replaceAll(each -> each.startsWith(DIRECT_MEMORY) ? DIRECT_MEMORY + LOAD_DIRECT_BYTES : each);
        prepare.add("--prepare");
        command.add("--prepared");
        return measure(prepare, subject, prefix(space) + "without the limit: ", round)
                && measureLimited(command, subject, prefix(space), round);
    }

    /** What runs this class in a process of its own, with the arguments of this one. */
    static List<String> command(KeyValueSettings settings, Subject subject) {
        List<String> command = Jvm.command();
        command.add("-Xmx" + settings.heap());
        if (settings.memoryBytes > 0) {
            command.add(DIRECT_MEMORY + settings.memoryBytes / 2); // of which FlexDB's budget is a part
        }
        command.addAll(subject.jvmArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), KeyValue.class.getName()));
        command.addAll(settings.arguments());
        return command;
    }

    private boolean measure(List<String> command, Subject subject, String prefix, int round)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Results.Figure figure = Results.parse(line);
                String note = Results.parseNote(line);
                if (figure != null) {
                    comparison.add(round, subject, figure.withPrefix(prefix));
                } else if (note != null) {
                    comparison.note(round, subject, prefix + note);
                }
            }
        } finally {
            process.destroy();
        }
        boolean ended = process.waitFor() == 0;
        if (!ended) {
            System.err.println("FAILED: " + subject.label() + " ended with " + process.exitValue() + "; see above");
            comparison.note(round, subject, prefix + "failed, and what it would have measured next is missing");
        }
        return ended;
    }

    /** Removes a file, or a directory with all that is in it, if it is there. */
    public static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        }
    }
}
