package io.flexdb.files;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.files.internal.Times;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens file systems for {@link java.nio.file.FileSystems}, by URIs such as {@code flexdb:file:///var/data} or by the
 * path of a store's directory that there is; paths in them have URIs such as
 * {@code flexdb:file:///var/data!/notes/today.txt}. The environment may have:
 *
 * <ul>
 *   <li>"create": {@code true}, or "true", to make a store where the URI names none; with a path it means nothing, since
 *       other providers make files by it, such as archives
 *   <li>"readOnly": {@code true}, or "true", to read a store only, also beside its writer in another process: see
 *       {@link FlexFileSystem#openReadOnly(io.flexdb.FlexDBReader)}
 *   <li>"store": {@link FlexDBOptions} to open the store with
 *   <li>"files": {@link FlexFilesOptions} of the file system
 * </ul>
 *
 * <p>A store that was opened like that is closed with its file system. Programs that have an open store call
 * {@link FlexFileSystem#open(FlexDB)} instead. Any thread may call any method.
 */
public final class FlexFileSystemProvider extends FileSystemProvider {
    /** Those of all providers: where the JVM has none installed there may be several, over the same stores. */
    private static final OpenSystems SYSTEMS = new OpenSystems();

    /** For {@link java.util.ServiceLoader}. */
    public FlexFileSystemProvider() {}

    /** The one that others find by the scheme, or another one where the JVM has none. */
    static FlexFileSystemProvider installed() {
        for (FileSystemProvider provider : installedProviders()) {
            if (provider instanceof FlexFileSystemProvider own) {
                return own;
            }
        }
        return new FlexFileSystemProvider();
    }

    @Override
    public String getScheme() {
        return FlexUri.SCHEME;
    }

    // ---- file systems

    /** Opens a file system of a store, or of one that is read only, which is the caller's. */
    FlexFileSystem open(OpenStore store, FlexFilesOptions options) throws IOException {
        synchronized (SYSTEMS) {
            SYSTEMS.requireFree(store, options.name());
            FlexFileSystem opened = new FlexFileSystem(this, SYSTEMS.newId(), store, options);
            SYSTEMS.add(opened, options.name(), false);
            return opened;
        }
    }

    void closed(FlexFileSystem fileSystem) {
        synchronized (SYSTEMS) {
            SYSTEMS.remove(fileSystem);
        }
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        Objects.requireNonNull(env, "env must not be null");
        return open(Path.of(FlexUri.parse(uri).store()), env, false);
    }

    /**
     * Opens the store in a directory.
     *
     * @throws UnsupportedOperationException if there is none, so that other providers are asked
     */
    @Override
    public FileSystem newFileSystem(Path path, Map<String, ?> env) throws IOException {
        return open(path, env, true);
    }

    private FileSystem open(Path directory, Map<String, ?> env, boolean othersMay) throws IOException {
        Objects.requireNonNull(directory, "path must not be null");
        boolean readOnly = isSet(env, "readOnly");
        boolean create = !othersMay && !readOnly && isSet(env, "create");
        if (!create && !isStore(directory)) {
            if (othersMay) {
                throw new UnsupportedOperationException("there is no store: " + directory);
            }
            throw new NoSuchFileException(directory.toString(), null, "there is no store");
        }
        FlexDBOptions storeOptions = option(env, "store", FlexDBOptions.class, FlexDBOptions.defaults());
        FlexFilesOptions options = option(env, "files", FlexFilesOptions.class, FlexFilesOptions.defaults());
        synchronized (SYSTEMS) {
            Path above = directory.toAbsolutePath().getParent();
            if (above != null && create) {
                Files.createDirectories(above);
            }
            SYSTEMS.requireFree(idOf(directory));
            OpenStore store = openStore(directory, storeOptions, readOnly, othersMay);
            try {
                FlexFileSystem opened = new FlexFileSystem(this, idOf(directory), store, options);
                SYSTEMS.add(opened, options.name(), true);
                return opened;
            } catch (IOException | RuntimeException e) {
                store.close();
                throw e;
            }
        }
    }

    private static boolean isSet(Map<String, ?> env, String name) {
        return Boolean.parseBoolean(String.valueOf(env.get(name)));
    }

    private static OpenStore openStore(Path directory, FlexDBOptions options, boolean readOnly, boolean othersMay)
            throws IOException {
        try {
            return readOnly
                    ? new OpenStore(null, FlexDB.openReadOnly(directory, options), directory)
                    : new OpenStore(FlexDB.open(directory, options), null, directory);
        } catch (NotAStoreException e) {
            if (othersMay) {
                throw new UnsupportedOperationException(e.getMessage(), e);
            }
            throw new IOException(e.getMessage(), e);
        } catch (StorageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Whether there is something in a directory; what that is, the store finds out. */
    private static boolean isStore(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            return files.iterator().hasNext();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return false; // no other failure says so
        }
    }

    private static <T> T option(Map<String, ?> env, String name, Class<T> type, T usual) {
        Object value = env.get(name);
        if (value == null) {
            return usual;
        }
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" in the environment must be " + type.getSimpleName() + ": " + value);
        }
        return type.cast(value);
    }

    private static String idOf(Path directory) throws IOException {
        Path real;
        try {
            real = directory.toRealPath();
        } catch (NoSuchFileException e) {
            real = directory.toAbsolutePath().getParent().toRealPath().resolve(directory.getFileName());
        }
        String uri = FlexUri.id(real.toUri());
        return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri; // as before the directory was made
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        FlexUri parsed = FlexUri.parse(uri);
        synchronized (SYSTEMS) {
            FlexFileSystem found = SYSTEMS.get(parsed.id());
            if (found == null && parsed.id().startsWith("file:")) {
                try {
                    found = SYSTEMS.get(idOf(Path.of(parsed.store())));
                } catch (IOException e) {
                    throw notFound(uri, e);
                }
            }
            if (found == null) {
                throw notFound(uri, null);
            }
            return found;
        }
    }

    private static FileSystemNotFoundException notFound(URI uri, Throwable cause) {
        FileSystemNotFoundException exception = new FileSystemNotFoundException("not open: " + uri);
        exception.initCause(cause);
        return exception;
    }

    @Override
    public Path getPath(URI uri) {
        String path = FlexUri.parse(uri).path();
        if (path.isEmpty()) {
            throw new IllegalArgumentException("uri must have a path behind \"!\": " + uri);
        }
        return getFileSystem(uri).getPath(path);
    }

    // ---- files

    private static FileOperations operations(Path path) {
        return FlexPath.of(path).fileSystem().operations();
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return operations(path).open(FlexPath.of(path), OpenFlags.of(options), attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return operations(path)
                .open(FlexPath.of(path), OpenFlags.of(options), attributes)
                .closedByInterrupts();
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        Objects.requireNonNull(filter, "filter must not be null");
        return operations(directory).list(FlexPath.of(directory), filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        operations(directory).createDirectory(FlexPath.of(directory), attributes);
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        operations(link).createLink(FlexPath.of(link), target, attributes);
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return operations(link).readLink(FlexPath.of(link));
    }

    @Override
    public void delete(Path path) throws IOException {
        operations(path).delete(FlexPath.of(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        new CopyOrMove(FlexPath.of(source), FlexPath.of(target), options).copy();
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        new CopyOrMove(FlexPath.of(source), FlexPath.of(target), options).move();
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        Objects.requireNonNull(other, "other must not be null");
        return path.equals(other)
                || other instanceof FlexPath own && operations(path).isSame(FlexPath.of(path), own);
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = FlexPath.of(path).getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        operations(path).find(FlexPath.of(path), true).requireEntry();
        return FlexPath.of(path).fileSystem().fileStore();
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        operations(path).checkAccess(FlexPath.of(path), modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        FlexPath own = FlexPath.of(path);
        boolean follow = FileOperations.follows(options);
        return Objects.requireNonNull(type, "type must not be null") == BasicFileAttributeView.class
                ? type.cast(new FlexAttributeView(own, follow))
                : null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class) {
            throw new UnsupportedOperationException("there are basic attributes only, and no " + type.getSimpleName());
        }
        return type.cast(operations(path).attributes(FlexPath.of(path), FileOperations.follows(options)));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        List<String> names = FlexAttributes.names(attributes);
        return operations(path)
                .attributes(FlexPath.of(path), FileOperations.follows(options))
                .toMap(names);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        String name = FlexAttributes.withoutView(attribute);
        FlexAttributes.requireTime(name);
        FileTime time = (FileTime) Objects.requireNonNull(value, "value must not be null");
        operations(path)
                .setTimes(
                        FlexPath.of(path),
                        FileOperations.follows(options),
                        (Times old) -> FlexAttributes.set(old, name, time));
    }
}
