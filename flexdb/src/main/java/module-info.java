/** FlexDB: an embedded ordered key-value store on a FlexSpace. */
// Agrona is an automatic module.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.flexdb {
    requires transitive io.flexdb.flexspace;
    requires static transitive org.agrona;
    requires static java.management;
    requires static jdk.management;

    exports io.flexdb;
    exports io.flexdb.agrona;
}
