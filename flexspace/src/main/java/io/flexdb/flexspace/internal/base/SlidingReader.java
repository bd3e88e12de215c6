package io.flexdb.flexspace.internal.base;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Reads something long, as a file or the bytes of an interval, through a buffer that slides over it. Reused, with its
 * memory. For one thread. Reads throw what the source throws, and the buffer has nothing then.
 */
public final class SlidingReader {
    /*
     * The problem: a walk over headers and keys asks for a few bytes at a time, and a read of the source costs far more
     * than these do. Where the next ones are, only the ones before them tell.
     * The choice: the buffer holds bytes in a row. When some are asked for that it lacks, it is filled from there on:
     * with few at first and behind a jump, for more may not be wanted, and with four times as many as before where the
     * walk goes on.
     * The cost: who goes back has bytes read again.
     */
    private static final int GROWTH = 4;

    /** A file, or something else that gives bytes by position. */
    @FunctionalInterface
    public interface Source {
        /** Fills a buffer from index 0 to its limit with the bytes from a position on, of which there are as many. */
        void read(ByteBuffer destination, long position);
    }

    private final Source source;
    private final ByteBuffer buffer;
    private final int firstBytes;
    private final boolean sparing;
    private final CRC32C crc = new CRC32C();
    private long end;
    private long start; // where the buffer lies in the source
    private int count; // bytes that it has

    /**
     * @param buffer all of which is used; the caller reads it by index, and changes nothing
     * @param firstBytes to read at first and behind a jump, if no more are asked for and the buffer holds as many
     */
    public SlidingReader(Source source, ByteBuffer buffer, int firstBytes) {
        this(source, buffer, firstBytes, false);
    }

    /** @param sparing whether a read that fails is tried again with what is asked for alone: damage may be behind it */
    public SlidingReader(Source source, ByteBuffer buffer, int firstBytes, boolean sparing) {
        this.source = source;
        this.buffer = buffer;
        this.firstBytes = firstBytes;
        this.sparing = sparing;
    }

    /** Forgets what it has, which may be out of date, or of another source. Nothing is read from {@code newEnd} on. */
    public SlidingReader begin(long newEnd) {
        end = newEnd;
        count = 0;
        return this;
    }

    /**
     * Has the buffer hold some bytes.
     *
     * @param position of the first one
     * @param bytes which lie before the end, and not more than the buffer holds
     * @return the index of the first one, until the next call
     */
    public int load(long position, int bytes) {
        return load(position, bytes, bytes);
    }

    /** Has the buffer hold some bytes, for a caller that will ask for {@code soon} from there on, or up to the end. */
    public int load(long position, int bytes, long soon) {
        if (position < start || position + bytes > start + count) {
            fill(position, bytes, soon);
        }
        return (int) (position - start);
    }

    private void fill(long position, int bytes, long soon) {
        boolean goesOn = position >= start && position <= start + count;
        long wanted = Math.max(soon, goesOn ? Math.max(firstBytes, GROWTH * count) : firstBytes);
        int length = (int) Math.min(Math.min(wanted, buffer.capacity()), end - position);
        Objects.checkFromIndexSize(0, bytes, length); // or the caller would see what was there before
        count = 0;
        start = position;
        try {
            source.read(buffer.clear().limit(length), position);
        } catch (CorruptionException | StoreIoException e) {
            if (!sparing) {
                throw e;
            }
            length = bytes;
            source.read(buffer.clear().limit(length), position);
        }
        buffer.clear();
        count = length;
    }

    /** The CRC32C of bytes that lie before the end, however many. */
    public int checksum(long position, int bytes) {
        crc.reset();
        int some;
        for (int done = 0; done < bytes; done += some) {
            some = loadSome(position + done, bytes - done);
            int index = (int) (position + done - start);
            crc.update(buffer.duplicate().limit(index + some).position(index));
        }
        return (int) crc.getValue();
    }

    /** Fills a buffer, of any size, with bytes that lie before the end. */
    public void copy(long position, ByteBuffer destination) {
        int some;
        for (long from = position; destination.hasRemaining(); from += some) {
            some = loadSome(from, destination.remaining());
            int to = destination.position();
            destination.put(to, buffer, (int) (from - start), some).position(to + some);
        }
    }

    /** Has the buffer hold the first of some bytes, and returns how many of them it has. */
    private int loadSome(long position, int bytes) {
        if (position < start || position >= start + count) {
            fill(position, Math.min(bytes, buffer.capacity()), bytes);
        }
        return (int) Math.min(bytes, start + count - position);
    }
}
