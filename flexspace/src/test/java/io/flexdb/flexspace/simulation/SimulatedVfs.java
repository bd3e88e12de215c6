package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.IoFailures;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.storage.StoreLockedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Files in memory that behave as badly as files on a disk may. What was written is durable only once it was forced,
 * what was named only once the directory was synced; {@link #crash} shows one of the states that a power cut may leave,
 * {@link #kill} the state that the death of the process leaves. Operations can be made to fail, to cut the power, or
 * not to make anything durable.
 *
 * <p>Thread-safe. The same operations in the same order and the same seed give the same state.
 *
 * <p>An operation is anything that opens, creates, changes, forces or locks; these are numbered from 1. Reads are
 * counted apart, so that the numbers of operations do not depend on what is cached; to list a directory, and to ask
 * whether there is something, are reads, too. Asking for sizes is not counted. Predicates and messages get absolute paths.
 */
public final class SimulatedVfs implements Vfs {
    /** For {@link #ignoreForce}: each force, not only the n-th. */
    public static final int ALL = 0;

    final SimulatedTroubles troubles = new SimulatedTroubles();
    private final SimulatedNames names;
    private final Map<Path, VfsLock> locks = new HashMap<>();
    private long capacity = Long.MAX_VALUE;
    private boolean allocatesUnwritten;
    private boolean links;

    /** Holds nothing but the root directory. */
    public SimulatedVfs() {
        this(new SimulatedNames());
    }

    /** Holds one empty directory, which is durable. */
    public SimulatedVfs(Path directory) {
        this();
        createDirectories(directory);
        for (Path parent = SimulatedNames.normal(directory).getParent(); parent != null; parent = parent.getParent()) {
            syncDirectory(parent);
        }
        troubles.operations = 0;
    }

    private SimulatedVfs(SimulatedNames names) {
        this.names = names;
    }

    // What happens to the machine.

    /**
     * Cuts the power and returns one of the states that may be found afterwards, chosen by the seed: with 0 nothing
     * that was not synced has survived, with 1 everything has, with any other seed a part of it. May be called again,
     * for other states of the same cut. From the first call on, every operation here throws {@link SimulatedCrash};
     * only closing still works.
     */
    public synchronized SimulatedVfs crash(long seed) {
        troubles.dead = true;
        return with(names.crashed(Survival.of(seed), new SplittableRandom(seed)));
    }

    /**
     * Ends the process and returns what the next one finds: everything written, what is not durable being still not,
     * and no locks. Every operation here throws {@link SimulatedCrash} from then on.
     */
    public synchronized SimulatedVfs kill() {
        troubles.dead = true;
        return copy();
    }

    /** The same state again, durable and not, without open files, locks, faults and counts. */
    public synchronized SimulatedVfs copy() {
        return with(names.copy());
    }

    private SimulatedVfs with(SimulatedNames found) {
        SimulatedVfs next = new SimulatedVfs(found);
        next.links = links;
        return next;
    }

    /** Whether the power is off. */
    public synchronized boolean isDead() {
        return troubles.dead;
    }

    // What goes wrong.

    /** Operations so far. */
    public synchronized long operationCount() {
        return troubles.operations;
    }

    /** Reads so far. */
    public synchronized long readCount() {
        return troubles.reads;
    }

    /**
     * Cuts the power before the operation with this number, which throws {@link SimulatedCrash}, as do all after it.
     */
    public synchronized void crashAt(long operation) {
        troubles.crashAt = operation;
    }

    /** Fails once: the first operation with at least this number to which the fault applies. */
    public void failAt(long operation, Fault fault) {
        failAt(operation, fault, false);
    }

    /** Fails the first operation with at least this number to which the fault applies; all of them if sticky. */
    public synchronized void failAt(long operation, Fault fault, boolean sticky) {
        troubles.arm(operation, fault, sticky);
    }

    /** Fails the read with this number, counted by {@link #readCount}; also all later ones if sticky. */
    public synchronized void failReadAt(long read, boolean sticky) {
        troubles.armRead(read, sticky);
    }

    /** How often an operation or read has failed because it was told to. */
    public synchronized long faultsFired() {
        return troubles.faultsFired;
    }

    /** Nothing fails any more. */
    public synchronized void clearFaults() {
        troubles.disarm();
    }

    /** Limits the bytes of all files: what would grow them further finds no space, what does not still works. */
    public synchronized void setCapacity(long bytes) {
        capacity = bytes;
    }

    /** From now on files can take their place without being written, as {@link VfsFile#allocateUnwritten} says. */
    public synchronized void allocateUnwritten() {
        allocatesUnwritten = true;
    }

    /** From now on files can have several names. */
    public synchronized void allowLinks() {
        links = true;
    }

    int linkCount(SimulatedContent content) {
        int[] count = {0};
        if (links) {
            names.forEachFile((path, other) -> count[0] += other == content ? 1 : 0);
        }
        return count[0];
    }

    boolean allocatesUnwritten() {
        return allocatesUnwritten;
    }

    void requireCapacity(long growth) throws IOException {
        if (capacity == Long.MAX_VALUE || growth <= 0) {
            return;
        }
        long[] used = {0};
        Set<SimulatedContent> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        names.forEachFile((path, content) -> used[0] += counted.add(content) ? content.size() : 0);
        if (used[0] + growth > capacity) {
            throw SimulatedTroubles.failure(Fault.ENOSPC);
        }
    }

    /**
     * Lets what is {@linkplain #start started}, by {@linkplain #worker workers} too, from now on wait until that many
     * more operations have been asked for, or somebody waits for it; then it is done as a whole, before the operation.
     * Without this it is done when it is started.
     */
    public void delayBackground(int operations) {
        troubles.background.delay(operations);
    }

    // What is left out, to see whether a test notices.

    /**
     * Makes forces of the named files, or syncs of the named directories, do nothing: the n-th from now on, or {@link
     * #ALL}.
     */
    public synchronized void ignoreForce(Predicate<String> name, int which) {
        troubles.ignore(name, which);
    }

    /** Forces and directory syncs so far by name, those ignored included and those failed not. */
    public synchronized int forceCount(Predicate<String> name) {
        return troubles.forces(name);
    }

    /** How many forces and directory syncs were ignored. */
    public synchronized long ignoredForceCount() {
        return troubles.forcesIgnored;
    }

    /**
     * Notes from now on where each force and directory sync comes from, as the innermost {@code depth} frames of the
     * stack outside of the simulation.
     */
    public synchronized void recordForceSites(int depth) {
        troubles.recordSites(depth);
    }

    /** Where forces and directory syncs came from, each once, in the order of their first use. */
    public synchronized Set<String> forceSites() {
        return troubles.sites();
    }

    /** Makes forces and directory syncs do nothing that come from a site as {@link #forceSites} names it. */
    public synchronized void ignoreForcesFrom(String site) {
        troubles.ignoreSite(site);
    }

    // What can be seen.

    /** Bytes written to files of certain names. */
    public synchronized long bytesWritten(Predicate<String> file) {
        return troubles.written(file);
    }

    /** Starts an empty trace. */
    public synchronized void startTrace() {
        troubles.trace = new ArrayList<>();
    }

    /** The operations since {@link #startTrace}, one line each, such as {@code write /store/data 512+4096}. */
    public synchronized List<String> trace() {
        return troubles.trace == null ? List.of() : List.copyOf(troubles.trace);
    }

    /** All files, in ascending order. */
    public synchronized Set<Path> files() {
        Set<Path> files = new TreeSet<>();
        names.forEachFile((path, content) -> files.add(path));
        return files;
    }

    /** What a reader of the file would read. */
    public synchronized byte[] content(Path file) {
        try {
            return names.existingFile(file).content.bytes();
        } catch (IOException e) {
            throw IoFailures.wrap("read", file, e);
        }
    }

    /**
     * A number that two file systems share if a process finds the same in them, and else practically never: all names
     * and contents, not what of them is durable.
     */
    public synchronized long fingerprint() {
        return names.fingerprint();
    }

    /** Puts a durable file of this content there, in a directory that exists, replacing what has this name. */
    public synchronized void setContent(Path file, byte[] content) {
        try {
            names.setDurable(file, SimulatedContent.durable(content));
        } catch (IOException e) {
            throw IoFailures.wrap("write", file, e);
        }
    }

    // The file system.

    @Override
    public synchronized VfsFile open(Path file, OpenMode mode) {
        boolean create = mode == OpenMode.CREATE;
        try {
            troubles.operation(create ? Operation.CREATE : Operation.OPEN, absolute(file));
            if (locks.containsKey(SimulatedNames.normal(file))) {
                throw new StoreLockedException(file, "this process");
            }
            SimulatedNames.Node node = create ? names.create(file, new SimulatedContent()) : names.existingFile(file);
            node.openings++;
            return new SimulatedFile(this, node, mode != OpenMode.READ);
        } catch (IOException e) {
            throw IoFailures.wrap(create ? "create" : "open", file, e);
        }
    }

    private static String absolute(Path path) {
        return SimulatedNames.normal(path).toString();
    }

    @Override
    public synchronized boolean exists(Path path) {
        return find(path) != null;
    }

    private SimulatedNames.Node find(Path path) {
        try {
            troubles.read();
            return names.find(path);
        } catch (IOException e) {
            throw IoFailures.wrap("inspection", path, e);
        }
    }

    @Override
    public synchronized boolean isDirectory(Path path) {
        SimulatedNames.Node node = find(path);
        return node != null && node.isDirectory();
    }

    @Override
    public boolean isPlainDirectory(Path path) {
        return isDirectory(path); // there are no links
    }

    @Override
    public synchronized boolean isPlainFile(Path path) {
        SimulatedNames.Node node = find(path);
        return node != null && !node.isDirectory();
    }

    @Override
    public synchronized List<String> list(Path directory) {
        try {
            troubles.read();
            return names.existingDirectory(directory).now.keySet().stream()
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw IoFailures.wrap("list", directory, e);
        }
    }

    @Override
    public synchronized void createDirectories(Path directory) {
        troubles.live();
        Path parent = SimulatedNames.normal(directory).getParent();
        SimulatedNames.Node there = names.find(directory);
        if (parent == null || there != null && there.isDirectory()) {
            return;
        }
        createDirectories(parent);
        try {
            troubles.operation(Operation.MKDIR, absolute(directory));
            names.create(directory, null);
        } catch (IOException e) {
            throw IoFailures.wrap("create", directory, e);
        }
    }

    @Override
    public synchronized void rename(Path from, Path to) {
        try {
            troubles.operation(Operation.RENAME, absolute(from) + " " + absolute(to));
            WindowsRules.requireNoLock(locks.keySet(), from, to);
            names.rename(from, to);
        } catch (IOException e) {
            throw IoFailures.wrap("rename to " + to.getFileName(), from, e);
        }
    }

    @Override
    public synchronized boolean link(Path file, Path name) {
        if (!links) {
            return false;
        }
        try {
            troubles.operation(Operation.LINK, absolute(file) + " " + absolute(name));
            names.create(name, names.existingFile(file).content);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public boolean replacesOpenFiles() {
        return !WindowsRules.APPLY;
    }

    @Override
    public synchronized void delete(Path path) {
        try {
            troubles.operation(Operation.DELETE, absolute(path));
            WindowsRules.requireNoLock(locks.keySet(), path);
            names.delete(path);
        } catch (IOException e) {
            throw IoFailures.wrap("delete", path, e);
        }
    }

    @Override
    public synchronized boolean deleteIfExists(Path path) {
        troubles.live();
        if (names.find(path) == null) {
            return false;
        }
        delete(path);
        return true;
    }

    @Override
    public synchronized void syncDirectory(Path directory) {
        try {
            troubles.operation(Operation.SYNC, absolute(directory));
            SimulatedNames.Node node = names.existingDirectory(directory);
            if (!troubles.leavesOut(absolute(directory))) {
                names.sync(node);
            }
        } catch (IOException e) {
            throw IoFailures.wrap("sync", directory, e);
        }
    }

    @Override
    public synchronized VfsLock lock(Path lockFile) {
        Path path = SimulatedNames.normal(lockFile);
        try {
            troubles.operation(Operation.LOCK, path.toString());
            if (locks.containsKey(path)) {
                throw new StoreLockedException(lockFile, "this process");
            }
            SimulatedNames.Node node =
                    names.find(path) == null ? names.create(path, new SimulatedContent()) : names.existingFile(path);
            byte[] holder = "1\n                              ".getBytes(StandardCharsets.US_ASCII);
            node.content.write(ByteBuffer.wrap(holder), holder.length, 0);
            SimulatedLock lock = new SimulatedLock(path);
            locks.put(path, lock);
            return lock;
        } catch (IOException e) {
            throw IoFailures.wrap("lock", lockFile, e);
        }
    }

    private final class SimulatedLock implements VfsLock {
        private final Path path;

        SimulatedLock(Path path) {
            this.path = path;
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public void requireHeld() {
            // There is no other process.
        }

        @Override
        public void close() {
            synchronized (SimulatedVfs.this) {
                locks.remove(path, this);
            }
        }
    }

    @Override
    public BackgroundTask start(String name, Runnable task) {
        return troubles.background.start(task);
    }

    @Override
    public BackgroundWorker worker(String name) {
        return troubles.background.worker();
    }

    @Override
    public boolean mapsSafely(Path directory) {
        return false;
    }
}
