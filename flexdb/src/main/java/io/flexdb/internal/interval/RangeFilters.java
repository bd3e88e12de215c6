package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyspaceRegistry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * Filters that tell from memory that an interval lacks a key, or has none in a range; the field uses Bloom filters for
 * the former. One thread writes; any number of threads ask, inside short reads and without a lock.
 */
public final class RangeFilters {
    /*
     * The keys that may belong to an interval, from its anchor to before the next one, are divided into 24 cells for each key
     * that it has, and what is kept is the cells that are taken (CellSet): 6.5 bits a key, and 3 to find them. An absent
     * key is in a cell that is taken in one of 24 cases. A range of keys
     * that is empty, and much smaller than what lies between two keys, has two ends, each of which may be in such a cell.
     * (A learned filter like SNARF, with the sparse index as what was learned, and KeyModel where keys are not even. The
     * hierarchy of Bloom filters of KVRangeDB, section 3.5, takes 10 bits a key for each of its levels, and asks all of
     * them for each part of a range.)
     *
     * Sets are kept by content numbers. A set never changes: an interval that changes has another content.
     *
     * | block   | position | bytes |                                                  |
     * |---------|----------|-------|--------------------------------------------------|
     * | word    | 0        | 8     | content number(48), of the cells: see below |
     * | next    | 8        | 4     | of the chain; 0 if none                          |
     * | cells   | 12       |       | CellSet                                          |
     *
     * Of the cells: model(4), parts - 1(6), number(6). Where keys begin to look different a new model is made; sets say by
     * which one they were.
     *
     * F1  Who has a content number has the anchors that its set was made with: they are the content's for ever, where
     *     there are filters (see Intervals).
     * F2  A set has the cells of all keys of its content, for each as often as there are keys.
     * F3  A block is used again when the short reads have ended that could have found it. A reader who has come into
     *     another chain because the table grew finds nothing, and the chain ends.
     */
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int NEXT = Long.BYTES;
    private static final int CELLS = NEXT + Integer.BYTES;
    private static final int GRANULE = 4;
    private static final int CHUNK_BYTES = 1 << 18;
    private static final int CHUNK_GRANULES = CHUNK_BYTES / GRANULE;
    private static final int CLASSES = (CELLS + CellSet.bytes(CellSet.MAX_COUNT, CellSet.MAX_PARTS)) / GRANULE + 2;
    private static final int MAX_HOPS = 64;
    private static final int SETS_A_HEAD = 4;
    private static final int FIRST_HEADS = 256;
    private static final int MAX_MODELS = 16;
    private static final long FIRST_MODEL_INTERVALS = 16;
    private static final int GROWTH_OF_A_MODEL = 8;
    private static final int SAMPLED = 512;

    private final Epochs epochs;
    private final OffHeap memory;
    private final LongConsumer missing;
    private final KeyspaceRegistry keyspaces;
    private final boolean areSome; // wanted, and others not
    private volatile ByteBuffer[] chunks = {};
    private int chunkEnd = CHUNK_BYTES; // of what is used of the last one
    private volatile ByteBuffer heads; // of chains; null as long as there is no memory
    private final int[] free = new int[CLASSES]; // lists, through next
    private long[] unlinked = new long[64]; // ref and phase
    private int unlinkedFrom;
    private int unlinkedCount;
    private int count;
    private long bytes; // of blocks that are linked
    private volatile KeyModel[] models = {};
    private long modelIntervals = FIRST_MODEL_INTERVALS; // from which on another one is made
    private final FilterBounds bounds = new FilterBounds(); // of the one thread that writes
    private final int[] old = new int[CellSet.MAX_COUNT];
    private final int[] cells = new int[CellSet.MAX_COUNT + 1];
    private final LongAdder answered = new LongAdder();

    /**
     * @param missing is told the logical offset of an interval that somebody has asked of and that has no set
     * @param keyspaces say which of them have filters
     */
    public RangeFilters(Epochs epochs, OffHeap memory, LongConsumer missing, KeyspaceRegistry keyspaces) {
        this.epochs = epochs;
        this.memory = memory;
        this.missing = missing;
        this.keyspaces = keyspaces;
        this.areSome = keyspaces.doFiltersDiffer();
        this.heads = allocate(FIRST_HEADS * Integer.BYTES);
    }

    private ByteBuffer allocate(int size) {
        ByteBuffer made = memory.tryAllocate(OffHeap.Use.FILTERS, size);
        return made == null ? null : made.order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- any thread, inside a short read

    /** Whether an interval may have a key, which belongs to it. */
    public boolean mayHave(Interval interval, byte[] key, int length, Asker asker) {
        if (areSome && !keyspaces.isFiltered(key, length)) {
            return true;
        }
        int block = find(interval.contentNumber());
        if (block == 0) {
            missing.accept(interval.logicalOffset());
            return true;
        }
        asker.bounds.set(interval);
        asker.bounds.divide(model(block));
        int cell = asker.bounds.cell(key, length);
        return answer(block, cell, cell);
    }

    /**
     * Whether the interval that a cursor is at may have a key in a range.
     *
     * @param from a key of the interval; null for all from its beginning on
     * @param to the first key behind the range, above the first one, be it in the interval or behind it
     */
    public boolean mayHave(IntervalCursor interval, byte[] from, int fromLength, byte[] to, int toLength, Asker asker) {
        if (areSome && from != null && !keyspaces.isFiltered(from, fromLength)) {
            return true;
        }
        int block = find(interval.contentNumber());
        if (block == 0) {
            if (!areSome || areWanted(asker.bounds.set(interval))) {
                missing.accept(interval.logicalOffset());
            }
            return true;
        }
        asker.bounds.set(interval);
        asker.bounds.divide(model(block));
        int first = from == null ? 0 : asker.bounds.cell(from, fromLength);
        return answer(block, first, asker.bounds.lastCell(to, toLength));
    }

    /**
     * Whether the interval between two anchors has a filter: if both are of keyspaces that have. So an interval with the
     * keys of two keyspaces has none unless both have, and what lies between those does not matter.
     */
    boolean areWanted(FilterBounds bounds) {
        return !areSome
                || keyspaces.isFiltered(bounds.anchor(), bounds.anchorLength())
                        && (bounds.upperLength() < 0 || keyspaces.isFiltered(bounds.upper(), bounds.upperLength()));
    }

    /** Whether the interval that a cursor is at has a filter, made or not. By the thread that writes. */
    public boolean isWanted(IntervalCursor interval) {
        return !areSome || areWanted(bounds.set(interval));
    }

    private boolean answer(int block, int first, int last) {
        ByteBuffer chunk = chunk(block);
        int position = position(block);
        int parts = parts(block);
        int from = CellSet.cell(first, parts);
        int to = CellSet.cell(last, parts);
        boolean may = CellSet.hasAny(chunk, position + CELLS, cellCount(block), parts, from, to);
        if (!may) {
            answered.increment();
        }
        return may;
    }

    /** Whether there is a set of a content. */
    public boolean has(long content) {
        return find(content) != 0;
    }

    private int find(long content) {
        ByteBuffer table = heads;
        if (table == null) {
            return 0;
        }
        int block = (int) INT.getAcquire(table, head(table, content));
        for (int hops = 0; block != 0 && hops < MAX_HOPS; hops++) {
            ByteBuffer chunk = chunk(block);
            int position = position(block);
            if (chunk.getLong(position) >>> Short.SIZE == content) {
                return block;
            }
            block = (int) INT.getAcquire(chunk, position + NEXT);
        }
        return 0;
    }

    private static int head(ByteBuffer table, long content) {
        long mixed = content * 0x9e3779b97f4a7c15L;
        return (int) (mixed >>> Integer.SIZE) & table.capacity() - Integer.BYTES;
    }

    private ByteBuffer chunk(int block) {
        return chunks[block / CHUNK_GRANULES];
    }

    private static int position(int block) {
        return block % CHUNK_GRANULES * GRANULE;
    }

    private KeyModel model(int block) {
        return models[modelNumber(block)];
    }

    private int modelNumber(int block) {
        return ofCells(block) >>> 12 & 0xF;
    }

    private int parts(int block) {
        return (ofCells(block) >>> 6 & 0x3F) + 1;
    }

    private int cellCount(int block) {
        return ofCells(block) & 0x3F;
    }

    private int ofCells(int block) {
        return chunk(block).getShort(position(block));
    }

    /** The buffers that one thread needs for asking. */
    public static final class Asker {
        private final FilterBounds bounds = new FilterBounds();
    }

    // ---- the one thread that writes

    /** Makes a model of the keys, if there are many more than when that was done, or there is none. */
    public void learn(SparseIndex index) {
        if (index.intervalCount() < modelIntervals || models.length == MAX_MODELS) {
            return;
        }
        modelIntervals = GROWTH_OF_A_MODEL * index.intervalCount();
        KeyModel.Counter counter = new KeyModel.Counter();
        if (sample(index, counter, areSome) == 0) {
            sample(index, counter, false); // what has filters is too small to be met
        }
        KeyModel[] more = Arrays.copyOf(models, models.length + 1);
        more[models.length] = counter.model();
        models = more;
    }

    private int sample(SparseIndex index, KeyModel.Counter counter, boolean onlyWanted) {
        IndexView view = index.current();
        IntervalCursor cursor = index.cursor();
        int sampled = 0;
        for (long i = 0; i < SAMPLED; i++) {
            cursor.seekOffset(view, view.totalBytes() / SAMPLED * i);
            if (onlyWanted && !isWanted(cursor)) {
                continue;
            }
            byte[] anchor = new byte[cursor.anchorLength()];
            byte[] upper = new byte[Math.max(0, cursor.upperAnchorLength())];
            cursor.anchor(anchor);
            cursor.upperAnchor(upper);
            int common = Arrays.mismatch(anchor, upper);
            counter.add(anchor, Math.max(0, common), anchor.length);
            sampled++;
        }
        cursor.reset();
        return sampled;
    }

    private KeyModel newest() {
        return models.length == 0 ? null : models[models.length - 1];
    }

    /** Makes the set of a content from its keys. */
    public void put(long content, FilterChange change) {
        if (newest() != null && change.count <= CellSet.MAX_COUNT) {
            int parts = CellSet.parts(change.count);
            link(content, models.length - 1, change.sorted(parts), change.count, parts);
        }
    }

    /**
     * Makes the set of a content from that of the one before it in the same interval.
     *
     * @param change what has come and gone, by the model of the old set
     */
    public void put(long content, long oldContent, FilterChange change) {
        int block = find(oldContent);
        if (block == 0) {
            return;
        }
        int n = cellCount(block);
        int parts = parts(block);
        CellSet.read(chunk(block), position(block) + CELLS, n, parts, old);
        int changed = change.apply(old, n, parts, cells);
        if (changed >= 0) {
            link(content, modelNumber(block), cells, changed, parts);
        }
    }

    /** Whether a content has a set that is too small for a change, so that another one has to be made of all keys. */
    public boolean isOutgrown(long content, FilterChange change) {
        int block = find(content);
        return block != 0 && !change.fits(cellCount(block), parts(block));
    }

    /** The model that the set of a content was made by, or null if there is none. */
    KeyModel modelOf(long content) {
        int block = find(content);
        return block == 0 ? null : model(block);
    }

    KeyModel newestModel() {
        return newest();
    }

    /** Forgets the set of a content that the newest version does not have any more. */
    public void forget(long content) {
        ByteBuffer table = heads;
        if (table == null) {
            return;
        }
        int head = head(table, content);
        ByteBuffer before = table;
        int link = head;
        for (int block = table.getInt(head); block != 0; ) {
            ByteBuffer chunk = chunk(block);
            int position = position(block);
            int next = chunk.getInt(position + NEXT);
            if (chunk.getLong(position) >>> Short.SIZE == content) {
                INT.setVolatile(before, link, next);
                count--;
                bytes -= blockBytes(block);
                unlinked(block);
                return;
            }
            before = chunk;
            link = position + NEXT;
            block = next;
        }
    }

    private void link(long content, int model, int[] sorted, int n, int parts) {
        int block = newBlock(n, parts);
        if (block != 0) {
            CellSet.write(chunk(block), position(block) + CELLS, sorted, n, parts);
            link(block, content, model << 12 | parts - 1 << 6 | n);
        }
    }

    private void link(int block, long content, int ofCells) {
        grow();
        ByteBuffer chunk = chunk(block);
        int position = position(block);
        chunk.putLong(position, content << Short.SIZE | ofCells);
        ByteBuffer table = heads;
        int head = head(table, content);
        chunk.putInt(position + NEXT, table.getInt(head));
        INT.setRelease(table, head, block);
        count++;
        bytes += blockBytes(block);
    }

    private static int blockBytes(int n, int parts) {
        return (CELLS + CellSet.bytes(n, parts) + GRANULE - 1) / GRANULE * GRANULE;
    }

    private int blockBytes(int block) {
        return blockBytes(cellCount(block), parts(block));
    }

    // ---- saved by a clean close, and restored before anybody asks

    /** Puts all models, and how many they are. */
    public void saveModels(ByteBuffer to) {
        to.putInt(models.length);
        for (KeyModel model : models) {
            model.save(to);
        }
    }

    /** Puts the set of a content, or that there is none. */
    public void save(long content, ByteBuffer to) {
        int block = find(content);
        if (block == 0) {
            to.putShort((short) 0);
            return;
        }
        to.putShort((short) ofCells(block));
        int bytes = CellSet.bytes(cellCount(block), parts(block));
        to.put(to.position(), chunk(block), position(block) + CELLS, bytes);
        to.position(to.position() + bytes);
    }

    /** Takes the models that were saved; false if they can't be. */
    public boolean restoreModels(ByteBuffer from) {
        int modelCount = from.remaining() < Integer.BYTES ? -1 : from.getInt();
        if (modelCount < 0 || modelCount > MAX_MODELS) {
            return false;
        }
        KeyModel[] restored = new KeyModel[modelCount];
        for (int i = 0; i < modelCount; i++) {
            restored[i] = KeyModel.restore(from);
            if (restored[i] == null) {
                return false;
            }
        }
        models = restored;
        return true;
    }

    /** Takes the set of a content that was saved, or that there is none; false if it can't be one. */
    public boolean restore(long content, ByteBuffer from) {
        if (from.remaining() < Short.BYTES) {
            return false;
        }
        int of = from.getShort();
        if (of == 0) {
            return true;
        }
        int model = of >>> 12 & 0xF;
        int parts = (of >>> 6 & 0x3F) + 1;
        int n = of & 0x3F;
        int size = CellSet.bytes(n, parts);
        if (model >= models.length || parts < CellSet.MIN_PARTS || from.remaining() < size) {
            return false;
        }
        if (CellSet.countUpper(from, from.position(), n, parts) != n) {
            return false;
        }
        int block = newBlock(n, parts);
        if (block != 0) {
            chunk(block).put(position(block) + CELLS, from, from.position(), size);
            link(block, content, of & 0xFFFF);
        }
        from.position(from.position() + size);
        return true;
    }

    /** Follows what was restored, once all of it is there. */
    public void restored(SparseIndex index) {
        if (models.length > 0) {
            modelIntervals = GROWTH_OF_A_MODEL * index.intervalCount();
        }
    }

    /** Forgets the sets of intervals that have none any more, once names of keyspaces are known. Before anybody asks. */
    public void forgetUnwanted(SparseIndex index) {
        if (!areSome || count == 0) {
            return;
        }
        IntervalCursor cursor = index.cursor();
        for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
            if (!isWanted(cursor)) {
                forget(cursor.contentNumber());
            }
        }
    }

    /** Forgets all sets and models. Before anybody asks. */
    public void clear() {
        models = new KeyModel[0];
        chunks = new ByteBuffer[0];
        chunkEnd = CHUNK_BYTES;
        Arrays.fill(free, 0);
        count = 0;
        bytes = 0;
        heads = allocate(FIRST_HEADS * Integer.BYTES);
    }

    // ---- blocks

    /** Returns 0 if there is no memory. */
    private int newBlock(int n, int parts) {
        if (heads == null) { // there was no memory; there may be some now
            heads = allocate(FIRST_HEADS * Integer.BYTES);
        }
        if (heads == null) {
            return 0;
        }
        int size = blockBytes(n, parts);
        epochs.tryNextPhase();
        reuse();
        int block = free[size / GRANULE];
        if (block != 0) {
            free[size / GRANULE] = chunk(block).getInt(position(block) + NEXT);
            return block;
        }
        if (chunkEnd + size > CHUNK_BYTES - CellSet.slackBytes()) {
            ByteBuffer chunk = allocate(CHUNK_BYTES);
            if (chunk == null) {
                return 0;
            }
            ByteBuffer[] more = Arrays.copyOf(chunks, chunks.length + 1);
            more[chunks.length] = chunk;
            chunks = more;
            chunkEnd = GRANULE; // block 0 stands for none
        }
        block = (chunks.length - 1) * CHUNK_GRANULES + chunkEnd / GRANULE;
        chunkEnd += size;
        return block;
    }

    private void unlinked(int block) {
        int capacity = unlinked.length / 2;
        if (unlinkedCount == capacity) {
            long[] more = new long[2 * unlinked.length];
            for (int i = 0; i < unlinkedCount; i++) {
                int at = 2 * ((unlinkedFrom + i) % capacity);
                more[2 * i] = unlinked[at];
                more[2 * i + 1] = unlinked[at + 1];
            }
            unlinked = more;
            unlinkedFrom = 0;
            capacity = unlinked.length / 2;
        }
        int at = 2 * ((unlinkedFrom + unlinkedCount++) % capacity);
        unlinked[at] = block;
        unlinked[at + 1] = epochs.phase();
    }

    private void reuse() {
        while (unlinkedCount > 0 && epochs.shortReadsEndedSince((int) unlinked[2 * unlinkedFrom + 1])) {
            int block = (int) unlinked[2 * unlinkedFrom];
            ByteBuffer chunk = chunk(block);
            int position = position(block);
            int size = blockBytes(block);
            chunk.putLong(position, 0); // no content has this number
            chunk.putInt(position + NEXT, free[size / GRANULE]);
            free[size / GRANULE] = block;
            unlinkedFrom = (unlinkedFrom + 1) % (unlinked.length / 2);
            unlinkedCount--;
        }
    }

    /** Doubles the heads when chains become long. */
    private void grow() {
        ByteBuffer table = heads;
        int slots = table.capacity() / Integer.BYTES;
        if (count < SETS_A_HEAD * slots) {
            return;
        }
        ByteBuffer larger = allocate(2 * table.capacity());
        if (larger == null) {
            return;
        }
        for (int slot = 0; slot < slots; slot++) {
            for (int block = table.getInt(slot * Integer.BYTES); block != 0; ) {
                ByteBuffer chunk = chunk(block);
                int position = position(block);
                int next = chunk.getInt(position + NEXT);
                int head = head(larger, chunk.getLong(position) >>> Short.SIZE);
                INT.setRelease(chunk, position + NEXT, larger.getInt(head));
                larger.putInt(head, block);
                block = next;
            }
        }
        heads = larger;
    }

    // ---- figures

    /** How many sets there are. */
    public int count() {
        return count;
    }

    /** Bytes of what is in use. */
    public long usedBytes() {
        ByteBuffer table = heads;
        return bytes + (table == null ? 0 : table.capacity());
    }

    /** How often something was found to be absent. Any thread. */
    public long answered() {
        return answered.sum();
    }

    @Override
    public String toString() {
        return "RangeFilters[sets=" + count + ", bytes=" + bytes + ", models=" + models.length + "]";
    }
}
