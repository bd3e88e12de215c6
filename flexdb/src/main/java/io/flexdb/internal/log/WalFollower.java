package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the write-ahead logs that another process writes, and goes on reading where they go on. For one thread at a
 * time.
 */
public final class WalFollower implements AutoCloseable {
    /*
     * The problem: logs are appended to, begun, renamed and used again while they are read; what the space covers is
     * known only when the space has been read, which takes so long that logs have been used again since.
     * The choice: the logs are read first, into memtables, and the space afterwards. A write that was there when the
     * reading began and is not found has lost its log, and so a durable commit covered it before (O6): the space that is
     * read then has it. The writes that are found are divided into runs of consecutive sequence numbers. The run that
     * goes on behind the last number that the space covers counts, with all its entries: it has each covered entry from
     * some number on, so it shows what the space does.
     *
     * F1  A frame counts as recovery counts it: its check has the generation of its use of the file, so what is half
     *     written, or of another use, is the end for now.
     * F2  From one log the way leads to another only if that one begins with the very next number while the first still
     *     has its name. It loses that name before it is used again, and when a store is recovered; so both are of one
     *     life of the store, and nothing lies between them. Those that are not needed lose their names in their order
     *     (M1 of MemLogs): if none is found that goes on, and the first still has its name, then there is none.
     * F3  If the way is lost, nothing is guessed: everything is read anew.
     * F4  A call reads what was written before it began, and ends however fast the writer goes on: no more bytes than
     *     all logs together have.
     * F5  A log that has begun keeps its first number as long as it has its name (F2), and one that ends before the next
     *     number does so for ever. This follower, which is of one life of the store, therefore looks at neither again.
     */

    /** Takes what is found. */
    public interface Target extends FrameConsumer {
        /** Tells that the next frame does not go on where the last one ended. */
        void beginRun();

        /** Up to this number, which is that of the last frame, what comes was forced. Told of what is found first. */
        default void forced(long lastSequence) {}
    }

    private static final class Run {
        final long first;
        long last;
        WalReader log; // that it ends in
        CorruptionException ifMissedBefore; // a forced frame in it: what lies before it was durable, too

        Run(long first) {
            this.first = first;
        }
    }

    private record Begun(long sequence, long fileBytes) {}

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final WalStart start;
    private final List<Run> runs = new ArrayList<>();
    private final List<WalReader> open = new ArrayList<>();
    private WalReader log; // that is followed, null if it is not known
    private long next; // number of the entry to come
    private CorruptionException gap; // see there
    private Path following; // the log that begins with that number, as are the next two of the last look at the others
    private boolean othersBehind; // of that number
    private long othersBytes;
    private Path before; // the log that begins last of those that begin with that number, or before it
    private final Map<String, Begun> begun = new HashMap<>(); // F5
    private final Set<Path> ended = new HashSet<>(); // F5

    /** A follower that has read nothing yet. */
    public WalFollower(Vfs vfs, Path directory, long storeId) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.start = new WalStart(vfs, storeId);
    }

    // ---- the beginning

    /**
     * Reads everything that the logs have. Once.
     *
     * @param coveredSequence writes up to this number are known to be covered, and not handed over; 0 if that is not
     *     known
     * @throws CorruptionException if a log is damaged, and is not just being used again
     */
    public void readAll(long coveredSequence, Target target) {
        for (String name : names()) {
            WalReader reader = WalFormat.isFileName(name) ? openUnlessGone(directory.resolve(name)) : null;
            if (reader != null && reader.startSequence() == 0) {
                reader.close();
            } else if (reader != null) {
                open.add(reader);
            }
        }
        open.sort(Comparator.comparingLong(WalReader::startSequence).thenComparingLong(WalReader::number));
        for (int i = 0; i < open.size(); i++) {
            boolean covered = i + 1 < open.size() && open.get(i + 1).startSequence() <= coveredSequence + 1;
            if (!covered) { // else the next one has all that counts
                read(open.get(i), coveredSequence, target);
            }
        }
    }

    /** A directory that is missing has none. */
    private List<String> names() {
        return vfs.exists(directory) ? vfs.list(directory) : List.of();
    }

    /** A log; null if it is being used again, or deleted: all that it had is covered. */
    private WalReader openUnlessGone(Path path) {
        try {
            return new WalReader(vfs, path, storeId);
        } catch (StorageException failure) {
            try {
                if (!vfs.exists(path)) {
                    return null;
                }
            } catch (StorageException e) {
                failure.addSuppressed(e); // it may be there
            }
            throw failure;
        }
    }

    /** Moves to the next frame; where the file is no longer a log, what is left of it is none either. */
    private boolean next(WalReader reader) {
        try {
            return reader.next();
        } catch (CorruptionException e) {
            if (start.isStillThere(reader)) {
                throw e;
            }
            return false;
        }
    }

    private void read(WalReader reader, long coveredSequence, Target target) {
        Run run = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        while (next(reader)) {
            if (run != null && reader.lastSequence() <= run.last) {
                continue; // a copy, which a recovery that was cut short has left
            }
            if (run == null || reader.firstSequence() != run.last + 1) {
                if (run != null && reader.firstSequence() <= run.last) {
                    throw unexpected(reader, run.last + 1);
                }
                run = new Run(reader.firstSequence());
                runs.add(run);
                target.beginRun();
            }
            if (run.ifMissedBefore == null && reader.position() <= reader.markPosition()) {
                run.ifMissedBefore = unexpected(reader, run.first - 1);
            }
            if (reader.lastSequence() > coveredSequence) {
                reader.deliver(target);
                if (reader.position() <= reader.markPosition()) {
                    target.forced(reader.lastSequence());
                }
            }
            run.last = reader.lastSequence();
            run.log = reader;
        }
    }

    private static CorruptionException unexpected(WalReader reader, long expected) {
        return new CorruptionException(
                reader.path(),
                reader.framePosition(),
                "sequence number " + expected + " in this log or before it",
                "a frame with numbers " + reader.firstSequence() + " to " + reader.lastSequence());
    }

    /**
     * Chooses the run that counts, when it is known what the space covers; that is where {@link #follow} goes on.
     *
     * @param coveredSequence the number that a space which was read later has as its tag
     * @return the index of the run, from 0 on; -1 if none goes on there
     */
    public int settle(long coveredSequence) {
        int chosen = -1;
        close(log);
        log = null;
        next = coveredSequence + 1;
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            if (run.first <= coveredSequence + 1 && run.last >= coveredSequence) {
                chosen = i;
                log = run.log;
                next = run.last + 1;
            }
        }
        gap = null;
        for (Run run : runs) {
            gap = gap == null && run.first > next ? run.ifMissedBefore : gap;
        }
        for (WalReader reader : open) {
            if (reader != log) {
                reader.close();
            }
        }
        open.clear();
        runs.clear();
        return chosen;
    }

    /**
     * After {@link #settle}: the exception for a log that has writes behind a gap, or null. A gap may last for a
     * moment, as the logs are read one after the other; if it stays, it is damage.
     */
    public CorruptionException gap() {
        return gap;
    }

    // ---- going on

    /** The number of the last entry that was handed over, or is covered. */
    public long lastSequence() {
        return next - 1;
    }

    /** Whether the log is known that the last entry is in. */
    public boolean hasLog() {
        return log != null;
    }

    /**
     * Hands over what has been written since.
     *
     * @return false if the way is lost; what was handed over is right all the same
     * @throws CorruptionException if a log is damaged
     */
    public boolean follow(Target target) {
        if (log == null) {
            lookAtOthers();
            if (!findLog(target)) {
                return !othersBehind;
            }
        }
        long bytes = drain(target);
        lookAtOthers();
        long mostBytes = othersBytes + log.fileBytes();
        while (bytes <= mostBytes) {
            Path next = following;
            if (next == null && !othersBehind) {
                return start.isStillThere(log);
            }
            if (next != null && !switchTo(next)) {
                return false;
            }
            // Either the next log has something, or one behind it has begun, and this one had got more before.
            long more = drain(target);
            if (more == 0) {
                return next != null;
            }
            bytes += more;
            lookAtOthers();
        }
        return true;
    }

    /** Looks for logs that begin with the next number, or behind it. */
    private void lookAtOthers() {
        following = null;
        othersBehind = false;
        othersBytes = 0;
        before = null;
        long greatest = 0;
        List<String> names = names();
        begun.keySet().retainAll(names);
        for (String name : names) {
            Path path = directory.resolve(name);
            if (WalFormat.isFileName(name) && (log == null || !path.equals(log.openedPath()))) {
                Begun other = lookAt(name, path);
                following = other.sequence == next ? path : following;
                othersBehind |= other.sequence > next;
                othersBytes += other.fileBytes;
                if (other.sequence > greatest && other.sequence <= next) {
                    greatest = other.sequence;
                    before = path;
                }
            }
        }
    }

    private Begun lookAt(String name, Path path) {
        Begun known = begun.get(name);
        if (known != null) {
            return known;
        }
        Begun found = new Begun(start.of(path), start.fileBytes());
        if (found.sequence > 0) {
            begun.put(name, found);
        }
        return found;
    }

    private boolean switchTo(Path path) {
        WalReader reader = openUnlessGone(path);
        if (reader == null) {
            return false;
        }
        if (!start.isStillThere(log) || reader.startSequence() != next) { // F2
            reader.close();
            return false;
        }
        log.close();
        log = reader;
        return true;
    }

    /** Hands over what the log has, and returns the bytes of that. */
    private long drain(FrameConsumer consumer) {
        log.lookAgain();
        long before = log.position();
        while (next(log)) {
            handOver(consumer);
        }
        return log.position() - before;
    }

    private void handOver(FrameConsumer consumer) {
        if (log.lastSequence() < next) {
            return;
        }
        if (log.firstSequence() != next) {
            throw unexpected(log, next);
        }
        try {
            log.deliver(consumer);
        } catch (Throwable e) { // it has to be found once more
            log.close();
            log = null;
            throw e;
        }
        next = log.lastSequence() + 1;
    }

    /** Opens the log with the next number, or one that ends right before it, if the last look has found it. */
    private boolean findLog(Target target) {
        Path found = before;
        if (found == null || ended.contains(found)) {
            return false;
        }
        log = openUnlessGone(found);
        if (log == null) {
            return false;
        }
        drain(target);
        if (log.nextSequence() != next) {
            close();
            ended.add(found);
            return false;
        }
        return true;
    }

    @Override
    public void close() {
        open.forEach(WalReader::close);
        open.clear();
        close(log);
        log = null;
    }

    private static void close(WalReader reader) {
        if (reader != null) {
            reader.close();
        }
    }

    @Override
    public String toString() {
        return "WalFollower[next=" + next + ", log=" + log + "]";
    }
}
