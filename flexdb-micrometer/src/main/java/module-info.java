/** The figures of a FlexDB as meters of Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.flexdb.micrometer {
    requires transitive io.flexdb;
    requires transitive micrometer.core;

    exports io.flexdb.micrometer;
}
