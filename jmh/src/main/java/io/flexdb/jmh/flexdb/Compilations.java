package io.flexdb.jmh.flexdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * The methods on which the JVM's optimizing compiler has worked longest in a process, by a flight recording of it. While a
 * method waits for the compiler it runs at a tenth of its speed, so these are what a young process waits for.
 */
final class Compilations {
    private static final String OPTIMIZING = "c2";
    private static final String LIBRARY = "io.flexdb.";
    private static final int MOST_SHOWN = 80;
    private static final int MOST_COMPARED = 25; // others come and go from run to run

    /** Names a method of a table and how many bytecodes it has with what is inlined. */
    private static final Pattern LINE =
            Pattern.compile("\\| `([^`]+)` \\| [0-9]+ \\| [0-9]+ \\| [0-9]+ \\| ([0-9,]+) \\|.*");

    private static final Pattern HEAD = Pattern.compile("(.*): optimizing compiler .*");

    private Compilations() {}

    /** The argument with which a JVM records what it compiles, into a file that it writes at its end. */
    static String jvmArgument(Path recording) {
        return "-XX:StartFlightRecording:settings=none,+jdk.Compilation#enabled=true,+jdk.Compilation#threshold=0ms,"
                + "filename=" + recording;
    }

    private static final class Unit {
        double millis;
        double longestMillis;
        int times;
        long bytecodes; // of the largest of them
        long machineCode;

        void add(RecordedEvent event, double spent) {
            millis += spent;
            longestMillis = Math.max(longestMillis, spent);
            times++;
            bytecodes = Math.max(bytecodes, event.getLong("inlinedBytes"));
            machineCode = Math.max(machineCode, event.getLong("codeSize"));
        }
    }

    /** A table of a recording: the time of all compilations, and of the methods that took longest, in Markdown. */
    static String table(String title, Path recording) throws IOException {
        Map<String, Unit> units = new HashMap<>();
        double own = 0;
        try (RecordingFile events = new RecordingFile(recording)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (!event.getEventType().getName().equals("jdk.Compilation")
                        || !OPTIMIZING.equals(event.getString("compiler"))) {
                    continue;
                }
                RecordedMethod method = event.getValue("method");
                String className = method.getType().getName();
                double millis = event.getDuration().toNanos() / 1e6;
                own += className.startsWith(LIBRARY) ? millis : 0;
                String name = className.substring(className.lastIndexOf('.') + 1) + "." + method.getName();
                units.computeIfAbsent(name, absent -> new Unit()).add(event, millis);
            }
        }
        double all = units.values().stream().mapToDouble(unit -> unit.millis).sum();
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "%s: optimizing compiler %.1f s, %.1f s of it on FlexDB's methods and what they inline%n%n",
                title,
                all / 1e3,
                own / 1e3));
        table.append("| method | ms | longest, ms | times | bytecodes inlined | machine code, bytes |\n");
        table.append("|---|---:|---:|---:|---:|---:|\n");
        List<Map.Entry<String, Unit>> longest = units.entrySet().stream()
                .sorted(Comparator.comparingDouble((Map.Entry<String, Unit> each) -> -each.getValue().millis))
                .limit(MOST_SHOWN)
                .toList();
        for (Map.Entry<String, Unit> each : longest) {
            Unit unit = each.getValue();
            table.append(String.format(
                    Locale.ROOT,
                    "| `%s` | %.0f | %.0f | %d | %,d | %,d |%n",
                    each.getKey(),
                    unit.millis,
                    unit.longestMillis,
                    unit.times,
                    unit.bytecodes,
                    unit.machineCode));
        }
        return table.toString();
    }

    /**
     * Compares a table with that of the same title in an earlier text of such tables.
     *
     * @return a line that names those of the longest 25 that have grown to more than twice their size, or are new; what
     *     is inlined differs from run to run
     */
    static String grown(String table, String earlier) {
        String title = title(table.lines().findFirst().orElse(""));
        Map<String, Long> before = bytecodes(title, earlier);
        if (before.isEmpty()) {
            return title + ": no table to compare with";
        }
        List<String> grown = new ArrayList<>();
        bytecodes(title, table).entrySet().stream().limit(MOST_COMPARED).forEach(method -> {
            Long then = before.get(method.getKey());
            long bytecodes = method.getValue();
            if (then == null) {
                grown.add(String.format(Locale.ROOT, "`%s` %,d, new", method.getKey(), bytecodes));
            } else if (bytecodes > 2 * then) {
                grown.add(String.format(Locale.ROOT, "`%s` %,d instead of %,d", method.getKey(), bytecodes, then));
            }
        });
        return title + ": "
                + (grown.isEmpty()
                        ? "no method is new or twice as large"
                        : "bytecodes of methods that are new or twice as large: " + String.join("; ", grown));
    }

    /** The title if a line is the first of a table; else null. */
    private static String title(String line) {
        Matcher head = HEAD.matcher(line);
        return head.matches() ? head.group(1) : null;
    }

    /** Bytecodes by method of the table with a title. */
    private static Map<String, Long> bytecodes(String title, String text) {
        Map<String, Long> bytecodes = new LinkedHashMap<>();
        String current = null;
        for (String line : text.lines().toList()) {
            String begun = title(line);
            current = begun == null ? current : begun;
            Matcher method = LINE.matcher(line);
            if (method.matches() && title != null && title.equals(current)) {
                bytecodes.put(method.group(1), Long.parseLong(method.group(2).replace(",", "")));
            }
        }
        return bytecodes;
    }
}
