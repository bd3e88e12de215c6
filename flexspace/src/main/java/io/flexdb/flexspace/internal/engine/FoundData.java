package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.Zeros;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The data file of a space, by whichever name it is found, and what must be done before it is changed. */
final class FoundData {
    /*
     * A copy of a space may share the data file of the space that it was made of (see SpaceCopy). Then the file has the
     * name "data" there, and that space, its owner, goes on to write to it; in the copy it has the name "data.linked".
     *
     * D1  A file named data.linked is written to only if it has no other name any more. Then nobody else can: only its
     *     owner gives it names, and the owner's name is gone. It gets the name data then.
     * D2  Else a space that is to be changed gets a file of its own: data.new, which becomes data before the log is made
     *     that will name what is written to it. The force that makes the name of that log durable does the same for
     *     this one. When the log is there, which tells readers of the change, data.linked is deleted. Until then a
     *     failed opening leaves the directory as it was.
     * D3  Where there is a file data, data.linked and data.new count for nothing.
     *
     * A reader reads data.linked. If it is deleted under the reader, as by D2, the owner may use segments again that
     * the reader reads. By then the new log tells the reader that it was overtaken.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int PIECE_BYTES = 1 << 20;

    private enum Found {
        /** By its own name. */
        OWN,
        /** By the name of one that is shared, as the last name that it has. */
        LAST_LINK,
        /** It was copied, for others have the file too. */
        COPIED,
        /** It was copied, and the copy has its name. */
        NAMED_COPY
    }

    private final Vfs vfs;
    private final Path directory;
    private final VfsFile file;
    private Found found;

    private FoundData(Vfs vfs, Path directory, VfsFile file, Found found) {
        this.vfs = vfs;
        this.directory = directory;
        this.file = file;
        this.found = found;
    }

    private static Path own(Path directory) {
        return directory.resolve(SpaceFiles.DATA_NAME);
    }

    private static Path linked(Path directory) {
        return directory.resolve(SpaceFiles.LINKED_DATA_NAME);
    }

    private static Path unfinished(Path directory) {
        return directory.resolve(SpaceFiles.DATA_NAME_WHILE_COPIED);
    }

    /** Opens the file for who changes nothing. */
    static VfsFile openToRead(Vfs vfs, Path directory) {
        return open(vfs, directory, OpenMode.READ);
    }

    private static VfsFile open(Vfs vfs, Path directory, OpenMode mode) {
        try {
            return vfs.open(own(directory), mode);
        } catch (StoreIoException e) {
            if (!isMissing(e)) {
                throw e;
            }
            VfsFile shared = openLinked(vfs, directory, mode);
            return shared != null ? shared : vfs.open(own(directory), mode); // which it may have become meanwhile
        }
    }

    private static VfsFile openLinked(Vfs vfs, Path directory, OpenMode mode) {
        try {
            return vfs.open(linked(directory), mode);
        } catch (StoreIoException e) {
            if (isMissing(e)) {
                return null;
            }
            throw e;
        }
    }

    private static boolean isMissing(StoreIoException e) {
        return e.getCause() instanceof NoSuchFileException;
    }

    /**
     * Opens the file, and checks that it is one.
     *
     * @param toChange whether it may be written to after {@link #makeOwn}; then it is copied here if others have it, too
     * @param segments that it has at most
     */
    static FoundData open(Vfs vfs, Path directory, long storeId, boolean toChange, SegmentFormat format, int segments) {
        VfsFile file = open(vfs, directory, toChange ? OpenMode.READ_WRITE : OpenMode.READ);
        try {
            FilePreamble.check(file.path(), 0, FilePreamble.read(file, 0), FilePreamble.Kind.DATA, 0, storeId);
            boolean isOwn = file.path().getFileName().toString().equals(SpaceFiles.DATA_NAME);
            if (isOwn || !toChange) {
                return new FoundData(vfs, directory, file, Found.OWN);
            }
            if (file.linkCount() == 1 && vfs.replacesOpenFiles()) {
                return new FoundData(vfs, directory, file, Found.LAST_LINK); // D1
            }
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
        try (VfsFile shared = file) {
            return copy(vfs, directory, shared, Math.min(shared.size(), format.filePosition(segments, 0)));
        }
    }

    private static FoundData copy(Vfs vfs, Path directory, VfsFile shared, long bytes) {
        LOG.log(
                System.Logger.Level.INFO,
                "Copies up to {0} bytes of {1}: another store, or another copy of it, has the file, too",
                bytes,
                shared.path());
        Path path = unfinished(directory);
        vfs.deleteIfExists(path);
        VfsFile made = vfs.open(path, OpenMode.CREATE);
        FoundData data = new FoundData(vfs, directory, made, Found.COPIED);
        try {
            copy(shared, made, bytes);
            made.force();
            if (vfs.replacesOpenFiles()) {
                return data;
            }
            made.close();
            data.name();
            return new FoundData(vfs, directory, vfs.open(own(directory), OpenMode.READ_WRITE), Found.NAMED_COPY);
        } catch (StoreFullException e) {
            undo(data, e);
            StoreFullException refusal =
                    new StoreFullException("no space to copy " + shared.path() + ", which takes up to "
                            + bytes + " bytes (" + e.getMessage()
                            + "). Another store, or another copy of it, has the file, too."
                            + " Free as many bytes on this volume, or delete those others, then open again. A read-only opening"
                            + " needs no space");
            refusal.initCause(e);
            throw refusal;
        } catch (RuntimeException | Error e) {
            undo(data, e);
            throw e;
        }
    }

    private static void undo(FoundData data, Throwable cause) {
        data.file.close();
        try {
            data.undo();
        } catch (StorageException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Copies bytes, but for zeros. The owner may cut the end off meanwhile, where nothing of this space is: then there are
     * fewer.
     */
    static void copy(VfsFile from, VfsFile to, long bytes) {
        ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(PIECE_BYTES, Math.max(Long.BYTES, bytes)));
        for (long position = 0; position < bytes; ) {
            int length = (int) Math.min(piece.capacity(), bytes - position);
            piece.clear().limit(length);
            int read = readToEnd(from, piece, position);
            piece.flip();
            boolean isLast = position + length == bytes || read < length;
            // The last one is written in any case, so that the file is as long as the other.
            if (read > 0 && (isLast || !Zeros.are(piece, 0, read))) {
                to.write(piece, position);
                to.startWriting(position, read);
            }
            if (isLast) {
                if (to.size() < position) { // its last pieces were zeros
                    to.write(ByteBuffer.allocate(1), position - 1);
                }
                return;
            }
            position += length;
        }
    }

    /** Returns how many bytes there were, up to the buffer's limit. */
    private static int readToEnd(VfsFile from, ByteBuffer piece, long position) {
        int read = 0;
        while (piece.hasRemaining()) {
            int more = from.read(piece, position + read);
            if (more < 0) {
                break;
            }
            read += more;
        }
        return read;
    }

    /** The file. */
    VfsFile file() {
        return file;
    }

    /** Has the file be this space's own. Before the log is made for what is written to it; may be called again. */
    void makeOwn() {
        if (found == Found.COPIED) {
            name();
        }
    }

    private void name() {
        vfs.rename(unfinished(directory), own(directory));
        found = Found.NAMED_COPY;
    }

    /** Gives up the names that count for nothing any more. When a new log is there. */
    void dropOthers() {
        if (found == Found.LAST_LINK) {
            vfs.rename(linked(directory), own(directory));
            vfs.syncDirectory(directory); // before it may get other names again
        }
        found = Found.OWN;
        try {
            vfs.deleteIfExists(linked(directory));
            vfs.deleteIfExists(unfinished(directory));
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A file that is not needed stays in " + directory, e);
        }
    }

    /** Takes back what was made of files, as the opening has failed. The file is closed. */
    void undo() {
        if (found == Found.COPIED) {
            vfs.deleteIfExists(unfinished(directory));
        } else if (found == Found.NAMED_COPY) {
            vfs.deleteIfExists(own(directory)); // the other one is there still
        }
    }
}
