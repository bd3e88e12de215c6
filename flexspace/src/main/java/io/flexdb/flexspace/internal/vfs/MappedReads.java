package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads of a file through mappings, which need no system call. What is read has not been verified. Any number of
 * threads; nobody waits but for a new mapping.
 */
public final class MappedReads {
    /*
     * The problem: a mapping does not grow with its file, and a new one of all of it would have to meet each page
     * again. The choice: windows of the file, each mapped when a read comes to what it does not have yet. Only the
     * window at the end of a growing file is mapped more than once.
     *
     * Where the kernel, or the file system, refuses a mapping, none is tried again: each try may cost a collection of
     * garbage.
     */
    private static final int WINDOW_SHIFT = 26;
    private static final int MAX_WINDOWS = 1 << 14; // far from what the kernel allows a process

    private final VfsFile file;
    private final int windowShift;
    private final int windowBytes;
    private volatile MappedFile[] windows = {};
    private volatile boolean possible = true;

    /** @param file of which nothing is mapped before it is read */
    public MappedReads(VfsFile file) {
        this(file, WINDOW_SHIFT);
    }

    /** @param windowShift of the bytes of a window: at least that of a page */
    MappedReads(VfsFile file, int windowShift) {
        this.file = file;
        this.windowShift = windowShift;
        this.windowBytes = 1 << windowShift;
    }

    /**
     * Reads bytes. The caller has a checksum for them, and calls {@link #throwPendingFault} where it does not match.
     *
     * @param position in the file, which has the bytes
     * @param destination gets them; its position does not matter and stays as it is
     * @return false if they can't be read in this way; the destination holds anything then
     * @throws StoreIoException if a page could not be read
     */
    public boolean read(long position, ByteBuffer destination, int destinationPosition, int length) {
        int done = 0;
        while (done < length) {
            long at = position + done;
            int start = (int) at & windowBytes - 1;
            int piece = Math.min(length - done, windowBytes - start);
            MappedFile window = window(at >>> windowShift, start + piece);
            if (window == null) {
                return false;
            }
            window.read(start, destination, destinationPosition + done, piece);
            done += piece;
        }
        return true;
    }

    /** A window that is mapped so far at least; null if it can't be. */
    private MappedFile window(long number, int bytes) {
        MappedFile[] mapped = windows;
        MappedFile window = number < mapped.length ? mapped[(int) number] : null;
        return window != null && window.bytes() >= bytes ? window : map(number, bytes);
    }

    private synchronized MappedFile map(long number, int bytes) {
        MappedFile[] mapped = windows;
        MappedFile window = number < mapped.length ? mapped[(int) number] : null;
        if (!possible || number >= MAX_WINDOWS || window != null && window.bytes() >= bytes) {
            return possible ? window : null;
        }
        long start = number << windowShift;
        long inFile = Math.min(windowBytes, file.size() - start);
        if (inFile < bytes) {
            return null; // a system call will say what is missing
        }
        try {
            window = file.mapForReading(start, inFile);
        } catch (StoreIoException | IllegalArgumentException e) {
            if (file.size() < start + inFile) {
                return null; // it was cut meanwhile
            }
            window = null; // no more mappings for this process
        }
        if (window == null) {
            possible = false;
            return null;
        }
        MappedFile[] more = Arrays.copyOf(mapped, Math.max(mapped.length, (int) number + 1));
        more[(int) number] = window;
        windows = more;
        return window;
    }

    /**
     * To be called by a reader for whom a checksum does not match, before anything else that may fail. Returns if the
     * file really has what was read.
     *
     * @throws StoreIoException if a copy by this thread has faulted without being noticed
     */
    public void throwPendingFault() {
        MappedFile[] mapped = windows;
        for (MappedFile window : mapped) {
            if (window != null) {
                window.throwPendingFault();
                return;
            }
        }
    }

    /** Whether reads may still go this way. */
    public boolean isPossible() {
        return possible;
    }

    /** Bytes of the file that are mapped. */
    public long mappedBytes() {
        long bytes = 0;
        for (MappedFile window : windows) {
            bytes += window == null ? 0 : window.bytes();
        }
        return bytes;
    }

    @Override
    public String toString() {
        return "MappedReads[" + file.path() + (possible ? "]" : ", not possible]");
    }
}
