package io.flexdb.flexspace.internal.vfs;

/** Something under way that the flight recorder (JFR) is told of when it ends. Not thread-safe. */
public interface EventSpan {
    /** One that nobody is told of. */
    EventSpan NONE = new EventSpan() {
        @Override
        public boolean isRecorded() {
            return false;
        }

        @Override
        public void finish(long count, long bytes) {
            // Nobody is told.
        }
    };

    /** Whether somebody may be told of it. */
    default boolean isRecorded() {
        return true;
    }

    /**
     * It has ended. Can't fail.
     *
     * @param count of what it was done to, as its kind says
     * @param bytes likewise
     */
    void finish(long count, long bytes);

    /** It has ended, and nothing is counted. Not named end, as events have a method of that name. */
    default void finish() {
        finish(0, 0);
    }
}
