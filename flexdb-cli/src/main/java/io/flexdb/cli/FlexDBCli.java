package io.flexdb.cli;

import io.flexdb.FlexDBOptions;
import io.flexdb.KeyspaceOptions;
import io.flexdb.MergeFunction;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command {@code flexdb}. Results go to standard output alone, messages to standard error. For one thread.
 */
@Command(
        name = "flexdb",
        description = "Shows, checks, copies, dumps, fills and repairs FlexDB stores.",
        mixinStandardHelpOptions = true,
        versionProvider = FlexDBCli.Version.class,
        scope = ScopeType.INHERIT,
        usageHelpAutoWidth = true,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            InfoCommand.class,
            GetCommand.class,
            PutCommand.class,
            DeleteCommand.class,
            ScanCommand.class,
            CountCommand.class,
            KeyspacesCommand.class,
            CheckCommand.class,
            VerifyCommand.class,
            DumpCommand.class,
            LoadCommand.class,
            ImportCommand.class,
            BackupCommand.class,
            BackupsCommand.class,
            RestoreCommand.class,
            SalvageCommand.class,
            CompactCommand.class,
            CopyCommand.class,
            ReportCommand.class
        },
        footer = {
            "",
            "Keys and values are text, hex:0A1B for bytes, @FILE for the content of a file, - for standard input,"
                    + " and text:... for text that begins so.",
            "Exit codes: 0 done; 1 not found, or damage found by a check; 2 wrong usage; 3 the store can't be opened;"
                    + " 4 damage; 5 failed otherwise; 141 the reader of the output has gone."
        })
public final class FlexDBCli implements Runnable {
    private static final String TERMINAL = "flexdb.terminal";

    @Spec
    private CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show the stack trace of a failure.")
    private boolean debug;

    @Option(
            names = "--progress",
            negatable = true,
            scope = ScopeType.INHERIT,
            description = "Show on standard error how far it is. Default: if that is a terminal.")
    private Boolean progress;

    @Option(
            names = {"-o", "--option"},
            paramLabel = "NAME=VALUE",
            scope = ScopeType.INHERIT,
            description = "Set an option of the store, such as memory-bytes=64m or durability=SYNC.")
    private Map<String, String> storeOptions = new LinkedHashMap<>();

    @Option(
            names = "--merge",
            paramLabel = "add|append",
            scope = ScopeType.INHERIT,
            description = "The merge function of the store.")
    private Merge merge;

    @Option(
            names = "--merge-in",
            paramLabel = "KEYSPACE=add|append",
            scope = ScopeType.INHERIT,
            description = "The merge function of one keyspace.")
    private Map<String, Merge> mergeIn = new LinkedHashMap<>();

    private final InputStream in;
    private final Output out;
    private final PrintStream err;
    private final boolean isTerminal;

    /** The merge functions that the library has. */
    enum Merge {
        ADD(MergeFunction.ADD),
        APPEND(MergeFunction.APPEND);

        private final MergeFunction function;

        Merge(MergeFunction function) {
            this.function = function;
        }
    }

    FlexDBCli(InputStream in, OutputStream out, PrintStream err, boolean isTerminal) {
        this.in = in;
        this.out = new Output(out);
        this.err = err;
        this.isTerminal = isTerminal;
    }

    /**
     * Runs the command and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        Warnings.to(err);
        FlexDBCli cli =
                new FlexDBCli(System.in, new FileOutputStream(FileDescriptor.out), err, Boolean.getBoolean(TERMINAL));
        System.exit(cli.execute(arguments));
    }

    /** Runs the command and returns its exit code. */
    int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    private CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(this, new Factory());
        CommandLine completion = new CommandLine(new AutoComplete.GenerateCompletion());
        completion
                .getCommandSpec()
                .usageMessage()
                .description("Print a completion script for bash and zsh:", "source <(flexdb completion)");
        commandLine.addSubcommand("completion", completion);
        commandLine.setOut(new PrintWriter(new OutputStreamWriter(out.stream(), StandardCharsets.UTF_8), true));
        commandLine.setErr(new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true));
        commandLine.setExpandAtFiles(false); // they stand for keys and values
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler(this::wrongUsage);
        commandLine.setExecutionExceptionHandler((failure, command, result) -> failed(failure));
        return commandLine;
    }

    /** Makes the commands, and tells them where they belong. */
    private final class Factory implements IFactory {
        private final IFactory factory = CommandLine.defaultFactory();

        @Override
        public <K> K create(Class<K> type) throws Exception {
            K made = factory.create(type);
            if (made instanceof ToolCommand command) {
                command.belongTo(FlexDBCli.this);
            }
            return made;
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    private int wrongUsage(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        err.println("flexdb: " + failure.getMessage());
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        if (debug) {
            failure.printStackTrace(err);
        }
        return ExitCode.USAGE;
    }

    /** Tells of a failure and returns its exit code. */
    int failed(Throwable failure) {
        if (failure instanceof ParameterException usage) {
            return wrongUsage(usage, new String[0]);
        }
        int code = Failures.exitCode(failure);
        if (code != ExitCode.PIPE_CLOSED) {
            flushAfterFailure();
            err.println("flexdb: " + Failures.message(failure));
        }
        if (debug) {
            failure.printStackTrace(err);
        }
        return code;
    }

    /** Results that were found before a failure are shown; that they can't be is no news any more. */
    private void flushAfterFailure() {
        try {
            out.flush();
        } catch (CommandFailure e) {
            if (debug) {
                e.printStackTrace(err);
            }
        }
    }

    InputStream in() {
        return in;
    }

    Output out() {
        return out;
    }

    PrintStream err() {
        return err;
    }

    /** Where the progress is shown, or null. */
    PrintStream progressTarget() {
        boolean isWanted = progress == null ? isTerminal : progress;
        return isWanted ? err : null;
    }

    /** The options with which stores are opened. */
    FlexDBOptions options() {
        FlexDBOptions options = FlexDBOptions.defaults().withProperties(storeOptions, "");
        if (merge != null) {
            options = options.withMergeFunction(merge.function);
        }
        for (Map.Entry<String, Merge> keyspace : mergeIn.entrySet()) {
            KeyspaceOptions own = KeyspaceOptions.defaults().withMergeFunction(keyspace.getValue().function);
            options = options.withKeyspace(keyspace.getKey(), own);
        }
        return options;
    }

    /** The version of the release. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"flexdb " + text()};
        }

        static String text() {
            String version = FlexDBCli.class.getPackage().getImplementationVersion();
            return version == null ? "(not packaged)" : version;
        }
    }
}
