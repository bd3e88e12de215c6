package io.flexdb;

import java.time.Duration;
import java.util.Optional;

/**
 * Options of a named keyspace: how long its values live unless a write says otherwise. Immutable; each {@code with…}
 * method returns a changed copy. For use by any number of threads.
 *
 * <pre>{@code
 * Keyspace sessions = db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.timeToLive(Duration.ofMinutes(30)));
 * sessions.put(id, session); // is gone after half an hour
 * sessions.put(admin, session, WriteOptions.defaults().withoutTimeToLive()); // stays
 * }</pre>
 *
 * <p>They are not stored: hand them in each time that the store is opened.
 */
public final class KeyspaceOptions {
    private static final long FOREVER = 0;

    private static final KeyspaceOptions DEFAULTS = new KeyspaceOptions(FOREVER);

    private final long ttlMillis;

    private KeyspaceOptions(long ttlMillis) {
        this.ttlMillis = ttlMillis;
    }

    static KeyspaceOptions ofMillis(long ttlMillis) {
        return ttlMillis == FOREVER ? DEFAULTS : new KeyspaceOptions(ttlMillis);
    }

    /** Values that live until they are removed. */
    public static KeyspaceOptions defaults() {
        return DEFAULTS;
    }

    /** The defaults {@linkplain #withTimeToLive with a time to live}. */
    public static KeyspaceOptions timeToLive(Duration ttl) {
        return DEFAULTS.withTimeToLive(ttl);
    }

    /**
     * Sets how long values live that are put into the keyspace by a write which does not say so itself: by a single write,
     * {@code putIfAbsent}, {@code getAndSet} and {@code compareAndSet}, a {@link WriteBatch}, a {@link Transaction} and a
     * {@link BulkLoad}. What {@link WriteOptions#withTimeToLive} says of the end of that time holds here, too.
     *
     * <p>A write that says otherwise has a time to live of its own, or {@link WriteOptions#withoutTimeToLive}; in a batch, a
     * transaction or a load, the longest {@link Duration} stands for that. Imported pairs keep the times of their file. A
     * merge has none: its result expires with the value that it was merged into.
     *
     * @param ttl default: values live until they are removed. Above 0; a part of a millisecond counts as a whole
     * @throws IllegalArgumentException if it is 0 or below
     */
    public KeyspaceOptions withTimeToLive(Duration ttl) {
        return new KeyspaceOptions(Limits.ttlMillis(ttl));
    }

    /** The time to live that was set, in milliseconds; empty for none. */
    public Optional<Duration> timeToLive() {
        return ttlMillis == FOREVER ? Optional.empty() : Optional.of(Duration.ofMillis(ttlMillis));
    }

    /** In milliseconds; 0 for none. */
    long ttlMillis() {
        return ttlMillis;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyspaceOptions options && ttlMillis == options.ttlMillis;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(ttlMillis);
    }

    @Override
    public String toString() {
        return "KeyspaceOptions[timeToLive=" + (ttlMillis == FOREVER ? "none]" : ttlMillis + " ms]");
    }
}
