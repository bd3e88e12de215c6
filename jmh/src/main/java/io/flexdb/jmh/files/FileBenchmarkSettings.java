package io.flexdb.jmh.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.RunOptions;
import io.flexdb.jmh.flexdb.KeyValue;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to measure, and how; see {@code --help}. */
@Command(
        name = "FileBenchmark",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description =
                "Measures files in FlexDB, in its rivals by the same schema, by flexdb-files and on the disk's own "
                        + "file system, each in a process of its own, and prints a table.",
        footer = {"", "N and BYTES are numbers that k, m or g may follow."})
final class FileBenchmarkSettings implements Callable<Integer> {
    private static final Map<String, String> DEFAULTS =
            Map.of("--dir", "jmh/target/files", "--json", "jmh/target/files.json");
    private static final Map<String, String> QUICK_DEFAULTS = Map.of(
            "--files", "2000",
            "--large", "1m",
            "--overwrites", "2000",
            "--renames", "10",
            "--cache", "8m",
            "--heap", "256m",
            "--warm-up", "200");

    @Mixin
    RunOptions.InDirectory run = new RunOptions.InDirectory();

    @Option(
            names = "--subjects",
            split = ",",
            paramLabel = "SUBJECT",
            converter = FileSubject.Name.class,
            completionCandidates = FileSubject.Name.class,
            description = "Of ${COMPLETION-CANDIDATES}, in this order. Default: all.")
    List<FileSubject> subjects = FileSubject.ALL;

    @Option(
            names = "--files",
            paramLabel = "N",
            defaultValue = "1000000",
            converter = BenchmarkOptions.Count.class,
            description = "Files of the tree, a hundred in each directory. Default: ${DEFAULT-VALUE}.")
    int files;

    @Option(
            names = "--large",
            paramLabel = "BYTES",
            defaultValue = "256m",
            converter = BenchmarkOptions.Count.class,
            description = "Of the large file. Default: ${DEFAULT-VALUE}.")
    int largeBytes;

    @Option(
            names = "--overwrites",
            paramLabel = "N",
            defaultValue = "200000",
            converter = BenchmarkOptions.Count.class,
            description = "Small overwrites at random places of the large file. Default: ${DEFAULT-VALUE}.")
    int overwrites;

    @Option(
            names = "--renames",
            paramLabel = "N",
            defaultValue = "1000",
            converter = BenchmarkOptions.Count.class,
            description = "How often a directory with a quarter of the tree is renamed. Default: ${DEFAULT-VALUE}.")
    int renames;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "100000",
            converter = BenchmarkOptions.CountOrNone.class,
            description =
                    "Files of the tree that all is done with first, without being measured, in a directory of its "
                            + "own; 0 for none. Default: ${DEFAULT-VALUE}.")
    int warmUpFiles;

    @Option(
            names = "--block",
            paramLabel = "BYTES",
            defaultValue = "16k",
            converter = BenchmarkOptions.Count.class,
            description = "Of a block, in all stores. Default: ${DEFAULT-VALUE}.")
    int blockBytes;

    @Option(
            names = "--small",
            paramLabel = "BYTES",
            defaultValue = "512",
            converter = BenchmarkOptions.Count.class,
            description = "Up to which a file is kept in its entry, in all stores. Default: ${DEFAULT-VALUE}.")
    int smallBytes;

    @Option(
            names = "--cache",
            paramLabel = "BYTES",
            defaultValue = "256m",
            converter = BenchmarkOptions.LargeCount.class,
            description = "The cache of each store that has one. Default: ${DEFAULT-VALUE}.")
    long cacheBytes;

    @Option(
            names = "--heap",
            paramLabel = "BYTES",
            defaultValue = "2g",
            description = "Heap of each process. Default: ${DEFAULT-VALUE}.")
    String heap;

    @Option(
            names = "--measure",
            hidden = true,
            converter = FileSubject.Name.class,
            description = "Measure this in this process.")
    private FileSubject measured;

    @Option(names = "--measure-in", hidden = true, description = "Where, in an empty directory.")
    private Path measuredDirectory;

    private String[] arguments = {};

    static CommandLine commandLine(String... arguments) {
        FileBenchmarkSettings settings = new FileBenchmarkSettings();
        settings.arguments = arguments.clone();
        return BenchmarkOptions.commandLine(settings, DEFAULTS, QUICK_DEFAULTS, arguments);
    }

    /** As they were given, for the processes of the subjects. */
    List<String> arguments() {
        return List.of(arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (measured == null) {
            return new FileBenchmark(this).run();
        }
        FileWorkload.Sizes sizes = new FileWorkload.Sizes(files, largeBytes, overwrites, renames);
        if (warmUpFiles > 0) {
            run("warm-up", sizes.warmUp(warmUpFiles), new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
        }
        run("measured", sizes, System.out);
        return 0;
    }

    private void run(String name, FileWorkload.Sizes sizes, PrintStream out) throws IOException {
        Path own = Files.createDirectory(measuredDirectory.resolve(name));
        try (FileTarget target = measured.opener().open(own, this)) {
            new FileWorkload(target, sizes, out).run();
        }
        KeyValue.remove(own);
    }
}
