/** FlexTree: an off-heap B+-tree over extents whose shift values make insert-range and collapse-range cheap. */
// The modules of the qualified export are compiled after this one, and JNA's is an automatic one.
@SuppressWarnings({"module", "requires-automatic"})
module io.flexdb.flextree {
    requires static com.sun.jna;

    exports io.flexdb.flextree;
    exports io.flexdb.flextree.internal to
            io.flexdb.flexspace,
            io.flexdb;
}
