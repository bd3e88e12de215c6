package io.flexdb.jmh.suite;

/** A suite on key-value stores with pairs of UDB, all of which are in memory. */
interface KeyValueSuite extends Suite {
    @Override
    default long memoryBytes(Plan plan) {
        return KeyValueCells.memoryBytes(plan);
    }

    @Override
    default long diskBytes(Plan plan) {
        return KeyValueCells.diskBytes(KeyValueCells.UDB, KeyValueCells.UDB.records(plan));
    }
}
