package io.flexdb;

import io.flexdb.internal.txn.KeyspaceState;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of one write: how durable it is when it returns, and how long its value lives. Immutable; each {@code with…}
 * method returns a changed copy. For use by any number of threads, and worth keeping in a constant.
 *
 * <pre>{@code
 * db.put(key, session, WriteOptions.timeToLive(Duration.ofMinutes(30)));
 * db.put(key, order, WriteOptions.durability(Durability.SYNC));
 * }</pre>
 */
public final class WriteOptions {
    private static final long OF_KEYSPACE = -1;
    private static final long FOREVER = 0;

    private static final WriteOptions DEFAULTS = new WriteOptions(null, OF_KEYSPACE);

    private final Durability durability; // null for the store's
    private final long ttlMillis;

    private WriteOptions(Durability durability, long ttlMillis) {
        this.durability = durability;
        this.ttlMillis = ttlMillis;
    }

    /**
     * The durability of the store, and values that live as long as the {@link KeyspaceOptions} say: until they are removed,
     * unless these have a time to live.
     */
    public static WriteOptions defaults() {
        return DEFAULTS;
    }

    /** The defaults {@linkplain #withDurability with a durability}. */
    public static WriteOptions durability(Durability atLeast) {
        return DEFAULTS.withDurability(atLeast);
    }

    /** The defaults {@linkplain #withTimeToLive with a time to live}. */
    public static WriteOptions timeToLive(Duration ttl) {
        return DEFAULTS.withTimeToLive(ttl);
    }

    /**
     * Sets the durability that the write has at least when it returns.
     *
     * @param atLeast default: that of the store ({@link FlexDBOptions#withDurability}). A weaker one than that is raised
     *     to it
     */
    public WriteOptions withDurability(Durability atLeast) {
        return new WriteOptions(Limits.notNull(atLeast, "atLeast"), ttlMillis);
    }

    /**
     * Sets how long the value lives: from the end of that time on the key is absent, for all reads. A {@link Snapshot}, a
     * cursor and a {@link Transaction} read as of the time when they were opened, so no pair vanishes under them.
     *
     * <p>The time is that of {@link FlexDBOptions#withClock}, and its end is fixed when the write begins. Each later write
     * of the key sets it anew, or sets that there is none. The space of expired pairs is reclaimed in the background.
     *
     * @param ttl default: that of the keyspace ({@link KeyspaceOptions#withTimeToLive}), else the value lives until it is
     *     removed. Above 0; a part of a millisecond counts as a whole
     * @throws IllegalArgumentException if it is 0 or below
     */
    public WriteOptions withTimeToLive(Duration ttl) {
        return new WriteOptions(durability, Limits.ttlMillis(ttl));
    }

    /** Has the value live until it is removed, whatever the {@link KeyspaceOptions} say. */
    public WriteOptions withoutTimeToLive() {
        return new WriteOptions(durability, FOREVER);
    }

    /** The durability that was set; empty for that of the store. */
    public Optional<Durability> durability() {
        return Optional.ofNullable(durability);
    }

    /** The time to live that was set, in milliseconds; empty for none. */
    public Optional<Duration> timeToLive() {
        return expires() ? Optional.of(Duration.ofMillis(ttlMillis)) : Optional.empty();
    }

    /** The durability of a write to a store with this one. */
    Durability in(Durability ofStore) {
        return durability == null ? ofStore : durability.orStronger(ofStore);
    }

    private boolean expires() {
        return ttlMillis > FOREVER;
    }

    /**
     * Milliseconds for which a value lives that is put into a keyspace, or {@link KeyspaceState#FOREVER}.
     *
     * @param keyspace null for the default one
     */
    long ttlMillis(KeyspaceState keyspace) {
        return ttlMillis == OF_KEYSPACE ? KeyspaceState.ttlMillis(keyspace) : ttlMillis;
    }

    /** For writes without a value. */
    WriteOptions requireNoTimeToLive(String what) {
        if (expires()) {
            throw new IllegalArgumentException(
                    "a " + what + " takes no time to live, but the options have one of " + ttlMillis + " ms");
        }
        return this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WriteOptions options
                && durability == options.durability
                && ttlMillis == options.ttlMillis;
    }

    @Override
    public int hashCode() {
        return Objects.hash(durability, ttlMillis);
    }

    @Override
    public String toString() {
        return "WriteOptions[durability=" + (durability == null ? "of the store" : durability) + ", timeToLive="
                + (expires() ? ttlMillis + " ms]" : ttlMillis == FOREVER ? "none]" : "of the keyspace]");
    }
}
