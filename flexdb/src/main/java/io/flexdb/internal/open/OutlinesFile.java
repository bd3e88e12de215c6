package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SavedOutlines;
import io.flexdb.internal.interval.SparseIndex;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Outlines of the intervals that the cache knew at the last clean close, so that the first lookup in each need not read
 * all of it.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       76    see IntervalsFile
 *         76      4     zero
 *         80      4     CRC32C
 *         4096    32    what makes fingerprints, see Fingerprints
 *         4128          outlines of the intervals, in order
 *
 * outline OFFSET  SIZE  FIELD
 *         0       1     pairs, n; 0 if there is none, and nothing else
 *         1       1     width, w: 0, 1 or 2
 *         2       2     bytes of the shortest pair
 *         4       n     fingerprints
 *         4 + n   n w   bytes of each pair beyond those of the shortest
 * </pre>
 *
 * <p>An {@link IntervalsFile}. Readers verify the record that an outline leads to.
 */
public final class OutlinesFile {
    private static final IntervalsFile FILE =
            new IntervalsFile(FormatVersion.OUTLINES, StoreFiles.OUTLINES_NAME, SavedOutlines.MAX_BYTES);

    private OutlinesFile() {}

    /** Writes the file, after that of the anchors. If that fails, there is no file, or one that does not count. */
    public static void write(Vfs vfs, Path directory, SparseIndex index, IntervalCache cache, SpaceEngine engine) {
        SavedOutlines outlines = new SavedOutlines(cache);
        FILE.write(vfs, directory, index, engine, new IntervalsFile.Saved() {
            @Override
            public int number() {
                return 0;
            }

            @Override
            public void begin(ByteBuffer piece) {
                outlines.saveFingerprints(piece);
            }

            @Override
            public void save(IntervalCursor interval, ByteBuffer piece) {
                outlines.save(interval.contentNumber(), interval.pairCount(), piece);
            }
        });
    }

    /**
     * Restores the cache's outlines and the secrets of its fingerprints, if there is a file that fits the space; else the
     * cache stays empty.
     *
     * @param index as the file of anchors has filled it
     * @param cache that is empty, and that nobody asks
     * @return whether there is such a file
     */
    public static boolean load(Vfs vfs, Path directory, SpaceEngine engine, SparseIndex index, IntervalCache cache) {
        SavedOutlines outlines = new SavedOutlines(cache);
        boolean sound = FILE.load(vfs, directory, engine, index, new IntervalsFile.Restored() {
            @Override
            public boolean begin(int number, ByteBuffer piece) {
                return number == 0 && outlines.restoreFingerprints(piece);
            }

            @Override
            public boolean restore(IntervalCursor interval, ByteBuffer piece) {
                return outlines.restore(interval.contentNumber(), interval.pairCount(), interval.lengthBytes(), piece);
            }
        });
        if (!sound) {
            outlines.forgetRestored();
        }
        return sound;
    }

    /** Deletes the file, as {@link AnchorsFile#delete} does. */
    public static boolean delete(Vfs vfs, Path directory) {
        return FILE.delete(vfs, directory);
    }
}
