package io.flexdb;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.storage.StoreClosedException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Walks the pairs of a keyspace in key order, in both directions, over one consistent view. It stands on a pair or
 * nowhere; a new cursor stands nowhere. Later writes do not show. {@link ReadOptions} may bound it: it then behaves as
 * if the store had no other keys.
 *
 * <p>For one thread at a time, of which each hands it over to the next. An open cursor holds back memory and disk that
 * later writes would free, so it is to be closed. One that keeps too much is ended by the store ({@link
 * FlexDBOptions#withMaxPinnedBytes}), and throws a {@link io.flexdb.storage.SnapshotTooOldException}. After it or the
 * store is closed, its methods throw {@link StoreClosedException}. After any other exception from a move it stands
 * nowhere. Keys and values handed out are copies.
 *
 * <p>Opening, moving and closing cursors makes no garbage but the cursors themselves, once as many have been open at a
 * time as there are now, if the thread that opens a cursor is the only one to use it.
 */
public final class FlexCursor extends Confined implements Iterable<KeyValue>, AutoCloseable {
    private static final String WHAT = "the cursor";

    private MergeCursor cursor; // null once closed: it may serve another then
    /**
     * The transaction that it belongs to, which stays as long as this, or what notes for that one what is shown, or null.
     * One field for all: a cursor is garbage.
     */
    private Object of;

    FlexCursor() {}

    void open(MergeCursor newCursor) {
        cursor = newCursor;
    }

    /**
     * Keeps the transaction that it belongs to from being lost.
     *
     * @param owner it, or a {@link RangesRead} of it, which notes what this shows from now on
     */
    void belongTo(Object owner) {
        of = owner;
    }

    private MergeCursor cursor() {
        MergeCursor open = cursor;
        if (open == null) {
            throw ended(WHAT);
        }
        enter(WHAT);
        return open;
    }

    /**
     * After something was copied: if another thread has closed the cursor meanwhile, the memory that it came from may have
     * been written to. Others write to it only after the close.
     */
    private void requireStillOpen() {
        VarHandle.acquireFence();
        if (cursor == null) {
            throw ended(WHAT);
        }
    }

    /** After something has failed: that may be since the store, or another thread, has ended the cursor meanwhile. */
    private void requireNotEnded(MergeCursor open, Throwable failure) {
        open.requireNotExpired(failure);
        if (hasEnded()) {
            StoreClosedException ended = ended(WHAT);
            ended.addSuppressed(failure);
            throw ended;
        }
    }

    /** Goes to the first pair. */
    public void seekToFirst() {
        MergeCursor open = cursor();
        if (of instanceof RangesRead trace) {
            trace.beginForward(open, null);
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seekToFirst();
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /** Goes to the last pair. */
    public void seekToLast() {
        MergeCursor open = cursor();
        if (of instanceof RangesRead trace) {
            trace.beginBackward(open, null);
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seekToLast();
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /** Goes to the first pair whose key is not below the one given. */
    public void seek(byte[] key) {
        MergeCursor open = cursor();
        Limits.notNull(key, "key");
        if (of instanceof RangesRead trace) {
            trace.beginForward(open, key.clone());
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seek(key);
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /** Goes to the last pair whose key is not above the one given. */
    public void seekForPrev(byte[] key) {
        MergeCursor open = cursor();
        Limits.notNull(key, "key");
        if (of instanceof RangesRead trace) {
            trace.beginBackward(open, key.clone());
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seekForPrev(key);
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /**
     * Moves to the first pair at or above the key that a buffer has between position and limit. The position moves to
     * the limit.
     *
     * @see #seek(byte[])
     */
    public void seek(ByteBuffer key) {
        MergeCursor open = cursor();
        Limits.notNull(key, "key");
        if (of instanceof RangesRead trace) {
            trace.beginForward(open, copy(key));
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seek(key);
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        key.position(key.limit());
    }

    /** Goes to the last pair not above the key that a buffer has. The position moves to the limit. */
    public void seekForPrev(ByteBuffer key) {
        MergeCursor open = cursor();
        Limits.notNull(key, "key");
        if (of instanceof RangesRead trace) {
            trace.beginBackward(open, copy(key));
        }
        try {
            EventSpan event = StoreEvents.operation("seek");
            open.seekForPrev(key);
            event.finish();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        key.position(key.limit());
    }

    private static byte[] copy(ByteBuffer key) {
        byte[] copy = new byte[key.remaining()];
        key.get(key.position(), copy);
        return copy;
    }

    /**
     * Goes to the next pair, or nowhere if there is none.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     */
    public void next() {
        MergeCursor open = cursor();
        if (of instanceof RangesRead trace) {
            trace.goForward(open);
        }
        try {
            open.next();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /**
     * Goes to the pair before, or nowhere if there is none.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     */
    public void prev() {
        MergeCursor open = cursor();
        if (of instanceof RangesRead trace) {
            trace.goBackward(open);
        }
        try {
            open.prev();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /**
     * Iterates over all pairs that the cursor shows, from the first one on, or from the last one if the {@linkplain
     * ReadOptions#withReverse options} say so, up to the {@linkplain ReadOptions#withLimit limit}. It moves the cursor,
     * which stands on the pair that comes next: so there is one iteration of a cursor at a time, and each begins anew.
     *
     * <pre>{@code
     * try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withPrefix(user).withLimit(20))) {
     *     for (KeyValue pair : cursor) {
     *         use(pair.key(), pair.value());
     *     }
     * }
     * }</pre>
     */
    @Override
    public Iterator<KeyValue> iterator() {
        return new CursorIterator(this, cursor().scan(), false);
    }

    /** The pairs of an {@linkplain #iterator iteration} as a sequential stream, which closes the cursor at its end. */
    Stream<KeyValue> stream() {
        Iterator<KeyValue> pairs = new CursorIterator(this, cursor().scan(), true);
        int traits = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(pairs, traits), false)
                .onClose(this::close);
    }

    /** Whether the cursor stands on a pair. */
    public boolean isValid() {
        return cursor().isValid();
    }

    /** A copy of the key. */
    public byte[] key() {
        MergeCursor open = cursor();
        byte[] key;
        try {
            key = open.key();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return key;
    }

    /**
     * A copy of the value.
     *
     * @throws IllegalStateException if the cursor stands nowhere, or shows {@link ReadOptions#withKeysOnly keys only}
     * @throws io.flexdb.storage.MergeException if the {@link MergeFunction} fails for the key; the cursor stays on it
     */
    public byte[] value() {
        MergeCursor open = cursor();
        byte[] value;
        try {
            value = open.value();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return value;
    }

    /** Fills a buffer with a part of the value, from some place in it on. */
    void valuePart(int from, ByteBuffer destination) {
        MergeCursor open = cursor();
        try {
            open.valuePart(from, destination);
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
    }

    /** Bytes of the key. */
    public int keyLength() {
        MergeCursor open = cursor();
        int length;
        try {
            length = open.keyLength();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return length;
    }

    /**
     * Bytes of the value, which need not be read for that, unless it is to be merged.
     *
     * @throws io.flexdb.storage.MergeException as {@link #value()}
     */
    public int valueLength() {
        MergeCursor open = cursor();
        int length;
        try {
            length = open.valueLength();
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return length;
    }

    /** When the value expires, though not for this cursor; empty if it does not. */
    public Optional<Instant> expiresAt() {
        long expiry = cursor().expiry();
        requireStillOpen();
        return Limits.expiry(expiry);
    }

    /**
     * Compares the key with another, as keys are ordered. Makes no garbage.
     *
     * @return below 0, 0 or above 0 if the cursor's key is below the other, equal to it, or above it
     */
    public int compareKey(byte[] other) {
        MergeCursor open = cursor();
        Limits.notNull(other, "other");
        int order;
        try {
            order = open.compareKey(other);
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return order;
    }

    /**
     * Copies the key to a buffer, at its position, which moves behind it. Makes no garbage.
     *
     * @return bytes of the key
     * @throws IllegalArgumentException if the buffer has less room
     */
    public int key(ByteBuffer destination) {
        int room = Limits.notNull(destination, "destination").remaining();
        MergeCursor open = cursor();
        int length;
        try {
            length = open.key(destination);
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return Limits.requireRoom(length, room, "key");
    }

    /**
     * Copies the value to a buffer, at its position, which moves behind it. Makes no garbage.
     *
     * @return bytes of the value
     * @throws IllegalArgumentException if the buffer has less room
     * @throws IllegalStateException if the cursor stands nowhere, or shows {@link ReadOptions#withKeysOnly keys only}
     * @throws io.flexdb.storage.MergeException as {@link #value()}
     */
    public int value(ByteBuffer destination) {
        int room = Limits.notNull(destination, "destination").remaining();
        MergeCursor open = cursor();
        int length;
        try {
            length = open.value(destination);
        } catch (RuntimeException | AssertionError e) {
            requireNotEnded(open, e);
            throw e;
        }
        requireStillOpen();
        return Limits.requireRoom(length, room, "value");
    }

    /** Keys that were passed on which nothing was there, by this cursor or those before it. For tests. */
    long deadPassed() {
        return cursor().deadPassed();
    }

    boolean isOpen() {
        return cursor != null;
    }

    /** What it has noted so far is all that counts. */
    void endTrace() {
        MergeCursor open = cursor;
        if (open != null && of instanceof RangesRead trace) {
            trace.end(open);
        }
    }

    /**
     * Lets go of what the cursor holds. Closing again does nothing. A thread that uses the cursor while another one
     * closes it gets a {@link StoreClosedException}, or an error of a broken cursor; no other cursor is affected.
     */
    @Override
    public void close() {
        MergeCursor open = cursor;
        if (open == null) {
            return;
        }
        End end = end();
        if (end == End.AGAIN) {
            return;
        }
        cursor = null;
        Object belongedTo = of;
        of = null;
        try {
            if (belongedTo instanceof RangesRead trace) {
                trace.end(open);
            }
        } finally {
            if (end == End.ALONE) {
                open.close();
            } else {
                open.abandon();
            }
        }
    }
}
