package io.flexdb.internal.open;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;

/**
 * Something that is not as it should be.
 *
 * @param file where it is
 * @param position of the damaged unit in it
 * @param keys of the pairs that it concerns; null if that is not known, or it is of no pairs
 */
public record Problem(Path file, long position, Keys keys, String expected, String found) {
    /** The problem of what was thrown when a file was read. */
    public static Problem of(StorageException e, Path path, Keys keys) {
        return e instanceof CorruptionException damage
                ? new Problem(damage.file(), damage.position(), keys, damage.expected(), damage.found())
                : new Problem(path, 0, keys, "a file that can be read", String.valueOf(e.getMessage()));
    }

    /**
     * Tells some pairs by their neighbours.
     *
     * @param before the key of the last pair before them; null if there is none, or that is not known
     * @param after the key of the first pair behind them; null if there is none, or that is not known
     */
    public record Keys(byte[] before, byte[] after) {
        /** That of a pair itself. */
        public static Keys of(byte[] key) {
            return new Keys(key, key);
        }
    }
}
