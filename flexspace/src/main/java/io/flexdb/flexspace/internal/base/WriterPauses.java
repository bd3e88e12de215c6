package io.flexdb.flexspace.internal.base;

import java.util.function.IntSupplier;

/** Knows when the writer waits for a file, and tells whoever wants to use the time. Writer only. */
public final class WriterPauses {
    /*
     * P1  Told is only what begins while changes are whole: outside of groups, or before the first edit of one.
     * P2  Between begin and end nothing is done that asks for or changes the FlexTree or the epochs. So both stand
     *     close around what waits.
     */
    private static final PauseListener NOBODY = new PauseListener() {
        @Override
        public void pauseBegins() {}

        @Override
        public void pauseEnds() {}

        @Override
        public void between() {}
    };

    private final IntSupplier edits; // of the batch of log entries that waits
    private PauseListener listener = NOBODY;
    private int groupDepth;
    private int editsBeforeGroup;
    private boolean pausing;

    /** @param edits how many edits of the tree wait for the log */
    public WriterPauses(IntSupplier edits) {
        this.edits = edits;
    }

    public void listener(PauseListener newListener) {
        listener = newListener;
    }

    public void beginGroup() {
        if (groupDepth++ == 0) {
            editsBeforeGroup = edits.getAsInt();
        }
    }

    /** Returns whether the outermost group has ended. */
    public boolean endGroup() {
        return --groupDepth == 0;
    }

    public boolean isInGroup() {
        return groupDepth > 0;
    }

    /** To be called before something that may have to wait for a file; {@link #end} follows, whatever happens. */
    public void begin() {
        assert !pausing;
        if (groupDepth == 0 || edits.getAsInt() == editsBeforeGroup) {
            listener.pauseBegins();
            pausing = true;
        }
    }

    public void end() {
        if (pausing) {
            pausing = false;
            listener.pauseEnds();
        }
    }

    /** To be called now and then in what takes long. */
    public void between() {
        if (groupDepth == 0) {
            listener.between();
        }
    }
}
