package io.flexdb.jmh.suite;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a run, in a file of JSON lines: first the plan and the machine, then one line for each cell. A line is
 * on disk before the next cell is measured. A line that a crash cut short is dropped when the file is opened again.
 */
final class ResultStore {
    static final String FILE_NAME = "results.jsonl";

    private static final Gson GSON = new GsonBuilder()
            .disableHtmlEscaping()
            .serializeSpecialFloatingPointValues()
            .create();

    private final Path file;
    private final Header header;
    private final Map<Key, CellResult> results = new LinkedHashMap<>();

    private record Key(String cell, int round) {}

    /** The first line. */
    record Header(Plan plan, Machine machine) {}

    private ResultStore(Path file, Header header) {
        this.file = file;
        this.header = header;
    }

    /** Makes an empty one, in place of any that is there. */
    static ResultStore create(Path directory, Header header) throws IOException {
        Path file = Files.createDirectories(directory).resolve(FILE_NAME);
        Files.deleteIfExists(file);
        ResultStore store = new ResultStore(file, header);
        store.append(GSON.toJson(header));
        return store;
    }

    /** Whether a directory has results, be it of no cell yet. */
    static boolean exists(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        return Files.exists(file) && wholeLines(file).contains("\n");
    }

    /**
     * Opens the results of a directory.
     *
     * @throws IOException if a whole line can't be read; the message names it
     */
    static ResultStore open(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        List<String> lines = wholeLines(file).lines().toList();
        ResultStore store = new ResultStore(file, parse(file, 1, lines.get(0), Header.class));
        for (int i = 1; i < lines.size(); i++) {
            store.remember(parse(file, i + 1, lines.get(i), CellResult.class));
        }
        cutTo(file, wholeLines(file).getBytes(StandardCharsets.UTF_8).length);
        return store;
    }

    private static String wholeLines(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(0, text.lastIndexOf('\n') + 1);
    }

    private static void cutTo(Path file, long bytes) throws IOException {
        if (Files.size(file) > bytes) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(bytes).force(true);
            }
        }
    }

    private static <T> T parse(Path file, int number, String line, Class<T> type) throws IOException {
        try {
            return GSON.fromJson(line, type);
        } catch (JsonParseException e) {
            throw new IOException(
                    file + ", line " + number + " is no " + type.getSimpleName()
                            + "; remove the line to measure its cell again",
                    e);
        }
    }

    Header header() {
        return header;
    }

    /** Of every cell the last result of each round, in the order of their first results. */
    Collection<CellResult> results() {
        return results.values();
    }

    /** Whether a cell has been measured without a failure. */
    boolean has(Cell cell, int round) {
        CellResult result = results.get(new Key(cell.id(), round));
        return result != null && !result.hasFailed();
    }

    /** Stores a result; it is on disk when this returns. */
    void add(CellResult result) throws IOException {
        append(GSON.toJson(result));
        remember(result);
    }

    private void remember(CellResult result) {
        results.put(new Key(result.cell(), result.round()), result);
    }

    private void append(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** All of it as one JSON object. */
    String json() {
        record All(Plan plan, Machine machine, Collection<CellResult> results) {}
        return new GsonBuilder()
                        .disableHtmlEscaping()
                        .serializeSpecialFloatingPointValues()
                        .setPrettyPrinting()
                        .create()
                        .toJson(new All(header.plan, header.machine, results.values()))
                + "\n";
    }
}
