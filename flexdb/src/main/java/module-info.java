/** FlexDB: an embedded ordered key-value store on a FlexSpace. */
module io.flexdb {
    requires transitive io.flexdb.flexspace;

    exports io.flexdb;
}
