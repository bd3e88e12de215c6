package io.flexdb.ycsb;

import site.ycsb.DB;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's core workload, which tells a {@link MeasuredDb} where a read-modify-write ends. */
final class MeasuredWorkload extends CoreWorkload {
    @Override
    public void doTransactionReadModifyWrite(DB db) {
        super.doTransactionReadModifyWrite(db);
        ((MeasuredDb) db).recordReadModifyWrite();
    }
}
