package io.flexdb.files;

import io.flexdb.files.PathWalk.Place;
import io.flexdb.files.internal.Entry;
import io.flexdb.files.internal.EntryKey;
import io.flexdb.files.internal.FileCopy;
import io.flexdb.files.internal.FileImport;
import io.flexdb.files.internal.FileTree;
import io.flexdb.files.internal.Times;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.Set;

/** Copies or moves one file, directory or link, with what the options say; to another file system of the same kind, too. */
final class CopyOrMove {
    private static final int COPIED_AT_ONCE = 256 << 10;

    private final FlexPath source;
    private final FlexPath target;
    private final FileOperations from;
    private final FileOperations to;
    private boolean replace;
    private boolean withTimes;
    private boolean atomic;
    private boolean follow = true;

    CopyOrMove(FlexPath source, FlexPath target, CopyOption... options) {
        this.source = source;
        this.target = target;
        this.from = source.fileSystem().operations();
        this.to = target.fileSystem().operations();
        for (CopyOption option : options) {
            Objects.requireNonNull(option, "option");
            if (option == StandardCopyOption.REPLACE_EXISTING) {
                replace = true;
            } else if (option == StandardCopyOption.COPY_ATTRIBUTES) {
                withTimes = true;
            } else if (option == StandardCopyOption.ATOMIC_MOVE) {
                atomic = true;
            } else if (option == LinkOption.NOFOLLOW_LINKS) {
                follow = false;
            } else {
                throw new UnsupportedOperationException("there is no such option: " + option);
            }
        }
    }

    private boolean isWithin() {
        return source.fileSystem() == target.fileSystem();
    }

    /** Whether both paths lead to one file already. */
    private boolean isDone(Place found, Place goal) {
        return isWithin()
                && goal.entry() != null
                && goal.entry().id() == found.entry().id();
    }

    void copy() throws IOException {
        if (atomic) {
            throw new UnsupportedOperationException("ATOMIC_MOVE is no option of a copy");
        }
        target.fileSystem().requireWritable();
        Place found = from.find(source, follow);
        Entry entry = found.requireEntry();
        Place goal = to.find(target, false);
        if (isDone(found, goal)) {
            return;
        }
        EntryKey key = FileOperations.target(goal, replace);
        FileTree tree = to.tree();
        if (entry.isDirectory()) {
            tree.replaceByDirectory(key, replace, target.toString());
            copyTimes(found);
        } else if (isWithin()) {
            new FileCopy(tree, found.key(), key, replace, withTimes).run(source.toString(), target.toString());
        } else {
            copyAcross(found, key);
        }
    }

    private void copyTimes(Place found) throws IOException {
        if (withTimes) {
            Times times = from.attributes(source, found.entry()).times();
            to.setTimes(target, false, old -> times);
        }
    }

    /** The copy is there whole or not at all, and what it replaces is until then. */
    private void copyAcross(Place found, EntryKey key) throws IOException {
        Entry entry = found.entry();
        Times times = withTimes ? from.attributes(source, entry).times() : null;
        if (entry.isLink()) {
            to.tree().replaceByLink(key, entry.target(), replace, times, target.toString());
            return;
        }
        try (SeekableByteChannel in = from.open(source, OpenFlags.of(Set.of()));
                FileImport out = new FileImport(to.tree())) {
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPIED_AT_ONCE, Math.max(1, in.size())));
            while (in.read(buffer.clear()) >= 0) {
                out.write(buffer.flip());
            }
            out.place(key, replace, times, target.toString());
        }
    }

    void move() throws IOException {
        if (withTimes) {
            throw new UnsupportedOperationException("COPY_ATTRIBUTES is no option of a move");
        }
        source.fileSystem().requireWritable();
        target.fileSystem().requireWritable();
        Place found = from.find(source, false);
        Entry entry = found.requireEntry();
        Place goal = to.find(target, false);
        if (isDone(found, goal)) {
            return;
        }
        EntryKey key = FileOperations.target(goal, replace || atomic);
        found.requireKey();
        if (isWithin()) {
            requireSameKind(entry, goal);
            to.tree().move(found.key(), key, replace || atomic, source.toString(), target.toString());
        } else {
            moveAcross(found);
        }
    }

    /** An atomic move is that of the operating system, which replaces files by files and directories by directories. */
    private void requireSameKind(Entry entry, Place goal) throws FileSystemException {
        if (atomic && goal.entry() != null && goal.entry().isDirectory() != entry.isDirectory()) {
            throw new FileSystemException(
                    source.toString(), target.toString(), entry.isDirectory() ? "Not a directory" : "Is a directory");
        }
    }

    private void moveAcross(Place found) throws IOException {
        if (atomic) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "the paths are of two file systems");
        }
        follow = false;
        withTimes = true;
        if (found.entry().isDirectory()
                && !from.tree().list(found.entry().id(), null, 1).isEmpty()) {
            throw new DirectoryNotEmptyException(source.toString());
        }
        copy();
        from.delete(source);
    }
}
