package io.flexdb.internal.open;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.SavedOutlines;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * Keeps from a clean close to the next opening what memory has of the intervals, so that opening reads one file and no
 * data: the anchors, which are the sparse index; outlines, so that the first lookup in an interval need not read all of
 * it; and range filters, if the store has some.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       32    common fields, see FilePreamble
 *         32      8     version of the FlexTree
 *         40      8     generation of the logical log
 *         48      8     tag of the last commit
 *         56      8     intervals
 *         64      8     where the anchors end
 *         72      4     CRC32C of them
 *         76      8     where the outlines end
 *         84      4     CRC32C of them
 *         88      8     where the filters end
 *         96      4     CRC32C of them
 *         100     32    what makes fingerprints, see Fingerprints
 *         132     4     CRC32C
 *         4096          anchors, outlines, filters: of all intervals, in order; models before the filters
 *
 * anchor  OFFSET  SIZE  FIELD
 *         0       8     bytes of the interval
 *         8       4     its pairs
 *         12      4     bytes of the anchor, 0 for the first interval
 *         16      n     anchor
 *
 * outline OFFSET  SIZE  FIELD
 *         0       1     pairs, n; 0 if there is none, and nothing else
 *         1       1     width, w: 0, 1 or 2
 *         2       2     bytes of the shortest pair
 *         4       n     fingerprints
 *         4 + n   n w   bytes of each pair beyond those of the shortest
 *
 * models  OFFSET  SIZE  FIELD
 *         0       4     models of keys, m
 *         4       514 m shares of the end of a key and of each byte, in 32768 parts, 2 bytes each
 *
 * filter  OFFSET  SIZE  FIELD
 *         0       2     model(4), parts - 1(6), cells(6), from the highest bit; 0 if there is none
 *         2       n     cells, see CellSet
 * </pre>
 *
 * <p>It counts only if version, generation and tag are those of the space; every opening changes the generation. It is
 * deleted when a store is opened: a file that is damaged or left behind costs time, never correctness. {@link
 * RestedState} writes such a file, of another name, while a store is open.
 */
final class IntervalsFile {
    /*
     * Only a piece of the file is in memory at a time, however large it is. All anchors are verified before any is
     * believed, so they are read twice: they are far smaller than the data, and in the page cache the second time.
     * Outlines and filters are given up, each by themselves, if they turn out not to be sound.
     *
     * A small file is not forced. If a power cut takes it, the anchors are sampled, which takes less time than two
     * forces. A larger one is, whole: outlines and filters are a few times as long as the anchors, and two files would
     * be forced twice.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int LEAST_FORCED_BYTES = 256 << 10;

    private static final int SECTIONS = 3;
    private static final int FIELD_BYTES =
            4 * Long.BYTES + SECTIONS * (Long.BYTES + Integer.BYTES) + Fingerprints.SAVED_BYTES;
    private static final int ENTRY_BYTES = 16;
    private static final int MOST_BYTES = ENTRY_BYTES + RecordFormat.MAX_KEY_BYTES; // of an interval, in each section
    private static final int PIECE_BYTES = 2 * MOST_BYTES;

    private IntervalsFile() {}

    /** Writes the file when the store is closed. If that fails, there is no file, or one that does not count. */
    static void write(Vfs vfs, Path path, Intervals intervals, SpaceEngine engine) {
        vfs.deleteIfExists(path);
        try {
            if (writeFile(vfs, path, intervals, engine, () -> true) > LEAST_FORCED_BYTES) {
                try (VfsFile file = vfs.open(path, OpenMode.READ_WRITE)) {
                    file.force();
                }
                vfs.syncDirectory(path.getParent());
            }
        } catch (StorageException | OutOfMemoryError e) {
            delete(vfs, path);
            throw e;
        }
    }

    /**
     * Writes a new file of a space that nobody changes meanwhile, which counts from the last step on.
     *
     * @param goOn asked now and then whether to go on
     * @return its length, or 0 if it did not
     */
    static long writeFile(Vfs vfs, Path path, Intervals intervals, SpaceEngine engine, BooleanSupplier goOn) {
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            SparseIndex index = intervals.index;
            RangeFilters filters = intervals.filters;
            ByteBuffer block = beginBlock(FormatVersion.INTERVALS, index, engine);
            Sections sections = new Sections(file, block, index, engine.owner().epochs(), goOn);
            ByteBuffer piece = sections.piece;
            byte[] anchor = new byte[RecordFormat.MAX_KEY_BYTES];
            boolean goesOn = sections.write(interval -> {
                int length = interval.anchor(anchor);
                piece.putLong(interval.lengthBytes())
                        .putInt(interval.pairCount())
                        .putInt(length);
                piece.put(anchor, 0, length);
            });
            SavedOutlines outlines = new SavedOutlines(intervals.cache);
            goesOn = goesOn
                    && sections.write(interval -> outlines.save(interval.contentNumber(), interval.pairCount(), piece));
            if (filters == null) {
                block.putLong(sections.end).putInt(0);
            } else {
                filters.saveModels(piece);
                goesOn = goesOn && sections.write(interval -> filters.save(interval.contentNumber(), piece));
            }
            if (!goesOn) {
                return 0;
            }
            intervals.cache.fingerprints.save(block);
            file.write(FilePreamble.finish(block), 0);
            return sections.end;
        }
    }

    /** Writes sections one behind the other. */
    private static final class Sections {
        final ByteBuffer piece = newPiece(PIECE_BYTES);
        private final VfsFile file;
        private final ByteBuffer block; // which tells where each ends, and its checksum
        private final SparseIndex index;
        private final Epochs epochs;
        private final BooleanSupplier goOn;
        long end = FilePreamble.BLOCK_BYTES;

        Sections(VfsFile file, ByteBuffer block, SparseIndex index, Epochs epochs, BooleanSupplier goOn) {
            this.file = file;
            this.block = block;
            this.index = index;
            this.epochs = epochs;
            this.goOn = goOn;
        }

        /** Writes what is in the piece, and what is put there of each interval; false if it did not go on. */
        boolean write(Consumer<IntervalCursor> put) {
            CRC32C crc = new CRC32C();
            IntervalCursor cursor = index.cursor();
            for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
                if (piece.remaining() < MOST_BYTES) {
                    crc.update(piece.duplicate().flip());
                    end += IntervalsFile.write(file, piece, end);
                    if (!goOn.getAsBoolean()) {
                        return false;
                    }
                }
                int ticket = epochs.enter(); // others may use the cache
                try {
                    put.accept(cursor);
                } finally {
                    epochs.exit(ticket);
                }
            }
            crc.update(piece.duplicate().flip());
            end += IntervalsFile.write(file, piece, end);
            block.putLong(end).putInt((int) crc.getValue());
            return true;
        }
    }

    /** The first block of a file of this space, positioned behind its number of intervals. */
    static ByteBuffer beginBlock(FilePreamble.Kind kind, SparseIndex index, SpaceEngine engine) {
        return FilePreamble.begin(kind, engine.storeId())
                .putLong(engine.treeVersion())
                .putLong(engine.logGeneration())
                .putLong(engine.tag())
                .putLong(index.intervalCount());
    }

    /** Whether a block, positioned at its fields, is of the space as it was when it was opened. */
    static boolean fits(ByteBuffer block, SpaceEngine engine) {
        return block.getLong() == engine.openedTreeVersion()
                & block.getLong() == engine.openedLogGeneration()
                & block.getLong() == engine.tag();
    }

    static ByteBuffer newPiece(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes a piece, empties it, and returns how many bytes it had. */
    static int write(VfsFile file, ByteBuffer piece, long at) {
        int length = piece.flip().remaining();
        file.write(piece, at);
        piece.clear();
        return length;
    }

    /**
     * Fills an empty index, and restores what else there is, if there is a file that fits the space.
     *
     * @param cache that is empty, and that nobody asks: it gets outlines, and the secrets of its fingerprints; null to
     *     restore the index alone
     * @param filters of which there are none yet, and which nobody asks; null if there are none
     * @return whether there is; if not, the index is empty still
     * @throws CorruptionException if the file changes while it is read
     */
    static boolean load(
            Vfs vfs, Path path, SpaceEngine engine, Intervals into, IntervalCache cache, RangeFilters filters) {
        if (!vfs.exists(path)) {
            return false;
        }
        boolean loading = false;
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer block = FilePreamble.check(
                    path, 0, FilePreamble.read(file, 0), FormatVersion.INTERVALS, FIELD_BYTES, engine.storeId());
            boolean fits = fits(block, engine);
            long count = block.getLong();
            ByteBuffer piece = newPiece(PIECE_BYTES);
            Section anchors = new Section(file, piece, FilePreamble.BLOCK_BYTES, block);
            Section outlines = new Section(file, piece, anchors.end, block);
            Section ofFilters = new Section(file, piece, outlines.end, block);
            if (!fits
                    || ofFilters.end != file.size()
                    || cache != null && !cache.fingerprints.restore(block)
                    || !loadAnchors(anchors, count, engine.size(), null)) {
                return false;
            }
            loading = true; // now that all of it is known to be sound
            if (!loadAnchors(anchors, count, engine.size(), into)) {
                throw new CorruptionException(path, anchors.begin, "what was read before", "other bytes");
            }
            if (cache != null) {
                loadOutlines(outlines, into.index, cache);
            }
            if (filters != null) {
                loadFilters(ofFilters, into.index, filters);
            }
            return true;
        } catch (CorruptionException | StoreIoException e) {
            if (loading) {
                throw e; // of an index that is filled in part
            }
            return false; // sampling gives the same anchors, or others as good
        }
    }

    /** Reads all anchors, and returns whether they are sound as far as they could be read. */
    private static boolean loadAnchors(Section section, long count, long size, Intervals into) {
        byte[] last = new byte[RecordFormat.MAX_KEY_BYTES];
        int lastLength = -1;
        long total = 0;
        ByteBuffer piece = section.start();
        for (long i = 0; i < count; i++) {
            section.fill();
            if (piece.remaining() < ENTRY_BYTES) {
                return false;
            }
            long lengthBytes = piece.getLong();
            int pairs = piece.getInt();
            int length = piece.getInt();
            int anchor = piece.position();
            if (lengthBytes < 0
                    || lengthBytes > size - total
                    || pairs < 0
                    || pairs > Interval.UNKNOWN_PAIRS
                    || length < 0
                    || length > RecordFormat.MAX_KEY_BYTES
                    || length > piece.remaining()) {
                return false;
            }
            boolean ascends = lastLength < 0
                    ? length == 0
                    : Arrays.compareUnsigned(piece.array(), anchor, anchor + length, last, 0, lastLength) > 0;
            if (!ascends) {
                return false;
            }
            if (into != null) {
                into.append(piece.array(), anchor, length, lengthBytes, pairs);
            }
            piece.get(last, 0, length);
            lastLength = length;
            total += lengthBytes;
        }
        return section.isSound() && total == size && count > 0;
    }

    private static void loadOutlines(Section section, SparseIndex index, IntervalCache cache) {
        SavedOutlines outlines = new SavedOutlines(cache);
        BiPredicate<IntervalCursor, ByteBuffer> restore = (interval, piece) ->
                outlines.restore(interval.contentNumber(), interval.pairCount(), interval.lengthBytes(), piece);
        if (!section.restoreEach(index, piece -> true, restore)) {
            outlines.forgetRestored();
        }
    }

    private static void loadFilters(Section section, SparseIndex index, RangeFilters filters) {
        BiPredicate<IntervalCursor, ByteBuffer> restore =
                (interval, piece) -> filters.restore(interval.contentNumber(), piece);
        if (section.restoreEach(index, filters::restoreModels, restore)) {
            filters.restored(index);
        } else {
            filters.clear();
        }
    }

    /**
     * Deletes a file of this kind or a {@link DirectoriesFile}, if there is one and it can be done, and returns whether
     * it was. The deletion need not be durable, or succeed: the file fits no later state of the space.
     */
    static boolean delete(Vfs vfs, Path path) {
        try {
            return vfs.deleteIfExists(path);
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A file that is not needed stays: " + path, e);
            return false;
        }
    }

    /** A section that is being read, a piece at a time. */
    private static final class Section {
        private final VfsFile file;
        private final ByteBuffer piece; // of whichever section is read
        private final long begin;
        private final long end;
        private final int expectedCrc;
        private final CRC32C crc = new CRC32C();
        private long read; // up to where

        /** @param block positioned at what it tells of this section */
        Section(VfsFile file, ByteBuffer piece, long begin, ByteBuffer block) {
            this.file = file;
            this.piece = piece;
            this.begin = begin;
            this.end = Math.max(begin, block.getLong());
            this.expectedCrc = block.getInt();
        }

        /** Begins to read it, and returns the piece. */
        ByteBuffer start() {
            crc.reset();
            read = begin;
            piece.clear().limit(0);
            return fill();
        }

        /** Fills the piece up behind its unread rest, unless it has all of an interval. */
        ByteBuffer fill() {
            if (piece.remaining() < MOST_BYTES && read < end) {
                piece.compact();
                int from = piece.position();
                int length = (int) Math.min(piece.remaining(), end - read);
                piece.limit(from + length);
                file.readFully(piece, read);
                crc.update(piece.array(), from, length);
                piece.flip();
                read += length;
            }
            return piece;
        }

        /** Whether what was read is all of it, and what was written. */
        boolean isSound() {
            return read == end && !piece.hasRemaining() && (int) crc.getValue() == expectedCrc;
        }

        /**
         * Restores what it has of each interval.
         *
         * @param first takes what stands before that; as each does, it returns false if the bytes can't have been saved
         * @return whether it is sound; if not, some may have been restored
         */
        boolean restoreEach(
                SparseIndex index, Predicate<ByteBuffer> first, BiPredicate<IntervalCursor, ByteBuffer> each) {
            try {
                boolean restored = first.test(start());
                IntervalCursor cursor = index.cursor();
                for (cursor.first(index.current()); restored && cursor.isValid(); cursor.next()) {
                    restored = each.test(cursor, fill());
                }
                return restored && isSound();
            } catch (CorruptionException | StoreIoException e) {
                LOG.log(System.Logger.Level.DEBUG, "What " + file.path() + " should have will be made anew", e);
                return false;
            }
        }
    }
}
