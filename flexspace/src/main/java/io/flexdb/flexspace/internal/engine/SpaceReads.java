package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.prefetch.ExtentPrefetcher;
import io.flexdb.flexspace.internal.segment.FrameCache;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;

/**
 * The ways in which bytes of a space are read. By any thread inside an epoch that holds the view, where nothing else is
 * said. The position of a destination does not matter and stays as it is; what it holds after a read that has failed is
 * undefined.
 */
public final class SpaceReads {
    private final SegmentStore store;
    private final FlexTree tree;
    private final WriterPauses pauses;
    private final FrameCache cache; // or null
    private final SpaceReader reader;
    private final SpaceReader fileReader; // the same if there is no cache
    private UnaryOperator<StorageException> explanation = UnaryOperator.identity();

    SpaceReads(SegmentStore store, FlexTree tree, WriterPauses pauses, FrameCache cache) {
        this.store = store;
        this.tree = tree;
        this.pauses = pauses;
        this.cache = cache;
        this.reader = new SpaceReader(store, System::nanoTime, cache);
        this.fileReader = cache == null ? reader : new SpaceReader(store, System::nanoTime);
    }

    /**
     * Says what verified reads are to throw in the place of a failure: what is not as it should be may be no damage
     * where somebody else writes to the space. Before the first of them.
     */
    public void explainFailures(UnaryOperator<StorageException> newExplanation) {
        explanation = newExplanation;
    }

    /** The longest extent. */
    public int maxExtentBytes() {
        return store.format().maxExtentBytes;
    }

    // ---- verified

    /** Copies bytes of a view, each verified. */
    public void read(FlexTreeView view, long logicalOffset, ByteBuffer destination, int position, int length) {
        try {
            reader.read(view, logicalOffset, destination, position, length);
        } catch (StorageException e) {
            throw explanation.apply(e);
        }
    }

    /** Copies the bytes of a range, each verified. */
    public void read(SpaceRange range, ByteBuffer destination, int position) {
        try {
            reader.read(range, destination, position);
        } catch (StorageException e) {
            throw explanation.apply(e);
        }
    }

    /**
     * Tells the kernel what will be read, so that one wait for a disk is for many pieces.
     *
     * @param range set to where that begins
     * @param length of it, which may reach beyond the end of the space
     * @return the logical offset behind the pieces that it was told of, which may be some of the first
     */
    public long prefetch(SpaceRange range, long length) {
        return reader.prefetch(range, length);
    }

    /** For one walk at a time that tells in advance what it will read. */
    public WalkAhead newWalkAhead() {
        return new WalkAhead(store);
    }

    /** Copies the first bytes of the extent under a cursor, each verified. */
    public void readExtent(ExtentCursor extent, ByteBuffer destination, int position, int length) {
        try {
            reader.readExtent(extent, destination, position, length);
        } catch (StorageException e) {
            throw explanation.apply(e);
        }
    }

    /**
     * Copies bytes of a piece that was staged and flushed, each verified, whether it was linked or not. Inside an epoch
     * that began before it was given back.
     */
    public void readStaged(long address, ByteBuffer destination, int position, int length) {
        reader.readAddress(address, destination, position, length);
    }

    /**
     * Fills a buffer from an address at which somebody else has written since the space was recovered.
     *
     * @param destination from its position to its limit
     * @param checksum CRC32C of all these bytes
     */
    public void readFollowed(long address, ByteBuffer destination, int checksum) {
        int position = destination.position();
        try {
            if (!readUnverified(address, destination)) {
                throw store.damage(address, "bytes of the data file", "an address beyond it");
            }
            CRC32C crc = new CRC32C();
            crc.update(destination.position(position));
            if ((int) crc.getValue() != checksum) {
                String length = " of " + (destination.position() - position) + " bytes";
                throw store.damage(
                        address,
                        "checksum " + Integer.toHexString(checksum) + length,
                        Long.toHexString(crc.getValue()));
            }
        } catch (StorageException e) {
            throw explanation.apply(e);
        }
    }

    /**
     * Fills a buffer from an address of the data file, which may be any. The bytes have not been verified: the caller
     * has a checksum for them.
     *
     * @return false if there is no such address
     * @throws io.flexdb.storage.CorruptionException if the file ends before
     */
    public boolean readUnverified(long address, ByteBuffer destination) {
        return store.readFromFile(address, destination);
    }

    /**
     * Copies bytes of the writer's state that are to be written anew. All come from the file and are verified, none
     * from the cache: what has been in memory for long shall not get a new checksum. By the writer.
     */
    public void readToRewrite(long logicalOffset, ByteBuffer destination, int position, int length) {
        FlexTreeView view = tree.current();
        pauses.begin();
        try {
            fileReader.read(view, logicalOffset, destination, position, length);
        } finally {
            pauses.end();
        }
    }

    // ---- through mappings

    /**
     * Copies bytes from an address of the data file, which may be any, and out of date. The bytes have not been
     * verified: the caller has a checksum for them, and where that does not match although the address is not out of
     * date, he calls {@link #forgetFault}. Any thread, at any time. Makes no garbage unless a page can't be read.
     *
     * @return false if the bytes can't be read in this way
     */
    public boolean readAt(long address, ByteBuffer destination, int position, int length) {
        try {
            return store.isReadMapped()
                    && store.isWithinSegment(address, length)
                    && store.readUnverified(address, destination, position, length);
        } catch (StoreIoException e) {
            forgetFault(); // if it was not delivered yet
            return false; // who reads what is there now will be told
        }
    }

    /** Tells the kernel that bytes will be read by {@link #readAt}, for whose address the same holds. */
    public void prefetchAt(long address, int length) {
        if (store.isReadMapped() && store.isWithinSegment(address, length)) {
            store.prefetchUnverified(address, length);
        }
    }

    /**
     * Lets go of a fault that has struck {@link #readAt} unnoticed, which else may strike this thread anywhere. To be
     * called before anything that may fail. Makes garbage.
     */
    public void forgetFault() {
        try {
            store.throwPendingFault();
        } catch (StoreIoException e) {
            // as above
        }
    }

    /** Whether {@link #readAt} may succeed, through mappings. Once it may not, it never will. Any thread. */
    public boolean areMapped() {
        return store.isReadMapped();
    }

    /** Whether a read took as long as only a disk takes, so that {@link #read}, which prefetches, serves better. */
    public static boolean isOfDisk(long nanos, long bytes) {
        return ExtentPrefetcher.isSlow(nanos, bytes);
    }

    // ---- the cache of frames, and figures

    /** Says how much memory the cache of frames may take now, its budget at most. Any thread. */
    public void limitCache(long bytes) {
        if (cache != null) {
            cache.limit(bytes);
        }
    }

    /** Lets go of so much memory of that cache, or of what there is if that is less; how much that was. Any thread. */
    public long giveBackCache(long bytes) {
        return cache == null ? 0 : cache.giveBack(bytes);
    }

    /** Frames that reads have found in the cache. Any thread. */
    long cacheHits() {
        return cache == null ? 0 : cache.hits();
    }

    /** Frames that reads have looked for in the cache, and found in the file only. Any thread. */
    long cacheMisses() {
        return cache == null ? 0 : cache.misses();
    }

    /** Off-heap bytes of the cache. Any thread. */
    long cacheBytes() {
        return cache == null ? 0 : cache.memoryBytes();
    }

    /** Off-heap bytes that reads of the file use, or leave to the next ones. Any thread. */
    long scratchBytes() {
        return reader.memoryBytes() + (fileReader == reader ? 0 : fileReader.memoryBytes());
    }
}
