package io.flexdb.flexspace.internal.copy;

import io.flexdb.flexspace.internal.checkpoint.SealedState;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentPlaces;
import io.flexdb.flexspace.internal.segment.SegmentReader;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * One state of a space, to be copied by any one thread while readers and the writer go on.
 */
public final class SpaceCopy {
    /*
     * Made by the writer between two changes, right after a sync, so that whatever the view needs is in the file. The
     * view is pinned until the copy has ended. So no segment with extents of it is used again, and what is in the file
     * of it does not change (I3, I4 of SegmentStore); of the open one, to which the writer goes on to append, the copy
     * has the frames that were in the file then, with the checksums that it had then.
     *
     * The copy is a space like one that has just been checkpointed: a FlexTree file of version 1 with the nodes of the
     * view, an empty log that extends it, and segments with their numbers and generations, on which their checksums
     * depend. It has the id of the store, for the same reason.
     *
     * Its segments may lie in the very file that this space goes on to write to, of which the copy's directory has a name
     * then. The copy never writes to that file, nor does it become shorter than the copy needs: see FoundData. And what
     * lives in the copy is written once here, and stays until the copy's name is gone: see SegmentPlaces (S3). Behind the
     * frames of the open segment that were there when the copy was made others follow, as behind those that a crash
     * leaves.
     */
    private static final long LOG_GENERATION = 1;

    /** The name that the data file has in a copy that shares it. */
    public static final String LINKED_DATA_NAME = "data.linked";

    private final Vfs vfs;
    private final SegmentPlaces places;
    private final VfsFile dataFile;
    private final Path dataPath;
    private final SegmentFormat format;
    private final SealedState state;
    private final long storeId;
    private final List<Segment> segments = new ArrayList<>(); // with extents of the view
    private final List<int[]> checksums = new ArrayList<>(); // of each; null if its footer has them
    private final int openNumber; // -1: none is open
    private final long dataBytes;

    /**
     * @param view the writer's state, synced, and pinned until this is not used any more
     * @param tag of the sync
     */
    public SpaceCopy(Vfs vfs, SegmentStore store, FlexTree tree, FlexTreeView view, long storeId, long tag) {
        this.vfs = vfs;
        this.places = store.places();
        this.dataFile = store.file();
        this.dataPath = dataFile.path();
        this.format = store.format();
        this.storeId = storeId;
        this.state = new SealedState(tree, view, SegmentTable.of(store), tag);
        Segment open = store.openSegment();
        long bytes = 0;
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment.liveBytes > 0) {
                int[] known = segment == open ? Arrays.copyOf(open.checksums, store.openFramesInFile()) : null;
                segments.add(segment);
                checksums.add(known);
                bytes += segment == open ? (long) known.length << format.frameShift : format.segmentBytes;
            }
        }
        this.openNumber = open == null ? -1 : open.number;
        this.dataBytes = bytes;
    }

    /** Where bytes are in segments. */
    public SegmentFormat format() {
        return format;
    }

    /** The tag of the state. */
    public long tag() {
        return state.tag();
    }

    /** The id of the store, which the copy has too. */
    public long storeId() {
        return storeId;
    }

    /** Bytes of the segments that have extents of it. */
    public long dataBytes() {
        return dataBytes;
    }

    /** Bytes of its FlexTree file, roughly. */
    public long treeBytes() {
        return state.view().extentCount() * 13;
    }

    /**
     * Writes the FlexTree file and the log of the copy into a directory, and forces them, but not their names.
     *
     * @param to has the directory
     * @param written is told of the bytes of each piece; may throw to end it
     */
    public void copyTree(Vfs to, Path directory, IntConsumer written) {
        TreeCopy.write(to, directory, format, storeId, state, written);
        LogicalLog.create(to, directory, storeId, LOG_GENERATION, TreeCopy.TREE_VERSION, List::of)
                .close();
    }

    /** Whether the file system lets the target share segments, each by itself: then that is better than one file. */
    public boolean sharesBlocks(SegmentTarget target) {
        for (int i = 0; i < segments.size(); i++) {
            if (checksums.get(i) == null) {
                CopiedSegment copy = new CopiedSegment(segments.get(i).number, segments.get(i).generation, null, true);
                long from = format.filePosition(copy.number(), 0);
                return target.begin(copy).shareFrom(dataFile, from, format.segmentBytes, target.position(copy));
            }
        }
        return false;
    }

    /**
     * Gives the data file a name in the directory of the copy, in the place of copying segments.
     *
     * @param shared is told of the bytes that need not be copied; may throw to end it
     * @return false if that can't be done, or is not worth it
     */
    public boolean linkData(Path directory, IntConsumer shared) {
        BitSet numbers = new BitSet();
        boolean anySealed = false;
        for (int i = 0; i < segments.size(); i++) {
            int number = segments.get(i).number;
            anySealed |= number != openNumber;
            numbers.set(number);
        }
        if (!anySealed) {
            return false;
        }
        places.beginSharing(numbers);
        try {
            if (!link(directory.resolve(LINKED_DATA_NAME))) {
                return false;
            }
        } finally {
            places.endSharing();
        }
        for (long left = dataBytes; left > 0; left -= format.segmentBytes) {
            shared.accept((int) Math.min(format.segmentBytes, left));
        }
        return true;
    }

    private boolean link(Path name) {
        if (dataFile.linkCount() == 0 || !vfs.link(dataPath, name)) {
            return false;
        }
        if (dataFile.linkCount() > 1) {
            return true;
        }
        vfs.delete(name); // such a file system does not say when the name is gone
        return false;
    }

    /**
     * Copies all segments, in the order of their numbers.
     *
     * @param copied is told of the bytes of each piece; may throw to end it
     */
    public void copySegments(SegmentTarget target, IntConsumer copied) {
        try (VfsFile data = vfs.open(dataPath, OpenMode.READ)) {
            SegmentReader footers = new SegmentReader(data, format);
            SegmentCopier copier = new SegmentCopier(format, copied);
            for (int i = 0; i < segments.size(); i++) {
                Segment segment = segments.get(i);
                int[] sums = checksums.get(i);
                CopiedSegment copy = new CopiedSegment(
                        segment.number,
                        segment.generation,
                        sums == null ? footers.readFooter(segment) : sums,
                        segment.number != openNumber);
                VfsFile to = target.begin(copy);
                if (to == null) {
                    copied.accept(copy.bytes(format));
                    continue;
                }
                long from = format.filePosition(segment.number, 0);
                long position = target.position(copy);
                boolean verified = target.verifies();
                boolean done = !verified && sums == null && to.shareFrom(data, from, format.segmentBytes, position);
                if (done) {
                    copied.accept(format.segmentBytes);
                } else {
                    copier.copy(copy, data, from, to, position, verified);
                }
                target.end(copy);
            }
        }
    }
}
