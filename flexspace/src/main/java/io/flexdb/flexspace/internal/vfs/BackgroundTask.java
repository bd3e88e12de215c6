package io.flexdb.flexspace.internal.vfs;

/** Work under way beside whoever {@linkplain Vfs#start started} it. */
public interface BackgroundTask {
    /** Whether it has ended. Its effects are visible to a caller that gets true. */
    boolean isDone();

    /** Returns once it has ended; an interrupt is kept for later. */
    void await();
}
