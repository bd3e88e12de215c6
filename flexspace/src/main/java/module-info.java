/** FlexSpace: a crash-safe, log-structured engine for a persistent flexible address space. */
// The module of the qualified exports is compiled after this one, and JNA's is an automatic one.
@SuppressWarnings({"module", "requires-automatic"})
module io.flexdb.flexspace {
    requires static org.jspecify;
    requires transitive io.flexdb.flextree;
    requires static com.sun.jna;
    requires static jdk.jfr;

    exports io.flexdb.storage;
    exports io.flexdb.flexspace;
    exports io.flexdb.flexspace.internal.base to
            io.flexdb;
    exports io.flexdb.flexspace.internal.check to
            io.flexdb;
    exports io.flexdb.flexspace.internal.copy to
            io.flexdb;
    exports io.flexdb.flexspace.internal.owner to
            io.flexdb;
    exports io.flexdb.flexspace.internal.segment to
            io.flexdb;
    exports io.flexdb.flexspace.internal.engine to
            io.flexdb;
    exports io.flexdb.flexspace.internal.vfs to
            io.flexdb;
}
