package io.flexdb.ycsb;

/** What the runner measures, in the order of its table. */
public enum Operation {
    /** A record by its key. */
    READ("read"),
    /** Some fields of a record. */
    UPDATE("update"),
    /** A new record. */
    INSERT("insert"),
    /** Records from a key on. */
    SCAN("scan"),
    /** A read, and an update of what was read. */
    READ_MODIFY_WRITE("read-modify-write");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    /** The name in the table. */
    public String label() {
        return label;
    }
}
