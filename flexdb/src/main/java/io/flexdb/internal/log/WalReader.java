package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Reads one file of the write-ahead log from its first frame to its end. Changes nothing. For one thread.
 *
 * <p>A frame may refer to what is in the data file, and is whole only with that.
 *
 * <p>Every byte is covered by a checksum that is verified, and every length is checked against the file, before it is
 * used. A frame that is not as it was written ends the log if it may be the torn tail of a crash; below the mark, and
 * wherever no crash can have been the cause, it is a {@link CorruptionException}.
 */
public final class WalReader implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 18;
    private static final int GLANCE_BYTES = 1 << 13; // what is read at first to see whether there is more

    private final VfsFile file;
    private final Path openedPath;
    private final long storeId;
    private final ByteBuffer buffer;
    private final SlidingReader reader;
    private final long fileBytes;
    private final long number;
    private final long generation;
    private final long markPosition;
    private final FrameHeader header;
    private final PayloadReader entries = new PayloadReader();
    private final Payload payload = new Payload();
    private byte[] bytes = new byte[0];
    private long position = WalFormat.FIRST_FRAME;
    private long framePosition;
    private long nextSequence; // of the next frame's first entry
    private long startSequence; // of the first frame's
    private long firstSequence; // of the frame, as are the next two
    private long lastSequence;
    private boolean behindLoad;
    private boolean ended;
    private FrameSearch search; // null before something was skipped
    private CorruptionException tolerated; // what is wrong with the header
    private Predicate<Payload> references = ofFrame -> true;
    private long checkedFrom = 1;

    /**
     * Opens a log and checks its header.
     *
     * @throws CorruptionException if the header is damaged, the file is not of this store, or not of the header's size
     * @throws io.flexdb.storage.UnsupportedFormatException if it has a format version that can't be read
     */
    public WalReader(Vfs vfs, Path path, long storeId) {
        this(vfs, path, storeId, false);
    }

    /**
     * Opens a log for a salvage: damage in the header is {@linkplain #tolerated told}, as long as it can be found out
     * which frames are of this use of the file.
     */
    public static WalReader tolerant(Vfs vfs, Path path, long storeId) {
        return new WalReader(vfs, path, storeId, true);
    }

    private WalReader(Vfs vfs, Path path, long storeId, boolean tolerant) {
        this.storeId = storeId;
        this.openedPath = path;
        this.file = vfs.open(path, OpenMode.READ);
        try {
            this.fileBytes = file.size();
            int bytes = (int) Math.min(fileBytes, PIECE_BYTES);
            this.buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
            this.reader = new SlidingReader(file::readFully, buffer, GLANCE_BYTES);
            loadStart();
            this.generation = tolerant ? generationInAnyCase() : requireHeader();
            this.number = tolerated == null ? buffer.getLong(WalFormat.HEADER_NUMBER) : numberInName();
            this.markPosition = readMark();
            this.header = new FrameHeader(storeId, generation);
            begin();
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /** Has the buffer hold what the file has before its first frame, from index 0 on. */
    private void loadStart() {
        reader.begin(fileBytes).load(0, (int) Math.min(fileBytes, WalFormat.FIRST_FRAME));
    }

    /** Returns the generation. */
    private long requireHeader() {
        if (fileBytes < WalFormat.START) {
            throw damage(0, "a header of " + WalFormat.START + " bytes", "a file of " + fileBytes + " bytes");
        }
        FilePreamble.check(
                file.path(),
                0,
                buffer.duplicate(),
                FormatVersion.WAL,
                WalFormat.HEADER_CHECKSUM - FilePreamble.FIELDS_OFFSET,
                storeId);
        String name = WalFormat.fileName(buffer.getLong(WalFormat.HEADER_NUMBER));
        if (!name.equals(file.path().getFileName().toString())) {
            throw damage(WalFormat.HEADER_NUMBER, "the number in the file's name", name);
        }
        if (buffer.getLong(WalFormat.HEADER_GENERATION) <= 0) {
            throw damage(WalFormat.HEADER_GENERATION, "a generation", hex(buffer.getLong(WalFormat.HEADER_GENERATION)));
        }
        long capacity = buffer.getLong(WalFormat.HEADER_CAPACITY);
        if (capacity != fileBytes || capacity < WalFormat.MIN_CAPACITY || capacity > WalFormat.MAX_CAPACITY) {
            throw damage(WalFormat.HEADER_CAPACITY, "a file of " + capacity + " bytes", fileBytes + " bytes");
        }
        requireZeros(WalFormat.HEADER_BYTES, WalFormat.MARK_GENERATION);
        requireZeros(WalFormat.MARK_GENERATION + WalFormat.MARK_BYTES, WalFormat.START);
        return buffer.getLong(WalFormat.HEADER_GENERATION);
    }

    /**
     * The generation in the header, or else the one by which both the start and the first frame have the right checks.
     */
    private long generationInAnyCase() {
        try {
            return requireHeader();
        } catch (CorruptionException e) {
            if (fileBytes < WalFormat.FIRST_FRAME + WalFormat.FRAME_HEADER_BYTES) {
                throw e;
            }
            tolerated = e;
            FrameHeader none = new FrameHeader(storeId, 0);
            int low = none.startCheck(buffer.getLong(WalFormat.START)) ^ buffer.getInt(WalFormat.START_CHECK);
            FrameSearch frames = new FrameSearch(file, none, 0, WalFormat.FIRST_FRAME);
            if (low <= 0 || frames.generation(WalFormat.FIRST_FRAME) != low) {
                throw e;
            }
            return low;
        }
    }

    private long numberInName() {
        try {
            return Long.parseLong(file.path().getFileName().toString());
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE; // more than any log has
        }
    }

    /** The damage in the header of a log that was opened tolerantly; null if there is none. */
    public CorruptionException tolerated() {
        return tolerated;
    }

    private void requireZeros(int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer.get(i) != 0) {
                throw damage(i, "zero", hex(buffer.get(i) & 0xff));
            }
        }
    }

    /** Up to where the file is known to have been forced; a mark that was torn or is of an earlier use says nothing. */
    private long readMark() {
        long marked = buffer.getLong(WalFormat.MARK_POSITION);
        boolean valid = buffer.getLong(WalFormat.MARK_GENERATION) == generation
                && buffer.getInt(WalFormat.MARK_CHECKSUM) == WalFormat.markChecksum(id(), marked);
        return valid ? marked : WalFormat.FIRST_FRAME;
    }

    private void begin() {
        startSequence = readStart();
        nextSequence = startSequence;
    }

    /** The sequence number of the first entry; 0 if nothing was written in this use of the file, or not all of it. */
    private long readStart() {
        long sequence = buffer.getLong(WalFormat.START);
        if (buffer.getInt(WalFormat.START_CHECK) != header.startCheck(sequence)
                || buffer.getInt(WalFormat.START_ZERO) != 0) {
            return 0;
        }
        if (sequence < 1) { // no crash does this: the check says that this is what was written
            throw damage(WalFormat.START, "a sequence number", String.valueOf(sequence));
        }
        return sequence;
    }

    /**
     * Has {@link #next} look at the end once more, for a log that another process writes. A part of a frame may be a
     * whole one then.
     */
    void lookAgain() {
        ended = false;
        if (nextSequence == 0) {
            loadStart();
            begin();
        }
        reader.begin(fileBytes); // what was read before may be out of date
    }

    /** The name under which the file was opened, whatever it is now. */
    Path openedPath() {
        return openedPath;
    }

    /** Whether a bulk load came right before the frame. */
    public boolean isBehindLoad() {
        return behindLoad;
    }

    /** The sequence number of the first entry of all; 0 if nothing was written. */
    public long startSequence() {
        return startSequence;
    }

    /** The number that the first entry of the next frame will have; 0 if nothing was written. */
    public long nextSequence() {
        return nextSequence;
    }

    /** Has frames behind a sequence number count only if what they refer to is there. */
    void check(Predicate<Payload> newCheck, long coveredSequence) {
        references = newCheck;
        checkedFrom = coveredSequence + 1;
    }

    /** Moves to the next frame; false at the log's end. */
    public boolean next() {
        if (ended) {
            return false;
        }
        String missing = readFrame();
        if (missing == null) {
            return true;
        }
        ended = true;
        if (position < markPosition) {
            throw damage(position, "frames up to position " + markPosition + ", which were forced", missing);
        }
        return false;
    }

    /**
     * Goes on behind what is no frame, for a salvage: after {@link #next} has returned false or thrown, moves to before
     * the next whole frame, wherever it is. The numbers from there on are too low, by the writes that lie between.
     *
     * @param first the number that the first entry of the log is to have, if its start is damaged
     * @return whether there is one
     */
    public boolean skip(long first) {
        if (position + WalFormat.FRAME_HEADER_BYTES >= fileBytes) {
            return false;
        }
        // Without a start the first frame may be whole.
        long from = nextSequence == 0 ? position : position + Long.BYTES;
        search = search == null ? new FrameSearch(file, header, generation, position) : search;
        long found = search.next(from);
        if (found < 0) {
            return false;
        }
        position = found;
        nextSequence = nextSequence == 0 ? first : nextSequence + 1;
        ended = false;
        return true;
    }

    /** After {@link #skip} has found nothing: whether there may have been one more frame, or a part of one. */
    public boolean mayLackFrame() {
        boolean isFull = position + WalFormat.FRAME_HEADER_BYTES >= fileBytes;
        return !isFull && search.mayBeBegun(position);
    }

    /** Reads the frame at the position and moves behind it; returns what stands there instead if there is none. */
    private String readFrame() {
        if (nextSequence == 0) {
            return "no start of generation " + generation;
        }
        if (fileBytes - position < WalFormat.FRAME_HEADER_BYTES) {
            return "the end of the file";
        }
        int at = reader.load(position, WalFormat.FRAME_HEADER_BYTES);
        int length = buffer.getInt(at + WalFormat.FRAME_LENGTH);
        int check = buffer.getInt(at + WalFormat.FRAME_CHECK);
        int payloadBytes = length & ~WalFormat.BEHIND_LOAD;
        if (payloadBytes < 1 || WalFormat.frameBytes(payloadBytes) > fileBytes - position || !isFrame(length, check)) {
            return "no frame of generation " + generation;
        }
        behindLoad = length < 0;
        requireEntries(payloadBytes);
        int count = payload.entries();
        if (nextSequence + count > checkedFrom && !references.test(payload)) {
            return "a frame that refers to large values which are not in the data file";
        }
        firstSequence = nextSequence;
        lastSequence = nextSequence + count - 1;
        nextSequence += count;
        framePosition = position;
        position += WalFormat.frameBytes(payloadBytes);
        return null;
    }

    /** Reads the payload at the position and returns whether this is a frame. */
    private boolean isFrame(int length, int check) {
        int payloadBytes = length & ~WalFormat.BEHIND_LOAD;
        long start = position + WalFormat.FRAME_HEADER_BYTES;
        // The length may be any bytes: nobody is asked for much memory before it has passed for that of a frame.
        if (payloadBytes > PIECE_BYTES
                && header.frameCheck(position, length, reader.checksum(start, payloadBytes)) != check) {
            return false;
        }
        if (bytes.length < payloadBytes) {
            bytes = new byte[(int) Math.min(fileBytes, Math.max(payloadBytes, 2L * bytes.length))];
        }
        reader.copy(start, ByteBuffer.wrap(bytes, 0, payloadBytes));
        return header.frameCheck(position, length, WritePayload.checksum(bytes, 0, payloadBytes)) == check;
    }

    /**
     * Counts the entries. A memtable is as large as its log, so no frame has more than a memtable of that size could
     * hold: a small file must not ask for much memory.
     */
    private void requireEntries(int length) {
        int found = 0;
        int ranges = 0;
        long bodyBytes = 0;
        long withoutTimes = 0;
        try {
            entries.reset(bytes, 0, length);
            while (entries.next()) {
                found++;
                ranges += entries.type() == WritePayload.DELETE_RANGE ? 1 : 0;
                bodyBytes += MemTable.bodyBytes(entries.keyLength(), entries.tailLength());
                withoutTimes += MemTable.bodyBytes(entries.keyLength(), entries.valueLength());
            }
        } catch (IllegalArgumentException e) {
            throw damage(position, "entries", e.getMessage());
        }
        if (found > Long.MAX_VALUE - nextSequence) {
            throw damage(position, "sequence numbers", found + " entries from " + nextSequence);
        }
        int arenaBytes = (int) Math.max(MemTable.MIN_ARENA_BYTES, Math.min(MemTable.MAX_ARENA_BYTES, fileBytes));
        if (!MemTable.couldHold(arenaBytes, withoutTimes, found)) {
            throw damage(position, "a write that a memtable of " + arenaBytes + " bytes holds", found + " entries");
        }
        payload.set(bytes, length, found, ranges, bodyBytes);
    }

    private CorruptionException damage(long at, String expected, String found) {
        return new CorruptionException(file.path(), at, expected, found);
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    /** Hands the frame over. */
    void deliver(FrameConsumer consumer) {
        if (behindLoad) {
            consumer.behindLoad();
        }
        consumer.accept(firstSequence, payload);
    }

    /** The sequence number of the frame's first entry. */
    public long firstSequence() {
        return firstSequence;
    }

    /** The sequence number of the frame's last entry; at the end, of the last frame; 0 if there is none. */
    public long lastSequence() {
        return lastSequence;
    }

    /** The frame's payload, until the next call of {@link #next}. */
    public Payload payload() {
        return payload;
    }

    /** Where the frame begins. */
    public long framePosition() {
        return framePosition;
    }

    /** Where the next frame would begin; at the end, where the log ends. */
    public long position() {
        return position;
    }

    /** Up to where the file says it was forced. */
    public long markPosition() {
        return markPosition;
    }

    /** Bytes of the file. */
    long fileBytes() {
        return fileBytes;
    }

    /** The file's number. */
    public long number() {
        return number;
    }

    /** Which log it is. */
    WalId id() {
        return new WalId(storeId, number, generation);
    }

    /** The file's generation. */
    public long generation() {
        return generation;
    }

    /** The file. */
    public Path path() {
        return file.path();
    }

    /** Every frame, one a line, up to the end or the first damage. */
    public String dump() {
        StringBuilder text = new StringBuilder(toString()).append('\n');
        try {
            while (next()) {
                text.append("  ").append(framePosition).append(": #").append(firstSequence);
                text.append(payload.entries() == 1 ? "" : " to #" + lastSequence)
                        .append(", ");
                text.append(payload.length()).append(" bytes\n");
            }
            text.append("  ").append(position).append(": end\n");
        } catch (CorruptionException e) {
            text.append("  ").append(e.getMessage()).append('\n');
        }
        return text.toString();
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return "WalReader[" + number + ", generation=" + generation + ", bytes=" + fileBytes + ", forced="
                + markPosition + "]";
    }
}
