package io.flexdb.flexspace.internal.vfs;

import jdk.jfr.Event;

/** An event of the flight recorder. An event that there is no memory for is left out: the work goes on. */
public abstract class RecordedSpan extends Event implements EventSpan {
    /** Begins. */
    @SuppressWarnings("this-escape") // only the recorder knows it so early, and it wants the time alone
    protected RecordedSpan() {
        begin();
    }

    /** Sets the fields that are known at the end, if there are any. */
    protected void note(long count, long bytes) {}

    @Override
    public final void finish(long count, long bytes) {
        note(count, bytes);
        try {
            commit();
        } catch (OutOfMemoryError e) {
            // Nobody is told of it.
        }
    }
}
