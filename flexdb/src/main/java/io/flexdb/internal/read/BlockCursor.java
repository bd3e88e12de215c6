package io.flexdb.internal.read;

import io.flexdb.internal.mem.MemTableCursor;

/** Walks a {@link BlockRun} as if it were a memtable: each key by its newest entry. For one thread. */
public abstract class BlockCursor extends MemTableCursor {
    /*
     * It walks one window after the other. The table and the ref that it stands on are those of the window, until the
     * next move.
     */
    private final BlockRun run;
    private final Window window;
    private final long through;
    private final int blocks;
    private int block;

    /** @param through the highest number to show */
    BlockCursor(BlockRun run, Window window, long through) {
        super(true);
        this.run = run;
        this.window = window;
        this.through = through;
        this.blocks = run.blocks().intervals();
    }

    /** Brings a block. */
    void load(Window into, int newBlock) {
        into.load(run, newBlock);
    }

    Window window() {
        return window;
    }

    private boolean enter(int newBlock) {
        if (newBlock < 0 || newBlock >= blocks) {
            end();
            return false;
        }
        load(window, newBlock);
        block = newBlock;
        reset(window.table(), through);
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
