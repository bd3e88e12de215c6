package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordHead;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.StagedWrite;
import java.nio.ByteBuffer;

/**
 * A pair that a commit has made of operands, and staged since it is long. Held until this is closed.
 *
 * @param write holds it
 * @param reference has the {@link LargeReference} to it at a position
 * @param referenceBytes of the reference
 */
record StagedPair(StagedWrite write, ByteBuffer reference, int position, int referenceBytes, RecordHead head)
        implements AutoCloseable {

    int headBytes() {
        return LargeReference.headBytes(reference, position);
    }

    int pieces() {
        return LargeReference.pieces(reference, position, referenceBytes);
    }

    /** Writes the record's bytes before its key, and returns the position of the key. */
    int writeHead(ByteBuffer to, int at) {
        int keyPosition = head.write(to, at);
        to.putInt(at, LargeReference.checksum(reference, position));
        return keyPosition;
    }

    @Override
    public void close() {
        write.close();
    }
}
