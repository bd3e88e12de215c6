package io.flexdb.internal.write;

import io.flexdb.internal.log.WalWriter;

/** The logs that an earlier process left, while their writes are written again. */
public interface RecoveredLogs {
    /** To be called before anything is committed, or the files of the space change. */
    void beforeCommit();

    /** Has the log that has the write at hand serve on, instead of a copy. */
    WalWriter adopt();
}
