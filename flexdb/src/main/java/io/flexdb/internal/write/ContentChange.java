package io.flexdb.internal.write;

/** One change of the content of an interval in place: a pair goes, or comes, or takes the place of another. Reused. */
final class ContentChange {
    static final int IN_BUFFER = -1; // in the place of an entry

    long start; // in the content, which is new already before it
    int removedBytes;
    int addedBytes;
    int addedFrom; // in the buffer, where the bytes that come are
    int addedPair; // or -1
    int entry; // whose pair comes, and is in the data file; or IN_BUFFER

    void set(long newStart, int newRemovedBytes, int newAddedFrom) {
        start = newStart;
        removedBytes = newRemovedBytes;
        addedBytes = 0;
        addedFrom = newAddedFrom;
        addedPair = -1;
        entry = IN_BUFFER;
    }

    void setAdded(int bytes, int pair, int ofEntry) {
        addedBytes = bytes;
        addedPair = pair;
        entry = ofEntry;
    }

    /** Whether the pair that comes is in the data file. */
    boolean isLarge() {
        return entry != IN_BUFFER;
    }
}
