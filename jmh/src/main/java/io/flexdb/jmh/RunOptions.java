package io.flexdb.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that programs that measure have in common, to be mixed in by picocli. The defaults of {@code --json} are
 * the program's, which {@link BenchmarkOptions#commandLine} is told, and those of others may be.
 */
public class RunOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Whether sizes are small. */
    @Option(
            names = BenchmarkOptions.QUICK,
            description = "Small sizes: does it run? Takes seconds. Other defaults: see --quick --help.")
    public boolean quick;

    /** How often everything is measured. */
    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            converter = BenchmarkOptions.Count.class,
            description = "Measure everything N times, those that are compared in turn; tables have the medians."
                    + " Default: ${DEFAULT-VALUE}.")
    public int rounds;

    /** The file for all figures. */
    @Option(names = "--json", paramLabel = "FILE", description = "Where every figure goes. Default: ${DEFAULT-VALUE}.")
    public Path json;

    /**
     * Makes the directory of the file for figures, before anything is measured.
     *
     * @throws ParameterException if figures could not be written at the end
     */
    public void prepare() {
        Path parent = makeDirectory("--json", json.toAbsolutePath().getParent());
        if (Files.isDirectory(json) || !Files.isWritable(Files.exists(json) ? json : parent)) {
            throw new ParameterException(
                    command.commandLine(), "Invalid value for option '--json': " + json + " can't be written");
        }
    }

    final Path makeDirectory(String option, Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "Invalid value for option '" + option + "': " + directory + " can't be made: " + e,
                    e);
        }
    }

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and exit.")
    private boolean help;

    /** The same for programs that make files; the default of {@code --dir} is the program's, too. */
    public static final class InDirectory extends RunOptions {
        /** Where files are made. */
        @Option(
                names = "--dir",
                paramLabel = "DIR",
                description = "Where stores and files are made, and removed. Default: ${DEFAULT-VALUE}.")
        public Path directory;

        @Override
        public void prepare() {
            super.prepare();
            makeDirectory("--dir", directory);
        }
    }
}
