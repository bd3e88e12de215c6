package io.flexdb.internal.txn;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.write.WriteGuard;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.util.Arrays;

/** A named keyspace of an open store, there or dropped. Thread-safe. */
public final class KeyspaceState implements WriteGuard {
    /*
     * A number is never used again, so no key of a dropped keyspace ever shows in another one. The write lock keeps
     * such keys from being written: under it the drop is noted here, and each write to the keyspace looks here before
     * it is numbered. So all numbers of a keyspace's writes are below that of its drop.
     *
     * The drop is noted before it is visible. If a check after a read passes, the read did not see the drop.
     */
    private static final long THERE = Long.MAX_VALUE;

    /** The time to live of what does not expire. */
    public static final long FOREVER = 0;

    private final Object store; // tells one open store from another, and no more: this may outlive it
    private final String name;
    private final KeyHeads heads;
    private volatile long droppedAt = THERE;
    private volatile long ttlMillis = FOREVER;

    KeyspaceState(Object store, String name, int number) {
        this.store = store;
        this.name = name;
        this.heads = KeyHeads.named(number);
    }

    public String name() {
        return name;
    }

    /** The heads of its keys. */
    public KeyHeads heads() {
        return heads;
    }

    /** Milliseconds for which what is put into a keyspace lives unless its write says so; null for the default one. */
    public static long ttlMillis(KeyspaceState keyspace) {
        return keyspace == null ? FOREVER : keyspace.ttlMillis;
    }

    /** Sets for how many milliseconds what is put into it lives unless its write says so. */
    public void setTtlMillis(long millis) {
        ttlMillis = millis;
    }

    /** Throws if it is not of this open store. */
    void requireIn(KeyspaceDirectory other) {
        if (store != other.identity()) {
            throw new IllegalArgumentException("keyspace \"" + name + "\" is of another store, or was got before this"
                    + " one was opened; get it from the store that it is used with");
        }
    }

    /** Throws if it is dropped. */
    @Override
    public void check() {
        check(THERE - 1);
    }

    /** Throws if a view that shows everything up to a sequence number does not show it any more. */
    public void check(long sequence) {
        long dropped = droppedAt;
        if (dropped <= sequence) {
            throw new NoSuchKeyspaceException(
                    name,
                    "it was dropped with sequence number " + dropped + "; what is made by this name now is another");
        }
    }

    /** Notes that it is dropped by a write. Under the write lock; by a reader, when he has met the drop. */
    public void dropped(long sequence) {
        droppedAt = sequence;
    }

    /** Whether another one is of the same name and number. */
    public boolean isSame(KeyspaceState other) {
        return name.equals(other.name) && Arrays.equals(heads.begin(), other.heads.begin());
    }

    public boolean isDropped() {
        return droppedAt != THERE;
    }

    @Override
    public String toString() {
        return "Keyspace[" + name + (isDropped() ? ", dropped]" : "]");
    }
}
