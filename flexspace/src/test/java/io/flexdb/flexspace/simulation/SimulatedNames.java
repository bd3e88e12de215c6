package io.flexdb.flexspace.simulation;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Directories and what they name: as programs see them and as the medium has them. Guarded by the file system. */
final class SimulatedNames {
    /*
     * A change of names is pending until one of its directories is synced. A power cut applies any subset of the
     * pending ones, in their order, to the names on the medium, except that a rename is never half undone: if a later
     * change of one of its two names survives, so does the rename, or else the file would be lost under both.
     */

    /** A file, or a directory if it has no content. */
    static final class Node {
        final SimulatedContent content;
        final TreeMap<String, Node> now = new TreeMap<>(WindowsRules.ORDER_OF_NAMES);
        final TreeMap<String, Node> medium = new TreeMap<>(WindowsRules.ORDER_OF_NAMES);
        Path path; // the latest, for messages
        int openings; // of a file, that are not closed

        Node(SimulatedContent content, Path path) {
            this.content = content;
            this.path = path;
        }

        boolean isDirectory() {
            return content == null;
        }
    }

    /** A name that no longer, or now, means something else. */
    private record Entry(Node directory, String name) {
        boolean is(Entry other) {
            return other != null
                    && directory == other.directory
                    && WindowsRules.ORDER_OF_NAMES.compare(name, other.name) == 0;
        }
    }

    /** {@code removed} loses its meaning, {@code added} gets the node; both for a rename. */
    private record Change(Entry removed, Entry added, Node node) {
        boolean isRename() {
            return removed != null && added != null;
        }

        boolean touches(Node directory) {
            return removed != null && removed.directory == directory || added != null && added.directory == directory;
        }

        boolean sharesEntryWith(Change other) {
            return removed != null && (removed.is(other.removed) || removed.is(other.added))
                    || added != null && (added.is(other.removed) || added.is(other.added));
        }

        void applyTo(Function<Node, Map<String, Node>> names) {
            if (removed != null) {
                names.apply(removed.directory).remove(removed.name);
            }
            if (added != null) {
                names.apply(added.directory).put(added.name, node);
            }
        }
    }

    private final Node root;
    private List<Change> pending = new ArrayList<>();

    SimulatedNames() {
        this(new Node(null, Path.of("/")));
    }

    private SimulatedNames(Node root) {
        this.root = root;
    }

    static Path normal(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /** What a name means, or null. */
    Node find(Path path) {
        Node found = root;
        for (Path part : normal(path)) {
            if (found == null || !found.isDirectory()) {
                return null;
            }
            found = found.now.get(part.toString());
        }
        return found;
    }

    Node existing(Path path) throws IOException {
        Node found = find(path);
        if (found == null) {
            throw new NoSuchFileException(path.toString());
        }
        return found;
    }

    Node existingFile(Path path) throws IOException {
        Node found = existing(path);
        if (found.isDirectory()) {
            throw new IOException("not a regular file");
        }
        return found;
    }

    Node existingDirectory(Path path) throws IOException {
        Node found = existing(path);
        if (!found.isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
        return found;
    }

    private Entry entry(Path path) throws IOException {
        Path normal = normal(path);
        return new Entry(
                existingDirectory(normal.getParent()), normal.getFileName().toString());
    }

    Node create(Path path, SimulatedContent content) throws IOException {
        Entry entry = entry(path);
        WindowsRules.requireGoodName(entry.name);
        if (entry.directory.now.containsKey(entry.name)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Node node = new Node(content, normal(path));
        entry.directory.now.put(entry.name, node);
        pending.add(new Change(null, entry, node));
        return node;
    }

    void delete(Path path) throws IOException {
        Node node = existing(path);
        if (!node.now.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        Entry entry = entry(path);
        entry.directory.now.remove(entry.name);
        pending.add(new Change(entry, null, null));
    }

    void rename(Path from, Path to) throws IOException {
        Node node = existing(from);
        Entry removed = entry(from);
        Entry added = entry(to);
        WindowsRules.requireGoodName(added.name);
        if (removed.is(added)) {
            return;
        }
        Node replaced = find(to);
        WindowsRules.requireRenamable(node, replaced);
        if (replaced != null && (replaced.isDirectory() != node.isDirectory() || !replaced.now.isEmpty())) {
            throw new IOException(to + " can't be replaced by " + from);
        }
        if (normal(to).startsWith(normal(from))) {
            throw new IOException("a directory can't move into itself");
        }
        removed.directory.now.remove(removed.name);
        added.directory.now.put(added.name, node);
        pending.add(new Change(removed, added, node));
        setPath(node, normal(to));
    }

    private static void setPath(Node node, Path path) {
        node.path = path;
        node.now.forEach((name, child) -> setPath(child, path.resolve(name)));
    }

    void sync(Node directory) {
        BitSet synced = new BitSet();
        for (int i = 0; i < pending.size(); i++) {
            synced.set(i, pending.get(i).touches(directory));
        }
        for (int i = synced.length() - 1; i >= 0; i = synced.previousSetBit(i - 1)) {
            for (int j = 0; j < i; j++) {
                if (pending.get(j).sharesEntryWith(pending.get(i))) {
                    synced.set(j);
                }
            }
        }
        List<Change> left = new ArrayList<>();
        for (int i = 0; i < pending.size(); i++) {
            if (synced.get(i)) {
                pending.get(i).applyTo(node -> node.medium);
            } else {
                left.add(pending.get(i));
            }
        }
        pending = left;
    }

    /** One of the states that a power cut may leave. */
    SimulatedNames crashed(Survival overall, SplittableRandom random) {
        BitSet survivors = survivors(Survival.within(overall, random), random);
        Map<Node, Map<String, Node>> changed = new IdentityHashMap<>();
        Function<Node, Map<String, Node>> names =
                directory -> changed.computeIfAbsent(directory, d -> new TreeMap<>(d.medium));
        survivors.stream().forEach(i -> pending.get(i).applyTo(names));
        return new SimulatedNames(crashed(root, root.path, names, overall, random, new IdentityHashMap<>()));
    }

    private BitSet survivors(Survival survival, SplittableRandom random) {
        BitSet survivors = new BitSet();
        if (survival == Survival.EVERYTHING) {
            survivors.set(0, pending.size());
        } else if (survival == Survival.SOME) {
            double share = Survival.share(random);
            for (int i = 0; i < pending.size(); i++) {
                survivors.set(i, random.nextDouble() < share);
            }
            for (int i = survivors.length() - 1; i >= 0; i = survivors.previousSetBit(i - 1)) {
                for (int j = 0; j < i; j++) {
                    if (pending.get(j).isRename() && pending.get(j).sharesEntryWith(pending.get(i))) {
                        survivors.set(j);
                    }
                }
            }
        }
        return survivors;
    }

    private static Node crashed(
            Node node,
            Path path,
            Function<Node, Map<String, Node>> names,
            Survival overall,
            SplittableRandom random,
            Map<SimulatedContent, SimulatedContent> contents) {
        if (!node.isDirectory()) {
            return new Node(contents.computeIfAbsent(node.content, each -> each.crashed(overall, random)), path);
        }
        Node directory = new Node(null, path);
        names.apply(node)
                .forEach((name, child) ->
                        directory.now.put(name, crashed(child, path.resolve(name), names, overall, random, contents)));
        directory.medium.putAll(directory.now);
        return directory;
    }

    /** The same names and contents, with the same changes pending, independent of these. */
    SimulatedNames copy() {
        Copier copier = new Copier();
        SimulatedNames copy = new SimulatedNames(copier.copy(root));
        for (Change change : pending) {
            copy.pending.add(new Change(
                    copier.copy(change.removed),
                    copier.copy(change.added),
                    change.node == null ? null : copier.copy(change.node)));
        }
        return copy;
    }

    private static final class Copier {
        private final Map<Node, Node> copies = new IdentityHashMap<>();
        private final Map<SimulatedContent, SimulatedContent> contents = new IdentityHashMap<>();

        Entry copy(Entry entry) {
            return entry == null ? null : new Entry(copy(entry.directory), entry.name);
        }

        Node copy(Node node) {
            Node copy = copies.get(node);
            if (copy == null) {
                SimulatedContent content =
                        node.isDirectory() ? null : contents.computeIfAbsent(node.content, SimulatedContent::copy);
                copy = new Node(content, node.path);
                copies.put(node, copy);
                for (Map.Entry<String, Node> entry : node.now.entrySet()) {
                    copy.now.put(entry.getKey(), copy(entry.getValue()));
                }
                for (Map.Entry<String, Node> entry : node.medium.entrySet()) {
                    copy.medium.put(entry.getKey(), copy(entry.getValue()));
                }
            }
            return copy;
        }
    }

    long fingerprint() {
        return fingerprint(root);
    }

    private static long fingerprint(Node node) {
        if (!node.isDirectory()) {
            return node.content.fingerprint();
        }
        long print = node.now.size();
        for (Map.Entry<String, Node> entry : node.now.entrySet()) {
            print = mixed(mixed(print, entry.getKey().hashCode()), fingerprint(entry.getValue()));
        }
        return print;
    }

    /** The first number, changed by the second so that the order of several matters. */
    static long mixed(long print, long next) {
        long mixed = (print ^ next) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }

    void forEachFile(BiConsumer<Path, SimulatedContent> consumer) {
        forEachFile(root, consumer);
    }

    private static void forEachFile(Node node, BiConsumer<Path, SimulatedContent> consumer) {
        if (node.isDirectory()) {
            node.now.values().forEach(child -> forEachFile(child, consumer));
        } else {
            consumer.accept(node.path, node.content);
        }
    }

    /** Puts a durable file there, in a directory that exists. */
    void setDurable(Path path, SimulatedContent content) throws IOException {
        Entry entry = entry(path);
        Node node = new Node(content, normal(path));
        pending.removeIf(change -> entry.is(change.removed) || entry.is(change.added));
        entry.directory.now.put(entry.name, node);
        entry.directory.medium.put(entry.name, node);
    }
}
