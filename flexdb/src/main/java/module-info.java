/** FlexDB: an embedded ordered key-value store on a FlexSpace. */
module io.flexdb {
    requires transitive io.flexdb.flexspace;
    requires static java.management;
    requires static jdk.management;

    exports io.flexdb;
}
