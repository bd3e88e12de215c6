package io.flexdb.flexspace;

import static io.flexdb.flexspace.Arguments.MAX_SIZE;
import static io.flexdb.flexspace.Arguments.checkHole;
import static io.flexdb.flexspace.Arguments.checkLength;
import static io.flexdb.flexspace.Arguments.checkRange;
import static io.flexdb.flexspace.Arguments.checkSize;
import static io.flexdb.flexspace.Arguments.lengthOf;

import io.flexdb.flexspace.internal.engine.ChangeReservation;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;

/** The changes of a {@link FlexSpace}, and what makes them durable. Thread-safe: one is made after the other. */
final class FlexSpaceChanges {
    /*
     * The problem: an argument that is refused must not stop the space, but a change of which only a part was made
     * must. The choice: arguments are checked first. Then a change begins: from there on whatever is thrown is a
     * failure of the space, until the change has ended. To begin is to reserve for it as well, which may move data and
     * write the log; when there is not as much, nothing has changed, and the change has not begun. A crash keeps all of
     * it or nothing.
     *
     * Readers need what has returned before, and can't have it while a change is made in part. So a change that may
     * take long, or wait for the disk then, publishes that first (A4 in FlexSpaceAccess).
     */
    /** Bytes of a range that may have many extents. */
    private static final long LONG_BYTES = 256 << 10;

    private final FlexSpaceAccess access;
    private final SpaceEngine engine;
    private final ChangeReservation reservation;
    private final ExtentCursor defragmentCursor = new ExtentCursor();
    private ByteBuffer defragmentBuffer;
    private boolean begun;
    private long checkpointsBefore;

    FlexSpaceChanges(FlexSpaceAccess access, SpaceEngine engine) {
        this.access = access;
        this.engine = engine;
        this.reservation = engine.reservation();
    }

    // ---- inserting and removing

    void insertRange(long logicalOffset, ByteBuffer buffer) {
        int length = lengthOf(buffer);
        access.lock();
        try {
            checkOffset(logicalOffset);
            checkSize(engine.size(), length);
            begin(length, 0, 0, 0);
            insertPieces(logicalOffset, buffer, buffer.position(), length);
            end();
        } catch (Throwable e) {
            failIfBegun(e);
            throw e;
        } finally {
            access.unlock();
        }
        buffer.position(buffer.limit());
    }

    private void insertPieces(long logicalOffset, ByteBuffer buffer, int position, int length) {
        int done = 0;
        while (done < length) {
            int piece = pieceOf(length - done);
            engine.insert(logicalOffset + done, buffer, position + done, piece, 0);
            done += piece;
        }
    }

    void collapseRange(long logicalOffset, long length) {
        checkLength(length);
        access.lock();
        try {
            checkRange(logicalOffset, length, engine.size());
            beginEdits(length, 1, false);
            engine.collapse(logicalOffset, length);
            end();
        } catch (Throwable e) {
            failIfBegun(e);
            throw e;
        } finally {
            access.unlock();
        }
    }

    void moveRange(long logicalOffset, long length, long target) {
        checkLength(length);
        change(() -> {
            checkRange(logicalOffset, length, engine.size());
            checkOffset(target);
            if (target > logicalOffset && target < logicalOffset + length) {
                throw new IllegalArgumentException("target must not be inside the range from " + logicalOffset + ", "
                        + length + " bytes: " + target);
            }
            begun = true; // to look at the tree is to make the changes that wait in it
            publishBeforeLong(length);
            beginEdits(length, 2 + engine.extentsIn(logicalOffset, length), true);
            if (target != logicalOffset && target != logicalOffset + length) {
                engine.move(logicalOffset, length, target);
            }
            end();
        });
    }

    // ---- holes

    void insertHole(long logicalOffset, long length) {
        checkLength(length);
        change(() -> {
            checkOffset(logicalOffset);
            checkSize(engine.size(), length);
            checkHole(length);
            beginEdits(length, extentsOfHole(length), true);
            engine.insertHole(logicalOffset, length);
            end();
        });
    }

    void punchHole(long logicalOffset, long length) {
        checkLength(length);
        change(() -> {
            checkRange(logicalOffset, length, engine.size());
            beginEdits(length, extentsOfHole(length), false);
            engine.punchHole(logicalOffset, length);
            end();
        });
    }

    void truncate(long newSize) {
        if (newSize < 0 || newSize > MAX_SIZE) {
            throw new IllegalArgumentException("newSize must be from 0 to 2^61: " + newSize);
        }
        change(() -> {
            long growth = newSize - engine.size();
            checkHole(growth);
            beginEdits(Math.abs(growth), extentsOfHole(Math.max(0, growth)), growth > 0);
            cut(newSize);
            if (growth > 0) {
                engine.insertHole(engine.size(), growth);
            }
            end();
        });
    }

    /** Makes the space shorter, if it is longer. */
    void truncateIfLonger(long newSize) {
        change(() -> {
            beginEdits(Math.max(0, engine.size() - newSize), 1, false);
            cut(newSize);
            end();
        });
    }

    private void cut(long newSize) {
        if (newSize < engine.size()) {
            engine.collapse(newSize, engine.size() - newSize);
        }
    }

    private static long extentsOfHole(long length) {
        return 2 + length / FlexTree.MAX_EXTENT_BYTES;
    }

    // ---- writing over what is there

    void write(long logicalOffset, ByteBuffer buffer) {
        int length = lengthOf(buffer);
        if (logicalOffset < 0) {
            throw new IndexOutOfBoundsException("logicalOffset must not be negative: " + logicalOffset);
        }
        access.lock();
        try {
            checkSize(logicalOffset, length);
            long gap = logicalOffset - engine.size();
            checkHole(gap);
            begin(length, logicalOffset, Math.min(length, -gap), Math.max(0, gap));
            overwriteOrInsert(logicalOffset, buffer, buffer.position(), length);
            end();
        } catch (Throwable e) {
            failIfBegun(e);
            throw e;
        } finally {
            access.unlock();
        }
        buffer.position(buffer.limit());
    }

    private void overwriteOrInsert(long logicalOffset, ByteBuffer buffer, int position, int length) {
        if (logicalOffset > engine.size()) {
            engine.insertHole(engine.size(), logicalOffset - engine.size());
        }
        int over = (int) Math.min(length, engine.size() - logicalOffset);
        int done = 0;
        while (done < over) {
            int piece = pieceOf(over - done);
            engine.overwrite(logicalOffset + done, buffer, position + done, piece, 0);
            done += piece;
        }
        if (done < length) {
            insertPieces(logicalOffset + done, buffer, position + done, length - done);
        }
    }

    void defragment(long logicalOffset, long length) {
        checkLength(length);
        change(() -> {
            checkRange(logicalOffset, length, engine.size());
            access.publishIfChanged(); // which makes the changes that wait in the tree
            long end = logicalOffset + length;
            for (long at = logicalOffset; at < end; ) {
                at = defragmentPiece(at, end);
            }
            access.publish(); // which lets go where it was
        });
    }

    /** Reads before the change begins, so that damage found is no reason for the space to fail. */
    private long defragmentPiece(long logicalOffset, long end) {
        ExtentCursor cursor = defragmentCursor;
        int most = pieceOf((int) Math.min(end - logicalOffset, engine.maxExtentBytes()));
        cursor.reset(engine.current());
        cursor.seek(logicalOffset);
        if (cursor.isHole()) {
            return Math.min(end, cursor.logicalOffset() + cursor.length());
        }
        long pieceEnd = logicalOffset;
        do {
            pieceEnd = Math.min(logicalOffset + most, cursor.logicalOffset() + cursor.length());
        } while (pieceEnd < logicalOffset + most && cursor.next() && !cursor.isHole());
        int piece = (int) (pieceEnd - logicalOffset);
        if (defragmentBuffer == null) {
            defragmentBuffer = ByteBuffer.allocateDirect(engine.maxExtentBytes());
        }
        engine.reads().readToRewrite(logicalOffset, defragmentBuffer, 0, piece);
        begin(piece, logicalOffset, piece, 0);
        engine.overwrite(logicalOffset, defragmentBuffer, 0, piece, 0);
        endGroup(false); // what is moved would lie between the pieces
        return pieceEnd;
    }

    /** How many bytes one extent takes: what is left of the open segment is used up, if that is worth an extent. */
    private int pieceOf(int left) {
        int piece = Math.min(left, engine.maxExtentBytes());
        int open = engine.roomInOpenSegment();
        return open >= engine.maxExtentBytes() / 8 ? Math.min(piece, open) : piece;
    }

    // ---- durability

    void sync() {
        change(() -> {
            begun = true;
            access.publishIfChanged(); // so that reads do not wait for the files
            engine.sync(0);
            begun = false;
        });
    }

    void checkpoint() {
        change(() -> {
            access.publishIfChanged(); // so that reads do not wait for a checkpoint under way
            begun = true;
            requireReserved(reservation.reserveForCheckpoint());
            engine.checkpoint();
            begun = false;
        });
    }

    // ---- the beginning and the end of a change

    /**
     * Makes a change, one at a time; what is thrown once it has begun is a failure of the space. Changes that may be
     * small and many spell this out: they make no object.
     */
    private void change(Runnable change) {
        access.lock();
        try {
            change.run();
        } catch (Throwable e) {
            failIfBegun(e);
            throw e;
        } finally {
            access.unlock();
        }
    }

    /** Begins a change that appends bytes, once all of it is reserved for. */
    private void begin(long bytes, long overwrittenOffset, long overwrittenBytes, long holeBytes) {
        begun = true;
        if (holeBytes > 0 || bytes > engine.maxExtentBytes() || pieceOf((int) bytes) < bytes) {
            access.publishIfChanged(); // of several edits, between which it may wait
        }
        requireReserved(reservation.reserve(
                bytes, overwrittenOffset, overwrittenBytes, holeBytes, access.publishingForReuse()));
        beginGroup();
    }

    /**
     * Begins a change that appends nothing, once that is reserved for.
     *
     * @param bytes of the range that it is about
     */
    private void beginEdits(long bytes, long extents, boolean growing) {
        begun = true;
        publishBeforeLong(bytes);
        requireReserved(reservation.reserveForEdits(extents, growing, access.publishingForReuse()));
        beginGroup();
    }

    private void publishBeforeLong(long bytes) {
        if (bytes >= LONG_BYTES) {
            access.publishIfChanged();
        }
    }

    private void requireReserved(boolean reserved) {
        if (!reserved) {
            begun = false;
            throw reservation.refusal();
        }
    }

    private void beginGroup() {
        checkpointsBefore = engine.checkpointsBegun();
        engine.beginGroup();
    }

    private void end() {
        access.changed();
        endGroup(true);
        access.publishForReaders();
    }

    /** Ends what has changed nothing that readers could see, or has been {@linkplain FlexSpaceAccess#changed noted}. */
    private void endGroup(boolean moving) {
        engine.endGroup();
        // All nodes will be copied once after a checkpoint has begun, so to publish then costs no further copies.
        if (engine.collectSomeGarbage(moving) || engine.checkpointsBegun() != checkpointsBefore) {
            access.publishingForReuse().run();
        }
        begun = false;
    }

    private void failIfBegun(Throwable cause) {
        if (begun) {
            access.fail(cause);
        }
    }

    private void checkOffset(long logicalOffset) {
        if (logicalOffset < 0 || logicalOffset > engine.size()) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset must be from 0 to the size " + engine.size() + ": " + logicalOffset);
        }
    }
}
