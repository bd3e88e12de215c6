package io.flexdb.internal.read;

/** The kinds of holders of a version. */
public enum HolderKind {
    SNAPSHOT("the snapshot"),
    TRANSACTION("the transaction"),
    CURSOR("the cursor"),
    VALUE("the value"),
    LOOKUP("the lookup of several keys"),
    COPY("the copy"),
    CHECK("the check"),
    LOAD("the load");

    private final String what;

    HolderKind(String what) {
        this.what = what;
    }

    /** In messages. */
    public String what() {
        return what;
    }

    /** Whether it reads memtables outside of short reads. */
    boolean readsMemtables() {
        return this == CURSOR || this == LOOKUP;
    }

    /** Whether the store may end it. A holder of the store's own ends soon, and reads without asking. */
    boolean mayExpire() {
        return this != COPY && this != CHECK && this != LOAD;
    }
}
