package io.flexdb.internal.log;

/** Keeps what somebody reads from being given back meanwhile. */
public interface ReadGuard {
    /** Begins to; throws if it is gone. {@link #endRead} must follow. */
    void beginRead();

    /** Ends it. */
    void endRead();
}
