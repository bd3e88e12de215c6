package io.flexdb.internal.read;

/** Walks a {@link SpilledRun}. For one thread. */
public final class SpilledCursor extends BlockCursor {
    private final SpilledRun run;
    private boolean open = true;

    public SpilledCursor(SpilledRun run) {
        super(run, run.area().takeWindow(), run.through());
        this.run = run;
        run.opened();
    }

    /** Gives the window back; it can't be used any more. */
    @Override
    public void release() {
        super.release();
        if (open) {
            open = false;
            run.area().giveBack(window());
            run.released();
        }
    }
}
