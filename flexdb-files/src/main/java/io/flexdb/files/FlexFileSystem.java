package io.flexdb.files;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.files.internal.FileTree;
import io.flexdb.files.internal.TreeCheck;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.Channel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.ProviderMismatchException;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Files, directories and symbolic links in a store, for all that works with {@link java.nio.file.Files}.
 *
 * <pre>{@code
 * try (FlexDB db = FlexDB.open(Path.of("data"));
 *         FlexFileSystem files = FlexFileSystem.open(db)) {
 *     Path notes = files.getPath("/notes");
 *     Files.createDirectories(notes);
 *     Files.writeString(notes.resolve("today.txt"), "buy pears");
 *     try (Stream<String> lines = Files.lines(notes.resolve("today.txt"))) {
 *         lines.forEach(System.out::println);
 *     }
 * }
 * }</pre>
 *
 * <p><b>What is there.</b> Paths are those of Unix; names have 1 to 255 bytes of UTF-8, and upper case is not lower case.
 * The working directory is the root. The view of attributes is "basic"; there are no owners, permissions, hard links and
 * watch services. Reading does not change when a file was accessed. A directory's time of modification may be some
 * milliseconds old.
 *
 * <p><b>Channels.</b> Files are opened as {@link java.nio.channels.FileChannel}, with all but
 * {@link java.nio.channels.FileChannel#map map}, which throws {@link UnsupportedOperationException}. They answer as those
 * of Linux do: an interrupt closes the channel, and what a channel opened with {@code APPEND} writes at a position goes to
 * the end. Only {@link java.nio.file.Files#newByteChannel newByteChannel} gives channels that an interrupt does not close,
 * so that {@code Files.readAllBytes} and the like work in a thread that was interrupted. {@code force} makes durable whatever the store has. File locks hold between the channels of one file system
 * object, which is all there is: two that overlap are refused, shared or not. A directory can be opened to be forced.
 *
 * <p><b>Atomic.</b> Each operation happens as a whole or not at all, for all who look and across any crash: to create, to
 * delete, to copy a file of any length, to move a directory whatever is below it, to set times, and to write up to 256
 * KiB, or a quarter of a memtable if that is less, less a block; what is written at once and is longer is several such
 * writes. A gathering write is one write of so many bytes. A read of a channel shows one moment, of all buffers.
 *
 * <p><b>Durability</b> is that of the store, and {@link io.flexdb.Durability#SYNC} for what is written to a file opened
 * with {@link java.nio.file.StandardOpenOption#SYNC} or {@code DSYNC}, and for what came before a {@code force}.
 *
 * <p><b>Costs.</b> A lookup of a file takes one read of the store; its directories are kept in mind. To list a directory
 * is one scan; to move one is some writes, whatever it has. {@link #deleteRecursively} reads the entries of a tree, and
 * no blocks. See {@code docs/files.md}.
 *
 * <p><b>Threads.</b> Any thread may call any method at any time. To read waits for nobody. Those who change the same
 * directory or file at the same moment do it again, and after many times one lets no others change anything. To open,
 * close, move or delete a file waits for who does that to it, and for {@link #deleteRecursively} while that deletes blocks.
 *
 * <p><b>Errors.</b> A failure of the store is an {@link IOException} whose cause is the
 * {@link io.flexdb.storage.StorageException}, or what else the store throws if snapshots and cursors hold back more than
 * it allows.
 *
 * <p>Files that are open can be moved and deleted, and stay readable and writable. Only one object may be open for a file
 * system at a time; nobody else is to write its two keyspaces.
 */
public final class FlexFileSystem extends FileSystem {
    private static final int LISTED_AT_ONCE = 1000;

    private final FlexFileSystemProvider provider;
    private final String id;
    private final OpenStore store;
    private final FileTree tree;
    private final FileOperations operations;
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean open = true;

    FlexFileSystem(FlexFileSystemProvider provider, String id, OpenStore store, FlexFilesOptions options)
            throws IOException {
        this.provider = provider;
        this.id = id;
        this.store = store;
        this.tree = store.tree(options.settings());
        this.operations = new FileOperations(this, tree);
    }

    /**
     * Opens the file system named "files" of a store with default options, or makes it.
     *
     * @see #open(FlexDB, FlexFilesOptions)
     */
    public static FlexFileSystem open(FlexDB db) throws IOException {
        return open(db, FlexFilesOptions.defaults());
    }

    /**
     * Opens a file system of a store, or makes it. To be closed before the store is, which stays open.
     *
     * @throws java.nio.file.FileSystemAlreadyExistsException if that file system of the store is open
     * @throws IllegalArgumentException if its blocks are too large for the store's memtables
     */
    public static FlexFileSystem open(FlexDB db, FlexFilesOptions options) throws IOException {
        Objects.requireNonNull(db, "db must not be null");
        Objects.requireNonNull(options, "options must not be null");
        return FlexFileSystemProvider.installed().open(new OpenStore(db, null, null), options);
    }

    /**
     * Opens the file system named "files" of a store that is read only.
     *
     * @see #openReadOnly(FlexDBReader, FlexFilesOptions)
     */
    public static FlexFileSystem openReadOnly(FlexDBReader reader) throws IOException {
        return openReadOnly(reader, FlexFilesOptions.defaults());
    }

    /**
     * Opens a file system of a store that is read only, beside its writer if it has one. To be closed before the reader
     * is, which stays open. All that changes something throws a {@link java.nio.file.ReadOnlyFileSystemException}.
     *
     * <p>It shows the files as the reader has them: {@link #refresh} goes on to what the writer has done. A channel of a
     * file that the writer has moved or deleted by then throws a {@link java.nio.file.NoSuchFileException}. Where the
     * writer has used the disk space of what is being read again, this refreshes the reader, and reads the newer state.
     *
     * @param options of which only the name counts
     * @throws java.nio.file.NoSuchFileException if the store has no file system of that name
     * @throws java.nio.file.FileSystemAlreadyExistsException if that file system of the reader is open
     */
    public static FlexFileSystem openReadOnly(FlexDBReader reader, FlexFilesOptions options) throws IOException {
        Objects.requireNonNull(reader, "reader must not be null");
        Objects.requireNonNull(options, "options must not be null");
        return FlexFileSystemProvider.installed().open(new OpenStore(null, reader, null), options);
    }

    // ---- beyond java.nio.file

    /**
     * Removes a file or a directory with all that is below it, as if that were one step: nobody sees a part of it, and
     * after a crash it is there whole or not at all. That takes a few writes; then the entries below are read, and what
     * they lead to is deleted by ranges, before the call returns or, after a crash, when the file system is opened next.
     *
     * @throws java.nio.file.NoSuchFileException if there is nothing
     * @throws ProviderMismatchException if the path is of another file system
     */
    public void deleteRecursively(Path path) throws IOException {
        operations.deleteRecursively(own(path));
    }

    private FlexPath own(Path path) {
        FlexPath own = FlexPath.of(path);
        if (own.fileSystem() != this) {
            throw new ProviderMismatchException("path is of " + own.fileSystem() + " and not of " + this + ": " + path);
        }
        return own;
    }

    /**
     * Tells the entries of a directory with their attributes, in the order of the bytes of their names. Files and links
     * cost a step of one scan each, directories a read more for their times.
     *
     * @throws java.nio.file.NotDirectoryException if it is none
     * @throws ProviderMismatchException if the path is of another file system
     */
    public void forEachEntry(Path path, BiConsumer<? super Path, ? super BasicFileAttributes> consumer)
            throws IOException {
        Objects.requireNonNull(consumer, "consumer must not be null");
        FlexPath own = own(path);
        long number = operations.directory(own);
        String last = null;
        List<FileTree.Named> page;
        do {
            page = tree.list(number, last, LISTED_AT_ONCE);
            for (FileTree.Named each : page) {
                FlexPath child = own.child(each.name());
                FlexAttributes attributes = operations.attributesOrNull(each.entry());
                if (attributes != null) {
                    consumer.accept(child, attributes);
                }
                last = each.name();
            }
        } while (page.size() == LISTED_AT_ONCE);
    }

    /**
     * Checks all directories, files and blocks as they are at one moment, while others go on: that each is where it
     * belongs, and nothing is there that no path leads to. The bytes are checked by {@link FlexDB#check}. Takes about 100
     * bytes of heap for each file.
     */
    public FlexFilesCheckReport check() throws IOException {
        requireOpen();
        TreeCheck found = tree.check();
        return new FilesChecked(
                found.directories(), found.files(), found.links(), found.blocks(), found.bytes(), found.problems());
    }

    /**
     * Goes on to all that the writer of a store that is {@linkplain #openReadOnly read only} had done when the call began.
     * Does nothing in a file system that can be written, which is never behind.
     *
     * @throws IOException if a file of the store is damaged or can't be read; the file system stays as it was
     */
    public void refresh() throws IOException {
        requireOpen();
        tree.refresh();
    }

    /** Bytes of a block of this file system. */
    public int blockBytes() {
        return tree.blockBytes();
    }

    // ---- for the classes of this package

    FileTree tree() {
        return tree;
    }

    FileOperations operations() {
        return operations;
    }

    String id() {
        return id;
    }

    OpenStore store() {
        return store;
    }

    FileStore fileStore() {
        requireOpen();
        return new FlexFileStore(store, id);
    }

    URI uri(FlexPath path) {
        return FlexUri.of(id, path.toString());
    }

    void requireOpen() {
        if (!open) {
            throw new ClosedFileSystemException();
        }
    }

    void requireWritable() {
        requireOpen();
        if (isReadOnly()) {
            throw new ReadOnlyFileSystemException();
        }
    }

    void opened(Channel channel) {
        channels.add(channel);
        if (!open) {
            channels.remove(channel);
            throw new ClosedFileSystemException();
        }
    }

    void closed(Channel channel) {
        channels.remove(channel);
    }

    // ---- FileSystem

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    /**
     * Closes all channels of its files, waits for the changes that are under way, and closes the store if
     * {@link java.nio.file.FileSystems} has opened it. Copies of large files and deletions of trees that have not ended
     * throw {@link ClosedFileSystemException}; there is no copy then, and what is left of the tree goes when the file
     * system is opened next.
     */
    @Override
    public synchronized void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        try {
            closeChannels();
        } finally {
            tree.close();
            try {
                closeStore();
            } finally {
                provider.closed(this); // who opens the store again finds it closed
            }
        }
    }

    /** Closes all of them, whatever happens to some. */
    private void closeChannels() throws IOException {
        IOException failure = null;
        for (Channel channel : channels) {
            try {
                channel.close();
            } catch (ClosedFileSystemException e) {
                // The store was closed first: what is left of a deleted file goes when it is opened next.
                assert store.directory() == null;
            } catch (IOException | RuntimeException e) {
                failure = failure == null ? new IOException("a channel could not be closed: " + e, e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void closeStore() throws IOException {
        if (store.directory() == null) {
            return;
        }
        try {
            store.close();
        } catch (StorageException e) {
            throw FileTree.failure(e);
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isReadOnly() {
        return store.isReadOnly();
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        requireOpen();
        return List.of(FlexPath.root(this));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(fileStore());
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        requireOpen();
        return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
        requireOpen();
        StringBuilder text = new StringBuilder(first);
        for (String part : more) {
            if (!part.isEmpty()) {
                text.append(text.isEmpty() ? "" : "/").append(part);
            }
        }
        return FlexPath.parse(this, text.toString());
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException(
                    "syntaxAndPattern must begin with \"glob:\" or \"regex:\": " + syntaxAndPattern);
        }
        String syntax = syntaxAndPattern.substring(0, colon);
        String rest = syntaxAndPattern.substring(colon + 1);
        Pattern pattern;
        if (syntax.equalsIgnoreCase("glob")) {
            pattern = Glob.pattern(rest);
        } else if (syntax.equalsIgnoreCase("regex")) {
            pattern = Pattern.compile(rest);
        } else {
            throw new UnsupportedOperationException("there is no syntax \"" + syntax + "\"");
        }
        return path -> pattern.matcher(path.toString()).matches();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException("files have no owners");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("there is no watch service");
    }

    @Override
    public String toString() {
        return "FlexFileSystem[" + id + (open ? "]" : ", closed]");
    }
}
