package io.flexdb.internal.write;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.RecordHead;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.FilterChange;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** The content that an interval gets: its pairs merged with entries. For one thread. */
final class MergedContent {
    /*
     * Its directory is whole. The buffer has only new records if the change is in place, for the others stay where they
     * are, and all records if the interval is written anew.
     */
    private static final int SMALL_BYTES = 256 << 10;
    private static final int MAX_PLACES_KEPT = 64 << 10;
    private static final int NEW = -1;

    private final OffHeap memory;
    private final Fingerprints fingerprints;
    private final FilterChange filtered;
    private final Expiries expiries;
    private long now; // from which on expiry is counted there
    private final ByteBuffer smallRecords; // the value of records when nothing large has to fit
    private final int[] smallPlaces = new int[1024];
    private ByteBuffer records;
    private int recordBytes;
    private final DirectoryBuilder directory = new DirectoryBuilder();
    private int[] places = smallPlaces; // of each pair's record: with the old keys, or from -1 on in records
    private int[] origins = new int[smallPlaces.length]; // of each pair: its number in the old content, or NEW

    private final List<ContentChange> changes = new ArrayList<>(); // as many as have been needed at once
    private int changeCount;
    private OldPairs old;
    private GatheredEntries entries;
    private boolean inPlace;
    private int skipped;
    private int entry; // that is merged
    private final EntryKey key = new EntryKey(); // of it
    private byte fingerprint; // of the key
    private final CRC32C crc = new CRC32C();

    /**
     * @param filtered is told which keys come and go in place; null if nobody wants to know
     * @param expiries is told of pairs that come and expire
     */
    MergedContent(OffHeap memory, Fingerprints fingerprints, FilterChange filtered, Expiries expiries) {
        this.expiries = expiries;
        this.memory = memory;
        this.fingerprints = fingerprints;
        this.filtered = filtered;
        this.smallRecords = allocate(SMALL_BYTES);
        this.records = smallRecords;
    }

    private ByteBuffer allocate(int bytes) {
        return memory.allocate(OffHeap.Use.COMMITS, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Lets go of the memory that a large value needed. */
    void shrink() {
        records = smallRecords;
        recordBytes = 0;
        directory.clear();
        if (places.length > MAX_PLACES_KEPT) {
            places = smallPlaces;
            origins = Arrays.copyOf(origins, places.length);
        }
    }

    /** The records. */
    ByteBuffer buffer() {
        return records;
    }

    long bytes() {
        return directory.bytes();
    }

    int pairs() {
        return directory.count();
    }

    DirectoryBuilder directory() {
        return directory;
    }

    /** The number of key bytes that the windows in the directory skip. */
    int skipped() {
        return skipped;
    }

    // ---- changes, in their order: the content before each of them is new already

    /** Whether it is made by these changes; else the interval is written anew. */
    boolean isInPlace() {
        return inPlace;
    }

    int changeCount() {
        return changeCount;
    }

    /** One of them. */
    ContentChange change(int i) {
        return changes.get(i);
    }

    private ContentChange nextChange() {
        if (changeCount == changes.size()) {
            changes.add(new ContentChange());
        }
        return changes.get(changeCount++);
    }

    /** Has the reference of an entry to its pair, which is in the data file. */
    ByteBuffer reference(int entry) {
        StagedPair staged = entries.staged(entry);
        return staged != null ? staged.reference() : entries.table(entry).buffer();
    }

    /** The index of the reference in its buffer. */
    int referencePosition(int entry) {
        StagedPair staged = entries.staged(entry);
        return staged != null ? staged.position() : entries.table(entry).valuePosition(entries.ref(entry));
    }

    /** Bytes of the reference. */
    int referenceBytes(int entry) {
        StagedPair staged = entries.staged(entry);
        return staged != null ? staged.referenceBytes() : entries.table(entry).storedLength(entries.ref(entry));
    }

    // ---- the old content

    /** The number of each pair in the old content; below 0 for one that has come. */
    int[] origins() {
        return origins;
    }

    // ---- the old content, if all pairs are in memory

    /** The position of an unchanged pair in the old content; -1 for one that has come. */
    int oldStart(int pair) {
        return Math.max(-1, places[pair]);
    }

    // ---- keys that are in memory

    /** Whether the keys of all pairs can be asked for. */
    boolean haveKeys() {
        return old.count() == 0 || old.haveKeys();
    }

    /** Whether the keys of pairs from one to before another can be asked for: all of them, or those that have come. */
    boolean haveKeys(int from, int to) {
        if (haveKeys()) {
            return true;
        }
        for (int pair = from; pair < to; pair++) {
            if (origins[pair] != NEW) {
                return false;
            }
        }
        return true;
    }

    /** The buffer with a pair's key. */
    ByteBuffer keyBuffer(int pair) {
        return places[pair] < 0 ? records : old.keyBuffer();
    }

    /** The header of a pair's record, for {@link RecordFormat} to take apart. */
    long header(int pair) {
        return RecordFormat.header(keyBuffer(pair), recordPosition(pair));
    }

    /** The index in its {@link #keyBuffer} at which a pair's record begins. */
    int recordPosition(int pair) {
        return places[pair] < 0 ? ~places[pair] : places[pair];
    }

    /** The index in its {@link #keyBuffer} at which a pair's key begins. */
    int keyPosition(int pair) {
        return recordPosition(pair) + RecordFormat.headerBytes(header(pair));
    }

    int keyLength(int pair) {
        return RecordFormat.keyLength(header(pair));
    }

    // ---- merging

    /**
     * Merges pairs and entries into the new content, and notes the changes. Those are made later: to write to the space
     * may mean to wait for readers, of whom this is one.
     *
     * @param wantInPlace whether the records of pairs that do not change stay where they are
     * @param reclaiming tells which entries, and which pairs that are written anew, are left out
     */
    void merge(OldPairs oldPairs, GatheredEntries gathered, boolean wantInPlace, Reclaiming reclaiming) {
        assert wantInPlace || oldPairs.count() == 0 || oldPairs.haveValues() : "records to copy";
        assert wantInPlace || gathered.pieces() == 0 : "records that are in the data file";
        old = oldPairs;
        entries = gathered;
        now = reclaiming.time();
        inPlace = wantInPlace;
        skipped = old.skipped();
        recordBytes = 0;
        changeCount = 0;
        directory.clear();
        int nextPair = 0;
        for (int i = 0; i < entries.count(); i++) {
            entry = i;
            MemTable table = entries.table(i);
            int ref = entries.ref(i);
            key.set(table, ref);
            fingerprint = fingerprints.of(key.bytes, key.length);
            int found = old.find(key, fingerprint, nextPair);
            boolean exists = found >= 0;
            int at = exists ? found : ~found;
            copyLivePairs(nextPair, at, reclaiming);
            int removed = exists ? old.start(at + 1) - old.start(at) : 0;
            long start = directory.bytes();
            int from = recordBytes;
            MergedValue merged = entries.merged(i);
            StagedPair staged = entries.staged(i);
            int type = table.type(ref);
            boolean put = type == WritePayload.PUT
                    || merged != null
                    || staged != null
                    || (type == WritePayload.PUT_EXPIRING || type == WritePayload.PUT_LARGE)
                            && !isOver(table, ref, reclaiming);
            boolean large = put && type == WritePayload.PUT_LARGE && merged == null || staged != null;
            if (staged != null) {
                addStaged(staged);
            } else if (large) {
                addLarge();
            } else if (put) {
                addEntry(merged);
            }
            if (filtered != null && put != exists) {
                noteKey(put);
            }
            if (put || exists) {
                nextChange().set(start, removed, from);
            }
            if (put) {
                int added = (int) (directory.bytes() - start);
                changes.get(changeCount - 1)
                        .setAdded(added, directory.count() - 1, large ? i : ContentChange.IN_BUFFER);
            }
            nextPair = exists ? at + 1 : at;
        }
        copyLivePairs(nextPair, old.count(), reclaiming);
    }

    private void noteKey(boolean comes) {
        if (comes) {
            filtered.add(key.bytes, key.length);
        } else {
            filtered.remove(key.bytes, key.length);
        }
    }

    /** Makes the content of the pairs there are, less some that follow each other, in place. */
    void cut(OldPairs oldPairs, int from, int to) {
        old = oldPairs;
        inPlace = true;
        skipped = old.skipped();
        recordBytes = 0;
        changeCount = 0;
        directory.clear();
        copyPairs(0, from);
        nextChange().set(directory.bytes(), old.start(to) - old.start(from), 0);
        copyPairs(to, old.count());
    }

    /** Copies pairs but for those that have expired, unless they stay where they are. */
    private void copyLivePairs(int from, int to, Reclaiming reclaiming) {
        int next = from;
        for (int pair = from; pair < to && !inPlace; pair++) {
            int at = old.recordPosition(pair);
            long header = RecordFormat.header(old.keyBuffer(), at);
            if (RecordFormat.isExtended(header) && isOver(at, header, reclaiming)) {
                copyPairs(next, pair);
                next = pair + 1;
            }
        }
        copyPairs(next, to);
    }

    private boolean isOver(int recordPosition, long header, Reclaiming reclaiming) {
        ByteBuffer keys = old.keyBuffer();
        int keyPosition = recordPosition + RecordFormat.headerBytes(header);
        long expiry = RecordFormat.expiry(keys, recordPosition, header);
        return reclaiming.takes(expiry, keys, keyPosition, RecordFormat.keyLength(header), null);
    }

    private static boolean isOver(MemTable table, int ref, Reclaiming reclaiming) {
        return reclaiming.takes(table.expiry(ref), table.buffer(), table.keyPosition(ref), table.keyLength(ref), table);
    }

    private void copyPairs(int from, int to) {
        if (from >= to) {
            return;
        }
        makeRoomForPairs(to - from);
        int place = directory.count();
        for (int pair = from; pair < to; pair++, place++) {
            origins[place] = pair;
            if (old.haveKeys()) {
                places[place] = old.recordPosition(pair);
            }
        }
        directory.addFrom(old.directory(), old.base(), from, to);
        if (!inPlace) {
            int bytes = old.start(to) - old.start(from);
            makeRoomForRecords(bytes);
            records.put(recordBytes, old.keyBuffer(), old.recordPosition(from), bytes);
            recordBytes += bytes;
        }
    }

    private void addEntry(MergedValue merged) {
        if (merged == null) {
            MemTable table = entries.table(entry);
            int ref = entries.ref(entry);
            addRecord(table.buffer(), table.valuePosition(ref), table.valueLength(ref), table.expiry(ref));
        } else {
            addMerged(merged);
        }
    }

    private void addRecord(ByteBuffer values, int valuePosition, int valueLength, long expiry) {
        makeRoomForRecords(RecordFormat.recordBytes(key.length, valueLength, expiry, 0));
        makeRoomForPairs(1);
        int from = recordBytes;
        putKey(RecordFormat.writeHead(records, from, key.length, valueLength, expiry, 0));
        putValue(from, values, valuePosition, valueLength);
        noteExpiry(expiry, recordBytes - from);
        addPair(from, recordBytes - from, RecordFormat.checksum(records, from));
    }

    private void noteExpiry(long expiry, long bytes) {
        if (expiry != RecordFormat.NEVER) {
            MemTable table = entries.table(entry);
            expiries.note(now, expiry, bytes, table.buffer(), table.keyPosition(entries.ref(entry)), key.length);
        }
    }

    private void addMerged(MergedValue merged) {
        RecordHead head = merged.head(key.length);
        makeRoomForRecords(head.recordBytes());
        makeRoomForPairs(1);
        int from = recordBytes;
        putKey(head.write(records, from));
        putValue(from, ByteBuffer.wrap(merged.bytes()), 0, head.length());
        if (!head.waits()) {
            noteExpiry(head.expiry(), recordBytes - from);
        }
        addPair(from, recordBytes - from, RecordFormat.checksum(records, from));
    }

    /** Adds a pair that is in the data file; the buffer gets the bytes before its value. */
    private void addLarge() {
        MemTable table = entries.table(entry);
        int ref = entries.ref(entry);
        int valueLength = table.valueLength(ref);
        long expiry = table.expiry(ref);
        noteExpiry(expiry, valueLength);
        makeRoomForHead();
        int from = recordBytes;
        int checksum = LargeReference.checksum(table.buffer(), table.valuePosition(ref));
        int keyPosition = RecordFormat.writeHead(records, from, key.length, valueLength, expiry, 0);
        records.putInt(from, checksum);
        putKey(keyPosition);
        addPair(from, RecordFormat.recordBytes(key.length, valueLength, expiry, 0), checksum);
    }

    /** Adds a pair that operands have made. */
    private void addStaged(StagedPair staged) {
        RecordHead head = staged.head();
        if (!head.waits()) {
            noteExpiry(head.expiry(), head.length());
        }
        makeRoomForHead();
        int from = recordBytes;
        putKey(staged.writeHead(records, from));
        addPair(from, head.recordBytes(), RecordFormat.checksum(records, from));
    }

    private void makeRoomForHead() {
        makeRoomForRecords(RecordFormat.MAX_HEADER_BYTES + key.length);
        makeRoomForPairs(1);
    }

    private void putKey(int position) {
        records.put(position, key.bytes, 0, key.length);
        recordBytes = position + key.length;
    }

    /** Writes what is behind a record's key, and then its checksum. */
    private void putValue(int from, ByteBuffer values, int position, int length) {
        records.put(recordBytes, values, position, length);
        recordBytes += length;
        RecordFormat.seal(records, from, recordBytes - from, crc);
    }

    private void addPair(int from, int bytes, int checksum) {
        places[directory.count()] = ~from;
        origins[directory.count()] = NEW;
        int window = Directory.window(key.bytes, 0, key.length, skipped);
        directory.add(bytes, checksum, fingerprint, window, Directory.UNKNOWN);
    }

    private void makeRoomForRecords(int bytes) {
        if (records.capacity() - recordBytes < bytes) {
            long wanted = Math.max(2L * records.capacity(), (long) recordBytes + bytes);
            ByteBuffer larger = allocate((int) Math.min(Integer.MAX_VALUE - 8L, wanted));
            larger.put(0, records, 0, recordBytes);
            records = larger;
        }
    }

    private void makeRoomForPairs(int pairs) {
        directory.ensure(pairs);
        if (places.length - directory.count() < pairs) {
            places = Arrays.copyOf(places, Math.max(2 * places.length, directory.count() + pairs));
        }
        if (origins.length < places.length) {
            origins = Arrays.copyOf(origins, places.length);
        }
    }
}
