/** Typed keyspaces, maps and indexes in a store of FlexDB. */
module io.flexdb.typed {
    requires static org.jspecify;
    requires transitive io.flexdb;

    exports io.flexdb.typed;
}
