package io.flexdb.jmh.files;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.files.FlexFileSystem;
import io.flexdb.files.FlexFilesOptions;
import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.flexdb.StoreSettings;
import io.flexdb.jmh.flexdb.Subject;
import io.flexdb.jmh.flexdb.Use;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A subject of the comparison: files in stores by one schema, in {@code flexdb-files}, and on the disk.
 *
 * @param argument the name in arguments
 * @param label the name in tables
 * @param jvmArguments what its process needs
 * @param opener opens it empty, in an empty directory
 */
record FileSubject(String argument, String label, List<String> jvmArguments, Opener opener) {
    static final List<FileSubject> ALL = Stream.concat(
                    Subject.allFor(Use.FILES).stream().map(FileSubject::of),
                    Stream.of(
                            new FileSubject("files", "flexdb-files", List.of(), FileSubject::openFiles),
                            new FileSubject("disk", "file system", List.of(), FileSubject::openDisk)))
            .toList();

    /** Opens it empty. */
    interface Opener {
        FileTarget open(Path directory, FileBenchmarkSettings settings) throws IOException;
    }

    /** Reads one by its name in arguments. */
    static final class Name extends BenchmarkOptions.Name<FileSubject> {
        Name() {
            super(ALL);
        }
    }

    private static FileSubject of(Subject store) {
        return new FileSubject(
                store.argument(),
                store.label(Use.FILES),
                store.jvmArguments(),
                (directory, settings) -> new SchemaFiles(
                        store.open(StoreSettings.of(directory, settings.cacheBytes, Use.FILES)),
                        settings.blockBytes,
                        settings.smallBytes));
    }

    private static FileTarget openFiles(Path directory, FileBenchmarkSettings settings) throws IOException {
        FlexDB db = FlexDB.open(directory, FlexDBOptions.defaults().withCacheBytes(settings.cacheBytes));
        FlexFileSystem files = FlexFileSystem.open(
                db,
                FlexFilesOptions.defaults()
                        .withBlockBytes(settings.blockBytes)
                        .withSmallFileBytes(settings.smallBytes));
        return new NioFiles(files.getPath("/"), () -> {
            files.close();
            db.close();
        });
    }

    private static FileTarget openDisk(Path directory, FileBenchmarkSettings settings) throws IOException {
        return new NioFiles(Files.createDirectories(directory.resolve("root")), () -> {});
    }

    @Override
    public String toString() {
        return argument;
    }
}
