package io.flexdb.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** The workload files that come with this jar. */
public final class Workloads {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "e-50", "f");

    private Workloads() {}

    /**
     * A workload.
     *
     * @param name in the table
     * @param properties of its file
     */
    public record Named(String name, Properties properties) {}

    /**
     * Reads a list such as {@code abcdef} or {@code a,b,e-50}.
     *
     * @throws IllegalArgumentException if it is empty or names a workload that doesn't exist
     */
    public static List<Named> parse(String list) {
        List<Named> workloads = new ArrayList<>();
        for (String token : list.toLowerCase(Locale.ROOT).split(",", -1)) {
            if (token.contains("-")) {
                workloads.add(load(token));
            } else {
                token.chars().forEach(letter -> workloads.add(load(Character.toString(letter))));
            }
        }
        if (workloads.isEmpty()) {
            throw new IllegalArgumentException("names no workload");
        }
        return workloads;
    }

    private static Named load(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("no workload \"" + name + "\"; there are " + NAMES);
        }
        try (InputStream file = Workloads.class.getResourceAsStream("/workloads/workload" + name)) {
            Properties properties = new Properties();
            properties.load(file);
            return new Named(name.toUpperCase(Locale.ROOT), properties);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
