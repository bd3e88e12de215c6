/** FlexDB: an embedded ordered key-value store on a FlexSpace. */
// Agrona is an automatic module, and optional: not transitive, or whoever requires this module could not be compiled
// without it.
@SuppressWarnings("requires-automatic")
module io.flexdb {
    requires static org.jspecify;
    requires transitive io.flexdb.flexspace;
    requires static org.agrona;
    requires static java.management;
    requires static jdk.jfr;
    requires static jdk.management;

    exports io.flexdb;
    exports io.flexdb.agrona;
}
