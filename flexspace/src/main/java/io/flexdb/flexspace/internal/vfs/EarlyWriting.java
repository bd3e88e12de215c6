package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Has the disk begin with what was written to a file before somebody forces it, where the system call for that can't be
 * made. Thread-safe; closed with the file.
 */
final class EarlyWriting implements AutoCloseable {
    /*
     * The problem: what is written stays in the page cache, the disk has nothing to do, and whoever forces the file
     * waits for all of it. The JDK can start nothing; it can only force, and a whole file, with the space claimed ahead
     * of the data too, which would go to the disk twice.
     * The choice: of a mapping a part can be forced alone. A thread of ours does that with a piece of the file at a
     * time, and a piece is large, since each force waits for the file system's journal and the disk's cache.
     *
     * E1 An error of writing is told once to each opening of a file. Forces here are of an opening of their own, so the
     *    one that the store forces hears of every error still; what is heard here is of no interest. But one opened
     *    later hears of none that was told before: after an interrupt the witness of RealVfsFile is forced, too.
     * E2 To map behind the end of a file would make it longer. So it does not become shorter in between.
     */
    static final int PIECE_BYTES = 16 << 20;
    static final int MAX_BYTES = 1 << 30; // from the first to the last byte of a piece

    /** Opens the file for reading and writing, apart from all others who have it open. */
    interface Opening {
        FileChannel open() throws IOException;
    }

    private final Opening opening;
    private final BackgroundWorker worker;
    private FileChannel channel; // null before the first piece
    private BackgroundTask underWay; // or the last one; null before
    private long from; // of what is to be written, at or before all of it
    private long to;
    private long waiting; // bytes of it
    private boolean ended; // closed, or of no use

    /** @param worker for the forces; closed with this */
    EarlyWriting(Opening opening, BackgroundWorker worker) {
        this.opening = opening;
        this.worker = worker;
    }

    /** Says that a range was written, which is written to the disk when there is enough of it. Waits for no disk. */
    synchronized void start(long position, long bytes) {
        boolean near = waiting > 0 && Math.max(to, position + bytes) - Math.min(from, position) <= MAX_BYTES;
        from = near ? Math.min(from, position) : position;
        to = near ? Math.max(to, position + bytes) : position + bytes;
        waiting = near ? waiting + bytes : bytes;
        if (waiting >= PIECE_BYTES && !ended && (underWay == null || underWay.isDone())) {
            underWay = worker.start(this::writePiece);
        }
    }

    /** Says that everything is being forced. */
    synchronized void forget() {
        waiting = 0;
    }

    /** Makes the file shorter, while nobody looks for its end to map it (E2); what is mapped already may stay. */
    synchronized void whileNobodyMaps(Runnable truncation) {
        truncation.run();
    }

    private void writePiece() {
        try (MappedPart piece = takePiece()) {
            if (piece != null) {
                piece.force();
            }
        } catch (IOException e) { // E1
            end();
        }
    }

    /** Maps what waits, as far as the file goes, or returns null if that is nothing. */
    private synchronized MappedPart takePiece() throws IOException {
        if (ended || waiting == 0) {
            return null;
        }
        waiting = 0;
        if (channel == null) {
            channel = opening.open();
        }
        long end = Math.min(to, channel.size()); // E2
        return end <= from ? null : MappedPart.map(channel, from, end - from);
    }

    private synchronized void end() {
        ended = true;
    }

    /** Waits for the piece under way, and leaves no thread. */
    @Override
    public void close() throws IOException {
        end();
        worker.close();
        if (channel != null) {
            channel.close();
        }
    }
}
