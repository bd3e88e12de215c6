package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A part of a file, mapped into memory. All bytes of a mapping are reached through here only, by copies that are
 * verified: a fault of the device, or a file that was cut, is a {@link StoreIoException} of the very call that met it.
 *
 * <p>Thread-safety: one thread at a time may write, any number may read. Nothing is allocated unless a call fails.
 */
public final class MappedFile {
    /*
     * The problem: an access to a page that the kernel can't provide is a signal. The JVM goes on behind the access and
     * makes an InternalError of it, but on JDK 17 the copy mostly returns as if it were good, and the error strikes the
     * thread later, anywhere, even where it gives a lock back. The choice: every copy shows whether it is good, and
     * after a bad one the thread enters the JVM by a call that delivers the error here, where it is caught.
     *
     * M1 Only copies of whole ranges by the JDK touch a mapping: one that faults leaves what is behind the fault as it
     *    was. A single access, compiled, leaves anything in the register that it should have loaded.
     * M2 Copies go from front to back, and a page that has begun to fault goes on: its device is gone, or its place in
     *    the file. So where the word of a page is good that was copied last, all of the page is.
     * M3 Before a write each such word gets the complement of what it will be and is read back, so that what was there
     *    before, if it is the same as the new, does not pass for a write. The place that it is read into is made
     *    different first.
     * M4 Before a read each such word of the destination gets a token. Where it is still there afterwards, the copy has
     *    faulted or the file has these very bytes: the same with the token's complement tells which, since only the
     *    file brings the token again.
     * M5 The guard stands in the method above the one that copies and looks: when compiled code meets its first bad
     *    copy it is left for the interpreter, and an error delivered on that way passes by the handlers of its own
     *    method.
     *
     * A write could fail to be noticed only if a page failed and recovered within one copy; then its checksum tells
     * whoever reads it. A read could only if, besides, the page has the token itself; then the second copy has brought
     * all of it. So bytes that do not match a checksum are no sign of a fault: what tells are the tokens, whatever the
     * file has. A caller that finds that others have got the place meanwhile, so that the bytes can't match, is as safe
     * from a fault that strikes later as if they did, and need not ask for one, which makes garbage. A caller that has
     * read what should be there asks all the same, by throwPendingFault: then it is damaged, and garbage does not
     * matter.
     */
    private static final int PAGE_BYTES = 4096; // or a part of one
    private static final int WORD_BYTES = Long.BYTES;
    private static final long TOKEN = 0x9c5d3a7fe1b24608L;
    private static final int DELIVERIES = 4; // one is nearly always enough

    /** Volatile, so that no compiler knows its value. */
    private static volatile int unknownDimension = 1;

    private final Supplier<Path> path;
    private final ByteBuffer mapping;
    private final ByteBuffer probe = ByteBuffer.allocate(WORD_BYTES).order(ByteOrder.LITTLE_ENDIAN); // the writer's

    /**
     * @param path of the file, asked for when something fails
     * @param mapping of a part of the file; positions are relative to where it begins
     */
    MappedFile(Supplier<Path> path, ByteBuffer mapping) {
        this.path = path;
        this.mapping = mapping;
    }

    /** Bytes that are mapped. */
    public int bytes() {
        return mapping.capacity();
    }

    /**
     * Writes a head, which may be empty, and a body behind it. The head goes last, so that whoever is killed meanwhile
     * leaves no head without its body. Behind the body, up to the next multiple of 8, any bytes may be left.
     *
     * @param position in the file, a multiple of 8
     * @param headLength a multiple of 8
     * @throws StoreIoException if not all is there; any part may be
     */
    public void write(
            int position, byte[] head, int headOffset, int headLength, byte[] body, int bodyOffset, int bodyLength) {
        checkRange(position, headLength, bodyLength);
        boolean good;
        try {
            good = copyIn(position, head, headOffset, headLength, body, bodyOffset, bodyLength);
        } catch (InternalError e) {
            throw failed("mapped write", e);
        }
        if (!good) {
            throw failed("mapped write", new IOException("what was written is not there"));
        }
    }

    /** M5: returns false after a bad copy, if no error was kept back for it. */
    private boolean copyIn(
            int position, byte[] head, int headOffset, int headLength, byte[] body, int bodyOffset, int bodyLength) {
        int bodyPosition = position + headLength;
        boolean good = wordsHold(position, head, headOffset, bodyPosition, body, bodyOffset, bodyLength, true);
        if (good) {
            mapping.put(bodyPosition, body, bodyOffset, bodyLength);
            mapping.put(position, head, headOffset, headLength);
            good = wordsHold(position, head, headOffset, bodyPosition, body, bodyOffset, bodyLength, false);
        }
        if (!good) {
            deliverPendingFault();
        }
        return good;
    }

    private void checkRange(int position, int headLength, int bodyLength) {
        long end = (long) position + headLength + bodyLength;
        boolean whole = ((position | headLength) & WORD_BYTES - 1) == 0;
        if (!whole || position < 0 || headLength < 0 || bodyLength < 0 || roundedUp(end) > mapping.capacity()) {
            throw new IllegalArgumentException("position and headLength must be multiples of 8, and all within "
                    + mapping.capacity() + " bytes: " + position + ", " + headLength + ", " + bodyLength);
        }
    }

    private static long roundedUp(long end) {
        return end + WORD_BYTES - 1 & -WORD_BYTES;
    }

    /**
     * M3: whether the word that is stored last on each page is what it should be.
     *
     * @param complement whether that is the complement, which is put there first
     */
    private boolean wordsHold(
            int position,
            byte[] head,
            int headOffset,
            int bodyPosition,
            byte[] body,
            int bodyOffset,
            int bodyLength,
            boolean complement) {
        int end = bodyPosition + bodyLength;
        for (int at = position; at < end; at = endOfPage(at)) {
            int last;
            long word;
            long mask = -1;
            if (at < bodyPosition) {
                last = Math.min(endOfPage(at), bodyPosition) - WORD_BYTES;
                word = word(head, headOffset + last - position, WORD_BYTES);
            } else {
                last = Math.min(endOfPage(at), end) - 1 & -WORD_BYTES;
                int length = Math.min(end - last, WORD_BYTES);
                word = word(body, bodyOffset + last - bodyPosition, length);
                mask = length == WORD_BYTES ? -1 : (1L << length * Byte.SIZE) - 1;
            }
            if (complement) {
                word = ~word;
                probe.putLong(0, word);
                mapping.put(last, probe, 0, WORD_BYTES);
            }
            probe.putLong(0, ~word);
            probe.put(0, mapping, last, WORD_BYTES);
            if (((probe.getLong(0) ^ word) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int endOfPage(int position) {
        return (position & -PAGE_BYTES) + PAGE_BYTES;
    }

    private static long word(byte[] source, int offset, int length) {
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (source[offset + i] & 0xffL) << i * Byte.SIZE;
        }
        return word;
    }

    /**
     * Reads bytes. The caller has a checksum for them, and calls {@link #throwPendingFault} where it does not match
     * although it should.
     *
     * @param position in the file
     * @param destination gets the bytes; its position does not matter and stays as it is
     * @throws StoreIoException if the copy has faulted; what the destination has then is undefined
     */
    public void read(int position, ByteBuffer destination, int destinationPosition, int length) {
        boolean good;
        try {
            good = copyOut(position, destination, destinationPosition, length);
        } catch (InternalError e) {
            throw failed("mapped read", e);
        }
        if (!good) {
            throw failed("mapped read", new IOException("what was read has not arrived"));
        }
    }

    /** M5: returns false after a bad copy, if no error was kept back for it. */
    private boolean copyOut(int position, ByteBuffer destination, int destinationPosition, int length) {
        int skew = destinationPosition - position;
        int end = position + length;
        putTokens(position, end, destination, skew, TOKEN);
        destination.put(destinationPosition, mapping, position, length);
        boolean good = true;
        for (int at = position; at < end; at = endOfPage(at)) {
            int stop = Math.min(endOfPage(at), end);
            good &= !hasToken(at, stop, destination, skew, TOKEN) || isTokenOfFile(at, stop, destination, skew);
        }
        if (!good) {
            deliverPendingFault();
        }
        return good;
    }

    private static void putTokens(int position, int end, ByteBuffer destination, int skew, long token) {
        for (int at = position; at < end; at = endOfPage(at)) {
            int stop = Math.min(endOfPage(at), end);
            if (stop - at < WORD_BYTES) {
                destination.put(stop - 1 + skew, (byte) token);
            } else {
                destination.putLong(stop - WORD_BYTES + skew, token);
            }
        }
    }

    private static boolean hasToken(int from, int stop, ByteBuffer destination, int skew, long token) {
        return stop - from < WORD_BYTES
                ? destination.get(stop - 1 + skew) == (byte) token
                : destination.getLong(stop - WORD_BYTES + skew) == token;
    }

    /** Copies a part of a page again, with another token. Where the file changes meanwhile, a copy may pass for bad. */
    private boolean isTokenOfFile(int from, int stop, ByteBuffer destination, int skew) {
        putTokens(from, stop, destination, skew, ~TOKEN);
        destination.put(from + skew, mapping, from, stop - from);
        return hasToken(from, stop, destination, skew, TOKEN);
    }

    /**
     * To be called by a reader for whom a checksum does not match although it should, before anything else that may
     * fail. Returns if the file really has what was read. Makes garbage.
     *
     * @throws StoreIoException if a copy by this thread has faulted without being noticed
     */
    public void throwPendingFault() {
        try {
            deliverPendingFault();
        } catch (InternalError e) {
            throw failed("mapped read", e);
        }
    }

    /**
     * Throws the error of a fault that the JVM has kept back for this thread, if there is one. Arrays of several
     * dimensions are made by the JVM itself, and on its way back it looks for such errors; neither yielding, sleeping
     * nor an exception makes it look.
     */
    private static void deliverPendingFault() {
        for (int i = 0; i < DELIVERIES; i++) {
            int dimension = unknownDimension;
            byte[][] made = new byte[dimension][dimension];
            unknownDimension = made.length; // or it would not have to be made
        }
    }

    private StoreIoException failed(String operation, Throwable cause) {
        IOException e = cause instanceof IOException ? (IOException) cause : new IOException(cause);
        return new StoreIoException(operation, path.get(), e);
    }

    @Override
    public String toString() {
        return "MappedFile[" + path.get() + ", " + bytes() + " bytes]";
    }
}
