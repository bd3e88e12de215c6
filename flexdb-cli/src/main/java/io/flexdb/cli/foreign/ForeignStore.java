package io.flexdb.cli.foreign;

import java.io.IOException;
import java.util.List;

/**
 * A store of another engine, open to be read and never changed. For one thread, which closes it. All methods throw
 * {@link ForeignStoreException} if the store can't be read.
 */
public interface ForeignStore extends AutoCloseable {
    /** The name that stands for what has none: the default keyspace. */
    String DEFAULT = "";

    /** The names of all that has pairs of keys and values, in the order of the names. */
    List<String> names();

    /** About how many pairs there are, or 0 if that is not known. */
    long pairs(String name);

    /**
     * Hands over all pairs, in the order in which the engine has them.
     *
     * @param name one of {@link #names()}
     */
    void read(String name, Target target) throws IOException;

    @Override
    void close();

    /** Takes pairs. */
    @FunctionalInterface
    interface Target {
        /**
         * Takes a pair.
         *
         * @return whether to go on
         */
        boolean pair(byte[] key, byte[] value) throws IOException;
    }
}
