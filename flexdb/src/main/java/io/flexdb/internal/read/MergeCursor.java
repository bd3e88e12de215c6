package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import io.flexdb.internal.mem.OperandFold;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.StorageException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Walks a pinned version in key order, in both directions: memtables and space as one. For one thread; reusable. */
public final class MergeCursor implements AutoCloseable {
    /*
     * One source for each memtable with entries, newest first, and one for the space, which holds what is oldest. All
     * stand at or behind the current key in the direction of the walk; the nearest key counts, and of several sources
     * with that key the newest. A walk that turns around seeks again, which costs a search and keeps each direction
     * simple.
     *
     * Mostly many pairs of one source come one after the other. The walk therefore remembers the nearest of the other
     * sources, its rival: as long as the current source stays before it, a step costs one comparison, and none if there
     * is no rival. All sources are looked at again when the current one has reached its rival, or has ended, or when
     * others stood on the same key.
     *
     * I1  current is NOWHERE, or the newest of the nearest sources; its pair has been taken apart.
     * I2  the sources in tied, and no others, stand on the key of the current one.
     * I3  if none is tied, no source but the current one is nearer than the rival; without a rival no other is valid.
     *
     * A pair is hidden if a range with a higher number than its own covers it; of pairs in the space no number is
     * known, but a pair there that is newer than a range in a memtable is in a memtable, too, and shown from there.
     * When the current pair is hidden, all sources that have nothing but hidden pairs of the fragment around it, as
     * they are older than the range, seek to the fragment's end, so that a range of millions of pairs costs a few
     * searches; the space, in which all is older than any range, to the end of all fragments that follow without a gap.
     * The others, which are memtables as young as the range, go on step by step.
     *
     * I4  nothing is said to the user before it was found that the store had not ended the pin when it was read.
     *
     * Pinned memory cannot change or be used again, so no short read is needed but to read an interval. The store may
     * end a pin that keeps too much. It says so first, then takes the cursor's memory away. Memory that a cursor was
     * ended in is never used again, but collected. A move that is under way may therefore fail in any way, or show
     * false data, but it ends, and then finds this.
     *
     * Operands are merged when somebody asks for the value. The walk knows without that whether a pair is there, and
     * until when. It therefore goes past keys for which the merge function fails, and stands on them.
     *
     * It rests in a context, with all that it is made of, and serves one user after the other: opening one makes no
     * garbage.
     */
    private static final int NOWHERE = -1; // as a source; and no rival
    private static final int KEY_BYTES_KEPT = 1024;
    private static final byte[] NO_KEY = {};

    private final Health health;
    private final PinnedVersion pin;
    private StoreReader reader; // null once the store is closed, as are the next
    private SpaceCursor space;
    private ReadContexts contexts;
    private ReadContext context;

    private MemTableCursor[] memtables = {}; // more than are in use, perhaps
    private int[] tied = new int[1];
    private int
            spaceSource; // the number of memtables in use: sources are named by their indexes, the space is the last
    private int tiedCount;
    private int current = NOWHERE;
    private int rival = NOWHERE;
    private boolean backward;
    private Scan scan = Scan.ALL;
    // Of the scan, for each step at hand: most keys need no more than a look at their first byte.
    private int surelyBelow; // no key with a lower first byte has reached the upper bound; 0 if it takes a comparison
    private int usualHead; // bytes
    private int escapedHead; // of keys that are stored with 0xFF in front
    private boolean isMerging; // the user's function may be running
    private HiddenRanges hidden; // of the memtables; null if none has any
    private byte[] turningKey = NO_KEY;
    private long time; // what has expired by then is not shown
    private Front front; // of the version; or null
    private int fronts; // sources that it has; they come first
    private long deadPassed;
    private DeadWalk dead; // null if nobody wants to know, or the store is closed
    private boolean
            notesDead; // whether it is to be told now; the entries of memtables are no table's if they are moved

    // The current pair:
    private ByteBuffer buffer;
    private int keyPosition;
    private int keyLength;
    private ByteBuffer values; // the buffer of the value; null while a large one has not been read, or none been merged
    private int valuePosition;
    private int valueLength;
    private long expiry; // from then on the key is absent; always, if it was removed
    private boolean merges; // the value is to be made of operands
    private OperandFold fold; // null before it is needed
    private boolean taken; // it has them

    /**
     * A cursor that is closed.
     *
     * @param reader for keys that have operands
     * @param health says whether the store can be read
     * @param context to be given back when the cursor is closed
     */
    MergeCursor(
            StoreReader reader,
            Health health,
            PinnedVersion pin,
            SpaceCursor space,
            ReadContexts contexts,
            ReadContext context) {
        this.reader = reader;
        this.health = health;
        this.pin = pin;
        this.space = space;
        this.contexts = contexts;
        this.context = context;
        this.dead = reader.newDeadWalk();
        pin.whenExpired(
                new Runnable() { // and no lambda, or there are no more cursors if one begins in a full heap
                    @Override
                    public void run() {
                        letGo();
                    }
                });
        pin.whenStoreEnds(new Runnable() {
            @Override
            public void run() {
                storeEnded();
            }
        });
    }

    /**
     * Opens the cursor, while it is closed, on what is newest. It stands nowhere. If this throws, it stays closed, and
     * the context is the caller's.
     */
    void openNewest(Scan newScan) {
        pin.openNewest();
        attach(null, newScan);
    }

    /**
     * Opens the cursor on the version of a pin, which is open.
     *
     * @param newFront entries with numbers above all that it holds; null for none
     */
    void openAgain(PinnedVersion other, Front newFront, Scan newScan) {
        pin.openAgain(other);
        attach(newFront, newScan);
    }

    private void attach(Front newFront, Scan newScan) {
        boolean isRead = false;
        try {
            pin.beginRead(); // so that it stays until all its parts are here
            isRead = true;
            front = newFront;
            fronts = front == null ? 0 : front.count();
            notesDead = dead != null;
            Version version = pin.version();
            time = pin.time();
            for (int i = 0; front != null && i < front.count(); i++) {
                int place = place();
                memtables[place] = front.cursor(i);
                attached(front.ranges(i), front.through(i));
            }
            for (MemLog log : version.logs()) {
                // Entries that the pin sees have been counted before they became visible.
                MemTable table = log.table();
                if (table == null) {
                    attachMoved((MovedTable) log.moved());
                } else if (!table.isEmpty()) {
                    attach(table, pin.sequence());
                }
            }
            if (tied.length <= spaceSource) {
                tied = new int[spaceSource + 1];
            }
            space.reset(version, newScan);
            scan = newScan;
            byte[] upper = newScan.upperBound();
            surelyBelow = upper == null || upper.length == 0 ? 0 : upper[0] & 0xFF;
            usualHead = newScan.heads().bytesOf((byte) 0);
            escapedHead = newScan.heads().bytesOf((byte) 0xFF);
        } catch (Throwable e) { // of whatever kind: at the end of a stack, too
            detach();
            ReadContext with = context;
            if (!pin.closeToReopen() && with != null) {
                with.cursor = null;
            }
            requireNotExpired(e);
            throw e;
        } finally {
            if (isRead) {
                pin.endRead();
            }
        }
    }

    private void attach(MemTable table, long sequence) {
        int place = place();
        if (memtables[place] == null) {
            memtables[place] = new MemTableCursor();
        }
        memtables[place].reset(table, sequence);
        attached(table.ranges(), sequence);
    }

    private void attachMoved(MovedTable moved) {
        if (!moved.isEmpty()) {
            int place = place();
            memtables[place] = moved.cursor(pin.sequence(), pin);
            notesDead = false;
            attached(moved.ranges(), pin.sequence());
        }
    }

    /** Where the next source goes. */
    private int place() {
        if (spaceSource == memtables.length) {
            memtables = Arrays.copyOf(memtables, spaceSource + 1);
        }
        return spaceSource;
    }

    /** The next source is there. */
    private void attached(DeletedRanges ranges, long sequence) {
        spaceSource++;
        if (ranges != null) {
            hidden = hidden == null ? new HiddenRanges() : hidden; // garbage, but beside it little
            hidden.add(ranges, sequence);
        }
    }

    /** Lets go of all that it holds but the context, and of what the end of the store has left. Allocates nothing. */
    private void detach() {
        standNowhere();
        MemTableCursor[] all = memtables;
        for (int i = 0; i < Math.min(spaceSource, all.length); i++) {
            if (all[i] != null) {
                all[i].release();
            }
            if (all[i] instanceof BlockCursor) {
                all[i] = null; // it serves nobody else
            }
        }
        spaceSource = 0;
        SpaceCursor ofSpace = space;
        if (ofSpace != null) {
            ofSpace.reset(null, Scan.ALL);
        }
        scan = Scan.ALL;
        hidden = null;
        front = null;
        fronts = 0;
        OperandFold operands = fold;
        if (operands != null) {
            operands.clear();
        }
        if (turningKey.length > KEY_BYTES_KEPT) {
            turningKey = NO_KEY;
        }
    }

    /**
     * Lets go of all memory that the pin has kept. By any thread, once the store has ended the pin, even while its user
     * moves the cursor. The result of that move counts for nothing (I4), and the memory is not used again.
     */
    private void letGo() {
        MemTableCursor[] all = memtables;
        for (int i = 0; i < all.length; i++) {
            if (all[i] != null) {
                all[i].letGo();
            }
        }
        space.letGo();
        buffer = null;
        values = null;
    }

    /** Keeps nothing of a store that is closed. A move then fails, and finds that the store is closed. */
    private void storeEnded() {
        letGo();
        memtables = new MemTableCursor[0];
        reader = null;
        space = null;
        contexts = null;
        context = null;
        front = null;
        fold = null;
        hidden = null;
        dead = null;
        notesDead = false;
    }

    /** After each move, and after each copy: the store may have ended the pin meanwhile (I4). */
    private void requireStill() {
        VarHandle.acquireFence();
        pin.requireNotExpired();
    }

    private void standNowhere() {
        current = NOWHERE;
        rival = NOWHERE;
        tiedCount = 0;
        buffer = null;
        values = null;
        merges = false;
    }

    /** How many keys it has passed, since it was made, on which nothing was there. */
    public long deadPassed() {
        return deadPassed;
    }

    /** The bounds and the heads of the walk, and the way that an iteration goes. */
    public Scan scan() {
        return scan;
    }

    /** Whether the cursor stands on a pair. */
    public boolean isValid() {
        boolean isValid = standsOnPair();
        requireStill();
        return isValid;
    }

    private boolean standsOnPair() {
        health.requireReadable();
        return current != NOWHERE;
    }

    /** Goes to the first pair. */
    public void seekToFirst() {
        beginSeek();
        if (scan.lowerBound() != null) {
            seekFrom(scan.lowerBound(), scan.lowerBound().length);
            return;
        }
        for (int i = 0; i < spaceSource; i++) {
            memtables[i].seekToFirst();
        }
        space.seekToFirst();
        backward = false;
        settle();
        requireStill();
    }

    /** Goes to the first pair whose key is not below the one given, as it is stored. */
    private void seek(byte[] key, int length) {
        beginSeek();
        if (scan.isBelow(key, length)) {
            seekFrom(scan.lowerBound(), scan.lowerBound().length);
        } else {
            seekFrom(key, length);
        }
    }

    /** Seeks a key of the keyspace that is shown. */
    public void seek(byte[] key) {
        seek(context.storedKey(scan.heads(), key), headBytes(key) + key.length);
    }

    /** Seeks the key of the keyspace that a buffer has between position and limit, which stay. */
    public void seek(ByteBuffer key) {
        seek(context.storedKey(scan.heads(), key), scan.heads().of(key).length + key.remaining());
    }

    private int headBytes(byte[] key) {
        return scan.heads().of(key).length;
    }

    private void seekFrom(byte[] key, int length) {
        for (int i = 0; i < spaceSource; i++) {
            memtables[i].seek(key, 0, length);
        }
        space.seek(key, length);
        backward = false;
        settle();
        requireStill();
    }

    /** Goes to the last pair. */
    public void seekToLast() {
        beginSeek();
        if (scan.upperBound() != null) {
            seekBelow(scan.upperBound(), scan.upperBound().length);
            return;
        }
        for (int i = 0; i < spaceSource; i++) {
            memtables[i].seekToLast();
        }
        space.seekToLast();
        backward = true;
        settle();
        requireStill();
    }

    /** Goes to the last pair whose key is not above the one given, as it is stored. */
    private void seekForPrev(byte[] key, int length) {
        beginSeek();
        if (scan.isAbove(key, length)) {
            seekBelow(scan.upperBound(), scan.upperBound().length);
            return;
        }
        for (int i = 0; i < spaceSource; i++) {
            memtables[i].seekForPrev(key, 0, length);
        }
        space.seekForPrev(key, length);
        backward = true;
        settle();
        requireStill();
    }

    /** Seeks the last key at or before one of the keyspace that is shown. */
    public void seekForPrev(byte[] key) {
        seekForPrev(context.storedKey(scan.heads(), key), headBytes(key) + key.length);
    }

    /** Seeks the last key at or before the one that a buffer has between position and limit, which stay. */
    public void seekForPrev(ByteBuffer key) {
        seekForPrev(context.storedKey(scan.heads(), key), scan.heads().of(key).length + key.remaining());
    }

    private void beginSeek() {
        health.requireReadable();
        standNowhere();
    }

    private void seekBelow(byte[] key, int length) {
        standNowhere();
        for (int i = 0; i < spaceSource; i++) {
            seekBelow(memtables[i], key, length);
        }
        space.seekBelow(key, length);
        backward = true;
        settle();
        requireStill();
    }

    /** Goes to the next pair; the cursor must stand on one. */
    public void next() {
        requireValid();
        if (backward) {
            int length = keepKey();
            seek(turningKey, length);
            assert current != NOWHERE && compareCurrent(turningKey, length) == 0 : "what is pinned has changed";
        }
        advance();
        passDeletions();
        requireStill();
    }

    /** Goes to the pair before; the cursor must stand on one. */
    public void prev() {
        requireValid();
        if (!backward) {
            int length = keepKey();
            seekBelow(turningKey, length);
            return;
        }
        advance();
        passDeletions();
        requireStill();
    }

    private void requireValid() {
        if (!standsOnPair()) {
            requireStill();
            throw new IllegalStateException("the cursor stands on no pair");
        }
    }

    private void requireValue() {
        requireValid();
        if (scan.keysOnly()) {
            throw new IllegalStateException("the cursor was opened for keys only; open one without keysOnly");
        }
        if (values == null) {
            if (merges) {
                merge();
            } else {
                readLarge();
            }
        }
    }

    /** Has the merge function make the value. It may fail, and be asked again. */
    private void merge() {
        if (!taken) {
            fold = fold == null ? reader.newFold() : fold;
            byte[] key = copy(buffer, keyPosition, keyLength);
            if (current == spaceSource && space.values() != null && !scan.keysOnly()) { // the value is here
                reader.take(key, copy(buffer, valuePosition, valueLength), expiry, space.logicalOffset(), fold);
            } else {
                reader.take(key, pin, front, fold);
            }
        }
        taken = false;
        byte[] merged;
        isMerging = true;
        try {
            merged = fold.fold().bytes();
        } finally {
            isMerging = false;
        }
        values = ByteBuffer.wrap(merged);
        valuePosition = 0;
        valueLength = merged.length;
    }

    /** Reads a value that is where it is: nobody needs it as long as it is not asked for. */
    private void readLarge() {
        ByteBuffer large = ByteBuffer.wrap(StoreReader.newValue(valueLength));
        readPart(0, large);
        values = large;
        valuePosition = 0;
    }

    private void readPart(int from, ByteBuffer destination) {
        if (current == spaceSource) {
            space.readValue(from, destination, destination.position(), destination.remaining());
        } else {
            pin.beginRead(); // which keeps what the entry refers to
            try {
                reader.large().copy(buffer, valuePosition, keyLength, expiry, from, destination);
            } finally {
                pin.endRead();
            }
        }
    }

    private int keepKey() {
        if (turningKey.length < keyLength) {
            turningKey = new byte[Math.max(keyLength, 2 * turningKey.length)];
        }
        buffer.get(keyPosition, turningKey, 0, keyLength);
        return keyLength;
    }

    /** Goes to the next key, from the current one, that any source has. */
    private void advance() {
        int left = current;
        boolean wasAlone = tiedCount == 0;
        current = NOWHERE; // and stays there if a step fails, since then the sources do not fit each other
        while (tiedCount > 0) {
            step(tied[--tiedCount]);
        }
        step(left);
        choose(wasAlone ? left : NOWHERE);
    }

    private void step(int source) {
        if (source == spaceSource) {
            if (backward) {
                space.previous();
            } else {
                space.next();
            }
        } else if (backward) {
            memtables[source].previous();
        } else {
            memtables[source].next();
        }
    }

    /** Goes to the first pair that the sources have where they stand. */
    private void settle() {
        choose(NOWHERE);
        passDeletions();
    }

    private void passDeletions() {
        int passed = 0;
        while (current != NOWHERE) {
            boolean isHidden = hidden != null && isHidden();
            if (!isHidden && expiry > time || isOutside()) {
                break;
            }
            if (++passed >= DeadWalk.FIRST_LOOK && passKnown(passed == DeadWalk.FIRST_LOOK)) {
                continue;
            }
            if (isHidden) {
                passHidden();
            } else {
                advance();
            }
        }
        if (passed > 0) {
            deadPassed += passed;
            if (passed >= DeadWalk.FIRST_LOOK && notesDead) {
                noteDead();
            }
        }
        if (current != NOWHERE && isOutside()) {
            standNowhere();
        }
    }

    /**
     * Goes on from a key that is dead, as many before it, behind all those of which that is known.
     *
     * @param isFirst whether this is the first question since a key was there
     */
    private boolean passKnown(boolean isFirst) {
        if (!notesDead) {
            return false;
        }
        if (isFirst) {
            dead.begin();
        }
        if (current < fronts) {
            return false; // a source in front alone knows where it goes on
        }
        if (current != spaceSource) {
            dead.pass(memtables[current].table(), memtables[current].ref());
        }
        byte[] end;
        pin.beginRead(); // so that what others have noted is compared with a version that is there
        try {
            end = dead.look(pin, buffer, keyPosition, keyLength, backward);
            if (end == null) {
                return false;
            }
            end = nearestInFront(end);
        } catch (OutOfMemoryError e) { // of a full heap: step by step it takes none
            return false;
        } finally {
            pin.endRead();
        }
        jump(end);
        return true;
    }

    /** Where a jump may go: no further than to the nearest key in front, of which runs know nothing. */
    private byte[] nearestInFront(byte[] end) {
        byte[] nearest = end;
        for (int source = 0; source < fronts; source++) {
            if (isValid(source)) {
                byte[] key = DeadWalk.copy(keys(source), keyAt(source), lengthAt(source), lengthAt(source));
                int order = nearest == DeadRuns.END ? -1 : Arrays.compareUnsigned(key, nearest);
                if (backward && nearest != DeadRuns.END) {
                    if (order >= 0) {
                        nearest = Arrays.copyOf(key, key.length + 1); // below which it is the first
                    }
                } else if (backward) {
                    nearest = Arrays.copyOf(key, key.length + 1);
                } else if (order < 0) {
                    nearest = key;
                }
            }
        }
        return nearest;
    }

    /** Has all sources go on from a key in the direction of the walk, but for those in front, which are there. */
    private void jump(byte[] end) {
        current = NOWHERE; // and stays there if a move fails
        tiedCount = 0;
        for (int source = fronts; source < spaceSource; source++) {
            if (end == DeadRuns.END) {
                memtables[source].end();
            } else if (backward) {
                seekBelow(memtables[source], end, end.length);
            } else {
                memtables[source].seek(end, 0, end.length);
            }
        }
        if (end == DeadRuns.END) {
            space.end();
        } else if (backward) {
            space.seekBelow(end, end.length);
        } else {
            space.seek(end, end.length);
        }
        choose(NOWHERE);
    }

    private void noteDead() {
        pin.beginRead(); // the store has not ended it, so keys passed are as they were found (I4): others rely on it
        try {
            noteDeadForOthers();
        } catch (OutOfMemoryError e) { // of a full heap: then others walk, too
            dead.begin();
        } finally {
            pin.endRead();
        }
        dead.release();
    }

    private void noteDeadForOthers() {
        if (fronts == 0 && dead.isWorthNoting()) { // own writes in front are nobody else's
            byte[] end;
            if (current == NOWHERE || isOutside()) {
                byte[] bound = backward ? scan.lowerBound() : scan.upperBound();
                end = bound == null || bound.length == 0 ? DeadRuns.END : bound;
            } else {
                end = DeadWalk.copy(buffer, keyPosition, keyLength, backward ? keyLength + 1 : keyLength);
            }
            dead.end(pin, end, backward);
        }
    }

    /** Whether the walk has left its bounds; at the other one it has begun. */
    private boolean isOutside() {
        byte[] bound = backward ? scan.lowerBound() : scan.upperBound();
        if (bound == null || !backward && (buffer.get(keyPosition) & 0xFF) < surelyBelow) {
            return false;
        }
        int order = compareCurrent(bound, bound.length);
        return backward ? order < 0 : order >= 0;
    }

    private boolean isHidden() {
        long number = hidden.numberAt(buffer, keyPosition, keyLength);
        return number > 0
                && (current == spaceSource || memtables[current].table().sequence(memtables[current].ref()) < number);
    }

    /** Goes on from a pair that the fragment found last hides. */
    private void passHidden() {
        int left = current;
        current = NOWHERE; // and stays there if a move fails
        while (tiedCount > 0) {
            passHidden(tied[--tiedCount]);
        }
        passHidden(left);
        choose(NOWHERE);
    }

    private void passHidden(int source) {
        if (source == spaceSource) {
            passCoveredInSpace();
            return;
        }
        MemTableCursor cursor = memtables[source];
        long last = cursor.table().lastSequence();
        if (last == 0 || last >= hidden.number()) {
            step(source);
        } else if (backward) {
            seekBelow(cursor, hidden.start(), hidden.start().length);
        } else if (hidden.end() == null) {
            cursor.end();
        } else {
            cursor.seek(hidden.end(), 0, hidden.end().length);
        }
    }

    private void passCoveredInSpace() {
        if (backward) {
            byte[] start = hidden.startOfCovered();
            space.seekBelow(start, start.length);
            return;
        }
        byte[] end = hidden.endOfCovered();
        if (end == null) {
            space.end();
        } else {
            space.seek(end, end.length);
        }
    }

    private static void seekBelow(MemTableCursor cursor, byte[] key, int length) {
        cursor.seekForPrev(key, 0, length);
        if (cursor.isValid() && cursor.table().compareKey(cursor.ref(), key, 0, length) == 0) {
            cursor.previous();
        }
    }

    /**
     * Stands on the nearest pair of the sources, and takes it apart.
     *
     * @param last the one source that has moved, so that there is only its rival to be compared with; or NOWHERE, if
     *     all are to be looked at
     */
    private void choose(int last) {
        if (last != NOWHERE && isValid(last) && (rival == NOWHERE || isNearer(last, rival))) {
            current = last;
        } else {
            int nearest = NOWHERE;
            int second = NOWHERE;
            tiedCount = 0;
            for (int source = 0; source <= spaceSource; source++) { // from the newest on, first among equals
                if (!isValid(source)) {
                    continue;
                }
                int order = nearest == NOWHERE ? -1 : compare(source, nearest);
                if (order < 0) {
                    second = nearest;
                    nearest = source;
                    tiedCount = 0;
                } else if (order == 0) {
                    tied[tiedCount++] = source;
                } else if (second == NOWHERE || isNearer(source, second)) {
                    second = source;
                }
            }
            current = nearest;
            rival = second;
            if (nearest == NOWHERE) {
                return;
            }
        }
        if (current == spaceSource) {
            SpaceCursor source = space;
            buffer = source.memory();
            values = source.values();
            keyPosition = source.keyPosition();
            keyLength = source.keyLength();
            valuePosition = source.valuePosition();
            valueLength = source.valueLength();
            expiry = source.expiry();
            merges = source.hasWaiting();
            if (merges) {
                values = null;
                taken = false;
            }
            return;
        }
        MemTable table = memtables[current].table();
        int ref = memtables[current].ref();
        buffer = table.buffer();
        values = table.isLarge(ref) ? null : buffer;
        keyPosition = table.keyPosition(ref);
        keyLength = table.keyLength(ref);
        valuePosition = keyPosition + keyLength;
        valueLength = table.valueLength(ref);
        expiry = table.expiry(ref);
        merges = false;
        if (expiry == Long.MIN_VALUE && table.type(ref) == WritePayload.MERGE) {
            takeOperands();
        }
    }

    /** Takes the operands of the current key with what is below them, so that it is known whether the pair is there. */
    private void takeOperands() {
        fold = fold == null ? reader.newFold() : fold;
        try {
            merges = reader.take(copy(buffer, keyPosition, keyLength), pin, front, fold);
        } catch (Throwable e) {
            standNowhere();
            throw e;
        }
        taken = merges;
        values = null;
        expiry = merges ? fold.expiry() : Long.MIN_VALUE; // as if it were removed
    }

    private boolean isValid(int source) {
        return source == spaceSource ? space.isValid() : memtables[source].isValid();
    }

    private boolean isNearer(int a, int b) {
        return compare(a, b) < 0;
    }

    /** The order of two sources' keys in the direction of the walk: below 0 if the first is nearer. */
    private int compare(int a, int b) {
        int order = KeyBytes.compare(keys(a), keyAt(a), lengthAt(a), keys(b), keyAt(b), lengthAt(b));
        return backward ? -order : order;
    }

    private ByteBuffer keys(int source) {
        return source == spaceSource
                ? space.memory()
                : memtables[source].table().buffer();
    }

    private int keyAt(int source) {
        return source == spaceSource
                ? space.keyPosition()
                : memtables[source].table().keyPosition(memtables[source].ref());
    }

    private int lengthAt(int source) {
        return source == spaceSource
                ? space.keyLength()
                : memtables[source].table().keyLength(memtables[source].ref());
    }

    /** The current key against another, as both are stored: below 0 if it is less. */
    private int compareCurrent(byte[] key, int length) {
        return -KeyBytes.compare(key, 0, length, buffer, keyPosition, keyLength);
    }

    /** Bytes of the current key's head. */
    private int headBytes() {
        return buffer.get(keyPosition) == (byte) 0xFF ? escapedHead : usualHead;
    }

    /** The order of the current key against another: negative, zero or positive. */
    public int compareKey(byte[] key) {
        requireValid();
        int head = headBytes();
        int order = -KeyBytes.compare(key, 0, key.length, buffer, keyPosition + head, keyLength - head);
        requireStill();
        return order;
    }

    /** Bytes of the current key. */
    public int keyLength() {
        requireValid();
        int length = keyLength - headBytes();
        requireStill();
        return length;
    }

    /** Bytes of the current value. */
    public int valueLength() {
        requireValid();
        if (merges && values == null) {
            merge();
        }
        int length = valueLength;
        requireStill();
        return length;
    }

    /** When the current value expires, in milliseconds since 1970, or {@link RecordFormat#NEVER}. */
    public long expiry() {
        requireValid();
        long found = expiry;
        requireStill();
        return found;
    }

    /** A copy of the current key. */
    public byte[] key() {
        requireValid();
        int head = headBytes();
        return still(copy(buffer, keyPosition + head, keyLength - head));
    }

    /** A copy of the current key as it is stored. */
    public byte[] storedKey() {
        requireValid();
        return still(copy(buffer, keyPosition, keyLength));
    }

    private byte[] still(byte[] copied) {
        requireStill();
        return copied;
    }

    /** Copies the current key to a buffer's position if it fits; its length in any case. */
    public int key(ByteBuffer destination) {
        requireValid();
        int head = headBytes();
        int length = keyLength - head;
        int at = destination.position();
        copy(buffer, keyPosition + head, length, destination);
        requireStill(destination, at);
        return length;
    }

    /** A copy of the current value. */
    public byte[] value() {
        requireValue();
        return still(copy(values, valuePosition, valueLength));
    }

    /** Copies the current value to a buffer's position if it fits; its length in any case. */
    public int value(ByteBuffer destination) {
        requireValue();
        int at = destination.position();
        copy(values, valuePosition, valueLength, destination);
        requireStill(destination, at);
        return valueLength;
    }

    /**
     * Fills a buffer with a part of the current value. No more than that is brought into memory if the value is large.
     *
     * @param from where in the value
     */
    public void valuePart(int from, ByteBuffer destination) {
        requireValid();
        int length = destination.remaining();
        if (merges && values == null) {
            merge();
        }
        if (values == null) {
            readPart(from, destination);
            destination.position(destination.limit());
        } else {
            copy(values, valuePosition + from, length, destination);
        }
        requireStill();
    }

    private void requireStill(ByteBuffer destination, int positionBefore) {
        try {
            requireStill();
        } catch (RuntimeException e) {
            destination.position(positionBefore);
            throw e;
        }
    }

    private static byte[] copy(ByteBuffer from, int position, int length) {
        byte[] copy = new byte[length];
        from.get(position, copy, 0, length);
        return copy;
    }

    private static void copy(ByteBuffer from, int position, int length, ByteBuffer destination) {
        if (length <= destination.remaining()) {
            destination.put(destination.position(), from, position, length);
            destination.position(destination.position() + length);
        }
    }

    /**
     * Lets the pin go, and nothing else, of a cursor that another thread may be using by mistake. It never serves anybody
     * again.
     */
    public void abandon() {
        pin.close();
    }

    /** Closes the cursor. Do not touch it again: it serves another user then. */
    @Override
    public void close() {
        ReadContexts to = contexts;
        ReadContext with = context;
        if (isMerging || !health.isReadable() || with == null) { // the function has closed what asks it, or it is over
            abandon();
            return;
        }
        boolean mayServeAgain = pin.closeToReopen();
        detach();
        if (mayServeAgain) {
            to.giveBack(with);
        } // else the store may be at work in it still
    }

    /** To be thrown in the place of what a move or a copy has thrown, if the store has ended the pin. */
    public void requireNotExpired(Throwable failure) {
        if (failure instanceof StorageException) {
            return;
        }
        try {
            health.requireReadable();
            pin.requireNotExpired();
        } catch (StorageException e) {
            e.addSuppressed(failure);
            throw e;
        }
    }
}
