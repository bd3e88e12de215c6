package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Assumptions;

/**
 * The same operations on a directory of the default file system and on ours: results and kinds of exceptions are the
 * same, and so is the whole tree afterwards. jqwik prints the seed, and shrinks what fails.
 */
class FlexFileSystemConformanceTest {
    /** Of a path that goes through a file, JDK 25 says then that it is not there, and JDK 17 just that it can't be. */
    private static final Set<Kind> ASK_FOR_ATTRIBUTES = EnumSet.of(Kind.STAT, Kind.WALK, Kind.COPY, Kind.MOVE);

    private static final List<String> NAMES = List.of("a", "b", "c", "d.txt");

    /** One operation, with more than it may need. */
    record Action(Kind kind, String path, String other, int number, int length) {}

    enum Kind {
        CREATE_FILE,
        CREATE_DIRECTORY,
        CREATE_DIRECTORIES,
        CREATE_LINK,
        WRITE,
        APPEND,
        PATCH,
        TRUNCATE,
        OPEN_AND_MIX,
        READ,
        READ_PART,
        DELETE,
        DELETE_IF_EXISTS,
        MOVE,
        COPY,
        LIST,
        WALK,
        STAT,
        REAL_PATH,
        READ_LINK,
        SAME_FILE,
        SET_TIME
    }

    @Provide
    Arbitrary<String> paths() {
        Arbitrary<String> names = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(20, Arbitraries.of(NAMES)),
                net.jqwik.api.Tuple.of(1, Arbitraries.of(".", "..")));
        // Kernels have rules of their own for a path that ends with a dot.
        return Combinators.combine(names.list().ofMaxSize(2), Arbitraries.of(NAMES))
                .as((parts, last) -> String.join("/", parts) + (parts.isEmpty() ? "" : "/") + last);
    }

    @Provide
    Arbitrary<List<Action>> programs() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        paths(),
                        paths(),
                        Arbitraries.integers().between(0, 1 << 16),
                        Arbitraries.integers().between(0, 3000))
                .as(Action::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(60);
    }

    @Tag("long")
    @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
    void manyMoreGiveTheSameResults(@ForAll("programs") List<Action> program) throws IOException {
        theSameOperationsGiveTheSameResults(program);
    }

    @Property(tries = 20, shrinking = ShrinkingMode.BOUNDED)
    void theSameOperationsGiveTheSameResults(@ForAll("programs") List<Action> program) throws IOException {
        Path temporary = Files.createTempDirectory("conformance");
        Assumptions.assumeTrue(temporary.getFileSystem().getSeparator().equals("/"), "as Unix does");
        try (FilesFixture fixture = new FilesFixture(temporary.resolve("store"))) {
            Path theirs = Files.createDirectory(temporary.resolve("root"));
            run(program, theirs, Files.createDirectory(fixture.path("/root")));
            fixture.reopen();
            assertEquals(tree(theirs), tree(fixture.path("/root")));
        } finally {
            remove(temporary);
        }
    }

    /** Dots after files, directories, links and what is not there, with links followed and not. */
    @Example
    void pathsOfUpToThreeNamesHaveTheSameRealPaths() throws IOException {
        Path temporary = Files.createTempDirectory("conformance");
        Assumptions.assumeTrue(temporary.getFileSystem().getSeparator().equals("/"), "as Unix does");
        try (FilesFixture fixture = new FilesFixture(temporary.resolve("store"))) {
            List<Path> roots = List.of(temporary.resolve("root"), fixture.path("/root"));
            for (Path root : roots) {
                Files.createDirectories(root.resolve("directory/below"));
                Files.createFile(root.resolve("directory/file"));
                Files.createFile(root.resolve("file"));
                Files.createSymbolicLink(
                        root.resolve("link"), root.getFileSystem().getPath("directory/below"));
                Files.createSymbolicLink(
                        root.resolve("gone"), root.getFileSystem().getPath("nothing"));
            }
            List<String> names = List.of("", ".", "..", "directory", "below", "file", "link", "gone");
            for (int i = 0; i < 2 << 9; i++) {
                String path = String.join("/", names.get(i >> 6 & 7), names.get(i >> 3 & 7), names.get(i & 7));
                Action action = new Action(Kind.REAL_PATH, path.replaceFirst("^/+", ""), "", i >> 9, 0);
                if (roots.get(0).resolve(action.path).normalize().startsWith(roots.get(0))) {
                    assertEquals(result(action, roots.get(0)), result(action, roots.get(1)), action::toString);
                }
            }
        } finally {
            remove(temporary);
        }
    }

    private static void run(List<Action> program, Path theirs, Path ours) throws IOException {
        for (Action action : program) {
            // What leads out of the two directories would not be the same.
            if (!theirs.resolve(action.path).normalize().startsWith(theirs)
                    || !theirs.resolve(action.other).normalize().startsWith(theirs)) {
                continue;
            }
            if (isIntoItself(action, theirs)) {
                // Theirs deletes what is to be replaced before it finds that out.
                List<String> before = tree(ours);
                assertThrows(IOException.class, () -> perform(action, ours), action::toString);
                assertEquals(before, tree(ours), action::toString);
                continue;
            }
            String expected = result(action, theirs);
            assertEquals(expected, result(action, ours), () -> action + " of " + program);
        }
        assertEquals(tree(theirs), tree(ours), program::toString);
    }

    /** Whether a directory is to replace something below itself that can be deleted. */
    private static boolean isIntoItself(Action action, Path root) throws IOException {
        Path path = root.resolve(action.path);
        Path other = root.resolve(action.other);
        boolean replaces = action.kind == Kind.MOVE && action.number % 3 == 1;
        if (!replaces || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !isDeletable(other)) {
            return false;
        }
        return other.getParent().toRealPath().startsWith(path.toRealPath());
    }

    private static boolean isDeletable(Path path) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        }
        try (Stream<Path> below = Files.list(path)) {
            return below.findAny().isEmpty();
        }
    }

    private static String result(Action action, Path root) {
        try {
            return String.valueOf(perform(action, root));
        } catch (IOException e) {
            // Which of two paths an atomic move of the operating system complains about first is its own choice.
            String kind = action.kind == Kind.MOVE && action.number % 3 == 2 ? "IOException" : kind(e);
            // So there createDirectories goes on to the file, and says that it is there.
            boolean isAtFile = action.kind == Kind.CREATE_DIRECTORIES
                    && e instanceof FileAlreadyExistsException
                    && goesThroughFile(root, root.resolve(action.path));
            boolean differs = e instanceof NoSuchFileException && ASK_FOR_ATTRIBUTES.contains(action.kind) || isAtFile;
            return differs ? "IOException" : kind;
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    private static boolean goesThroughFile(Path root, Path path) {
        for (Path above = path.getParent(); above.startsWith(root) && !above.equals(root); above = above.getParent()) {
            if (Files.isRegularFile(above) || leadsThroughFile(above)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a link can't be followed, and not because nothing is there. */
    private static boolean leadsThroughFile(Path link) {
        try {
            link.toRealPath();
            return false;
        } catch (IOException e) {
            return !(e instanceof NoSuchFileException);
        }
    }

    /** What programs tell apart; that a name is too long, or a file no directory, is a message. */
    private static String kind(IOException e) {
        for (Class<?> type : List.of(
                NoSuchFileException.class,
                FileAlreadyExistsException.class,
                DirectoryNotEmptyException.class,
                NotDirectoryException.class,
                NotLinkException.class,
                AccessDeniedException.class,
                AtomicMoveNotSupportedException.class)) {
            if (type.isInstance(e)) {
                return type.getSimpleName();
            }
        }
        return "IOException";
    }

    private static byte[] bytes(Action action) {
        byte[] bytes = new byte[action.length];
        new Random(action.number).nextBytes(bytes);
        return bytes;
    }

    private static Object perform(Action action, Path root) throws IOException {
        Path path = root.resolve(action.path);
        Path other = root.resolve(action.other);
        int number = action.number;
        return switch (action.kind) {
            case CREATE_FILE -> relative(root, Files.createFile(path));
            case CREATE_DIRECTORY -> relative(root, Files.createDirectory(path));
            case CREATE_DIRECTORIES -> relative(root, Files.createDirectories(path));
            case CREATE_LINK -> {
                Path target = number % 2 == 0 ? root.getFileSystem().getPath(action.other) : other;
                yield relative(root, Files.createSymbolicLink(path, target));
            }
            case WRITE -> relative(root, Files.write(path, bytes(action), writing(number)));
            case APPEND ->
                relative(root, Files.write(path, bytes(action), StandardOpenOption.APPEND, StandardOpenOption.CREATE));
            case PATCH -> patch(path, bytes(action), number % 5000);
            case TRUNCATE -> truncate(path, number % 3000);
            case OPEN_AND_MIX -> mix(path, number, action.length);
            case READ -> HexFormat.of().formatHex(Files.readAllBytes(path));
            case READ_PART -> readPart(path, number % 4000, action.length);
            case DELETE -> {
                Files.delete(path);
                yield "deleted";
            }
            case DELETE_IF_EXISTS -> Files.deleteIfExists(path);
            case MOVE -> relative(root, Files.move(path, other, moving(number)));
            case COPY -> relative(root, Files.copy(path, other, copying(number)));
            case LIST -> list(path);
            case WALK -> walk(root, path, number);
            case STAT -> stat(path, number);
            case REAL_PATH -> realPath(root, path, following(number));
            case READ_LINK -> relative(root, Files.readSymbolicLink(path));
            case SAME_FILE -> Files.isSameFile(path, other);
            case SET_TIME -> setTime(path, number);
        };
    }

    private static String relative(Path root, Path path) {
        return path.isAbsolute() ? "/" + root.relativize(path) : path.toString();
    }

    /** What comes after the root, name by name. */
    private static String realPath(Path root, Path path, LinkOption... options) throws IOException {
        Path above = root.toRealPath(options);
        Path real = path.toRealPath(options);
        return real.equals(above)
                ? "/"
                : real.startsWith(above)
                        ? real.subpath(above.getNameCount(), real.getNameCount())
                                .toString()
                        : "elsewhere";
    }

    private static LinkOption[] following(int number) {
        return number % 2 == 0 ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
    }

    private static OpenOption[] writing(int number) {
        return switch (number % 6) {
            case 0 -> new OpenOption[] {StandardOpenOption.WRITE};
            case 1 -> new OpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE};
            case 2 -> new OpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING};
            case 3 ->
                new OpenOption[] {
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE,
                    LinkOption.NOFOLLOW_LINKS,
                    StandardOpenOption.SYNC
                };
            case 4 ->
                new OpenOption[] {
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.SPARSE,
                    StandardOpenOption.WRITE
                };
            default -> new OpenOption[0];
        };
    }

    private static CopyOption[] moving(int number) {
        return switch (number % 3) {
            case 0 -> new CopyOption[0];
            case 1 -> new CopyOption[] {StandardCopyOption.REPLACE_EXISTING};
            default -> new CopyOption[] {StandardCopyOption.ATOMIC_MOVE};
        };
    }

    private static CopyOption[] copying(int number) {
        Set<CopyOption> options = new java.util.HashSet<>();
        if ((number & 1) != 0) {
            options.add(StandardCopyOption.REPLACE_EXISTING);
        }
        if ((number & 2) != 0) {
            options.add(StandardCopyOption.COPY_ATTRIBUTES);
        }
        if ((number & 4) != 0) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options.toArray(CopyOption[]::new);
    }

    private static Object patch(Path path, byte[] bytes, int position) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            int written = channel.position(position).write(ByteBuffer.wrap(bytes));
            return List.of(written, channel.position(), channel.size());
        }
    }

    private static Object truncate(Path path, int size) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.position(2000).truncate(size);
            return List.of(channel.position(), channel.size());
        }
    }

    /** Reads and writes through one channel, and moves about. */
    private static Object mix(Path path, int number, int length) throws IOException {
        Random random = new Random(number);
        List<Object> results = new ArrayList<>();
        Set<OpenOption> options = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        try (SeekableByteChannel channel = Files.newByteChannel(path, options)) {
            for (int i = 0; i < 12; i++) {
                byte[] bytes = new byte[random.nextInt(1 + length)];
                ByteBuffer buffer =
                        random.nextBoolean() ? ByteBuffer.wrap(bytes) : ByteBuffer.allocateDirect(bytes.length);
                switch (random.nextInt(4)) {
                    case 0 -> channel.position(random.nextInt(6000));
                    case 1 -> {
                        random.nextBytes(bytes);
                        results.add(channel.write(ByteBuffer.wrap(bytes)));
                    }
                    case 2 -> {
                        results.add(channel.read(buffer));
                        buffer.flip();
                        byte[] read = new byte[buffer.remaining()];
                        buffer.get(read);
                        results.add(HexFormat.of().formatHex(read));
                    }
                    default -> channel.truncate(random.nextInt(5000));
                }
                results.add(channel.position() + " of " + channel.size());
            }
        }
        return results;
    }

    private static Object readPart(Path path, int position, int length) throws IOException {
        if (Files.isDirectory(path)) {
            return "a directory, which some JDKs open to be read";
        }
        try (InputStream in = Files.newInputStream(path)) {
            long skipped = in.skip(position);
            return List.of(skipped, HexFormat.of().formatHex(in.readNBytes(length)), in.available());
        }
    }

    private static Object list(Path path) throws IOException {
        Set<String> names = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, "[a-c]*")) {
            entries.forEach(entry -> names.add(entry.getFileName() + (entry.startsWith(path) ? "" : " elsewhere")));
        }
        return names;
    }

    private static Object walk(Path root, Path path, int number) throws IOException {
        EnumSet<FileVisitOption> options =
                number % 3 == 0 ? EnumSet.of(FileVisitOption.FOLLOW_LINKS) : EnumSet.noneOf(FileVisitOption.class);
        try (Stream<Path> found = Files.walk(path, 4, options.toArray(FileVisitOption[]::new))) {
            return found.map(each -> relative(root, each)).sorted().toList();
        } catch (java.io.UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Object stat(Path path, int number) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class, following(number));
        return Arrays.asList(
                attributes.isDirectory(),
                attributes.isRegularFile(),
                attributes.isSymbolicLink(),
                attributes.isOther(),
                attributes.isRegularFile() ? attributes.size() : 0,
                Files.exists(path, following(number)),
                absence(path),
                Files.isReadable(path),
                Files.isExecutable(path),
                Files.isHidden(path),
                new TreeMap<>(Files.readAttributes(path, "isDirectory,isSymbolicLink", following(number))));
    }

    /** Where a link leads through a file, JDK 25 knows that nothing is there, and JDK 17 does not. */
    private static String absence(Path path) {
        String exists = "exists " + Files.exists(path);
        return leadsThroughFile(path) ? exists : exists + ", is absent " + Files.notExists(path);
    }

    private static Object setTime(Path path, int number) throws IOException {
        Files.setLastModifiedTime(path, FileTime.fromMillis(1_500_000_000_000L + number));
        Files.setAttribute(path, "basic:lastAccessTime", FileTime.fromMillis(1_400_000_000_000L));
        return Files.getLastModifiedTime(path).toMillis() + " " + Files.getAttribute(path, "lastModifiedTime");
    }

    /** All that is below a directory, with what it has. */
    private static List<String> tree(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String line = relative(root, path);
                if (Files.isSymbolicLink(path)) {
                    line += " -> " + relative(root, Files.readSymbolicLink(path));
                } else if (Files.isRegularFile(path)) {
                    line += " " + HexFormat.of().formatHex(Files.readAllBytes(path));
                }
                found.add(line);
            }
        }
        found.sort(null);
        return found;
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) paths.sorted(java.util.Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        }
    }
}
