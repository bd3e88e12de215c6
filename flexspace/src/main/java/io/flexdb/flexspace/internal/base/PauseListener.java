package io.flexdb.flexspace.internal.base;

/**
 * Hears from an engine when its writer waits for a file, and could be asked for nothing meanwhile. Called by the
 * writer, at moments when all changes are whole; between the two calls the writer leaves alone the FlexTree and the
 * epochs.
 */
public interface PauseListener {
    /** The writer may have to wait now, for as long as a disk takes. */
    void pauseBegins();

    /** The writer goes on when this returns. */
    void pauseEnds();

    /** The writer goes on, but has done nothing else for a while: what readers want can be published. */
    void between();
}
