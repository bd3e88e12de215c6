package io.flexdb.cli;

import io.flexdb.FlexDBReader;
import io.flexdb.Progress;
import io.flexdb.Snapshot;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes all pairs of a store to a file that any release and any machine can load. */
@Command(
        name = "dump",
        description = "Write all keyspaces to a file with checksums, for \"load\", also beside the writer.")
final class DumpCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "FILE", description = "The file, of a new name; - for standard output.")
    private String file;

    @Option(
            names = {"-k", "--keyspace"},
            paramLabel = "NAME",
            description = "Only this keyspace; give an empty name for the default one.")
    private String keyspace;

    @Override
    int run() throws Exception {
        store.requireStore();
        long of = StoreFiles.sizes(store.path()).getOrDefault("space/data", 0L);
        long pairs = withProgress("dump", progress -> dump(progress, of));
        if (!file.equals("-")) {
            out().line("dumped " + pairs + " pairs to " + file);
        }
        return ExitCode.DONE;
    }

    private long dump(Progress progress, long of) throws IOException {
        if (file.equals("-")) {
            OutputStream out = out().stream();
            long pairs = write(out, progress, of);
            out.flush();
            return pairs;
        }
        Path target = Path.of(file);
        StoreDirectory.requireParent(target);
        if (Files.exists(target)) {
            throw new FileAlreadyExistsException(file);
        }
        return writeFile(target, progress, of);
    }

    /** The file gets its name once it is whole and durable. */
    private long writeFile(Path target, Progress progress, long of) throws IOException {
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
            long pairs = write(out, progress, of);
            out.flush();
            channel.force(true);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            return pairs;
        } catch (FileAlreadyExistsException e) {
            throw e; // it is another's
        } catch (Throwable e) {
            Files.deleteIfExists(part);
            throw e;
        }
    }

    private long write(OutputStream target, Progress progress, long of) throws IOException {
        try (FlexDBReader reader = store.openReadOnly(cli());
                Snapshot snapshot = reader.snapshot()) {
            DumpWriter writer = new DumpWriter(target, bytes -> progress.done(bytes, Math.max(bytes, of)));
            for (String name : names(reader)) {
                writer.keyspace(name, name.isEmpty() ? snapshot : snapshot.in(name));
            }
            return writer.finish();
        }
    }

    /** The keyspaces to dump; that of an empty name is the default one. */
    private List<String> names(FlexDBReader reader) {
        if (keyspace != null) {
            return List.of(keyspace);
        }
        List<String> names = new ArrayList<>(reader.keyspaces());
        names.add(0, "");
        return names;
    }
}
