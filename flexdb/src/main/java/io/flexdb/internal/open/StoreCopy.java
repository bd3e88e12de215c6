package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.WalCopy;
import io.flexdb.internal.log.WalReader;
import io.flexdb.internal.log.WalWriter;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;

/** All that was visible in a store at one moment, kept until it has been copied. For one thread. */
public final class StoreCopy implements AutoCloseable {
    /*
     * A version is pinned, with the number S of the last visible write. Its roots were synced just before; the space is
     * copied as of them, with the tag c of the last commit. The version's memtables have all writes from c + 1 on, so
     * their logs have, too. So a copy of these logs up to S and of the space is a state that a crash might have left:
     * the log hides parts of a commit that are in the space, as recovery asks (P3 of the promises).
     *
     * A log's file is used again as soon as a commit covers it. So logs are held from before the pin until they have
     * been copied, which comes first and does not take long. The large values of the logs are in segments that the
     * space's copy lacks, for nothing lives there yet. So the copies of the logs have these values. The pin keeps the
     * segments.
     *
     * A log has a large value in one piece, so writing it there, or recovering from it, takes that much memory. So if
     * the logs refer to much, all writes are committed before, and the copy is of the moment between two commits, when
     * the space has exactly the writes up to c: then S is c, and the copy has no log.
     */
    private final Vfs vfs;
    private final PinnedVersion pin;
    private final long sequence;
    private final SpaceCopy space;
    private final LargeValues large;
    private Runnable letLogsGo; // null once it was done

    /**
     * @param pin of a version with the roots that the space is to be copied of; closed with this
     * @param sequence of the last write that it is to have: the last that the pin sees, or the space's tag if the roots
     * have nothing newer
     * @param large reads the large values that the logs refer to
     * @param letLogsGo ends the holding of logs
     */
    public StoreCopy(
            Vfs vfs, PinnedVersion pin, long sequence, SpaceCopy space, LargeValues large, Runnable letLogsGo) {
        this.large = large;
        this.vfs = vfs;
        this.pin = pin;
        this.sequence = sequence;
        this.space = space;
        this.letLogsGo = letLogsGo;
    }

    /** The sequence number of the last write that the copy has. */
    public long sequence() {
        return sequence;
    }

    /** Bytes of large values that the copies of the logs will have, at most. */
    public long largeBytes() {
        long bytes = 0;
        for (MemLog log : pin.version().logs()) {
            bytes += log.hasEntries(sequence) ? log.stagedBytes() : 0;
        }
        return bytes;
    }

    /** The space. */
    public SpaceCopy space() {
        return space;
    }

    /**
     * Copies the write-ahead logs into a directory, and forces them, but not their names. Once, before the space.
     *
     * @param to has the directory
     * @throws CorruptionException if the logs lack a write that the copy is to have
     */
    public void copyLogs(Vfs to, Path directory) {
        MemLog[] newestFirst = pin.version().logs();
        Path newest = directory;
        long last = space.tag();
        for (int i = newestFirst.length - 1; i >= 0; i--) {
            WalWriter log = newestFirst[i].wal;
            if (i + 1 < newestFirst.length && newestFirst[i + 1].wal == log) {
                continue; // a log that was replayed and is that of several memtables
            }
            newest = log.path();
            try (WalReader reader = new WalReader(vfs, newest, space.storeId())) {
                long copied = WalCopy.copy(reader, sequence, log.lastSequence(), to, directory, large::whole);
                last = Math.max(last, copied);
            }
        }
        if (last < sequence) {
            throw new CorruptionException(
                    newest,
                    0,
                    "writes up to sequence number " + sequence + " in the logs and the space",
                    "none behind " + last);
        }
        letLogsGo();
    }

    private void letLogsGo() {
        Runnable action = letLogsGo;
        letLogsGo = null;
        if (action != null) {
            action.run();
        }
    }

    /** Lets go of version and logs. */
    @Override
    public void close() {
        pin.close();
        letLogsGo();
    }
}
