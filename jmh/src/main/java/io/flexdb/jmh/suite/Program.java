package io.flexdb.jmh.suite;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.flexdb.jmh.flexdb.BulkLoads;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The benchmark programs. Each takes {@code --json=FILE} and leaves its figures there as an array. */
enum Program {
    /** FlexTree, by JMH; the prefix of a cell is the whole name of its experiment. */
    TABLE1("io.flexdb.jmh.flextree.Table1", List.of()) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            JsonObject counted = entry.getAsJsonObject("secondaryMetrics").getAsJsonObject("operations");
            JsonObject metric = counted == null ? entry.getAsJsonObject("primaryMetric") : counted;
            double rate = metric.get("score").getAsDouble();
            contents.figures.add(new Figure(cell.prefix(), cell.subject(), rate / 1e6, "million/s"));
        }
    },
    /** FlexSpace and plain files. */
    TABLE2("io.flexdb.jmh.flexspace.Table2", List.of("-Xmx2g")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            contents.add(cell, entry, text(entry, "subject"));
        }
    },
    /** Key-value stores. It starts the JVMs of the stores itself. */
    KEY_VALUE("io.flexdb.jmh.flexdb.KeyValue", List.of("-Xmx64m")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            contents.addOrNote(cell, entry);
        }
    },
    /** Large values. */
    VALUES(
            "io.flexdb.jmh.flexdb.LargeValues",
            List.of(
                    "-Xmx2g",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            contents.add(cell, entry, text(entry, "store"));
        }
    },
    /** Bulk loads. */
    BULK(
            "io.flexdb.jmh.flexdb.BulkLoads",
            List.of(
                    "-Xmx2g",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            int valueBytes = entry.get("valueBytes").getAsInt();
            double pairs = entry.get("pairs").getAsDouble();
            double bytes = pairs * (BulkLoads.KEY_BYTES + valueBytes);
            String name = ", values of " + valueBytes + " bytes";
            Map<String, Double> values = new LinkedHashMap<>();
            values.put("load" + name + ";MB/s", bytes / number(entry, "seconds") / 1e6);
            values.put("written for each byte" + name + ";B", number(entry, "written") / bytes);
            values.put("processor for each pair" + name + ";µs", number(entry, "processor") / pairs * 1e6);
            if (number(entry, "commit") > 0) {
                values.put("commit" + name + ";ms", number(entry, "commit") * 1e3);
            }
            if (number(entry, "among") > 0) {
                values.put("longest put beside" + name + ";ms", number(entry, "elsewhere") * 1e3);
                values.put("longest put among the keys" + name + ";ms", number(entry, "among") * 1e3);
            }
            values.forEach((experiment, value) -> {
                String[] parts = experiment.split(";");
                contents.figures.add(new Figure(parts[0], cell.subject(), value, parts[1]));
            });
        }
    },
    /** Stores of Kafka Streams. It starts the JVMs of the applications itself, and is among the tests of its module. */
    KAFKA("io.flexdb.kafka.StoreBenchmark", List.of("-Xmx768m")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            contents.addOrNote(cell, entry);
        }

        @Override
        String classPath() {
            return System.getProperty(KAFKA_CLASS_PATH, "");
        }

        @Override
        String obstacle() {
            if (classPath().isEmpty()) {
                return "Kafka's jars are not there: jmh/run.sh has Maven get them, and says what hinders it";
            }
            return Stream.of(classPath().split(File.pathSeparator))
                    .filter(path -> !Files.exists(Path.of(path)))
                    .findFirst()
                    .map(path -> path + " of Kafka's class path is not there; delete"
                            + " flexdb-kafka-streams/target/test-class-path for jmh/run.sh to have it got again")
                    .orElse("");
        }
    },
    /** Trees of files. It starts the JVMs of the subjects itself. */
    FILES("io.flexdb.jmh.files.FileBenchmark", List.of("-Xmx64m")) {
        @Override
        void read(Cell cell, JsonObject entry, Contents contents) {
            for (JsonElement value : entry.getAsJsonArray("values")) {
                contents.figures.add(new Figure(
                        cell.prefix() + text(entry, "experiment"),
                        text(entry, "subject"),
                        value.getAsDouble(),
                        text(entry, "unit")));
            }
        }
    };

    /** The property with the class path of {@link #KAFKA}; not set where there is no such program. */
    static final String KAFKA_CLASS_PATH = "flexdb.kafka.class.path";

    private static final String DIRECTORY = "flexdb-evaluation"; // within that of the plan

    private final String mainClass;
    private final List<String> jvmArguments;

    Program(String mainClass, List<String> jvmArguments) {
        this.mainClass = mainClass;
        this.jvmArguments = jvmArguments;
    }

    /** The contents of a file of figures. */
    private static final class Contents {
        private final List<Figure> figures = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();

        /** A figure of a store, or something that the reader of the table must know. */
        private void addOrNote(Cell cell, JsonObject entry) {
            if (entry.has("note")) {
                notes.add(text(entry, "note"));
            } else {
                add(cell, entry, text(entry, "store"));
            }
        }

        private void add(Cell cell, JsonObject entry, String subject) {
            figures.add(new Figure(
                    cell.prefix() + text(entry, "experiment"),
                    subject,
                    entry.get("value").getAsDouble(),
                    text(entry, "unit")));
        }
    }

    abstract void read(Cell cell, JsonObject entry, Contents contents);

    String classPath() {
        return System.getProperty("java.class.path");
    }

    /** The reason why it can't be started; empty if it can. */
    String obstacle() {
        return "";
    }

    private static double number(JsonObject entry, String name) {
        return entry.get(name).getAsDouble();
    }

    private static String text(JsonObject entry, String name) {
        return entry.get(name).getAsString();
    }

    /** Whether it makes files in a directory. */
    private boolean hasDirectory() {
        return this != TABLE1;
    }

    CellResult measure(Cell cell, int round, ChildJvm child) throws IOException, InterruptedException {
        Path json = child.newFile(cell.id() + ".json");
        List<String> arguments = new ArrayList<>(cell.arguments());
        arguments.add("--rounds=1");
        arguments.add("--json=" + json);
        if (hasDirectory()) {
            arguments.add("--dir=" + child.directory().resolve(DIRECTORY));
        }
        ChildJvm.Outcome outcome = child.run(cell.id(), round, jvmArguments, classPath(), mainClass, arguments);
        Contents contents = new Contents();
        String failure = outcome.failure();
        try {
            if (Files.exists(json) && Files.size(json) > 0) {
                JsonArray entries =
                        JsonParser.parseString(Files.readString(json)).getAsJsonArray();
                entries.forEach(entry -> read(cell, entry.getAsJsonObject(), contents));
            }
        } catch (RuntimeException e) { // a program that was killed while it wrote
            failure = failure + " Its figures can't be read: " + e.getMessage();
        }
        Files.deleteIfExists(json);
        if (failure.isEmpty() && contents.figures.isEmpty() && contents.notes.isEmpty()) {
            failure = "it gave no figure; see " + outcome.log();
        }
        return new CellResult(
                cell.id(),
                cell.subject(),
                round,
                outcome.started(),
                outcome.seconds(),
                contents.figures,
                contents.notes,
                failure);
    }
}
