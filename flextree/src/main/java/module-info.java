/** FlexTree: an off-heap B+-tree over extents whose shift values make insert-range and collapse-range cheap. */
// The modules of the qualified exports are compiled after this one, and JNA's is an automatic one.
@SuppressWarnings({"module", "requires-automatic"})
module io.flexdb.flextree {
    requires static org.jspecify;
    requires static com.sun.jna;

    exports io.flexdb.flextree;
    exports io.flexdb.flextree.internal.owner to
            io.flexdb.flexspace;
    exports io.flexdb.flextree.internal.tree to
            io.flexdb.flexspace;
    exports io.flexdb.flextree.internal.image to
            io.flexdb.flexspace;
    exports io.flexdb.base.epoch to
            io.flexdb.flexspace,
            io.flexdb;
    exports io.flexdb.base.memory to
            io.flexdb.flexspace,
            io.flexdb;
    exports io.flexdb.base.nativeaccess to
            io.flexdb.flexspace;
    exports io.flexdb.base.waiting to
            io.flexdb.flexspace,
            io.flexdb;
}
