package io.flexdb.cli;

import io.flexdb.BulkLoad;
import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.Progress;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Loads a dump. It is read whole and verified before the store is opened, so a damaged one changes nothing. Then each
 * keyspace is loaded as a whole.
 */
@Command(
        name = "load",
        description = "Load a dump. A foreign or damaged one is refused, and changes nothing. Keys that are there get"
                + " the value of the dump, other keys stay.")
final class LoadCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "The dump; - for standard input, which is put into a temporary file first.")
    private String file;

    @Option(names = "--create", description = "Make the store if there is none.")
    private boolean create;

    private final List<String> loaded = new ArrayList<>();

    @Override
    int run() throws Exception {
        if (!create) {
            store.requireStore();
        }
        if (!file.equals("-")) {
            return load(Path.of(file));
        }
        Path temporary = Files.createTempFile("flexdb-load-", ".dump");
        try {
            Files.copy(cli().in(), temporary, StandardCopyOption.REPLACE_EXISTING);
            return load(temporary);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private int load(Path dump) throws Exception {
        if (!Files.isRegularFile(dump)) {
            throw new NoSuchFileException(dump.toString());
        }
        withProgress("verify", progress -> read(dump, new Verification(), progress));
        Instant now = Instant.now();
        // The store's time stands still, so that pairs expire at the very times of the dump.
        try (FlexDB db = open(InstantSource.fixed(now));
                Loading loading = new Loading(db, now.toEpochMilli())) {
            withProgress("load", progress -> read(dump, loading, progress));
            loading.commit();
            out().line("loaded " + loading.pairs + " pairs of " + loaded.size() + " keyspaces"
                    + (loading.expired == 0 ? "" : "; left out " + loading.expired + " that have expired"));
        } catch (Exception e) {
            throw loaded.isEmpty() ? e : partly(e);
        }
        return ExitCode.DONE;
    }

    private FlexDB open(InstantSource clock) {
        return create
                ? store.openOrCreate(cli().options().withClock(clock))
                : store.open(cli().options().withClock(clock));
    }

    private CommandFailure partly(Exception e) {
        return new CommandFailure(
                Failures.exitCode(e), Failures.message(e) + "; these keyspaces were loaded before: " + loaded, e);
    }

    private static long read(Path dump, DumpReader.Target target, Progress progress) throws IOException {
        long of = Files.size(dump);
        try (InputStream in = Files.newInputStream(dump)) {
            return DumpReader.read(new BufferedInputStream(new Counted(in, of, progress), 1 << 16), target);
        }
    }

    /** Tells how much has been read. */
    private static final class Counted extends FilterInputStream {
        private final long of;
        private final Progress progress;
        private long bytes;

        Counted(InputStream in, long of, Progress progress) {
            super(in);
            this.of = of;
            this.progress = progress;
        }

        @Override
        public int read(byte[] target, int from, int count) throws IOException {
            int read = super.read(target, from, count);
            bytes += Math.max(0, read);
            progress.done(bytes, Math.max(bytes, of));
            return read;
        }
    }

    /** Reads a dump for its checksums alone. */
    private static final class Verification implements DumpReader.Target {
        @Override
        public void keyspace(String name) {}

        @Override
        public void pair(byte[] key, DumpReader.Value value, long expiry) throws IOException {
            value.skip();
        }
    }

    /** Loads keyspaces, one at a time. */
    private final class Loading implements DumpReader.Target, AutoCloseable {
        private final FlexDB db;
        private final long now;
        private BulkLoad load;
        private String name;
        private long pairs;
        private long expired;

        Loading(FlexDB db, long now) {
            this.db = db;
            this.now = now;
        }

        @Override
        public void keyspace(String newName) {
            commit();
            name = newName;
            Keyspace keyspace = name.isEmpty() ? db : db.createKeyspaceIfAbsent(name);
            load = keyspace.bulkLoad();
        }

        @Override
        public void pair(byte[] key, DumpReader.Value value, long expiry) throws IOException {
            if (expiry == DumpFormat.NEVER) {
                load.add(key, value.read());
            } else if (expiry > now) {
                load.add(key, value.read(), Duration.ofMillis(expiry - now));
            } else {
                value.skip();
                expired++;
                return;
            }
            pairs++;
        }

        /** Makes what was added of the keyspace a part of the store. */
        void commit() {
            if (load != null) {
                load.commit();
                load = null;
                loaded.add(name.isEmpty() ? "(default)" : Text.escaped(name));
            }
        }

        @Override
        public void close() {
            if (load != null) {
                load.close();
            }
        }
    }
}
