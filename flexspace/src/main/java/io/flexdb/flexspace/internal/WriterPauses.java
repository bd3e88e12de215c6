package io.flexdb.flexspace.internal;

/** Knows when the writer waits for a file, and tells whoever wants to use the time. Writer only. */
final class WriterPauses {
    /*
     * P1  Told is only what begins while changes are whole: outside of groups, or before the first edit of one.
     * P2  Between begin and end nothing is done that asks for or changes the FlexTree or the epochs. So both stand close
     *     around what waits.
     */
    private static final PauseListener NOBODY = new PauseListener() {
        @Override
        public void pauseBegins() {}

        @Override
        public void pauseEnds() {}

        @Override
        public void between() {}
    };

    private final LogBatch batch;
    private PauseListener listener = NOBODY;
    private int groupDepth;
    private int editsBeforeGroup;
    private boolean pausing;

    WriterPauses(LogBatch batch) {
        this.batch = batch;
    }

    void listener(PauseListener newListener) {
        listener = newListener;
    }

    void beginGroup() {
        if (groupDepth++ == 0) {
            editsBeforeGroup = batch.edits();
        }
    }

    /** Returns whether the outermost group has ended. */
    boolean endGroup() {
        return --groupDepth == 0;
    }

    boolean isInGroup() {
        return groupDepth > 0;
    }

    /** To be called before something that may have to wait for a file; {@link #end} follows, whatever happens. */
    void begin() {
        assert !pausing;
        if (groupDepth == 0 || batch.edits() == editsBeforeGroup) {
            listener.pauseBegins();
            pausing = true;
        }
    }

    void end() {
        if (pausing) {
            pausing = false;
            listener.pauseEnds();
        }
    }

    /** To be called now and then in what takes long. */
    void between() {
        if (groupDepth == 0) {
            listener.between();
        }
    }
}
