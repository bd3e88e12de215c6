package io.flexdb.internal.mem;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.RecordHead;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Writes large values to the data file before the write-ahead log, once and for all. Any thread, unless a method says
 * otherwise.
 */
public final class LargeValues {
    /*
     * The problem: a value that passes the write-ahead log and the memtable is written twice. For a large value this is
     * the cost of a write. (BetrFS calls the answer a late-binding log.) The choice: the record of a large value, as it
     * will stand in the space, is staged; log and memtable get a reference to it. The commit links it. The cost: each
     * write is padded to a frame, a segment is ended by each commit, and one more file is forced. Values below a
     * threshold therefore take the log. After a crash all records that the log refers to are written once more. A value
     * of whole frames would be padded by nearly one frame because of the few bytes that a record has before its value.
     * Few bytes beyond whole frames are therefore in the reference, and the commit writes them.
     *
     * V1  Records that a frame of the log refers to were handed to the operating system before the frame, and are
     *     forced before the log's mark says that the frame is durable.
     * V2  A reference in a memtable that a version lists can be read: the run is held until a version without the
     *     memtable was published, and by the epochs until nobody reads an older one.
     * V3  A reference in the log of an earlier process counts only if the record has its checksum. It is copied before
     *     the log is dropped, since nobody knows which bytes of it were forced; until then its segments are kept. A
     *     write that fits a memtable is copied to the new log, so that an opening that fails has changed no file; else
     *     it is staged.
     * V4  Where there is no room to stage a value takes the log, if it fits a memtable; after a crash in any case.
     */
    /** The longest value that is staged. */
    public static final int MAX_VALUE_BYTES = RecordFormat.MAX_VALUE_BYTES;

    private static final int LARGEST_HEAD = 4; // as a part of a frame, which is what padding would take, but only once

    private final SpaceEngine engine;
    private final Health health;
    private final int leastBytes;
    private final int maxExtentBytes;
    private final int frameBytes;
    private final KeptRecords kept;
    private final FollowedRecords followed; // null for the writer
    private final Object lock = new Object();
    private StagedRun current; // under the lock; null if none takes records
    private volatile long recordsStaged; // written under the lock
    private volatile long recordsForced;
    private volatile int longest; // written under the lock

    /** @param leastBytes of a value that is large */
    public LargeValues(SpaceEngine engine, Health health, int leastBytes) {
        this.engine = engine;
        this.health = health;
        this.leastBytes = leastBytes;
        this.maxExtentBytes = engine.maxExtentBytes();
        this.frameBytes = engine.store().format().frameBytes;
        this.kept = new KeptRecords(maxExtentBytes, this::readKept);
        this.followed = null;
    }

    private LargeValues(SpaceEngine engine, Health health) {
        this.engine = engine;
        this.health = health;
        this.leastBytes = Integer.MAX_VALUE;
        this.maxExtentBytes = engine.maxExtentBytes();
        this.frameBytes = engine.store().format().frameBytes;
        this.kept = new KeptRecords(maxExtentBytes, engine.reads()::readUnverified);
        this.followed = new FollowedRecords(engine.reads(), maxExtentBytes);
    }

    /** The large values of a store that another process writes: for reading. */
    public static LargeValues ofReader(SpaceEngine engine, Health health) {
        return new LargeValues(engine, health);
    }

    /** Whether a value is large. */
    public boolean isLarge(int valueLength) {
        return valueLength >= leastBytes && valueLength <= MAX_VALUE_BYTES;
    }

    /** Whether an entry has a large value. */
    boolean isLarge(PayloadReader entry) {
        return (entry.type() == WritePayload.PUT || entry.type() == WritePayload.PUT_EXPIRING)
                && isLarge(entry.valueLength())
                && !entry.isOfDirectory(); // whose pairs are read from the log, before values can be
    }

    // ---- writing

    /**
     * Stages the large values of a write, which the operating system has when this returns.
     *
     * @param fitsLog whether it may be written as it is
     * @return null if it has none, or there is no room for them and it may; else to be closed once the write has its
     *     place
     * @throws StoreFullException if there is no room for them and it may not
     */
    public StagedWrite stage(Payload payload, boolean fitsLog) {
        Sizes without = sizesWithout(payload);
        return without == null ? null : stage(payload, Math.toIntExact(without.payloadBytes), fitsLog);
    }

    /** Whether a payload is long enough to have any. */
    public boolean mayBeIn(int payloadBytes) {
        return payloadBytes >= leastBytes;
    }

    /**
     * The sizes of a write in which references stand for its large values.
     *
     * @param payloadBytes of its payload
     * @param bodyBytes of its entries in a memtable
     */
    public record Sizes(long payloadBytes, long bodyBytes) {}

    /** The sizes of a write with references for its large values; null if there are none. */
    public Sizes sizesWithout(Payload payload) {
        PayloadReader entries = payload.reader();
        long bytes = 0;
        long bodyBytes = 0;
        boolean any = false;
        for (int start = 0; entries.next(); start = end(entries)) {
            if (isLarge(entries)) {
                any = true;
                int referenceBytes = referenceBytes(entries);
                bytes += WritePayload.putBytes(entries.keyLength(), referenceBytes) + WritePayload.TIME_BYTES;
                bodyBytes += MemTable.bodyBytes(entries.keyLength(), referenceBytes + WritePayload.TIME_BYTES);
            } else {
                bytes += end(entries) - start;
                bodyBytes += MemTable.bodyBytes(entries.keyLength(), entries.tailLength());
            }
        }
        return any ? new Sizes(bytes, bodyBytes) : null;
    }

    /** The index behind an entry. */
    static int end(PayloadReader entry) {
        return entry.keyIndex() + entry.keyLength() + entry.tailLength();
    }

    /** When the value of a put expires. */
    static long expiry(byte[] payload, PayloadReader entry) {
        return entry.type() == WritePayload.PUT
                ? RecordFormat.NEVER
                : WritePayload.time(payload, entry.keyIndex() + entry.keyLength() + entry.valueLength());
    }

    /** Bytes that an entry has as a reference. */
    int referenceBytes(PayloadReader entry) {
        // An expiry, at whatever time, adds some bytes to the record, and perhaps a piece.
        long expiry = entry.type() == WritePayload.PUT ? RecordFormat.NEVER : 0;
        int recordBytes = RecordFormat.recordBytes(entry.keyLength(), entry.valueLength(), expiry, 0);
        int headBytes = headBytes(recordBytes, entry.valueLength());
        return LargeReference.bytes(LargeReference.pieces(recordBytes - headBytes, maxExtentBytes), headBytes);
    }

    /** The first bytes of a record, with all of its key, that are to be in the reference; 0 for none. */
    int headBytes(int recordBytes, int valueLength) {
        int beyond = recordBytes & frameBytes - 1; // whole frames
        boolean isWorthIt = beyond >= recordBytes - valueLength && beyond <= frameBytes / LARGEST_HEAD;
        return isWorthIt && beyond < recordBytes ? beyond : 0;
    }

    private StagedWrite stage(Payload payload, int newLength, boolean fitsLog) {
        synchronized (lock) {
            health.requireUsable(); // or the file may be closed
            StagedRun run = current();
            try {
                return orFail(run, payload.length(), () -> stage(run, payload, newLength));
            } catch (StoreFullException | StoreMemoryException e) {
                if (fitsLog && !run.bytes.hasFailed()) {
                    return null; // V4
                }
                throw e;
            }
        }
    }

    private StagedWrite stage(StagedRun run, Payload payload, int newLength) {
        PayloadStager stager = new PayloadStager(this, maxExtentBytes, run.bytes, payload.bytes(), new byte[newLength]);
        stager.stage(payload.reader());
        run.bytes.flush();
        noteLength(payload.length());
        recordsStaged++; // after its bytes are in the file
        run.users++;
        Payload staged = payload.withBytes(stager.changed, stager.bodyBytes());
        return new StagedWrite(this, List.of(run), staged, stager.recordBytes());
    }

    /** Stages something. If there is no room for it nothing has changed; where anything else fails the store does. */
    private <T> T orFail(StagedRun run, int length, Supplier<T> staging) {
        try {
            return staging.get();
        } catch (StoreFullException e) {
            if (run.bytes.hasFailed()) {
                health.fail(e); // in a place that was taken for it
            }
            throw e;
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("large values", length, e);
        } catch (Throwable e) {
            health.fail(e); // the file holds anything
            throw e;
        }
    }

    // ---- writing what is read meanwhile

    /**
     * Whether a value is to be read from a channel while it is staged. Others are read whole: this takes no more
     * memory, and lets them take the log if there is no room to stage.
     */
    public boolean isStagedWhileRead(int valueLength) {
        return isLarge(valueLength) && valueLength > 2 * maxExtentBytes;
    }

    /**
     * Begins to stage the record of a value that is read from a channel. Nothing is read or staged yet.
     *
     * @param room stages a piece, and where there is no room, may find some
     */
    public RecordStager stager(
            byte[] key, RecordHead head, ReadableByteChannel source, ToLongFunction<LongSupplier> room) {
        return new RecordStager(this, key, head, source, room, false);
    }

    /** Begins to stage the record of a pair that a commit makes of operands, and links itself. */
    public RecordStager stagerOfCommit(
            byte[] key, RecordHead head, ReadableByteChannel source, ToLongFunction<LongSupplier> room) {
        return new RecordStager(this, key, head, source, room, true);
    }

    /** Bytes that an extent has at most. */
    int maxExtentBytes() {
        return maxExtentBytes;
    }

    /**
     * Stages a piece, and has its run held if it is not the last of a list, where it is then.
     *
     * @param byCommit which may be made while the store is closed; others stage no more then
     */
    long stagePiece(ByteBuffer piece, List<StagedRun> runs, boolean byCommit) {
        synchronized (lock) {
            requireUsable(byCommit);
            StagedRun run = current();
            long address = orFail(run, piece.remaining(), () -> run.bytes.append(piece));
            if (runs.isEmpty() || runs.get(runs.size() - 1) != run) {
                runs.add(run);
                run.users++;
            }
            return address;
        }
    }

    /** Hands to the operating system what was staged in some runs. */
    void endRecord(List<StagedRun> runs, int valueLength, boolean byCommit) {
        synchronized (lock) {
            requireUsable(byCommit);
            noteLength(valueLength);
            StagedRun last = runs.get(runs.size() - 1);
            if (!last.sealed) {
                orFail(last, 0, () -> {
                    last.bytes.flush();
                    return null;
                });
            }
            recordsStaged++; // after its bytes are in the file
        }
    }

    private void noteLength(int bytes) {
        longest = Math.max(longest, bytes);
    }

    /** Bytes of the longest write with large values that was ever staged, or found in a log, or of one of its values. */
    public int longest() {
        return longest;
    }

    private void requireUsable(boolean byCommit) {
        if (byCommit) {
            health.requireNotFailed();
        } else {
            health.requireUsable();
        }
    }

    /** Ends the present run if nothing refers to it: its bytes were staged in vain. */
    public void sealUnused() {
        synchronized (lock) {
            StagedRun run = current;
            if (run != null && run.users == 0 && health.isUsable()) {
                orFail(run, 0, () -> {
                    seal();
                    return null;
                });
            }
        }
    }

    /** Waits for the thread that stages now. The store must refuse writes already, so no other thread will stage. */
    public void awaitStaging() {
        synchronized (lock) {
            assert !health.isUsable();
        }
    }

    private StagedRun current() {
        if (current == null) {
            current = new StagedRun(engine.stage());
        }
        return current;
    }

    // ---- the life of runs

    /** Has a run stay until it is {@linkplain #release released}, once more. */
    public void hold(StagedRun run) {
        synchronized (lock) {
            run.users++;
        }
    }

    /** Takes a hold back. */
    public void release(StagedRun run) {
        synchronized (lock) {
            run.users--;
            closeIfDone(run);
        }
    }

    /** Ends the present run, so that all references so far can be linked. */
    public void seal() {
        synchronized (lock) {
            StagedRun run = current;
            if (run != null) {
                current = null;
                run.bytes.finish();
                run.sealed = true;
                closeIfDone(run);
            }
        }
    }

    private static void closeIfDone(StagedRun run) {
        if (run.sealed && run.users == 0) {
            run.bytes.close();
        }
    }

    /** Forces what was staged so far (V1). */
    public void force() {
        long staged = recordsStaged;
        if (staged != recordsForced) {
            engine.store().file().force();
            recordsForced = staged; // one thread forces at a time
        }
    }

    // ---- recovery

    private boolean readKept(long address, ByteBuffer destination) {
        if (!engine.keep(address, destination.remaining())) {
            return false;
        }
        engine.readKept(address, destination);
        return true;
    }

    /** Whether a payload has references. */
    public static boolean refers(Payload payload) {
        PayloadReader entries = payload.reader();
        while (entries.next()) {
            if (entries.type() == WritePayload.PUT_LARGE) {
                return true;
            }
        }
        return false;
    }

    /** Bytes of a payload with what it refers to. */
    public static long wholeBytes(Payload payload) {
        PayloadReader entries = payload.reader();
        long bytes = payload.length();
        while (entries.next()) {
            if (entries.type() == WritePayload.PUT_LARGE) {
                bytes += LargeReference.valueLength(payload.bytes(), entries.keyIndex() + entries.keyLength());
            }
        }
        return bytes;
    }

    /** Whether staging has failed, and more can't be staged. */
    public boolean hasFailed() {
        synchronized (lock) {
            return current != null && current.bytes.hasFailed();
        }
    }

    /**
     * Keeps what the references of a payload refer to, which an earlier process has staged (V3). To be called before
     * the engine begins, or, in a read-only process, before anybody reads.
     *
     * @return whether all of it is there
     */
    public boolean keep(Payload payload) {
        PayloadReader entries = payload.reader();
        while (entries.next()) {
            if (entries.type() == WritePayload.PUT_LARGE) {
                if (!kept.isWhole(payload.bytes(), entries)) {
                    return false;
                }
                synchronized (lock) {
                    noteLength(LargeReference.valueLength(payload.bytes(), entries.keyIndex() + entries.keyLength()));
                }
            }
        }
        return true;
    }

    /** Whether the references of a payload that another process has written can be read. */
    public boolean areSound(Payload payload) {
        PayloadReader entries = payload.reader();
        while (entries.next()) {
            if (entries.type() == WritePayload.PUT_LARGE && !kept.isSound(payload.bytes(), entries)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Stages once more what a payload of an earlier process refers to.
     *
     * @throws StoreFullException if there is no room
     */
    public StagedWrite stageAgain(Payload payload) {
        byte[] changed = Arrays.copyOf(payload.bytes(), payload.length());
        PayloadReader entries = new PayloadReader().reset(changed, 0, changed.length);
        long recordBytes = 0;
        synchronized (lock) {
            StagedRun run = current();
            while (entries.next()) {
                if (entries.type() == WritePayload.PUT_LARGE) {
                    recordBytes += kept.copy(changed, entries, run.bytes);
                }
            }
            run.bytes.flush();
            recordsStaged++;
            run.users++;
            Payload again = payload.withBytes(changed, bodyBytes(changed, changed.length));
            return new StagedWrite(this, List.of(run), again, recordBytes);
        }
    }

    /** A payload of an earlier process with what it refers to. */
    public Payload wholeOfKept(Payload payload) {
        byte[] kept = payload.bytes();
        byte[] whole = WholeEntries.whole(
                kept, payload.length(), (entry, value, at) -> this.kept.copyValue(kept, entry, value, at));
        return payload.withBytes(whole, bodyBytes(whole, whole.length));
    }

    /** The sum of {@link MemTable#bodyBytes} over a payload's entries. */
    private static long bodyBytes(byte[] payload, int length) {
        PayloadReader entries = new PayloadReader().reset(payload, 0, length);
        long bytes = 0;
        while (entries.next()) {
            bytes += MemTable.bodyBytes(entries.keyLength(), entries.tailLength());
        }
        return bytes;
    }

    // ---- reading

    /**
     * Fills a buffer from its position to its limit, which both stay, with a part of a value, verified. Inside an epoch
     * that holds a version with the reference (V2).
     *
     * @param reference has the {@link LargeReference} at a position
     * @param keyLength of the entry
     * @param expiry of the entry
     * @param from where in the value
     */
    public void copy(ByteBuffer reference, int position, int keyLength, long expiry, int from, ByteBuffer destination) {
        int to = destination.position();
        int length = destination.remaining();
        int valueLength = LargeReference.valueLength(reference, position);
        long recordBytes = RecordFormat.recordBytes(keyLength, valueLength, expiry, 0);
        int headBytes = LargeReference.headBytes(reference, position);
        int pieces = LargeReference.pieces((int) recordBytes - headBytes, maxExtentBytes);
        long at = recordBytes - valueLength + from - headBytes; // in the pieces
        int done = 0;
        if (at < 0) {
            done = (int) Math.min(length, -at);
            int here = position + LargeReference.headAt(pieces) + headBytes + (int) at;
            destination.put(to, reference, here, done);
            at += done;
        }
        if (followed != null) {
            long pieceBytes = recordBytes - headBytes;
            followed.copy(
                    reference, position, pieceBytes, at, destination.duplicate().position(to + done));
            return;
        }
        while (done < length) {
            int piece = (int) (at / maxExtentBytes);
            int inPiece = (int) (at % maxExtentBytes);
            int bytes = Math.min(length - done, maxExtentBytes - inPiece);
            long address = LargeReference.address(reference, position, piece) + inPiece;
            engine.reads().readStaged(address, destination, to + done, bytes);
            done += bytes;
            at += bytes;
        }
    }

    /** A payload with what it refers to, or the array itself if that is nothing. Inside a pin, as {@link #copy}. */
    public byte[] whole(Payload write) {
        byte[] payload = write.bytes();
        return WholeEntries.whole(payload, write.length(), (entry, value, at) -> {
            int reference = entry.keyIndex() + entry.keyLength();
            long expiry = WritePayload.time(payload, reference + entry.valueLength());
            ByteBuffer from = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
            int valueLength = LargeReference.valueLength(payload, reference);
            copy(from, reference, entry.keyLength(), expiry, 0, ByteBuffer.wrap(value, at, valueLength));
        });
    }
}
