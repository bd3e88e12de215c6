package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads of a file through mappings, which need no system call. The bytes read have not been verified. Any number of
 * threads; nobody waits but for a new mapping.
 */
public final class MappedReads {
    /*
     * The problem: a mapping does not grow with its file, and a new one of all of it would have to meet each page
     * again. The choice: parts of the file, each mapped when a read comes to what it does not have yet. Only the
     * part at the end of a growing file is mapped more than once.
     *
     * Where the kernel, or the file system, refuses a mapping, none is tried again: each try may cost a collection of
     * garbage.
     */
    private static final int PART_SHIFT = 26;
    private static final int MAX_PARTS = 1 << 14; // far from what the kernel allows a process

    private final VfsFile file;
    private final int partShift;
    private final int partBytes;
    private volatile MappedFile[] parts = {};
    private volatile boolean possible = true;

    /** @param file of which nothing is mapped before it is read */
    public MappedReads(VfsFile file) {
        this(file, PART_SHIFT);
    }

    /** @param partShift of the bytes of a part: at least that of a page */
    MappedReads(VfsFile file, int partShift) {
        this.file = file;
        this.partShift = partShift;
        this.partBytes = 1 << partShift;
    }

    /**
     * Reads bytes. The caller has a checksum for them, and calls {@link #throwPendingFault} where it does not match
     * although it should: where it is known that the file has others there meanwhile, that says nothing of a fault.
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
            int start = (int) at & partBytes - 1;
            int piece = Math.min(length - done, partBytes - start);
            MappedFile part = part(at >>> partShift, start + piece);
            if (part == null) {
                return false;
            }
            part.read(start, destination, destinationPosition + done, piece);
            done += piece;
        }
        return true;
    }

    /** A part that is mapped so far at least; null if it can't be. */
    private MappedFile part(long number, int bytes) {
        MappedFile[] mapped = parts;
        MappedFile part = number < mapped.length ? mapped[(int) number] : null;
        return part != null && part.bytes() >= bytes ? part : map(number, bytes);
    }

    private synchronized MappedFile map(long number, int bytes) {
        MappedFile[] mapped = parts;
        MappedFile part = number < mapped.length ? mapped[(int) number] : null;
        if (!possible || number >= MAX_PARTS || part != null && part.bytes() >= bytes) {
            return possible ? part : null;
        }
        long start = number << partShift;
        long inFile = Math.min(partBytes, file.size() - start);
        if (inFile < bytes) {
            return null; // a system call will say what is missing
        }
        try {
            part = file.mapForReading(start, inFile);
        } catch (StoreIoException | IllegalArgumentException e) {
            if (file.size() < start + inFile) {
                return null; // it was cut meanwhile
            }
            part = null; // no more mappings for this process
        }
        if (part == null) {
            possible = false;
            return null;
        }
        MappedFile[] more = Arrays.copyOf(mapped, Math.max(mapped.length, (int) number + 1));
        more[(int) number] = part;
        parts = more;
        return part;
    }

    /**
     * To be called by a reader for whom a checksum does not match although it should, before anything else that may
     * fail. Returns if the file really has what was read. Makes garbage.
     *
     * @throws StoreIoException if a copy by this thread has faulted without being noticed
     */
    public void throwPendingFault() {
        MappedFile[] mapped = parts;
        for (MappedFile part : mapped) {
            if (part != null) {
                part.throwPendingFault();
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
        for (MappedFile part : parts) {
            bytes += part == null ? 0 : part.bytes();
        }
        return bytes;
    }

    @Override
    public String toString() {
        return "MappedReads[" + file.path() + (possible ? "]" : ", not possible]");
    }
}
