package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.NotAStoreException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Packs for a bug report what is known of a store and its machine, without keys, values and names of keyspaces. */
@Command(
        name = "report",
        description =
                "Write a zip for a bug report: versions, options, figures, health, sizes of files, JVM and system."
                        + " No keys, values or names of keyspaces.")
final class ReportCommand extends ToolCommand {
    private static final String[] PROPERTIES = {
        "java.version", "java.vm.name", "java.vm.version", "java.vendor", "os.name", "os.version", "os.arch"
    };

    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "FILE", description = "The zip, of a new name.")
    private Path file;

    @Option(names = "--stats", description = "With the figures of the open store. Needs the store closed elsewhere.")
    private boolean stats;

    @Override
    int run() throws IOException {
        store.requireStore();
        requireFilesOfAStore();
        StoreDirectory.requireParent(file);
        Map<String, String> parts = new TreeMap<>();
        parts.put("machine.txt", machine());
        parts.put("files.txt", files());
        parts.put("store.txt", described());
        if (stats) {
            parts.put("stats.txt", figures());
        }
        write(parts);
        out().line("wrote " + file + ": " + String.join(", ", parts.keySet()));
        return ExitCode.DONE;
    }

    /** The names of other files are nobody's business. A damaged store may lack one of the two. */
    private void requireFilesOfAStore() {
        Path directory = store.path();
        if (!Files.exists(directory.resolve("flexdb.options")) && !Files.exists(directory.resolve("space/data"))) {
            throw new NotAStoreException(directory, "neither flexdb.options nor space/data");
        }
    }

    private String machine() throws IOException {
        StringBuilder text = new StringBuilder("flexdb " + FlexDBCli.Version.text() + "\n");
        for (String property : PROPERTIES) {
            text.append(property)
                    .append(" = ")
                    .append(System.getProperty(property))
                    .append('\n');
        }
        Runtime runtime = Runtime.getRuntime();
        text.append("processors = ").append(runtime.availableProcessors()).append('\n');
        text.append("heap = ").append(Sizes.text(runtime.maxMemory())).append('\n');
        FileStore disk = Files.getFileStore(store.path());
        text.append("file system = ").append(disk.type()).append(", ");
        text.append(Sizes.text(disk.getUsableSpace())).append(" of ");
        return text.append(Sizes.text(disk.getTotalSpace())).append(" free\n").toString();
    }

    private String files() throws IOException {
        StringBuilder text = new StringBuilder();
        StoreFiles.sizes(store.path())
                .forEach((name, bytes) ->
                        text.append(bytes).append(' ').append(name).append('\n'));
        return text.toString();
    }

    private String described() throws IOException {
        StringBuilder text = new StringBuilder();
        StoreFiles.storedOptions(store.path()).forEach(line -> text.append(line).append('\n'));
        text.append("open = ").append(Holders.of(store.path()).orElse("no")).append('\n');
        try (FlexDBReader reader = store.openReadOnly(cli())) {
            text.append("sequence = ").append(reader.sequence()).append('\n');
            text.append("keyspaces = ").append(reader.keyspaces().size()).append('\n');
            text.append("health = readable\n");
        } catch (RuntimeException e) {
            text.append("health = ").append(withoutKeys(e)).append('\n');
        }
        return text.toString();
    }

    private String figures() {
        try (FlexDB db = store.open(cli().options())) {
            return db.options() + "\n" + db.health() + "\n" + db.stats() + "\n";
        } catch (RuntimeException e) {
            return withoutKeys(e) + "\n";
        }
    }

    /** Some messages have keys in them, or bytes that were found. */
    private static String withoutKeys(RuntimeException e) {
        if (e instanceof CorruptionException damage) {
            return "damage in " + damage.file() + " at position " + damage.position();
        }
        return e instanceof MergeException ? e.getClass().getSimpleName() : Failures.message(e);
    }

    private void write(Map<String, String> parts) throws IOException {
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (ZipOutputStream zip = new ZipOutputStream(out, StandardCharsets.UTF_8)) {
            for (Map.Entry<String, String> part : parts.entrySet()) {
                zip.putNextEntry(new ZipEntry(part.getKey()));
                zip.write(part.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        } catch (IOException e) {
            Files.deleteIfExists(file); // half of one, as on a full disk
            throw e;
        }
    }
}
