package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/** Where the pieces of a run go. For one thread at a time. */
public interface PieceSink {
    /** Takes what is between position and limit as one piece, and returns its address. */
    long append(ByteBuffer piece);

    /** Bytes that the next piece may have if it is to begin no segment; 0 if it begins one anyway. */
    int room();
}
