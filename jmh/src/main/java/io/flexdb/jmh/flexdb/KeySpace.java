package io.flexdb.jmh.flexdb;

/** Sizes of keys and values in the data sets of the paper's Table 3. */
enum KeySpace {
    UDB(27, 127),
    ZIPPYDB(48, 43),
    SYS(28, 396);

    private final int keyBytes;
    private final int valueBytes;

    KeySpace(int keyBytes, int valueBytes) {
        this.keyBytes = keyBytes;
        this.valueBytes = valueBytes;
    }

    int keyBytes() {
        return keyBytes;
    }

    int valueBytes() {
        return valueBytes;
    }

    int pairBytes() {
        return keyBytes + valueBytes;
    }
}
