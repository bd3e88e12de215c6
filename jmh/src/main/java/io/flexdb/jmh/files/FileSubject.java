package io.flexdb.jmh.files;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.files.FlexFileSystem;
import io.flexdb.files.FlexFilesOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is compared. */
enum FileSubject {
    FLEXDB("FlexDB") {
        @Override
        FileTarget open(Path directory, FileBenchmarkSettings settings) {
            return schema(new FlexDBOrdered(directory, settings.cacheBytes), settings);
        }
    },
    ROCKSDB("RocksDB") {
        @Override
        FileTarget open(Path directory, FileBenchmarkSettings settings) {
            return schema(new RocksDBOrdered(directory, settings.cacheBytes), settings);
        }
    },
    LMDB("LMDB") {
        @Override
        FileTarget open(Path directory, FileBenchmarkSettings settings) {
            return schema(new LmdbOrdered(directory), settings);
        }

        @Override
        List<String> jvmArguments() {
            return List.of(
                    "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
        }
    },
    FILES("flexdb-files") {
        @Override
        FileTarget open(Path directory, FileBenchmarkSettings settings) throws IOException {
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
    },
    DISK("file system") {
        @Override
        FileTarget open(Path directory, FileBenchmarkSettings settings) throws IOException {
            return new NioFiles(Files.createDirectories(directory.resolve("root")), () -> {});
        }
    };

    private final String label;

    FileSubject(String label) {
        this.label = label;
    }

    private static FileTarget schema(OrderedStore store, FileBenchmarkSettings settings) {
        return new SchemaFiles(store, settings.blockBytes, settings.smallBytes);
    }

    /** The name in tables. */
    String label() {
        return label;
    }

    /**
     * Opens it empty.
     *
     * @param directory exists, and is empty
     */
    abstract FileTarget open(Path directory, FileBenchmarkSettings settings) throws IOException;

    /** What its process needs. */
    List<String> jvmArguments() {
        return List.of();
    }
}
