package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.storage.CorruptionException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a store is: format, who has it open, sizes, keyspaces, and whether it can be read. */
@Command(
        name = "info",
        description = "Show format, keyspaces, sizes and health of a store, and the process that has it open.")
final class InfoCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Option(
            names = "--stats",
            description = "Show also the figures of the open store. Needs the store closed elsewhere.")
    private boolean stats;

    @Override
    int run() throws IOException {
        store.requireStore();
        out().line("store      " + store.path());
        for (String line : StoreFiles.storedOptions(store.path())) {
            String[] parts = line.split(" = ", 2);
            if (!parts[0].equals("checksum")) {
                out().line(String.format(
                        Locale.ROOT, "%-10s %s", parts[0].equals("store") ? "id" : parts[0], parts[1]));
            }
        }
        out().line("open       "
                + Holders.of(store.path()).map(holder -> "by " + holder).orElse("no"));
        printSizes();
        int code = printContent();
        if (code == ExitCode.DONE && stats) {
            printStats();
        }
        return code;
    }

    private void printSizes() throws IOException {
        Map<String, Long> sizes = StoreFiles.sizes(store.path());
        long total = sizes.values().stream().mapToLong(Long::longValue).sum();
        out().line("files      " + sizes.size() + ", " + Sizes.text(total));
        out().line("  data     " + Sizes.text(sizes.getOrDefault("space/data", 0L)));
        out().line("  tree     " + Sizes.text(sizes.getOrDefault("space/tree", 0L)));
        out().line("  logs     " + Sizes.text(ofLogs(sizes)));
    }

    private static long ofLogs(Map<String, Long> sizes) {
        return sizes.entrySet().stream()
                .filter(file -> file.getKey().matches("wal.*|space.log.*"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private int printContent() {
        try (FlexDBReader reader = store.openReadOnly(cli())) {
            List<String> names = reader.keyspaces();
            out().line("sequence   " + reader.sequence());
            out().line("keyspaces  " + names.size() + " beside the default one");
            names.forEach(name -> out().line("  " + Text.escaped(name)));
            out().line("health     readable");
            return ExitCode.DONE;
        } catch (CorruptionException e) {
            out().line("health     damaged");
            throw e;
        }
    }

    private void printStats() {
        try (FlexDB db = store.open(cli().options())) {
            out().line("options    " + db.options());
            out().line("pairs      about " + db.estimate().pairs() + " in the default keyspace");
            out().line(db.stats().toString());
        }
    }
}
