package io.flexdb.internal.spill;

import io.flexdb.internal.memtable.MemTableCursor;

/** Walks a {@link SpilledRun} as if it were a memtable: each key by its newest entry. For one thread. */
public final class SpilledCursor extends MemTableCursor {
    /*
     * It walks one window after the other. The table and the ref that it stands on are those of the window, until the
     * next move.
     */
    private final SpilledRun run;
    private final Window window;
    private final int blocks;
    private int block;
    private boolean open = true;

    public SpilledCursor(SpilledRun run) {
        super(true);
        this.run = run;
        this.window = run.area().takeWindow();
        this.blocks = run.blocks().intervals();
        run.opened();
    }

    /** Gives the window back; it can't be used any more. */
    @Override
    public void release() {
        super.release();
        if (open) {
            open = false;
            run.area().giveBack(window);
            run.released();
        }
    }

    private boolean enter(int newBlock) {
        if (newBlock < 0 || newBlock >= blocks) {
            end();
            return false;
        }
        window.load(run, newBlock);
        block = newBlock;
        reset(window.table(), run.through());
        return true;
    }

    @Override
    public void seek(byte[] key, int offset, int length) {
        if (enter(run.blockOf(key, offset, length))) {
            super.seek(key, offset, length);
            goForward();
        }
    }

    @Override
    public void seekToFirst() {
        if (enter(0)) {
            super.seekToFirst();
            goForward();
        }
    }

    @Override
    public void seekToLast() {
        if (enter(blocks - 1)) {
            super.seekToLast();
            goBackward();
        }
    }

    @Override
    public void seekForPrev(byte[] key, int offset, int length) {
        if (enter(run.blockOf(key, offset, length))) {
            super.seekForPrev(key, offset, length);
            goBackward();
        }
    }

    @Override
    public void next() {
        super.next();
        goForward();
    }

    @Override
    public void previous() {
        super.previous();
        goBackward();
    }

    private void goForward() {
        while (!isValid() && enter(block + 1)) {
            super.seekToFirst();
        }
    }

    private void goBackward() {
        while (!isValid() && enter(block - 1)) {
            super.seekToLast();
        }
    }
}
