package io.flexdb.internal.mem;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

/** Reads records that another process has staged. Their references tell of the pieces. Any thread. */
final class FollowedRecords {
    /*
     * A read-only process does not know the segments that the writer has filled since, nor the checksums of their
     * frames. A reference therefore has a checksum of each piece, and a piece is always read whole. A piece with
     * another checksum is damage, unless the writer has used the place again: SpaceReads tells.
     */
    private final SpaceReads reads;
    private final int maxExtentBytes;
    private final AtomicReference<ByteBuffer> spare = new AtomicReference<>(); // for a piece, or null

    FollowedRecords(SpaceReads reads, int maxExtentBytes) {
        this.reads = reads;
        this.maxExtentBytes = maxExtentBytes;
    }

    /**
     * Fills a buffer from its position to its limit, which both stay, with a part of the record's bytes that are in
     * pieces, verified. The {@link LargeReference} stands at a position.
     */
    void copy(ByteBuffer reference, int position, long allBytes, long from, ByteBuffer destination) {
        int pieces = LargeReference.pieces((int) allBytes, maxExtentBytes);
        long at = from;
        for (int to = destination.position(); to < destination.limit(); ) {
            int piece = (int) (at / maxExtentBytes);
            int inPiece = (int) (at % maxExtentBytes);
            int pieceBytes = (int) Math.min(maxExtentBytes, allBytes - (long) piece * maxExtentBytes);
            int bytes = Math.min(destination.limit() - to, pieceBytes - inPiece);
            long address = LargeReference.address(reference, position, piece);
            int checksum = LargeReference.pieceChecksum(reference, position, pieces, piece);
            ByteBuffer part = destination.duplicate().limit(to + bytes).position(to);
            if (bytes == pieceBytes) {
                reads.readFollowed(address, part, checksum);
            } else {
                copyPart(address, checksum, pieceBytes, inPiece, part);
            }
            to += bytes;
            at += bytes;
        }
    }

    private void copyPart(long address, int checksum, int pieceBytes, int inPiece, ByteBuffer destination) {
        ByteBuffer whole = spare.getAndSet(null);
        if (whole == null) {
            whole = ByteBuffer.allocate(maxExtentBytes); // of the heap: readers are told of its limits
        }
        reads.readFollowed(address, whole.clear().limit(pieceBytes), checksum);
        destination.put(whole.clear().position(inPiece).limit(inPiece + destination.remaining()));
        spare.set(whole);
    }
}
