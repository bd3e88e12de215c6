package io.flexdb.internal.read;

import io.flexdb.internal.mem.MemTable;
import java.util.Arrays;

/** Lookups of one reader in memtables that were moved. For one thread; used again. */
public final class MovedLookups {
    private Window[] windows = new Window[2]; // of memtables by their places in a version, or null
    private MovedTables home; // of these

    /**
     * A memtable with what one has of a key: as it is until the next lookup at that place.
     *
     * @param place of the memtable in the version that is read
     */
    public MemTable lookUp(MovedTable moved, int place, byte[] key, int length) {
        if (place >= windows.length) {
            windows = Arrays.copyOf(windows, place + 1);
        }
        if (windows[place] == null) {
            home = moved.home();
            windows[place] = home.takeWindow();
        }
        windows[place].load(moved, moved.blockOf(key, 0, length));
        return windows[place].table();
    }

    /** Gives all back. Allocates nothing. */
    public void release() {
        for (int i = windows.length - 1; i >= 0 && home != null; i--) {
            if (windows[i] != null) {
                home.giveBack(windows[i]); // so that each comes to the same place again
                windows[i] = null;
            }
        }
        home = null;
    }
}
