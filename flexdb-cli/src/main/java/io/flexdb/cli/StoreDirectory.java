package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.Keyspace;
import io.flexdb.KeyspaceReader;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Parameters;

/** The argument that names a store, and the ways to open it. */
final class StoreDirectory {
    @Parameters(index = "0", paramLabel = "DIR", description = "The directory of the store.")
    private Path path;

    Path path() {
        return path;
    }

    /** Opens the store to read it beside whoever has it open; changes nothing. */
    FlexDBReader openReadOnly(FlexDBCli cli) {
        requireStore();
        return opened(() -> FlexDB.openReadOnly(path, cli.options()));
    }

    /** Opens the store, which nobody else may have open. */
    FlexDB open(FlexDBOptions options) {
        requireStore();
        return opened(() -> FlexDB.open(path, options));
    }

    /** Opens the store, or makes one if it is missing. */
    FlexDB openOrCreate(FlexDBOptions options) {
        requireParent(path);
        return opened(() -> FlexDB.open(path, options));
    }

    private static <T> T opened(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (StoreIoException | StoreMemoryException e) {
            throw new CommandFailure(ExitCode.CANNOT_OPEN, e.getMessage(), e);
        }
    }

    /** Refuses what can't be a store, before anything is made. */
    void requireStore() {
        if (!Files.exists(path)) {
            throw new CommandFailure(ExitCode.CANNOT_OPEN, path + " does not exist; give the directory of a store");
        }
        if (!Files.isDirectory(path)) {
            throw new CommandFailure(ExitCode.CANNOT_OPEN, path + " is a file; give the directory of a store");
        }
        try (Stream<Path> entries = Files.list(path)) {
            if (entries.findAny().isEmpty()) {
                throw new CommandFailure(ExitCode.CANNOT_OPEN, path + " is empty; it is no store");
            }
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.CANNOT_OPEN, Failures.message(e), e);
        }
    }

    /** Refuses a target whose directory is missing. */
    static void requireParent(Path target) {
        Path parent = target.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new CommandFailure(
                    ExitCode.FAILED, parent + " is no directory; make it first, or give another place than " + target);
        }
    }

    /** The keyspace of a name, or the default one for null. */
    static KeyspaceReader keyspace(FlexDBReader reader, String name) {
        return name == null ? reader : reader.keyspace(name);
    }

    /** The keyspace of a name, or the default one for null. */
    static Keyspace keyspace(FlexDB db, String name) {
        return name == null ? db : db.keyspace(name);
    }
}
