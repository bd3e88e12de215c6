package io.flexdb;

import io.flexdb.internal.base.KeyspaceSettings;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options of a named keyspace: how long its values live unless a write says otherwise, its merge function, and whether it
 * has a range filter. Immutable; each {@code with…} method returns a changed copy. For use by any number of threads.
 *
 * <pre>{@code
 * FlexDBOptions options = FlexDBOptions.defaults()
 *         .withKeyspace("sessions", KeyspaceOptions.timeToLive(Duration.ofMinutes(30)))
 *         .withKeyspace("hits", KeyspaceOptions.defaults().withMergeFunction(MergeFunction.ADD));
 * FlexDB db = FlexDB.open(directory, options);
 * Keyspace sessions = db.createKeyspaceIfAbsent("sessions");
 * sessions.put(id, session); // is gone after half an hour
 * sessions.put(admin, session, WriteOptions.defaults().withoutTimeToLive()); // stays
 * db.createKeyspaceIfAbsent("hits").merge(page, one);
 * }</pre>
 *
 * <p>They are not stored: hand them in each time that the store is opened, by {@link FlexDBOptions#withKeyspace}. A time
 * to live can also be set later, by {@link FlexDB#createKeyspaceIfAbsent(String, KeyspaceOptions)}.
 */
public final class KeyspaceOptions {
    private static final KeyspaceOptions DEFAULTS = new KeyspaceOptions(KeyspaceSettings.NONE);

    private final KeyspaceSettings settings;

    private KeyspaceOptions(KeyspaceSettings settings) {
        this.settings = settings;
    }

    static KeyspaceOptions of(KeyspaceSettings settings) {
        return settings.equals(KeyspaceSettings.NONE) ? DEFAULTS : new KeyspaceOptions(settings);
    }

    /** Values that live until they are removed; merge function and range filter are those of the store. */
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
        return of(new KeyspaceSettings(Limits.ttlMillis(ttl), settings.merger(), settings.rangeFilter()));
    }

    /**
     * Sets the function that merges into this keyspace apply, instead of that of the store. Hand it in when the store is
     * opened: after a crash its logs are replayed, with all operands, before anybody can ask for a keyspace. A store
     * whose logs have merges into a keyspace without a function is not opened; {@link FlexDBOptions#withMergeFunction}
     * says what else holds.
     *
     * @param function default null: that of the store
     */
    public KeyspaceOptions withMergeFunction(@Nullable MergeFunction function) {
        return of(new KeyspaceSettings(settings.ttlMillis(), Merging.of(function), settings.rangeFilter()));
    }

    /**
     * Sets whether the store keeps a range filter for this keyspace, whatever it does for others; see
     * {@link FlexDBOptions#withRangeFilter}. Filters are kept for stretches of keys, some kilobytes of pairs each: one in
     * which keyspaces meet has a filter if both have.
     *
     * @param rangeFilter default: as {@link FlexDBOptions#withRangeFilter} says
     */
    public KeyspaceOptions withRangeFilter(boolean rangeFilter) {
        return of(new KeyspaceSettings(settings.ttlMillis(), settings.merger(), rangeFilter));
    }

    /** The time to live that was set, in milliseconds; empty for none. */
    public Optional<Duration> timeToLive() {
        long millis = settings.ttlMillis();
        return millis == KeyspaceSettings.NONE.ttlMillis() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    /** The keyspace's own merge function, or null. */
    public @Nullable MergeFunction mergeFunction() {
        return Merging.functionOf(settings.merger());
    }

    /** Whether the keyspace has a range filter; empty if the options of the store say so. */
    public Optional<Boolean> rangeFilter() {
        return Optional.ofNullable(settings.rangeFilter());
    }

    KeyspaceSettings settings() {
        return settings;
    }

    /** Whether all options are equal; merge functions are equal to what they say they are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof KeyspaceOptions options && settings.equals(options.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public String toString() {
        return "KeyspaceOptions[timeToLive="
                + timeToLive().map(ttl -> ttl.toMillis() + " ms").orElse("none")
                + (settings.merger() == null ? "" : ", mergeFunction=" + settings.merger())
                + (settings.rangeFilter() == null ? "" : ", rangeFilter=" + settings.rangeFilter())
                + "]";
    }
}
