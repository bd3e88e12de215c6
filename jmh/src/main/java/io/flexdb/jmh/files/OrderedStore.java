package io.flexdb.jmh.files;

import java.util.ArrayList;
import java.util.List;

/** What a file system's schema asks of an ordered store that has two keyspaces. */
interface OrderedStore extends AutoCloseable {
    /** Where pairs are. */
    enum Space {
        ENTRIES,
        BLOCKS
    }

    /** A copy of the value, or null. */
    byte[] get(Space space, byte[] key);

    /** Visits pairs in order, from one key on to before another, as of one moment. */
    void scan(Space space, byte[] from, byte[] to, Visitor visitor);

    /** Makes all changes together. */
    void write(Changes changes);

    /** Takes a pair, in arrays of its own. */
    @FunctionalInterface
    interface Visitor {
        void accept(byte[] key, byte[] value);
    }

    /** One change: of a key, or with {@code to}, the removal of a range; no value removes. */
    record Change(Space space, byte[] key, byte[] value, byte[] to) {}

    /** Changes that are made together, in their order. */
    final class Changes {
        private final List<Change> all = new ArrayList<>();

        Changes put(Space space, byte[] key, byte[] value) {
            all.add(new Change(space, key, value, null));
            return this;
        }

        Changes delete(Space space, byte[] key) {
            all.add(new Change(space, key, null, null));
            return this;
        }

        Changes deleteRange(Space space, byte[] from, byte[] to) {
            all.add(new Change(space, from, null, to));
            return this;
        }

        List<Change> all() {
            return all;
        }
    }

    @Override
    void close();
}
