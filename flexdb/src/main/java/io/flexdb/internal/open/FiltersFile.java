package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.SparseIndex;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The range filters of the last clean close, so that they need not be made anew from all of the data.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       76    see IntervalsFile
 *         76      4     models of keys
 *         80      4     CRC32C
 *         4096          models, then filters of the intervals, in order
 *
 * model   OFFSET  SIZE  FIELD
 *         0       514   shares of the end of a key and of each byte, in 32768 parts, 2 bytes each
 *
 * filter  OFFSET  SIZE  FIELD
 *         0       2     model(4), parts - 1(6), cells(6), from the highest bit; 0 if there is none
 *         2       n     cells, see CellSet
 * </pre>
 *
 * <p>An {@link IntervalsFile}. If it is missing, filters are made when somebody asks for them.
 */
public final class FiltersFile {
    private static final IntervalsFile FILE =
            new IntervalsFile(FormatVersion.FILTERS, StoreFiles.FILTERS_NAME, RangeFilters.MAX_SAVED_BYTES);

    private FiltersFile() {}

    /** Writes the file, after that of the anchors. If that fails, there is no file, or one that does not count. */
    public static void write(Vfs vfs, Path directory, SparseIndex index, RangeFilters filters, SpaceEngine engine) {
        FILE.write(vfs, directory, index, engine, new IntervalsFile.Saved() {
            @Override
            public int number() {
                return filters.modelCount();
            }

            @Override
            public void begin(ByteBuffer piece) {
                filters.saveModels(piece);
            }

            @Override
            public void save(IntervalCursor interval, ByteBuffer piece) {
                filters.save(interval.contentNumber(), piece);
            }
        });
    }

    /**
     * Restores the filters, if there is a file that fits the space. If there is none, or it is not sound, there are no
     * filters.
     *
     * @param index as the file of anchors has filled it
     * @param filters of which there are none yet, and which nobody asks
     */
    public static void load(Vfs vfs, Path directory, SpaceEngine engine, SparseIndex index, RangeFilters filters) {
        boolean sound = FILE.load(vfs, directory, engine, index, new IntervalsFile.Restored() {
            @Override
            public boolean begin(int models, ByteBuffer piece) {
                return filters.restoreModels(models, piece);
            }

            @Override
            public boolean restore(IntervalCursor interval, ByteBuffer piece) {
                return filters.restore(interval.contentNumber(), piece);
            }
        });
        if (sound) {
            filters.restored(index);
        } else {
            filters.clear();
        }
    }

    /** Deletes the file, as {@link AnchorsFile#delete} does. */
    public static boolean delete(Vfs vfs, Path directory) {
        return FILE.delete(vfs, directory);
    }
}
