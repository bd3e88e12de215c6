package io.flexdb.files;

import io.flexdb.files.PathWalk.Place;
import io.flexdb.files.internal.Entry;
import io.flexdb.files.internal.EntryKey;
import io.flexdb.files.internal.FileTree;
import io.flexdb.files.internal.OpenFile;
import io.flexdb.files.internal.RangeLocks;
import io.flexdb.files.internal.Times;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What can be done with the files of one file system, by paths. */
final class FileOperations {
    private static final int MAX_TARGET_BYTES = 4096;

    private final FlexFileSystem fileSystem;
    private final FileTree tree;

    FileOperations(FlexFileSystem fileSystem, FileTree tree) {
        this.fileSystem = fileSystem;
        this.tree = tree;
    }

    /** Where a path leads to. */
    Place find(FlexPath path, boolean follow) throws IOException {
        fileSystem.requireOpen();
        return PathWalk.find(tree, path.toAbsolutePath(), follow);
    }

    static boolean follows(LinkOption... options) {
        return !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
    }

    private static void requireNone(FileAttribute<?>... attributes) {
        if (attributes.length > 0) {
            throw new UnsupportedOperationException(
                    "\"" + attributes[0].name() + "\" can't be set when a file is made");
        }
    }

    // ---- making and removing

    void createDirectory(FlexPath path, FileAttribute<?>... attributes) throws IOException {
        requireNone(attributes);
        Place place = find(path, false);
        requireAbsent(place); // first: createDirectories asks so whether there is anything to do
        fileSystem.requireWritable();
        tree.createDirectory(place.key(), path.toString());
    }

    void createLink(FlexPath path, Path target, FileAttribute<?>... attributes) throws IOException {
        requireNone(attributes);
        fileSystem.requireWritable();
        String text = FlexPath.of(target).toString();
        if (text.isEmpty()) {
            throw new NoSuchFileException(path.toString(), null, "a link needs a target");
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_TARGET_BYTES) {
            throw new FileSystemException(path.toString(), null, "File name too long");
        }
        Place place = find(path, false);
        requireAbsent(place);
        tree.createLink(place.key(), text, path.toString());
    }

    private static void requireAbsent(Place place) throws FileAlreadyExistsException {
        if (place.entry() != null) {
            throw new FileAlreadyExistsException(place.path().toString());
        }
    }

    Path readLink(FlexPath path) throws IOException {
        Entry entry = find(path, false).requireEntry();
        if (!entry.isLink()) {
            throw new NotLinkException(path.toString());
        }
        return fileSystem.getPath(entry.target());
    }

    void delete(FlexPath path) throws IOException {
        fileSystem.requireWritable();
        Place place = find(path, false);
        place.requireEntry();
        tree.remove(place.requireKey(), path.toString());
    }

    void deleteRecursively(FlexPath path) throws IOException {
        fileSystem.requireWritable();
        Place place = find(path, false);
        place.requireEntry();
        tree.removeAll(place.requireKey(), path.toString());
    }

    // ---- content

    FlexChannel open(FlexPath path, OpenFlags flags, FileAttribute<?>... attributes) throws IOException {
        requireNone(attributes);
        if (flags.write() || flags.deleteOnClose()) {
            fileSystem.requireWritable();
        }
        while (true) {
            Place place = find(path, flags.follow() && !flags.createNew());
            boolean isNew = place.entry() == null;
            if (!isNew && place.entry().isDirectory() && !flags.write()) {
                return channel(new ChannelFile.OfDirectory(new RangeLocks()), flags, false);
            }
            OpenFile file = isNew ? createOrNull(place, flags) : openOrNull(place, flags);
            if (file != null) {
                return channel(new ChannelFile.OfFile(tree.content(), file, flags.atLeast()), flags, isNew);
            }
        }
    }

    private OpenFile openOrNull(Place place, OpenFlags flags) throws IOException {
        if (flags.createNew()) {
            throw new FileAlreadyExistsException(place.path().toString());
        }
        requireFile(place);
        return tree.content().open(place.key(), place.entry());
    }

    /** Makes a file and opens it, or returns null if somebody else was faster. */
    private OpenFile createOrNull(Place place, OpenFlags flags) throws IOException {
        if (!flags.create() && !flags.createNew()) {
            throw new NoSuchFileException(place.path().toString());
        }
        try {
            return tree.content().create(place.requireKey(), place.path().toString());
        } catch (FileAlreadyExistsException e) {
            if (flags.createNew()) {
                throw e;
            }
            return null;
        }
    }

    private static void requireFile(Place place) throws FileSystemException {
        if (place.entry().isDirectory()) {
            throw new FileSystemException(place.path().toString(), null, "Is a directory");
        }
        if (place.entry().isLink()) {
            throw new FileSystemException(
                    place.path().toString(), null, "Too many levels of symbolic links (NOFOLLOW_LINKS specified)");
        }
    }

    private FlexChannel channel(ChannelFile file, OpenFlags flags, boolean created) throws IOException {
        FlexChannel channel = new FlexChannel(fileSystem, file, flags);
        try {
            if (flags.truncate() && !created) {
                file.truncate(0);
            }
            fileSystem.opened(channel);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.release(); // unless who closes the file system was faster
            throw e;
        }
    }

    DirectoryStream<Path> list(FlexPath path, DirectoryStream.Filter<? super Path> filter) throws IOException {
        return new FlexDirectoryStream(path, directory(path), filter);
    }

    /** The number of a directory. */
    long directory(FlexPath path) throws IOException {
        try {
            Entry entry = find(path, true).requireEntry();
            if (entry.isDirectory()) {
                return entry.id();
            }
        } catch (PathWalk.NoDirectoryException e) {
            // As if the path led to what it goes through.
        }
        throw new NotDirectoryException(path.toString());
    }

    // ---- attributes

    FlexAttributes attributes(FlexPath path, boolean follow) throws IOException {
        return attributes(path, find(path, follow).requireEntry());
    }

    FlexAttributes attributes(FlexPath path, Entry entry) throws IOException {
        FlexAttributes attributes = attributesOrNull(entry);
        if (attributes == null) {
            throw new NoSuchFileException(path.toString());
        }
        return attributes;
    }

    /** The attributes of an entry; null if that of a directory which is gone. */
    FlexAttributes attributesOrNull(Entry entry) throws IOException {
        Times times = entry.isDirectory() ? tree.directoryTimes(entry.id()) : entry.times();
        FlexAttributes.FileKey key = new FlexAttributes.FileKey(fileSystem.id(), entry.id());
        return times == null ? null : new FlexAttributes(entry, times, key);
    }

    void setTimes(FlexPath path, boolean follow, FileTree.TimesChange times) throws IOException {
        fileSystem.requireWritable();
        Place place = find(path, follow);
        Entry entry = place.requireEntry();
        if (entry.isDirectory()) {
            tree.setDirectoryTimes(entry.id(), path.toString(), times);
        } else {
            tree.setTimes(place.key(), path.toString(), times);
        }
    }

    void checkAccess(FlexPath path, AccessMode... modes) throws IOException {
        List<AccessMode> asked = Arrays.asList(modes);
        Entry entry = find(path, true).requireEntry();
        if (entry.isFile() && asked.contains(AccessMode.EXECUTE)) {
            throw new AccessDeniedException(path.toString(), null, "nothing here can be executed");
        }
        if (fileSystem.isReadOnly() && asked.contains(AccessMode.WRITE)) {
            throw new AccessDeniedException(path.toString(), null, "the store is open to be read only");
        }
    }

    boolean isSame(FlexPath path, FlexPath other) throws IOException {
        if (path.equals(other)) {
            return true;
        }
        if (path.fileSystem() != other.fileSystem()) {
            return false;
        }
        long id = find(path, true).requireEntry().id();
        return id == find(other, true).requireEntry().id();
    }

    FlexPath realPath(FlexPath path, LinkOption... options) throws IOException {
        if (!follows(options)) {
            return pathWithLinks(path);
        }
        Place place = find(path, true);
        place.requireEntry();
        return FlexPath.absolute(fileSystem, place.names());
    }

    /** A path without dots, but for two that come after a link: these lead elsewhere than the name before it. */
    private FlexPath pathWithLinks(FlexPath path) throws IOException {
        List<String> names = new ArrayList<>();
        for (String name : path.names()) {
            if (name.equals("..") && goesBack(names)) {
                names.subList(Math.max(0, names.size() - 1), names.size()).clear();
            } else if (!name.equals(".")) {
                names.add(name);
            }
        }
        FlexPath found = FlexPath.absolute(fileSystem, names);
        find(found, false).requireEntry();
        return found;
    }

    /** Whether two dots take away the last of some names. */
    private boolean goesBack(List<String> names) throws IOException {
        if (names.isEmpty()) {
            return true; // the root is above itself
        }
        Entry entry = find(FlexPath.absolute(fileSystem, names), false).requireEntry();
        return !entry.isLink() && !names.get(names.size() - 1).equals("..");
    }

    /** Where a file goes, and is not yet unless it may be replaced. */
    static EntryKey target(Place place, boolean replace) throws IOException {
        if (place.entry() != null && !replace) {
            throw new FileAlreadyExistsException(place.path().toString());
        }
        return place.requireKey();
    }

    FileTree tree() {
        return tree;
    }
}
