/** FlexSpace: a crash-safe, log-structured engine for a persistent flexible address space. */
@SuppressWarnings("module") // the module of the qualified export is compiled after this one
module io.flexdb.flexspace {
    requires transitive io.flexdb.flextree;

    exports io.flexdb.storage;
    exports io.flexdb.flexspace;
    exports io.flexdb.flexspace.internal to
            io.flexdb;
    exports io.flexdb.flexspace.internal.vfs to
            io.flexdb;
}
