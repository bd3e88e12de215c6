package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.flexdb.KeyValueStore.PairConsumer;
import java.util.ArrayList;
import java.util.List;

/** What a file system's schema asks of a store: two keyspaces, and changes of both together. For one thread. */
public interface OrderedStore {
    /** Where pairs are. */
    enum Space {
        ENTRIES,
        BLOCKS
    }

    /** A copy of the value, or null. */
    byte[] get(Space space, byte[] key);

    /** Visits pairs in order, from one key on to before another, as of one moment. The visitor may read. */
    void scan(Space space, byte[] from, byte[] to, PairConsumer visitor);

    /** Makes all changes together. */
    void write(Changes changes);

    /** One change: of a key, or with {@code to}, the removal of a range; no value removes. */
    record Change(Space space, byte[] key, byte[] value, byte[] to) {}

    /** Changes that are made together, in their order. */
    final class Changes {
        private final List<Change> all = new ArrayList<>();

        /** Adds a put. */
        public Changes put(Space space, byte[] key, byte[] value) {
            all.add(new Change(space, key, value, null));
            return this;
        }

        /** Adds the removal of a key. */
        public Changes delete(Space space, byte[] key) {
            all.add(new Change(space, key, null, null));
            return this;
        }

        /** Adds the removal of all keys from one on to before another. */
        public Changes deleteRange(Space space, byte[] from, byte[] to) {
            all.add(new Change(space, from, null, to));
            return this;
        }

        /** The changes, as they have been added. */
        public List<Change> all() {
            return all;
        }
    }
}
