package io.flexdb.jmh;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/**
 * The options that programs that measure have in common, to be mixed in by picocli. The defaults of {@code --json} are
 * the program's, which {@link BenchmarkOptions#commandLine} is told, and those of others may be.
 */
public class RunOptions {
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
    }
}
