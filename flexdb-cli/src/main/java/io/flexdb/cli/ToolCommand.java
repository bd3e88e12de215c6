package io.flexdb.cli;

import io.flexdb.Progress;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command: runs, and turns each failure into one message and an exit code. */
abstract class ToolCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private FlexDBCli cli;

    /** Done by the factory, before the command is run. */
    void belongTo(FlexDBCli newCli) {
        cli = newCli;
    }

    /** The command that was started: its streams, and the options that all commands have. */
    final FlexDBCli cli() {
        return cli;
    }

    final Output out() {
        return cli.out();
    }

    /** Does the work. */
    abstract int run() throws Exception;

    @Override
    public final Integer call() {
        try {
            int code = run();
            out().flush();
            return code;
        } catch (Throwable e) {
            return cli.failed(e);
        }
    }

    /** Arguments that don't go together. */
    final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** A long operation, which is told how far it is. */
    @FunctionalInterface
    interface Work<T> {
        T run(Progress progress) throws Exception;
    }

    /** Runs a long operation and shows how far it is, if that is wanted. */
    final <T> T withProgress(String name, Work<T> work) throws Exception {
        return withProgress(name, Sizes::text, work);
    }

    /** Runs a long operation that does not count bytes. */
    final <T> T withProgress(String name, LongFunction<String> amount, Work<T> work) throws Exception {
        try (ProgressLine line = new ProgressLine(cli.progressTarget(), name, amount, System::nanoTime)) {
            return work.run(line);
        }
    }
}
