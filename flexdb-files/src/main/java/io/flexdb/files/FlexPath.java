package io.flexdb.files;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Names with slashes between them, as a path of Unix. The empty path has one name, which is empty; the root has none.
 * Ordered by the bytes of UTF-8, as entries of directories are.
 */
final class FlexPath implements Path {
    private static final String[] NO_NAMES = {};
    private static final String[] EMPTY = {""};

    private final FlexFileSystem fileSystem;
    private final boolean absolute;
    private final String[] names;
    private String text; // made when somebody asks; any thread's

    private FlexPath(FlexFileSystem fileSystem, boolean absolute, String[] names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = names.length == 0 && !absolute ? EMPTY : names;
    }

    static FlexPath root(FlexFileSystem fileSystem) {
        return new FlexPath(fileSystem, true, NO_NAMES);
    }

    static FlexPath absolute(FlexFileSystem fileSystem, List<String> names) {
        return new FlexPath(fileSystem, true, names.toArray(String[]::new));
    }

    static FlexPath parse(FlexFileSystem fileSystem, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new InvalidPathException(text, "a zero is no character of a name");
        }
        if (hasHalfOfAPair(text)) {
            throw new InvalidPathException(text, "half of a surrogate pair");
        }
        String[] names =
                Arrays.stream(text.split("/")).filter(name -> !name.isEmpty()).toArray(String[]::new);
        return new FlexPath(fileSystem, text.startsWith("/"), names);
    }

    private static boolean hasHalfOfAPair(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** A path that has to be one of these. */
    static FlexPath of(Path path) {
        if (path instanceof FlexPath own) {
            return own;
        }
        throw new ProviderMismatchException(Objects.requireNonNull(path, "path").toString());
    }

    List<String> names() {
        return isEmpty() ? List.of() : List.of(names);
    }

    private boolean isEmpty() {
        return names == EMPTY || names.length == 1 && names[0].isEmpty();
    }

    private FlexPath with(boolean isAbsolute, String... newNames) {
        return new FlexPath(fileSystem, isAbsolute, newNames);
    }

    /** A path of the same file system. */
    private FlexPath own(Path other) {
        FlexPath path = of(other);
        if (path.fileSystem != fileSystem) {
            throw new ProviderMismatchException("a path of another file system: " + other);
        }
        return path;
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    FlexFileSystem fileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public FlexPath getRoot() {
        return absolute ? root(fileSystem) : null;
    }

    @Override
    public FlexPath getFileName() {
        return names.length == 0 ? null : with(false, names[names.length - 1]);
    }

    @Override
    public FlexPath getParent() {
        if (names.length == 0 || names.length == 1 && !absolute) {
            return null;
        }
        return with(absolute, Arrays.copyOf(names, names.length - 1));
    }

    @Override
    public int getNameCount() {
        return names.length;
    }

    @Override
    public FlexPath getName(int index) {
        requireName(index, index >= 0 && index < names.length);
        return with(false, names[index]);
    }

    @Override
    public FlexPath subpath(int beginIndex, int endIndex) {
        requireName(beginIndex, beginIndex >= 0 && beginIndex < names.length);
        requireName(endIndex, endIndex > beginIndex && endIndex <= names.length);
        return with(false, Arrays.copyOfRange(names, beginIndex, endIndex));
    }

    private void requireName(int index, boolean isThere) {
        if (!isThere) {
            throw new IllegalArgumentException("the path has " + names.length + " names: " + index);
        }
    }

    @Override
    public boolean startsWith(Path other) {
        return Objects.requireNonNull(other, "other") instanceof FlexPath path
                && path.fileSystem == fileSystem
                && path.absolute == absolute
                && path.isEmpty() == isEmpty()
                && path.names.length <= names.length
                && Arrays.equals(path.names, 0, path.names.length, names, 0, path.names.length);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(Objects.requireNonNull(other, "other") instanceof FlexPath path) || path.fileSystem != fileSystem) {
            return false;
        }
        if (path.absolute) {
            return equals(path);
        }
        int from = names.length - path.names.length;
        return path.isEmpty() == isEmpty()
                && from >= 0
                && Arrays.equals(path.names, 0, path.names.length, names, from, names.length);
    }

    @Override
    public FlexPath normalize() {
        List<String> left = new ArrayList<>(names.length);
        for (String name : names()) {
            boolean canGoUp = !left.isEmpty() && !left.get(left.size() - 1).equals("..");
            if (name.equals("..") && canGoUp) {
                left.remove(left.size() - 1);
            } else if (!name.equals(".") && !(name.equals("..") && absolute)) {
                left.add(name);
            }
        }
        return left.size() == names.length ? this : with(absolute, left.toArray(NO_NAMES));
    }

    @Override
    public FlexPath resolve(Path other) {
        FlexPath path = own(other);
        if (path.absolute || isEmpty()) {
            return path;
        }
        return path.isEmpty() ? this : append(path.names);
    }

    private FlexPath append(String... more) {
        String[] all = Arrays.copyOf(names, names.length + more.length);
        System.arraycopy(more, 0, all, names.length, more.length);
        return with(absolute, all);
    }

    /** The path of what a directory has under a name. */
    FlexPath child(String name) {
        return isEmpty() ? with(false, name) : append(name);
    }

    @Override
    public FlexPath relativize(Path other) {
        FlexPath path = own(other);
        if (path.absolute != absolute) {
            throw new IllegalArgumentException("one of the paths is absolute, the other one is not: " + other);
        }
        if (equals(path)) {
            return with(false);
        }
        if (isEmpty()) {
            return path;
        }
        List<String> from =
                isNormal() && path.isNormal() ? names() : normalize().names();
        List<String> to =
                isNormal() && path.isNormal() ? path.names() : path.normalize().names();
        int same = 0;
        while (same < Math.min(from.size(), to.size()) && from.get(same).equals(to.get(same))) {
            same++;
        }
        if (from.subList(same, from.size()).contains("..")) {
            throw new IllegalArgumentException("nobody knows what " + this + " is below: " + other);
        }
        List<String> result = new ArrayList<>();
        for (int i = same; i < from.size(); i++) {
            result.add("..");
        }
        result.addAll(to.subList(same, to.size()));
        return with(false, result.toArray(NO_NAMES));
    }

    private boolean isNormal() {
        return names().stream().noneMatch(name -> name.equals(".") || name.equals(".."));
    }

    @Override
    public URI toUri() {
        return fileSystem.uri(toAbsolutePath());
    }

    @Override
    public FlexPath toAbsolutePath() {
        return absolute ? this : with(true, names().toArray(NO_NAMES));
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        return fileSystem.operations().realPath(this, options);
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("there is no watch service");
    }

    @Override
    public int compareTo(Path other) {
        String mine = toString();
        String theirs = ((FlexPath) other).toString();
        int[] first = mine.codePoints().toArray();
        return Arrays.compare(first, theirs.codePoints().toArray());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlexPath path
                && path.fileSystem == fileSystem
                && path.absolute == absolute
                && Arrays.equals(path.names, names);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(names) + Boolean.hashCode(absolute);
    }

    @Override
    public String toString() {
        String known = text;
        if (known == null) {
            known = (absolute ? "/" : "") + String.join("/", names);
            text = known;
        }
        return known;
    }
}
