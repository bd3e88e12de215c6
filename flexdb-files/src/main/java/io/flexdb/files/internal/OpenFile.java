package io.flexdb.files.internal;

/** A file that is open, by whichever channels. Where its entry is changes when it is moved or deleted. */
public final class OpenFile {
    final long id;
    volatile EntryKey at;
    private final RangeLocks locks = new RangeLocks();
    int users; // of the table of open files, under its lock

    OpenFile(long id, EntryKey at) {
        this.id = id;
        this.at = at;
    }

    /** The locks that are held on it. */
    public RangeLocks locks() {
        return locks;
    }

    /** Whether no path leads to it any more. */
    boolean isRemoved() {
        return at.directory() == TreeFormat.REMOVED;
    }

    @Override
    public String toString() {
        return id + " at " + at;
    }
}
