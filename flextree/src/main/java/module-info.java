/** FlexTree: an off-heap B+-tree over extents whose shift values make insert-range and collapse-range cheap. */
@SuppressWarnings("module") // the modules of the qualified export are compiled after this one
module io.flexdb.flextree {
    exports io.flexdb.flextree;
    exports io.flexdb.flextree.internal to
            io.flexdb.flexspace,
            io.flexdb;
}
