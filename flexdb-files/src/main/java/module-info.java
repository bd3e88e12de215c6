/** A file system in a store of FlexDB. */
module io.flexdb.files {
    requires static org.jspecify;
    requires transitive io.flexdb;

    exports io.flexdb.files;

    provides java.nio.file.spi.FileSystemProvider with
            io.flexdb.files.FlexFileSystemProvider;
}
