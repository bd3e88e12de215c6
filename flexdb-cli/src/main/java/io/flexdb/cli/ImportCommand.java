package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.Progress;
import io.flexdb.cli.foreign.ForeignDriver;
import io.flexdb.cli.foreign.ForeignKind;
import io.flexdb.cli.foreign.ForeignStore;
import io.flexdb.cli.foreign.ForeignType;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Imports the store of another engine. That is opened first, and only read; then one keyspace after another is loaded,
 * each as a whole.
 */
@Command(
        name = "import",
        description = {
            "Import a store of RocksDB, LMDB, MVStore or MapDB, which is only read. Keys that are there get the value of"
                    + " the other store, other keys stay.",
            "Each keyspace is imported as a whole or not at all. After a failure the message names those that were"
                    + " imported; run it again, for all or with --from-map for the rest."
        })
final class ImportCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "SOURCE", description = "The file or directory of the other store.")
    private Path source;

    @Option(
            names = "--from",
            required = true,
            paramLabel = "ENGINE",
            description = "The engine of the other store: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Engines.class)
    private ForeignKind kind;

    @Option(
            names = "--driver-path",
            paramLabel = "PATH",
            description = "The library of that engine: jars, or directories with jars, between them what"
                    + " separates places of a class path here. It is not a part of this tool.")
    private List<String> driverPath = List.of();

    @Option(
            names = {"--from-map", "--from-column-family", "--from-database", "--from-keyspace"},
            paramLabel = "NAME",
            description = "Import this map, column family or database; can be given several times. Default: all, each"
                    + " into the keyspace of its name, and what has no name into the default one.")
    private List<String> chosen = List.of();

    @Mixin
    private KeyspaceOption keyspace;

    @Option(
            names = "--key-type",
            paramLabel = "TYPE",
            description = "auto, bytes, string, int or long: what keys of MVStore and MapDB are, if they had a type of"
                    + " their own. Default: auto.")
    private ForeignType keyType = ForeignType.AUTO;

    @Option(names = "--value-type", paramLabel = "TYPE", description = "The same for values.")
    private ForeignType valueType = ForeignType.AUTO;

    @Option(names = "--create", description = "Make the store if there is none.")
    private boolean create;

    private final List<String> imported = new ArrayList<>();
    private long pairs;

    /** The engines as they are written. */
    static final class Engines extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Engines() {
            super(Arrays.stream(ForeignKind.values())
                    .map(kind -> kind.engine().toLowerCase(Locale.ROOT))
                    .toList());
        }
    }

    @Override
    int run() throws Exception {
        if (!create) {
            store.requireStore();
        }
        if (!Files.exists(source)) {
            throw new CommandFailure(
                    ExitCode.CANNOT_OPEN, Failures.message(new NoSuchFileException(source.toString())));
        }
        return kind.with(
                driverPath.stream()
                        .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                        .map(Path::of)
                        .toList(),
                this::importWith);
    }

    private int importWith(ForeignDriver driver) throws Exception {
        try (ForeignStore from = driver.open(source, keyType, valueType)) {
            Map<String, String> targets = targets(from);
            try (FlexDB db = create ? store.openOrCreate(cli().options()) : store.open(cli().options())) {
                for (Map.Entry<String, String> target : targets.entrySet()) {
                    importMap(from, target.getKey(), db, target.getValue());
                }
            }
        } catch (Exception e) {
            throw imported.isEmpty() ? e : partly(e);
        }
        out().line("imported " + pairs + " pairs into " + imported.size() + " keyspaces");
        return ExitCode.DONE;
    }

    private CommandFailure partly(Exception e) {
        return new CommandFailure(
                Failures.exitCode(e), Failures.message(e) + "; these keyspaces were imported before: " + imported, e);
    }

    /** The maps to import, and the keyspaces that they go into. */
    private Map<String, String> targets(ForeignStore from) {
        List<String> names = from.names();
        Map<String, String> targets = new LinkedHashMap<>();
        for (String name : chosen.isEmpty() ? names : chosen) {
            String known = name.equals("default") && !names.contains(name) ? ForeignStore.DEFAULT : name;
            if (!names.contains(known)) {
                throw new CommandFailure(
                        ExitCode.NOT_FOUND, source + " has no " + Text.escaped(name) + "; it has " + shown(names));
            }
            targets.put(known, keyspace.name() == null ? known : keyspace.name());
        }
        if (keyspace.name() != null && targets.size() != 1) {
            throw usage("one keyspace takes one map: choose it with --from-map; " + source + " has " + shown(names));
        }
        return targets;
    }

    private static List<String> shown(List<String> names) {
        return new TreeSet<>(names).stream().map(ImportCommand::shown).toList();
    }

    private static String shown(String name) {
        return name.isEmpty() ? "(default)" : Text.escaped(name);
    }

    private void importMap(ForeignStore from, String name, FlexDB db, String target) throws Exception {
        try {
            withProgress("import " + shown(name), count -> count + " pairs", progress -> {
                Keyspace into = target.isEmpty() ? db : db.createKeyspaceIfAbsent(target);
                return importMap(from, name, into, progress);
            });
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    source + ": " + shown(name) + " can't be imported, and nothing of it was: " + e.getMessage(),
                    e);
        }
        imported.add(shown(target));
    }

    private long importMap(ForeignStore from, String name, Keyspace into, Progress progress) throws Exception {
        long of = from.pairs(name);
        try (SortedLoad load = new SortedLoad(into)) {
            from.read(name, (key, value) -> {
                progress.done(load.pairs(), Math.max(load.pairs(), of));
                return load.add(key, value);
            });
            if (!load.isSorted()) {
                load.sortIn(store.path().toAbsolutePath().getParent());
                from.read(name, load::add);
            }
            return pairs += load.commit();
        }
    }
}
