package io.flexdb.ycsb;

/** What the runner measures, in the order of its table. */
enum Operation {
    READ("read"),
    UPDATE("update"),
    INSERT("insert"),
    SCAN("scan"),
    READ_MODIFY_WRITE("read-modify-write");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
