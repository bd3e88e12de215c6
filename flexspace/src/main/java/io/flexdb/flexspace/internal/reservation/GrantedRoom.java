package io.flexdb.flexspace.internal.reservation;

/** Room that was found ahead, for the next small changes. Writer only. */
public final class GrantedRoom {
    /*
     * The problem: to look for room in three files costs more than a small change does. The choice: room is looked for
     * that many small changes find, and each of them takes its part.
     *
     * R1  What is granted is there: the bytes in the open segment, which has its place in the file, and below the cap;
     *     the edits and places of each change in the logical log and the FlexTree file, with the reserve whole.
     * R2  Whatever else takes of that room revokes what is left: a commit, since it pads data and log; a checkpoint, since
     *     it begins another log; and whoever asks EditRoom for something, as garbage collection does before it moves.
     */

    /** Changes granted at once. */
    public static final int CHANGES = 64;
    /** Log entries of a small change, and extents that it adds to the tree, at most. */
    public static final int EDITS_OF_A_CHANGE = 4;
    /** Places of a change in the tree: where a hole ends, and where something is replaced. */
    public static final int PLACES_OF_A_CHANGE = 2;

    private int changes;
    private long bytes;

    /** Takes one change that appends so many bytes, if it is granted. */
    public boolean take(long appendedBytes) {
        if (changes == 0 || appendedBytes > bytes) {
            return false;
        }
        changes--;
        bytes -= appendedBytes;
        return true;
    }

    /**
     * Grants so many changes.
     *
     * @param appendedBytes of all of them; none of them appends anything if this is not positive
     */
    public void grant(int smallChanges, long appendedBytes) {
        changes = smallChanges;
        bytes = Math.max(0, appendedBytes);
    }

    void revoke() {
        changes = 0;
    }

    public int changes() {
        return changes;
    }

    public long bytes() {
        return bytes;
    }
}
