package io.flexdb.jmh.suite;

import io.flexdb.jmh.Jvm;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs programs in JVMs of their own; their output goes to log files. For one thread, but for {@link #end}.
 */
final class ChildJvm {
    private static final int TAIL_LINES = 3;
    private static final int WRONG_ARGUMENTS = 2; // the exit code

    private final Path directory;
    private final Path output;
    private final Duration limit;
    private volatile Process running;
    private volatile boolean ended;

    /**
     * @param directory where programs may make stores
     * @param output where log files and figures go; it exists
     * @param limit a program that takes longer is ended
     */
    ChildJvm(Path directory, Path output, Duration limit) {
        this.directory = directory;
        this.output = output;
        this.limit = limit;
    }

    /**
     * The end of a program.
     *
     * @param started UTC, ISO 8601
     * @param failure empty if the program ended well
     */
    record Outcome(String started, double seconds, String failure, Path log) {}

    Path directory() {
        return directory;
    }

    /** The path of a file that does not exist. */
    Path newFile(String name) throws IOException {
        Path file = output.resolve(fileName(name));
        Files.deleteIfExists(file);
        return file;
    }

    private static String fileName(String name) {
        return name.replaceAll("[^A-Za-z0-9.,-]+", "-").toLowerCase(Locale.ROOT);
    }

    /** Runs a program. */
    Outcome run(
            String name,
            int round,
            List<String> jvmArguments,
            String classPath,
            String mainClass,
            List<String> arguments)
            throws IOException, InterruptedException {
        requireGoingOn();
        List<String> command = Jvm.command();
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(arguments);
        Path log = output.resolve(fileName(name + "-round-" + round + ".log"));
        Files.writeString(log, String.join(" ", command) + System.lineSeparator());
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        running = process;
        String failure = "";
        try {
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                failure = "it was ended after " + limit.toMinutes() + " min; see " + log;
            } else if (process.exitValue() != 0) {
                failure = "exit code " + process.exitValue() + ": " + reason(log, process.exitValue()) + "; see " + log;
            }
        } finally {
            end(process);
        }
        requireGoingOn(); // a program that was ended has not failed
        return new Outcome(started.toString(), (System.nanoTime() - start) / 1e9, failure, log);
    }

    /** Ends the program that runs, if any, and all it started, and runs no other; for the end of this process. */
    void end() {
        ended = true;
        Process process = running;
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private void requireGoingOn() throws InterruptedException {
        if (ended) {
            throw new InterruptedException("the run was ended");
        }
    }

    /** Ends a program and all it started. */
    private static void end(Process process) throws InterruptedException {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly().waitFor();
        for (ProcessHandle child : children) {
            child.destroyForcibly();
            child.onExit().join();
        }
    }

    /**
     * The lines that most likely tell the reason: the first one if arguments are wrong, before the usage; or else those of
     * exceptions, or the last ones.
     */
    private static String reason(Path log, int exitCode) throws IOException {
        List<String> lines;
        try (Stream<String> all =
                Files.readString(log, Charset.defaultCharset()).lines()) {
            lines = all.skip(1)
                    .filter(line -> !line.isBlank())
                    .map(String::strip)
                    .toList();
        }
        if (exitCode == WRONG_ARGUMENTS && !lines.isEmpty()) {
            return lines.get(0);
        }
        List<String> telling = lines.stream()
                .filter(line -> !line.startsWith("at ") && line.matches(".*(Exception|Error|FAILED|Invalid)\\b.*"))
                .toList();
        List<String> shown = telling.isEmpty() ? lines : telling;
        return String.join(" | ", shown.subList(Math.max(0, shown.size() - TAIL_LINES), shown.size()));
    }
}
