package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** A file of the operating system that no interrupt closes. */
final class RealVfsFile implements VfsFile {
    /*
     * The problem: a thread that is interrupted inside an operation of a FileChannel closes the channel for everybody.
     * The choice: whoever meets a channel closed by an interrupt opens the file again, by its name, and repeats the
     * operation; interrupts that come meanwhile are remembered and handed back at the end. Operations at positions can
     * be repeated. They take no lock: the channel is read once, and changes only when it has been closed. The name is
     * looked up in the directory that was open all the time, so it may have been moved to elsewhere.
     *
     * A force can't simply be repeated. When it meets an error of the device while its channel is being closed, the JDK
     * reports the closing and drops the error, and since the kernel reports such an error once to each open file, a new
     * one would never hear of it. So each writable file is kept open a second time, by a channel which only threads use
     * that nobody interrupts: it has not heard of the error yet, and it is forced after an interrupted force.
     */
    private static final int HEAP_PIECE_BYTES = 256 << 10;
    private static final ChannelOperation<Long> SIZE = FileChannel::size;

    private final RealVfs vfs;
    private final OpenMode mode;
    private final Object identity; // of the file, so that opening again by name can't find another one
    private final FileChannel witness; // null if not writable
    private final EarlyWriting early; // null if not writable, or if there is a system call for it
    private final Supplier<Path> pathNow = this::path;
    private volatile Place place; // changes under vfs.names()
    private volatile FileChannel channel;
    private volatile NativeDescriptor descriptor; // null before it is first wanted
    private volatile boolean openedAgain;
    private volatile boolean closed;

    /** Opens or creates the file. Under {@link RealVfs#names()}. */
    RealVfsFile(RealVfs vfs, Place place, OpenMode mode) throws IOException {
        this.vfs = vfs;
        this.place = place;
        this.mode = mode;
        // An existing file is looked at before it is opened: to open a pipe would wait for its other end.
        Object known = mode == OpenMode.CREATE ? null : identityOf(place);
        channel = place.open(options(mode), attributes(vfs, place.path(), mode));
        try {
            if (mode == OpenMode.CREATE) {
                place.grant(vfs.permissions());
            }
            identity = mode == OpenMode.CREATE ? identityOf(place) : known;
            witness = mode == OpenMode.READ ? null : place.open(options(OpenMode.READ));
        } catch (Throwable e) { // an allocation may fail, too
            channel.close();
            throw e;
        }
        boolean wanted = witness != null && !NativeIo.isAvailable() && MappedPart.isPossible();
        if (wanted) {
            MappedPart.prepare(() -> place.open(options(OpenMode.READ_WRITE)));
        }
        early = wanted ? new EarlyWriting(this::openToMap, vfs.worker("flexdb-early-writing")) : null;
    }

    private static Set<OpenOption> options(OpenMode mode) {
        return switch (mode) {
            case READ -> Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            case READ_WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            case CREATE ->
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS);
        };
    }

    private static FileAttribute<?>[] attributes(RealVfs vfs, Path path, OpenMode mode) {
        return mode == OpenMode.CREATE ? vfs.permissions().toCreateFile(path) : new FileAttribute<?>[0];
    }

    private static Object identityOf(Place place) throws IOException {
        BasicFileAttributes attributes = place.attributes(LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new IOException("not a regular file");
        }
        return attributes.fileKey();
    }

    /** Opens the file again after an interrupt, unless another thread has done so or the file was closed on purpose. */
    private void openAgain(FileChannel broken) {
        synchronized (vfs.names()) {
            requireOpen();
            if (channel != broken) {
                return;
            }
            try {
                requireSameFile();
                channel = place.open(options(mode == OpenMode.READ ? mode : OpenMode.READ_WRITE));
                openedAgain = true;
            } catch (IOException e) {
                throw new StoreIoException("opening again after an interrupt", path(), e);
            }
        }
    }

    /** Follows a rename of the file or a directory above it. Under {@link RealVfs#names()}. */
    void renamed(Path from, Path to) throws IOException {
        Path path = path();
        if (path.equals(from)) {
            Place before = place;
            place = vfs.held(to);
            before.close();
        } else if (path.startsWith(from)) {
            place = place.renamed(to.resolve(from.relativize(path)));
        }
    }

    /** The channel of the moment, which an interrupt may close. */
    FileChannel channel() {
        return channel;
    }

    @Override
    public Path path() {
        return place.path();
    }

    /**
     * How far one call goes with a buffer. For one on the heap the JDK takes direct memory of the same length, which it
     * keeps for the thread; a few calls more cost less than that.
     */
    private static int endOfPiece(ByteBuffer buffer, int limit) {
        return buffer.isDirect() ? limit : (int) Math.min(limit, buffer.position() + (long) HEAP_PIECE_BYTES);
    }

    @Override
    public int read(ByteBuffer dst, long position) {
        boolean interrupted = Thread.interrupted();
        int start = dst.position();
        int limit = dst.limit();
        dst.limit(endOfPiece(dst, limit));
        try {
            while (true) {
                FileChannel current = channel;
                try {
                    return current.read(dst, position);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    openAgain(current);
                    dst.position(start); // which may have moved, although the read has failed
                }
            }
        } catch (IOException e) {
            throw IoFailures.wrap("read", path(), e);
        } finally {
            dst.limit(limit);
            handBack(interrupted);
        }
    }

    /*
     * Left to itself the kernel reads far beyond a few bytes, as much as 8 MiB on some systems, as soon as it takes
     * them for a part of a row of reads. It is told not to for a descriptor as a whole, hence the native one.
     */
    @Override
    public int readAlone(ByteBuffer dst, long position) {
        int bytes = dst.isDirect() ? descriptor().readAlone(dst, position) : 0;
        return bytes > 0 ? bytes : read(dst, position); // which tells of the end and of failures
    }

    @Override
    public void prefetch(long position, long bytes) {
        descriptor().prefetch(position, bytes);
    }

    @Override
    public void startWriting(long position, long bytes) {
        if (early != null) {
            early.start(position, bytes);
        } else {
            descriptor().startWriting(position, bytes);
        }
    }

    /** Opens the file once more, for mappings. */
    private FileChannel openToMap() throws IOException {
        synchronized (vfs.names()) {
            if (closed
                    || path().getFileSystem() != FileSystems.getDefault()
                    || !RealVfs.isSafelyMapped(place.fileSystem())
                    || !Objects.equals(identity, identityOf(place))) {
                throw new IOException("the file is closed, elsewhere or can't be mapped");
            }
            return place.open(options(OpenMode.READ_WRITE));
        }
    }

    /** Opens the file once more, for one mapping: through a channel that can write, a mapping makes the file longer. */
    private FileChannel openToMapForReading() throws IOException {
        synchronized (vfs.names()) {
            requireOpen();
            requireSameFile();
            return place.open(options(OpenMode.READ));
        }
    }

    /** Opened once; an interrupt does not close it. */
    private NativeDescriptor descriptor() {
        NativeDescriptor current = descriptor;
        return current != null ? current : openDescriptor();
    }

    private NativeDescriptor openDescriptor() {
        synchronized (vfs.names()) {
            if (descriptor == null) {
                boolean possible = !closed && path().getFileSystem() == FileSystems.getDefault();
                descriptor = possible ? place.openNatively() : NativeDescriptor.NONE;
            }
            return descriptor;
        }
    }

    @Override
    public void write(ByteBuffer src, long position) {
        requireWritable();
        requireOpen();
        boolean interrupted = Thread.interrupted();
        long origin = position - src.position();
        int limit = src.limit();
        try {
            while (src.position() < limit) {
                src.limit(endOfPiece(src, limit));
                FileChannel current = channel;
                try {
                    if (src.isDirect()) {
                        current.write(src, origin + src.position());
                    } else {
                        vfs.staging().write(current, src, origin + src.position());
                    }
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    openAgain(current);
                }
            }
        } catch (IOException e) {
            if (vfs.wantOfSpace().isCauseOf(e, place, origin + src.position())) {
                throw new StoreFullException("write", path(), e);
            }
            throw IoFailures.wrap("write", path(), e);
        } finally {
            src.limit(limit);
            handBack(interrupted);
        }
    }

    @Override
    public void allocate(long position, long bytes) {
        if (!allocateUnwritten(position, bytes)) {
            VfsFile.super.allocate(position, bytes); // a file system that can't, or a name that leads elsewhere
        }
    }

    @Override
    public boolean allocateUnwritten(long position, long bytes) {
        requireWritable();
        int error = changeNatively(NativeIo.Change.ALLOCATE, position, bytes);
        if (NativeIo.isNoSpace(error)) {
            throw new StoreFullException("allocation", path(), new IOException("error " + error));
        }
        return error == 0;
    }

    @Override
    public void giveBack(long position, long bytes) {
        requireWritable();
        changeNatively(NativeIo.Change.GIVE_BACK, position, bytes);
    }

    /** Returns 0, the number of the error, or -1 if that can't be done. */
    private int changeNatively(NativeIo.Change change, long position, long bytes) {
        synchronized (vfs.names()) {
            requireOpen();
            try {
                boolean possible = NativeIo.isAvailable()
                        && path().getFileSystem() == FileSystems.getDefault()
                        && Objects.equals(identity, identityOf(place));
                return possible ? place.change(change, identity, position, bytes) : -1;
            } catch (IOException e) {
                return -1;
            }
        }
    }

    @Override
    public boolean shareFrom(VfsFile source, long sourcePosition, long bytes, long position) {
        requireWritable();
        if (!NativeIo.isAvailable() || !(source instanceof RealVfsFile)) {
            return false;
        }
        NativeDescriptor from = ((RealVfsFile) source).descriptor();
        int error;
        synchronized (vfs.names()) {
            requireOpen();
            try {
                boolean possible = path().getFileSystem() == FileSystems.getDefault()
                        && Objects.equals(identity, identityOf(place));
                error = possible ? place.share(identity, from, sourcePosition, bytes, position) : -1;
            } catch (IOException e) {
                return false;
            }
        }
        if (NativeIo.isNoSpace(error)) {
            throw new StoreFullException("sharing", path(), new IOException("error " + error));
        }
        return error == 0; // another error is met again, and told, by who copies
    }

    @Override
    public int linkCount() {
        synchronized (vfs.names()) {
            requireOpen();
            return place.linkCount(identity);
        }
    }

    @Override
    public long size() {
        return repeating("size", SIZE);
    }

    @Override
    public void truncate(long bytes) {
        requireWritable();
        // No lambdas: the JVM makes the code of one where it gets there first, and in a full heap may fail for good.
        ChannelOperation<FileChannel> truncate = new ChannelOperation<>() {
            @Override
            public FileChannel run(FileChannel current) throws IOException {
                return current.truncate(bytes);
            }
        };
        Runnable truncation = new Runnable() {
            @Override
            public void run() {
                repeating("truncate", truncate);
            }
        };
        if (early != null) {
            early.whileNobodyMaps(truncation);
        } else {
            truncation.run();
        }
    }

    @Override
    public void force() {
        requireWritable();
        if (early != null) {
            early.forget();
        }
        EventSpan event = SpaceEvents.force(path());
        boolean interrupted = Thread.interrupted();
        FileChannel current = channel;
        try {
            current.force(false);
            if (early != null && openedAgain) {
                syncWitness(); // this channel may be younger than an error that early writing has heard of
            }
        } catch (ClosedChannelException e) {
            interrupted |= Thread.interrupted();
            openAgain(current);
            syncWitness();
        } catch (IOException e) {
            throw IoFailures.wrap("force", path(), e);
        } finally {
            handBack(interrupted);
            event.finish();
        }
    }

    private void syncWitness() {
        try {
            RealVfs.forceUninterrupted(witness);
        } catch (ClosedChannelException e) {
            throw new StoreClosedException("file " + path());
        } catch (IOException e) {
            throw IoFailures.wrap("force", path(), e);
        }
    }

    @Override
    public MappedFile map(long bytes) {
        requireWritable();
        long size = size();
        if (bytes < 1 || bytes > Math.min(size, Integer.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "bytes must be from 1 to the size of the file, " + size + ", and fit an int: " + bytes);
        }
        if (!mapsSafely()) {
            return null;
        }
        MappedByteBuffer mapping = repeating(
                "map",
                new ChannelOperation<>() { // no lambda, as above
                    @Override
                    public MappedByteBuffer run(FileChannel current) throws IOException {
                        return current.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
                    }
                });
        NativeIo.readAtRandom(mapping); // or pages come in larger units, and each store into one dirties all of it
        return new MappedFile(pathNow, mapping);
    }

    @Override
    public MappedFile mapForReading(long position, long bytes) {
        VfsFile.super.mapForReading(position, bytes); // which looks at the arguments
        if (!mapsSafely()) {
            return null;
        }
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel own = openToMapForReading()) {
                    MappedByteBuffer mapping = own.map(FileChannel.MapMode.READ_ONLY, position, bytes);
                    NativeIo.readAtRandom(mapping);
                    return new MappedFile(pathNow, mapping);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted(); // which has closed it
                }
            }
        } catch (IOException e) {
            throw IoFailures.wrap("map", path(), e);
        } finally {
            handBack(interrupted);
        }
    }

    private boolean mapsSafely() {
        synchronized (vfs.names()) {
            requireOpen();
            try {
                return RealVfs.isSafelyMapped(place.fileSystem());
            } catch (IOException e) {
                throw IoFailures.wrap("inspection", path(), e);
            }
        }
    }

    @Override
    public void close() {
        synchronized (vfs.names()) {
            if (closed) {
                return;
            }
            closed = true;
            vfs.closing(this);
            place.close();
            if (descriptor != null) {
                descriptor.close();
            }
        }
        try (witness;
                early) { // which is waited for without that lock: it may need it
            channel.close();
        } catch (IOException e) {
            throw IoFailures.wrap("close", path(), e);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException("file " + path());
        }
    }

    private void requireSameFile() throws IOException {
        if (!Objects.equals(identity, identityOf(place))) {
            throw new IOException("another file has taken its name");
        }
    }

    private void requireWritable() {
        if (mode == OpenMode.READ) {
            throw new NonWritableChannelException();
        }
    }

    private <T> T repeating(String operation, ChannelOperation<T> call) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                FileChannel current = channel;
                try {
                    return call.run(current);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    openAgain(current);
                }
            }
        } catch (IOException e) {
            throw IoFailures.wrap(operation, path(), e);
        } finally {
            handBack(interrupted);
        }
    }

    private static void handBack(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private interface ChannelOperation<T> {
        T run(FileChannel channel) throws IOException;
    }

    @Override
    public String toString() {
        return "RealVfsFile[" + path() + (closed ? ", closed]" : "]");
    }
}
