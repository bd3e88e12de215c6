package io.flexdb.internal.mem;

import java.nio.channels.ReadableByteChannel;

/** A source of bytes that has nothing to let go of. */
public interface UnclosedChannel extends ReadableByteChannel {
    @Override
    default boolean isOpen() {
        return true;
    }

    @Override
    default void close() {}
}
