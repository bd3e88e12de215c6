package io.flexdb.flexspace.internal.vfs;

import io.flexdb.base.waiting.Pause;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;
import java.util.Objects;

/** A lock file that is open, and the lock that the operating system gives. For one thread at a time. */
final class LockFile {
    /*
     * Two bytes are locked, far behind the content: there are systems on which a locked byte can't be read.
     *
     * Where native calls serve, the lock belongs to the open file description (F_OFD_SETLK). It ends when that is
     * closed, and not before: other code of this process may open, read and close the file without harm. Elsewhere it
     * is the JDK's, which belongs to the process and ends when the process closes any descriptor of the file. Both
     * kinds exclude each other. A lock of the JDK's that may be lost is taken again, one byte after the other, so that
     * no other process gets in between as long as one of them is held. Another process takes the first byte first.
     *
     * The file may be deleted and made again while it is locked; then somebody else can lock the new one. So the
     * directory has a copy of the holder's record, as an extended attribute where there are such. It counts if it names
     * another lock file than the present one.
     *
     * The content is accessed by RandomAccessFile, which an interrupt does not close.
     */
    private static final long FIRST_POSITION = Long.MAX_VALUE - 2;
    private static final long SECOND_POSITION = Long.MAX_VALUE - 1;
    private static final String ATTRIBUTE = "flexdb.holder";
    private static final int RENEWAL_TRIES = 200;
    private static final long RENEWAL_PAUSE_NANOS = 100_000;

    private final Path path;
    private final String identity; // null where files have none
    private final RandomAccessFile file;
    private int descriptor; // -1: none
    private FileLock first; // null: not locked by the JDK
    private FileLock second;
    private byte[] record = {}; // as it was written to the file
    private byte[] attribute = {}; // as it was written to the directory

    private LockFile(Path path, String identity, RandomAccessFile file, int descriptor) {
        this.path = path;
        this.identity = identity;
        this.file = file;
        this.descriptor = descriptor;
    }

    /** Opens a lock file, or makes it. */
    static LockFile open(Path path, boolean natively, FilePermissions permissions) throws IOException {
        create(path, permissions);
        String identity = identityOf(path);
        RandomAccessFile file = openFile(path);
        int descriptor = natively && path.getFileSystem() == FileSystems.getDefault()
                ? NativeIo.openForWriting(NativeIo.NO_DIRECTORY, path.toAbsolutePath())
                : -1;
        return new LockFile(path, identity, file, descriptor);
    }

    private static RandomAccessFile openFile(Path path) throws IOException {
        try {
            return new RandomAccessFile(path.toFile(), "rw");
        } catch (FileNotFoundException e) {
            if (Files.exists(path) && !(Files.isReadable(path) && Files.isWritable(path))) {
                AccessDeniedException denied = new AccessDeniedException(path.toString());
                denied.initCause(e);
                throw denied;
            }
            throw e;
        }
    }

    private static void create(Path path, FilePermissions permissions) throws IOException {
        try {
            Files.createFile(path, permissions.toCreateFile(path));
            permissions.grantFile(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("not a regular file", e);
            }
        }
    }

    /** The identity of a file or directory; null if the system does not say. */
    static String identityOf(Path path) throws IOException {
        Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        return key == null ? null : key.toString();
    }

    /** Whether the name leads to this file still. */
    boolean hasName() throws IOException {
        try {
            return Objects.equals(identity, identityOf(path));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Locks it. Returns false if another process has it locked.
     *
     * @throws OverlappingFileLockException if other code of this process has: then it must not be closed, since that
     *     would end the other code's lock
     */
    boolean tryLock() throws IOException {
        if (descriptor >= 0) {
            int error = NativeIo.lock(descriptor, FIRST_POSITION, 2);
            if (error == 0) {
                return true;
            }
            if (!NativeIo.isConflict(error)) {
                closeDescriptor(); // there is no such lock here
            }
        }
        boolean locked = tryLockByJdk();
        if (locked && descriptor >= 0) {
            unlockByJdk(); // it has come free just now, and is not ours
            locked = false;
        }
        return locked;
    }

    private boolean tryLockByJdk() throws IOException {
        first = file.getChannel().tryLock(FIRST_POSITION, 1, false);
        if (first == null) {
            return false;
        }
        second = file.getChannel().tryLock(SECOND_POSITION, 1, false);
        if (second == null) {
            unlockByJdk();
            return false;
        }
        return true;
    }

    private void unlockByJdk() throws IOException {
        FileLock one = first;
        FileLock other = second;
        first = null;
        second = null;
        try {
            if (one != null) {
                one.release();
            }
        } finally {
            if (other != null) {
                other.release();
            }
        }
    }

    /** Takes a lock again that may be lost. Returns false if another process has it by now. */
    boolean renew() throws IOException {
        if (descriptor >= 0) {
            return true;
        }
        first = renew(first, FIRST_POSITION);
        if (first == null) {
            return false;
        }
        second = renew(second, SECOND_POSITION);
        return second != null;
    }

    private FileLock renew(FileLock lock, long position) throws IOException {
        if (lock != null && lock.isValid()) { // else an earlier attempt has failed
            lock.release();
        }
        return lockAgain(position);
    }

    /** Tries for a while, since another process may hold a byte for the moment in which it finds that it can't have both. */
    private FileLock lockAgain(long position) throws IOException {
        for (int i = 0; i < RENEWAL_TRIES; i++) {
            FileLock lock = file.getChannel().tryLock(position, 1, false);
            if (lock != null) {
                return lock;
            }
            Pause.nanos(RENEWAL_PAUSE_NANOS);
        }
        return null;
    }

    /** The process that the file names. */
    HolderRecord record() {
        try {
            return HolderRecord.of(content());
        } catch (IOException e) {
            return HolderRecord.of(new byte[0]);
        }
    }

    /**
     * Another process that lives and uses the directory, although it does not have the lock of this file; null if there
     * is none.
     */
    HolderRecord otherHolder() {
        HolderRecord found = record();
        if (found.provesAnotherHolder(identity)) {
            return found;
        }
        try {
            UserDefinedFileAttributeView view = attributesOfDirectory();
            byte[] content = view == null ? new byte[0] : content(view);
            String text = new String(content, StandardCharsets.ISO_8859_1);
            int end = text.indexOf('\n');
            if (end < 0 || text.substring(0, end).equals(identity)) {
                return null; // of this file, which says it better
            }
            found = HolderRecord.of(Arrays.copyOfRange(content, end + 1, content.length));
            return found.provesAnotherHolder(identityOf(directory())) ? found : null;
        } catch (IOException | UnsupportedOperationException e) {
            return null; // nothing is known
        }
    }

    private Path directory() {
        return path.toAbsolutePath().getParent();
    }

    private UserDefinedFileAttributeView attributesOfDirectory() {
        return Files.getFileAttributeView(directory(), UserDefinedFileAttributeView.class);
    }

    /** Has file and directory name this process. A full disk must not keep a store from being opened. */
    void writeRecord() {
        try {
            record = HolderRecord.ofThisProcess(identity).bytes();
            write(record);
            UserDefinedFileAttributeView view = identity == null ? null : attributesOfDirectory();
            if (view != null) {
                byte[] ofDirectory =
                        HolderRecord.ofThisProcess(identityOf(directory())).bytes();
                ByteBuffer content = ByteBuffer.allocate(identity.length() + 1 + ofDirectory.length);
                content.put((identity + "\n").getBytes(StandardCharsets.ISO_8859_1));
                content.put(ofDirectory).flip();
                attribute = content.array();
                view.write(ATTRIBUTE, content);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // The lock is held all the same; only its holder can't be named.
        }
    }

    private void write(byte[] content) throws IOException {
        file.seek(0);
        file.write(content);
        if (file.length() > content.length) {
            file.setLength(content.length);
        }
    }

    /** Erases the record of this process; that of another one, which has the lock by now, stays. */
    private void eraseRecord() {
        try {
            if (record.length > 0 && Arrays.equals(record, content())) {
                write(HolderRecord.blank());
            }
            UserDefinedFileAttributeView view = attribute.length > 0 ? attributesOfDirectory() : null;
            if (view != null && Arrays.equals(attribute, content(view))) {
                view.delete(ATTRIBUTE);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // Nobody believes it any more when this process has ended.
        }
    }

    private byte[] content() throws IOException {
        byte[] content = new byte[HolderRecord.BYTES];
        file.seek(0);
        return Arrays.copyOf(content, Math.max(0, file.read(content)));
    }

    private static byte[] content(UserDefinedFileAttributeView view) throws IOException {
        if (!view.list().contains(ATTRIBUTE)) {
            return new byte[0];
        }
        ByteBuffer content = ByteBuffer.allocate(view.size(ATTRIBUTE));
        view.read(ATTRIBUTE, content);
        return Arrays.copyOf(content.array(), content.position());
    }

    /** Unlocks and closes it. */
    void close() throws IOException {
        try (file) {
            eraseRecord();
            if (descriptor < 0) {
                unlockByJdk();
            }
        } finally {
            closeDescriptor();
        }
    }

    private void closeDescriptor() {
        int closing = descriptor;
        descriptor = -1;
        if (closing >= 0) {
            NativeIo.unlock(closing, FIRST_POSITION, 2);
            NativeIo.close(closing);
        }
    }
}
