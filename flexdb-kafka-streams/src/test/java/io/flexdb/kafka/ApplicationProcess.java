package io.flexdb.kafka;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link BenchmarkApplication} in a JVM of its own. For one thread. Closing it kills it; its standard error is that
 * of this process.
 */
final class ApplicationProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;
    private final Writer orders;
    private final Map<String, double[]> heard = new HashMap<>();
    private final Thread killer;

    ApplicationProcess(List<String> jvmArguments, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BenchmarkApplication.class.getName()));
        command.addAll(arguments);
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        killer = new Thread(process::destroyForcibly, "end of an application");
        Runtime.getRuntime().addShutdownHook(killer);
        lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        orders = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /** The numbers that it says behind a word, once it has said them. */
    double[] await(String word) throws IOException, InterruptedException {
        while (!heard.containsKey(word)) {
            String line = lines.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "The application ended with " + process.waitFor() + " before it was " + word);
            }
            String[] parts = line.split(" ");
            if (parts[0].matches("running|processed|memory|checked")) {
                double[] numbers = Arrays.stream(parts)
                        .skip(1)
                        .mapToDouble(Double::parseDouble)
                        .toArray();
                heard.put(parts[0], numbers);
            }
        }
        return heard.remove(word);
    }

    void order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
    }

    /** Does nothing if it still runs. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("The application has ended with " + process.exitValue());
        }
    }

    /** Has it close its stores and end. */
    void end() throws IOException, InterruptedException {
        order("end");
        if (process.waitFor() != 0) {
            throw new IllegalStateException("The application ended with " + process.exitValue());
        }
    }

    /** Kills it as {@code kill -9} does, and returns when it is gone. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(killer);
    }
}
